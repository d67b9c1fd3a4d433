"""Nothing is left behind: 1,000 runs that are begun and cancelled, under Python's checks of memory, with nanobind's report of what was
leaked at the end of the process."""
from __future__ import annotations

import os
import subprocess
import sys

HEAD = """
import ctypes, gc, os, sys, threading
import slicepool as sp
F = sp.Factorizations([1, 2, 3, 4, 5, 6, 7, 8], 3000)
F.count
"""

CYCLES = HEAD + """
def cycle(i):
    kind = i % 5
    if kind == 0:                                   # cancelled at once
        F.start("lengths", threads=2).cancel()
    elif kind == 1:                                 # while it runs, and asked for its answer
        run = F.start("lengths", threads=2, progress=lambda progress: None)
        run.wait(0.001)
        run.cancel()
        try: run.result()
        except sp.Stopped: pass
    elif kind == 2:                                 # dropped at the end of a block
        with F.start("rows", threads=1, mode="emulated"): pass
    elif kind == 3:                                 # refused
        try: F.start("lengths", threads=-1).result()
        except sp.ConfigError: pass
    else:                                           # run to the end, and a result that outlives it
        run = sp.Factorizations([6, 9, 20], 60 + i % 7).start("rows", threads=2)
        kept.append(run.result())
        del kept[:-3]

kept = []
def blocks(begin, end):
    for i in range(begin, end): cycle(i)
    gc.collect()
    return sys.getallocatedblocks(), len(os.listdir("/proc/self/task"))

before, threads = blocks(0, 200)                    # what is kept for later runs is there then
after, threads_after = blocks(200, 1000)
assert after - before < 400, (before, after)        # half a block a cycle would be as many
assert threads_after <= threads + 2, (threads, threads_after)
assert not sp._runs._running
print("done")
"""

LEAKING = HEAD + """
run = F.start("count")
run.result()
ctypes.pythonapi.Py_IncRef(ctypes.py_object(run._task))
"""


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-X", "dev", "-c", code], capture_output=True, text=True, timeout=800,
                          env={**os.environ, "PYTHONMALLOC": "debug"})


def test_a_thousand_runs_that_are_begun_and_cancelled_leave_nothing() -> None:
    done = run(CYCLES)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_what_is_leaked_is_reported() -> None:
    # Or the empty report above would say nothing.
    done = run(LEAKING)
    assert done.returncode == 0 and "nanobind: leaked" in done.stderr and "Task" in done.stderr, done.stderr
