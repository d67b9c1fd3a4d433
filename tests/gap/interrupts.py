#!/usr/bin/env python3
"""Ctrl-C while GAP waits for the program, and a child that is killed while it computes.

GAP runs on a terminal of its own. What has to be under way is known by the checkpoint that the run writes.
"""
import os
import pathlib
import pty
import re
import select
import signal
import time

import gap_root
from gap_root import require

HANG_SECONDS = 120    # tells a hang from a slow machine, nothing else
ENDLESS = ('SlicepoolRun(rec(workload := "factorizations", generators := [1001 .. 1032], element := 2 ^ 40, '
           'algorithm := "candidate", checkpoint := "%s", '
           'engine := rec(mode := "cpu", threads := 1, checkpoint_interval_seconds := 0.001)));')


class Session:
    """An interactive GAP."""

    def __init__(self, gap, *commands):
        self.gap, self.read_ = gap, ""
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(gap.place.name)
            os.execve(gap.program, gap.arguments("-n"), gap.environment)
        for command in ("SizeScreen([4096, 1000000]);;", *commands):
            self.type(command)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)

    def type(self, text):
        os.write(self.terminal, text.encode() + b"\n")

    def wait(self, pattern):
        """Reads until GAP has said this, and forgets it."""
        end = time.monotonic() + HANG_SECONDS
        while not (found := re.search(pattern, self.read_)):
            left = end - time.monotonic()
            ready = select.select([self.terminal], [], [], max(left, 0))[0]
            require(ready, f"GAP does not say {pattern}: {self.read_[-2000:]}")
            self.read_ += os.read(self.terminal, 1 << 16).decode(errors="replace")
        self.read_ = self.read_[found.end():]
        return found

    def value(self, expression):
        """What GAP prints for it: between marks that the echo of the line does not have."""
        self.type(f'Print("<", "<", {expression}, ">", ">");')
        return self.wait(r"<<([^<>\"]*)>>")[1]


def until(holds, what):
    end = time.monotonic() + HANG_SECONDS
    while not holds():
        require(time.monotonic() < end, what)
        time.sleep(0.005)


gap = gap_root.Gap()
LOAD = ('LoadPackage("slicepool", false);;', "SlicepoolThreshold := 0;;")
passed = 0
for way in ("terminal", "signal to GAP alone"):
    checkpoint = pathlib.Path(gap.place.name, f"{way[0]}.ckpt")
    lock = pathlib.Path(f"{checkpoint}.lock")    # as long as the run goes on
    with Session(gap, *LOAD) as session:
        child = session.value("SlicepoolServer().pid")
        before = session.value("NameFunction(OnBreak)")
        # `return;` asks again, `quit;` leaves it.
        for command, end in ((ENDLESS % checkpoint, "return;"), (None, "quit;")):
            if command:
                session.type(command)
            until(lambda: lock.exists() and checkpoint.exists(), "the run does not get on")
            if way == "terminal":
                os.write(session.terminal, b"\x03")
            else:
                os.kill(session.pid, signal.SIGINT)
            session.wait("user interrupt")
            until(lambda: not lock.exists(), "the request was not cancelled")
            require(session.value("NameFunction(OnBreak)") == before, "OnBreak is another one")
            checkpoint.unlink()
            session.type(end)
        require(session.value("RestrictedPartitions(5, [2, 3])").replace(" ", "") == "[[3,2]]", "after quit")
        require(session.value("SlicepoolServer().pid") == child, "the child is another one")
        require(session.value("NameFunction(OnBreak)") == before, "OnBreak is another one at the end")
    passed += 1

# A child that is killed while it computes: another one is asked, once.
checkpoint = pathlib.Path(gap.place.name, "killed.ckpt")
with Session(gap, *LOAD) as session:
    child = int(session.value("SlicepoolServer().pid"))
    session.type(ENDLESS % checkpoint)
    until(checkpoint.exists, "the run does not get on")
    os.kill(child, signal.SIGKILL)
    until(lambda: not os.path.exists(f"/proc/{child}/exe"), "the child was not killed")
    checkpoint.unlink()
    until(checkpoint.exists, "the request did not begin again")
    children = pathlib.Path(f"/proc/{session.pid}/task/{session.pid}/children").read_text().split()
    others = [int(pid) for pid in children if os.path.exists(f"/proc/{pid}/exe")]
    require(len(others) == 1 and others[0] != child, f"children {children}")
    os.kill(others[0], signal.SIGKILL)
    session.wait("ended twice at one request")
    require(session.value("RestrictedPartitions(5, [2, 3])").replace(" ", "") == "[[3,2]]", "after two kills")
    child = int(session.value("SlicepoolServer().pid"))
    passed += 1
    # The end of GAP is the end of the child.
    session.type("quit;")
    session.type("QUIT;")
    until(lambda: not os.path.exists(f"/proc/{child}/exe"), "the child outlives GAP")
    passed += 1

# Also where GAP is killed.
checkpoint = pathlib.Path(gap.place.name, "orphan.ckpt")
with Session(gap, *LOAD) as session:
    child = int(session.value("SlicepoolServer().pid"))
    session.type(ENDLESS % checkpoint)
    until(checkpoint.exists, "the run does not get on")
    os.kill(session.pid, signal.SIGKILL)
    until(lambda: not os.path.exists(f"/proc/{child}/exe"), "the child outlives a GAP that was killed")
    passed += 1
print(f"{passed} passed, 0 failed")
