"""How runs behave: signals, threads, progress, options, errors, checkpoints, processes."""
from __future__ import annotations

import concurrent.futures
import gc
import importlib
import inspect
import json
import multiprocessing
import os
import pathlib
import pickle
import subprocess
import sys
import threading
import time
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import slicepool as sp

#: Takes hours: nothing here runs it to its end.
LONG: dict[str, Any] = {"n": 18, "solutions": False}
untyped: Any = sp    # for calls that no type checker lets through


def test_nothing_is_printed_and_no_gpu_is_touched_by_import() -> None:
    code = ("import sys, threading, slicepool as sp\n"
            "assert threading.active_count() == 1\n"
            "F = sp.Factorizations([6, 9, 20], 60)\n"
            "with sp.options(mode='cpu'):\n"
            "    F.lengths(), F.to_numpy(), sp.no_three_in_line(8), len(sp.TransformationMonoid.named('bihecke:4'))\n"
            "try: F.to_numpy(threads=-1)\n"
            "except sp.ConfigError: pass\n"
            "assert not any('libcuda' in line for line in open('/proc/self/maps')), 'a driver was loaded'\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


INTERRUPTED = """
import json, os, signal, sys, threading, time
import slicepool as sp
sent = [0.0]
def send(progress):
    # Once the search is under way: a timer would depend on how fast the machine is.
    if progress.phase == "search" and progress.steps > 0 and not sent[0]:
        sent[0] = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)
try:
    sp.no_three_in_line(18, solutions=False, progress=send, threads=2, **json.loads(sys.argv[1]))
except sp.Interrupted as stop:
    assert isinstance(stop, KeyboardInterrupt)
    print(json.dumps({"seconds": time.monotonic() - sent[0], "nodes": stop.partial.nodes, "checkpoint": stop.checkpoint,
                      "message": str(stop)}))
"""


def test_ctrl_c_stops_a_run_and_keeps_what_was_found(tmp_path: pathlib.Path) -> None:
    for run in ({}, {"checkpoint": str(tmp_path / "search.ckpt")}):
        done = subprocess.run([sys.executable, "-c", INTERRUPTED, json.dumps(run)], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0 and done.stderr == "", done.stderr
        answer = json.loads(done.stdout)
        assert answer["nodes"] > 0 and answer["checkpoint"] == run.get("checkpoint")
        assert ("nothing was saved" in answer["message"]) == (not run)
        assert answer["seconds"] < 30    # that it answers; how fast is measured, not tested
    assert (tmp_path / "search.ckpt").exists()


def test_signals_come_while_tables_are_made() -> None:
    code = ("import os, signal, threading, slicepool as sp\n"
            "try:\n"
            "    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
            "    while True: sp.Factorizations(range(2, 60), 3_000_000).count\n"
            "except KeyboardInterrupt as stop: print('stopped', getattr(stop, 'partial', None))\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert (done.stdout, done.returncode) == ("stopped None\n", 0), done.stderr


#: Ranks and samples, which search nothing: what comes first is made before, and a call takes a while.
RANKED: dict[str, tuple[str, str]] = {
    "sample of factorizations": ("F = sp.Factorizations(range(2, 40), 3000); F.count", "F.sample(100_000)"),
    "slice of factorizations": ("F = sp.Factorizations(range(2, 40), 3000); F.count", "F[:700_000:7]"),
    "rank of semigroups": ("N = sp.NumericalSemigroups(genus=30); N.count", "N.sample(5)"),
    "slice of semigroups": ("N = sp.NumericalSemigroups(genus=30); N.count", "N[::50_000]"),
}


@pytest.mark.parametrize("name", RANKED)
def test_ranks_and_samples_stop_by_ctrl_c_and_by_their_time_limit(name: str) -> None:
    before, call = RANKED[name]
    code = ("import os, signal, threading, slicepool as sp\n"
            f"{before}\n"
            "for limit in (1e-9, 1e9):\n"    # the first one is over when the work looks, however fast the machine is
            "    try:\n"
            "        with sp.options(time_limit=limit):\n"
            "            if limit > 1: threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
            f"            while True: {call}\n"
            "    except (sp.Stopped, KeyboardInterrupt) as stop: print(type(stop).__name__, 'time limit' in str(stop))\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert (done.stderr, done.returncode) == ("", 0)
    # Between two calls a signal is Python's own exception.
    assert done.stdout in ("Stopped True\nInterrupted False\n", "Stopped True\nKeyboardInterrupt False\n")


#: Answers of a million tuples or lists.
LARGE = {
    "points": "sp.IntegerPoints([[1] * 4], [200]).list()",
    "semigroups": "sp.NumericalSemigroups(genus=25).list()",
    "a record": "sp.run({'workload': 'integer_points', 'matrix': [[1] * 4], 'right_side': [200], 'sink': 'list'})",
}


@pytest.mark.parametrize("name", LARGE)
def test_large_answers_are_taken_in_pieces(name: str) -> None:
    # A signal is seen between two of them: where a whole answer was one call of C, there were two or three such moments.
    code = ("import signal, sys, slicepool as sp\n"
            "seen = []\n"
            "def look(frame, event, argument):\n"
            "    if event == 'call' and frame.f_code.co_name in ('tuples_of', 'tuples_of_lengths', 'record_of'): return line\n"
            "def line(frame, event, argument):\n"
            "    seen.append(event)\n"
            "    if len(seen) == 50: signal.raise_signal(signal.SIGINT)\n"
            "    return line\n"
            "sys.settrace(look)\n"
            f"try: {LARGE[name]}\n"
            "except sp.Interrupted as stop: print(stop, len(seen) < 60)\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert (done.stdout, done.stderr) == ("interrupted while the answer was taken; nothing was saved True\n", "")


def test_large_lists_of_a_record_are_complete() -> None:
    P, N = sp.IntegerPoints([[1] * 4], [60]), sp.NumericalSemigroups(genus=19)
    assert len(P) > 4 * 2**13 and N.count > 2 * 2**13    # several pieces
    record = sp.run({"workload": "integer_points", "matrix": [[1] * 4], "right_side": [60], "sink": "list"})
    assert list(map(tuple, record["points"])) == P.list() == list(map(tuple, P.to_numpy().tolist())) and record["listed"] == P.count
    assert list(record).index("points") == list(record).index("listed") + 1    # a member keeps its place
    record = sp.run({"workload": "numerical_semigroups", "genus": 19, "sink": "list", "exactly": True})
    assert list(map(tuple, record["semigroups"])) == N.list() == N[:] and len(N.list()) == N.count


def test_large_lists_of_vectors_and_rules_are_complete() -> None:
    cube = np.eye(12, dtype=np.int64)    # more vectors, lattices and words than a piece has
    found = sp.short_vectors(cube, 4, solutions=10**6)
    assert len(found.vectors) == found.count == len({v.vector for v in found.vectors}) > 4096
    assert [v.squared_norm for v in found.vectors] == sorted(sum(x * x for x in v.vector) for v in found.vectors)
    lattices = np.array([[[1, 0], [0, number]] for number in range(1, 2500)])
    assert [each.count for each in sp.shortest_vectors(lattices, 4)] == [{1: 6, 2: 3}.get(number, 2) for number in range(1, 2500)]
    M = sp.TransformationMonoid.named("bihecke:5")
    rules = M.rules()
    assert 2 * len(rules) == 2 * M.number_of_rules > 2**14
    assert all((len(right), right) < (len(left), left) for left, right in rules) and rules == sorted(rules, key=lambda rule: (len(rule[0]), rule[0]))


def test_ranks_and_samples_keep_to_the_memory_limit() -> None:
    F = sp.Factorizations([13, 37, 38, 40], 20000)
    N = sp.NumericalSemigroups(genus=20)
    calls: list[tuple[str, Any]] = [("sample", lambda: F.sample(10**9)), ("sample", lambda: F.sample(2**63)), ("slice", lambda: F[::2]),
                                    ("k", lambda: N.sample(10**15)), ("slice", lambda: N[:])]
    assert (F.count, N.count) == (1841247, 37396)
    with sp.options(memory_limit="2MiB"):
        for field, call in calls:
            with pytest.raises(sp.LimitError, match=f"^{field}: .* the memory limit is 2097152 bytes"):
                call()
        assert len(F.sample(1000)) == 1000 and len(F[:10000:2]) == 5000 and len(N[:1000]) == 1000


def test_a_run_goes_on_from_its_checkpoint(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "search.ckpt"
    whole = sp.no_three_in_line(11, solutions=False)
    job = {"workload": "three_in_line", "size": 11, "checkpoint": str(path), "engine": {"threads": 1, "step_limit": 20000}}
    with pytest.raises(sp.Stopped, match="resume=") as caught:
        sp.run(job)
    assert caught.value.checkpoint == str(path) and caught.value.partial["status"] == "stopped"
    again = sp.no_three_in_line(11, solutions=False, checkpoint=path, resume="auto")
    assert (again.total, again.nodes, again.fingerprint) == (whole.total, whole.nodes, whole.fingerprint)
    assert not path.exists()
    path.write_bytes(b"no checkpoint")
    with pytest.raises(sp.CheckpointError):
        sp.no_three_in_line(11, resume=path)


def test_time_limit_and_cancel_stop_a_run() -> None:
    with pytest.raises(sp.Stopped, match="nothing was saved") as caught:
        sp.no_three_in_line(**LONG, time_limit=0.1)
    assert caught.value.partial.nodes > 0 and caught.value.checkpoint is None
    F = sp.Factorizations([1, 2, 3, 4, 5, 6, 7, 8], 3000)
    with F.start("lengths", threads=1) as run:
        assert not run.wait(0.05) and run.progress.seconds >= 0
        threading.Timer(0.05, run.cancel).start()
        with pytest.raises(sp.Stopped):
            run.result()
        assert run.report["status"] == "stopped" and run.report["workload"] == "factorizations"


def test_a_time_limit_of_many_lattices_counts_from_their_beginning() -> None:
    cube = np.eye(60, dtype=np.int64)    # more than 10^15 vectors within the radius: no group is ever answered
    for call in (lambda: sp.shortest_vectors([cube] * 3, 12, time_limit=0.1), lambda: sp.closest_vectors(cube, [[0] * 60] * 3, 12, time_limit=0.1)):
        with pytest.raises(sp.Stopped):
            call()


def test_start_gives_what_the_methods_give() -> None:
    F = sp.Factorizations([6, 9, 20], 600)
    runs = {sink: F.start(sink) for sink in ("count", "rows", "lengths", "coordinate-maxima", "fingerprint", "any:a1 = 4", "first:3")}
    answers = {sink: run.result() for sink, run in runs.items()}
    assert answers["count"] == F.count and np.array_equal(answers["rows"], F.to_numpy())
    assert np.array_equal(answers["lengths"], F.length_histogram()) and answers["fingerprint"] == F.fingerprint()
    assert answers["coordinate-maxima"] == F.coordinate_maxima() and answers["any:a1 = 4"] is F.any("a1 = 4")
    assert np.array_equal(answers["first:3"], F[:3])
    assert runs["count"].result() == F.count and "ended" in repr(runs["count"])    # again, from any thread
    record = runs["count"].report
    assert record["count"] == F.count and record["status"] == "done" and "build" in record


def test_many_cycles_of_start_and_cancel() -> None:
    F = sp.Factorizations([1, 2, 3, 4, 5, 6, 7, 8], 3000)
    before = len(os.listdir("/proc/self/task"))
    for cycle in range(150):
        run = F.start("lengths", threads=2)
        if cycle % 3 == 0:
            run.cancel()
            with pytest.raises(sp.Stopped):
                run.result()
        elif cycle % 3 == 1:
            with run:
                pass
        del run    # what runs is cancelled
    gc.collect()
    assert len(os.listdir("/proc/self/task")) <= before + 8    # threads of the arena stay, those of runs do not


def test_runs_from_several_threads_at_once() -> None:
    def work(seed: int) -> Any:
        element = 400 + seed
        F = sp.Factorizations([6, 9, 20], element)
        with sp.options(threads=1 + seed % 2, mode="emulated" if seed % 5 == 0 else "cpu"):
            return element, F.count, F.to_numpy().tolist(), F.lengths().tolist(), sp.no_three_in_line(5 + seed % 3).total

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        results = list(pool.map(work, range(24)))
    for seed, (element, count, rows, lengths, total) in enumerate(results):
        F = sp.Factorizations([6, 9, 20], element)
        assert count == len(rows) == len(F) and rows == F.to_numpy().tolist() and lengths == F.lengths().tolist()
        assert total == {5: 32, 6: 50, 7: 132}[5 + seed % 3]


def test_other_threads_run_meanwhile() -> None:
    ticks = 0
    with sp.Factorizations([1, 2, 3, 4, 5, 6, 7, 8], 3000).start("lengths", threads=1) as run:
        while not run.wait(0.001) and ticks < 20:
            ticks += 1
    assert ticks == 20    # each needed the lock of Python


def test_progress_is_told_on_the_calling_thread() -> None:
    seen: list[Any] = []

    class Enough(Exception):
        pass

    def look(progress: sp.Progress) -> None:
        seen.append((threading.get_ident(), progress))
        if progress.steps > 0:
            raise Enough

    with pytest.raises(Enough):    # and the run is stopped
        sp.no_three_in_line(**LONG, progress=look)
    assert {ident for ident, _ in seen} == {threading.get_ident()}
    assert seen[-1][1].phase == "search" and seen[-1][1].total_steps >= 0
    with pytest.raises(TypeError, match="progress"):
        sp.no_three_in_line(4, progress=7)


def test_options_hold_inside_their_block() -> None:
    F = sp.Factorizations([6, 9, 20], 60)
    with sp.options(threads=1, mode="cpu"):
        with sp.options(mode="emulated"):
            inner = F.start()
        outer = F.start(threads=2)
    assert (inner.report["engine"], outer.report["engine"]) == ({"threads": 1, "mode": "emulated"}, {"threads": 2, "mode": "cpu"})
    assert F.start().report["engine"] == {}
    for call in (lambda: F.to_numpy(thread=2), lambda: F.lengths(thread=2), lambda: sp.short_vectors([[1]], thread=2),
                 lambda: sp.TransformationMonoid([[0]], thread=2), lambda: F.start(thread=2)):
        with pytest.raises(TypeError, match="'thread'; the nearest known one is 'threads'"):
            call()
    with pytest.raises(TypeError):
        with sp.options(modes="cpu"):
            pass


def test_errors_are_those_of_the_command() -> None:
    F = sp.Factorizations([6, 9, 20], 60)
    for run, field in (({"mode": "fast"}, "engine.mode"), ({"threads": -1}, "engine.threads"), ({"memory_limit": "3 apples"}, "engine.memory_limit"),
                       ({"time_limit": -1}, "time_limit_seconds")):
        with pytest.raises(sp.ConfigError) as caught:
            F.lengths(**run)
        assert caught.value.field == field and "accepted" in str(caught.value)
        assert isinstance(caught.value, (sp.Error, ValueError)) and isinstance(caught.value, RuntimeError)
    if not sp.info()["machine"]["gpus"]:
        with pytest.raises(sp.DeviceError):
            F.fingerprint(mode="gpu")
    with pytest.raises(sp.LimitError) as limit:
        sp.Factorizations([1, 2, 3, 4], 5000).to_numpy(memory_limit="1MiB")
    assert isinstance(limit.value, MemoryError) and pickle.loads(pickle.dumps(limit.value)).args == limit.value.args


def counted(element: int) -> tuple[int, int, list[int]]:
    F = sp.Factorizations([6, 9, 20], element)
    return element, F.count, F.lengths(threads=2).tolist()


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_other_processes(method: str) -> None:
    counted(300)    # this process has used its threads
    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context(method)) as pool:
        assert list(pool.map(counted, range(300, 304))) == [counted(element) for element in range(300, 304)]
        assert pool.submit(len, sp.Factorizations([6, 9, 20], 900)).result() == sp.Factorizations([6, 9, 20], 900).count


def test_a_fork_after_the_first_use_of_a_gpu_is_told_so() -> None:
    # tests/unit/core/forked_devices.cpp has a driver that can be counted; here it is the one of this machine, if there is one.
    code = ("import os, slicepool as sp\n"
            "gpus = bool(sp.info()['machine']['gpus'])\n"
            "child = os.fork()\n"
            "if child == 0:\n"
            "    try: sp.Factorizations([6, 9, 20], 60).fingerprint(mode='gpu')\n"
            "    except sp.DeviceError as error: os._exit(0 if ('spawn or forkserver' in str(error)) == gpus else 1)\n"
            "    os._exit(2)\n"
            "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0\n")
    # Python 3.12 warns of every fork beside threads, and a driver has some.
    done = subprocess.run([sys.executable, "-W", "ignore::DeprecationWarning", "-c", code], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_end_of_the_process_does_not_wait_for_runs() -> None:
    code = ("import slicepool as sp\n"
            "run = sp.Factorizations([1, 2, 3, 4, 5, 6, 7, 8], 3000).start('lengths')\n"
            "run.wait(0.05)\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_fork_while_runs_go_on_leaves_them_to_its_parent() -> None:
    code = ("import os, sys, threading, slicepool as sp\n"
            "def search():\n"
            "    try:\n"
            "        while True: sp.Factorizations([13, 37, 38, 40], 3000).fingerprint(threads=1)\n"
            "    except sp.Error: pass\n"
            "threading.Thread(target=search, daemon=True).start()\n"
            "with sp.Factorizations([1, 2, 3, 4, 5, 6, 7, 8], 3000).start('lengths', threads=1) as run:\n"
            "    run.wait(0.05)\n"
            "    child = os.fork()\n"
            "    if child == 0:\n"
            "        for ask in (run.result, run.wait, lambda: run.progress):\n"
            "            try: ask()\n"
            "            except sp.Error as error: assert 'forked from' in str(error)\n"
            "            else: os._exit(3)\n"
            "        assert repr(run) == '<slicepool.Run, of another process>'\n"
            "        assert sp.Factorizations([13, 37, 38, 40], 2000).fingerprint(threads=2)\n"
            "        run.cancel()    # only here\n"
            "        sys.exit(0)     # leaves the block, and ends as a process does\n"
            "    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0\n"
            "    assert not run.wait(0)\n")
    done = subprocess.run([sys.executable, "-W", "ignore::DeprecationWarning", "-c", code], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_end_of_the_process_does_not_wait_for_daemon_threads() -> None:
    code = ("import threading, sys, slicepool as sp\n"
            "F = sp.Factorizations([13, 37, 38, 40], 3000)\n"
            "first = threading.Semaphore(0)\n"
            "def search(element):\n"
            "    try:\n"
            "        while True:\n"
            "            F.to_numpy(threads=1)\n"
            "            first.release()\n"
            "            sp.Factorizations([1, 2, 3, 4, 5, 6, 7, 8], element).lengths(threads=1)\n"
            "    except sp.Error: pass\n"
            "for element in (2, 20, 3000): threading.Thread(target=search, args=(element,), daemon=True).start()\n"
            "for _ in range(3): first.acquire()\n")
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
        assert (done.returncode, done.stderr) == (0, "")


def test_several_threads_ask_one_run_for_its_answer() -> None:
    F = sp.Factorizations([13, 37, 38, 40], 2000)
    expected = F.to_numpy()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for _ in range(20):
            run = F.start("rows", threads=1)
            answers = list(pool.map(lambda _: run.result(), range(8)))
            assert all(answer is answers[0] for answer in answers) and np.array_equal(answers[0], expected)


def test_several_threads_explore_one_monoid(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = sp.TransformationMonoid.named("bihecke:4")
    expected = [477, whole.number_of_rules, True, 100, whole.left_cayley_graph.tobytes()] * 3
    exploring: list[int] = []
    most = [0]

    def watched(*arguments: Any) -> Any:
        exploring.append(1)
        most.append(len(exploring))
        time.sleep(0.05)    # long enough for the others to come, were they let in
        try:
            return finish(*arguments)
        finally:
            exploring.pop()

    module = importlib.import_module("slicepool._semigroup")
    finish = module.finish
    monkeypatch.setattr(module, "finish", watched)
    for begun in (False, True):
        M = sp.TransformationMonoid.named("bihecke:4")
        if begun:
            M.run_for(0)
        questions = [lambda: len(M), lambda: M.number_of_rules, lambda: M.run_for(1), lambda: M.index(whole[100]),
                     lambda: M.left_cayley_graph.tobytes()] * 3
        with concurrent.futures.ThreadPoolExecutor(len(questions)) as pool:
            assert [future.result() for future in [pool.submit(question) for question in questions]] == expected
        assert max(most) == 1


def test_a_function_for_progress_that_asks_about_its_own_monoid_is_told_so() -> None:
    # bihecke:7 is never explored to its end: the exception at the first progress ends it.
    M: sp.TransformationMonoid = sp.TransformationMonoid.named("bihecke:7", progress=lambda progress: len(M))
    with pytest.raises(sp.Error, match="current_size and finished"):
        len(M)
    assert not M.finished


def test_answers_that_were_taken_in_half_are_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(job: Any) -> Any:
        raise KeyboardInterrupt

    run = sp.Factorizations([6, 9, 20], 60).start("count")
    monkeypatch.setattr(run, "_collect", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run.result()
    with pytest.raises(sp.Stopped, match="while the answer was taken"):
        run.result()


@pytest.mark.parametrize("call, message", [
    (lambda: untyped.Factorizations([6, 9.5], 60), "generators[1]: got 9.5; accepted: an integer"),
    (lambda: untyped.Factorizations("69", 60), "generators: got '69'; accepted: integers, in a list"),
    (lambda: untyped.Factorizations(6, 60), "generators: got 6; accepted: integers, in a list"),
    (lambda: untyped.Factorizations([6, 9], 60.0), "element: got 60.0; accepted: an integer"),
    (lambda: untyped.Factorizations([6, 9], 60)["2"], "rank: got '2'; accepted: an integer"),
    (lambda: untyped.Factorizations([6, 9], 60).any(print), "predicate: got <built-in function print>; accepted: text such as"),
    (lambda: untyped.Factorizations([6, 9], 60).start(42), "sink: got 42; accepted: text"),
    (lambda: untyped.Factorizations([6, 9], 60).lengths(checkpoint=5), "checkpoint: got 5; accepted: a path"),
    (lambda: untyped.NumericalSemigroup(6, "9"), "generators[1]: got '9'; accepted: an integer"),
    (lambda: untyped.NumericalSemigroup(6, 9, 20).catenary_degree("60"), "element: got '60'; accepted: an integer"),
    (lambda: untyped.TransformationMonoid([[0, 1.0]]), "generators[0][1]: got 1.0; accepted: an integer"),
    (lambda: untyped.TransformationMonoid("full:3"), "generators: got 'full:3'; accepted: transformations, in a list"),
    (lambda: untyped.Workload.from_source(None), "text: got NoneType; accepted: C++ text"),
    (lambda: untyped.run(None), "config: got NoneType; accepted: a dictionary or the path of a file"),
])
def test_wrong_types_are_named(call: Any, message: str) -> None:
    with pytest.raises(TypeError) as caught:
        call()
    assert message in str(caught.value)


@pytest.mark.parametrize("call, field", [
    (lambda: untyped.Factorizations([6, 9], 60).lengths(time_limit=float("inf")), "time_limit"),
    (lambda: untyped.short_vectors([[1, 0], [0, 1]], gh_factor=float("nan")), "gh_factor"),
    (lambda: untyped.short_vectors([[1, 0], [0, 1]], 2, pruning=3), "pruning"),
    (lambda: untyped.short_vectors([[1, 0], [0, 1]]), "radius2"),
    (lambda: untyped.closest_vector([[1, 0], [0, 1]], ["1/0", 1]), "target"),
    (lambda: untyped.shortest_vectors(5), "bases"),
    (lambda: untyped.closest_vectors([[1, 0], [0, 1]], 5), "targets"),
    (lambda: untyped.reduce(gram=b"[[1]]"), "gram"),
    (lambda: untyped.shortest_vector([[10**5000, 0], [0, 1]]), "basis"),
    (lambda: untyped.run({"workload": "three_in_line", "size": float("nan")}), "config"),
    (lambda: untyped.TransformationMonoid.named("full:3").dot("up"), "side"),
    (lambda: untyped.Factorizations([6, 9, 20], 60).to_numpy(out=[[0, 0, 0]] * 5), "out"),    # NumPy would make an array of its own
    (lambda: untyped.NumericalSemigroup(6, 9, 20).denumerants(-1), "last"),
    (lambda: untyped.Factorizations([6, 9, 20], 60).lengths(time_limit=Decimal("nan")), "time_limit"),
    (lambda: untyped.Factorizations([6, 9, 20], 60).lengths(time_limit=Fraction(10**400)), "time_limit"),
    (lambda: untyped.NumericalSemigroups(genus=10**30).count, "genus"),
    (lambda: untyped.NumericalSemigroups(genus=10**30)[0], "genus"),
    (lambda: untyped.NumericalSemigroups(genus=10**30).sample(0), "genus"),
    (lambda: untyped.NumericalSemigroups(genus=10**30).sample(1), "genus"),
    (lambda: untyped.NumericalSemigroups(genus=9, multiplicity=10**30).sample(1), "multiplicity"),
])
def test_values_that_nothing_can_be_done_with_are_named(call: Any, field: str) -> None:
    with pytest.raises(sp.ConfigError) as caught:
        call()
    assert caught.value.field == field


def test_time_limits_are_any_real_numbers() -> None:
    for limit in (30, 30.0, Fraction(61, 2), Decimal("30.5"), np.float32(30), np.int8(30)):
        assert sp.Factorizations([6, 9, 20], 60).lengths(time_limit=limit).tolist() == [3, 7, 8, 9, 10]
    with pytest.raises(TypeError, match="time_limit: got <object"):
        untyped.Factorizations([6, 9, 20], 60).lengths(time_limit=object())


def test_paths_are_bytes_or_text_in_utf_8(tmp_path: pathlib.Path) -> None:
    F = sp.Factorizations([6, 9, 20], 60)
    where = os.path.join(os.fsencode(tmp_path), b"rows \xc3\xa9.npy")
    assert np.load(F.save(where)).shape == (5, 3) and os.path.exists(where)  # type: ignore[call-overload]
    other = os.path.join(os.fsencode(tmp_path), b"rows \xff.npy")
    sweep = {"workload": "factorizations", "parameters": {"generators": [6, 9, 20], "element": [60]}}
    calls: list[tuple[str, Any]] = [
        ("path", lambda: untyped.Factorizations([6, 9, 20], 60).save(other)), ("path", lambda: F.save(os.fsdecode(other))),
        ("path", lambda: F.save(os.fsdecode(other), shard_rows=2)), ("checkpoint", lambda: F.lengths(checkpoint=other)),
        ("trace", lambda: F.fingerprint(trace=os.fsdecode(other))), ("path", lambda: sp.Manifest.open(os.fsdecode(other))),
        ("directory", lambda: sp.sweep(sweep, os.fsdecode(other))), ("config", lambda: sp.run({"workload": os.fsdecode(other)})),
        ("basis", lambda: sp.shortest_vector(os.fsdecode(other))), ("where", lambda: sp.IntegerPoints([[1]], 1, where="\udcff").count)]
    for field, call in calls:
        with pytest.raises(sp.ConfigError, match="accepted: text in UTF-8") as caught:
            call()
        assert caught.value.field == field
    assert os.listdir(os.fsencode(tmp_path)) == [os.path.basename(where)]


def test_rows_that_are_made_are_copies() -> None:
    for made in (sp.Factorizations([6, 9, 20], 60), sp.TransformationMonoid.named("full:3")):
        assert np.asarray(made).shape == np.array(made, copy=True).shape
        with pytest.raises(ValueError, match="copy: got False"):
            made.__array__(copy=False)


def test_everything_public_says_what_it_is() -> None:
    def bare(name: str, thing: Any) -> list[str]:
        members = vars(thing).items() if inspect.isclass(thing) else ()
        return ([] if thing.__doc__ else [name]) + [place for key, member in members if not key.startswith("_")
                                                    and (callable(member) or isinstance(member, (property, classmethod, staticmethod)))
                                                    for place in bare(f"{name}.{key}", member)]

    assert [place for name in sp.__all__ if name != "__version__" for place in bare(name, getattr(sp, name))] == []


@pytest.mark.parametrize("basis, message", [
    ([[1, 0], [0, 1.5]], "basis[1][1]: got 1.5; accepted: an integer"),
    ([[1, 0], 7], "basis[1]: got 7; accepted: integers, in a list"),
    (np.array([[0.5]]), "basis[0][0]: got"),
    (7, "basis: got 7; accepted: rows of integers"),
])
def test_numbers_that_no_matrix_has_are_named_with_their_place(basis: Any, message: str) -> None:
    for search in (sp.shortest_vector, sp.svp, sp.reduce):
        with pytest.raises(sp.ConfigError) as caught:
            search(basis)
        assert message in str(caught.value)
    with pytest.raises(sp.ConfigError, match=r"bases\[0\]"):
        sp.shortest_vectors([basis])
