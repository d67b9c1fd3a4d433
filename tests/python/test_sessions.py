"""Sessions: what runs leave for the next ones, from the `with` block, of the process, and from several threads."""
from __future__ import annotations

import asyncio
import pathlib
import subprocess
import sys
import threading
from typing import Any

import pytest

import slicepool as sp

EMULATED: dict[str, Any] = {"mode": "emulated", "threads": 2}


def search(**run: Any) -> str:
    return sp.Factorizations([13, 37, 38, 40], 2000).fingerprint(**(EMULATED | run))


def test_runs_of_different_problems_share_what_a_session_keeps() -> None:
    alone = search()
    with sp.Session() as session:
        for _ in range(3):
            assert search() == alone
            assert sp.no_three_in_line(6, **EMULATED).total == 50
            assert sp.short_vectors([[1, 1, 1], [1, 1, -1], [1, -1, 1]], 8, **EMULATED).count == 13
        report = session.report
        assert report.runs >= 9
        assert (report.seats_made, report.seats, report.arenas_made, report.arenas) == (1, 1, 1, 1)
        assert report.threads == report.threads_started
        assert report.host_bytes > 0
        session.release()
        assert (session.report.seats, session.report.arenas, session.report.threads) == (0, 0, 0)
        assert search() == alone
    with pytest.raises(sp.Error, match="closed"):
        session.report
    assert repr(session) == "<slicepool.Session, closed>"


def test_without_a_block_runs_use_the_session_of_the_process() -> None:
    shared = sp.Session.of_process()
    search()
    before = shared.report
    with sp.Session() as own:
        search()
        assert own.report.runs > 0
        assert shared.report.runs == before.runs
    search()
    after = shared.report
    assert (after.runs > before.runs, after.seats_made, after.arenas_made) == (True, before.seats_made, before.arenas_made)
    shared.close()    # this object, not the session of others
    assert sp.Session.of_process().report.runs == after.runs


def test_blocks_nest_and_belong_to_their_thread() -> None:
    with sp.Session() as outer, sp.Session() as inner:
        search()
        assert (outer.report.runs, inner.report.runs > 0) == (0, True)
        elsewhere = threading.Thread(target=search)
        used = inner.report.runs
        elsewhere.start()
        elsewhere.join()
        assert inner.report.runs == used
        with outer:
            search()
        assert (outer.report.runs > 0, inner.report.runs) == (True, used)


def test_tasks_of_asyncio_have_their_own() -> None:
    async def one(session: sp.Session) -> int:
        with session:
            await asyncio.sleep(0)
            search()
            await asyncio.sleep(0)
            return session.report.runs

    async def both() -> tuple[int, int]:
        return await asyncio.gather(one(sp.Session()), one(sp.Session()))

    counts = asyncio.run(both())
    assert counts[0] == counts[1] > 0


def test_several_threads_enter_one_session() -> None:
    session = sp.Session()
    found: list[str] = []
    with session:
        def work() -> None:
            with session:
                found.extend(search() for _ in range(5))
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [search()] * 20
        assert session.report.seats == session.report.seats_made <= 5


def test_limits_bound_what_is_kept_and_are_checked() -> None:
    with sp.Session(host_memory=1, device_memory="1MiB") as session:
        search()
        assert (session.report.seats, session.report.host_bytes) == (0, 0)
    for given in ({"host_memory": "much"}, {"device_memory": 0}, {"host_memory": -1}):
        with pytest.raises(sp.ConfigError) as raised:
            sp.Session(**given)
        assert raised.value.field == next(iter(given))


def test_warm_sessions_make_nothing_in_their_first_run() -> None:
    with sp.Session() as session:
        session.warm_up("cpu", threads=2)
        assert session.report.arenas == 1
        sp.no_three_in_line(6, mode="cpu", threads=2)    # a small set of factorizations would take one thread
        assert session.report.arenas_made == 1
        with pytest.raises(sp.ConfigError):
            session.warm_up("fast")
        with pytest.raises(sp.ConfigError) as raised:
            session.warm_up("cpu", threads=-1)
        assert raised.value.field == "threads"


def test_sweeps_and_configurations_are_in_the_session(tmp_path: pathlib.Path) -> None:
    with sp.Session() as session:
        sp.run({"workload": "three_in_line", "size": 6, "engine": EMULATED})
        assert session.report.runs == 1
        sp.sweep({"workload": "three_in_line", "parameters": {"size": [5, 6, 7]}, "engine": {"threads": [2]}}, tmp_path)
        assert session.report.runs > 3
        assert session.report.arenas_made <= 2


def test_a_run_outlives_the_block_that_it_was_begun_in() -> None:
    with sp.Session():
        run = sp.Factorizations([13, 37, 38, 40], 3000).start("fingerprint")
    assert run.result() == sp.Factorizations([13, 37, 38, 40], 3000).fingerprint()


def test_a_forked_process_runs_on_threads_of_its_own() -> None:
    code = ("import multiprocessing, slicepool as sp\n"
            "def work(n): return sp.Factorizations([13, 37, 38, 40], n).fingerprint(mode='cpu', threads=2)\n"
            "expected = [work(n) for n in (1000, 2000)]\n"
            "with multiprocessing.get_context('fork').Pool(2) as pool:\n"
            "    assert pool.map(work, [1000, 2000]) == expected\n"
            "assert [work(n) for n in (1000, 2000)] == expected\n")
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


def test_an_exploration_goes_on_where_it_was_left() -> None:
    M = sp.TransformationMonoid.named("bihecke:4")
    whole = sp.TransformationMonoid.named("bihecke:4")
    assert (M.finished, M.current_size) == (False, 0)
    sizes = []
    while not M.run_for(0):    # a stage at a time, and anew from the first one where the base has become larger
        assert not M.finished
        sizes.append(M.current_size)
        assert len(sizes) < 1000
    assert len(set(sizes)) > 4 and max(sizes) <= len(whole)
    assert M.finished and M.current_size == len(M) == len(whole)
    assert list(M) == list(whole)
    assert M.rules() == whole.rules()
    assert M.run_for(1)

    half = sp.TransformationMonoid.named("bihecke:4")
    half.run_for(0)
    assert len(half) == len(whole)    # a question goes on to the end
    assert half.finished
    for given in (-1, float("nan"), 1e10):
        with pytest.raises(sp.ConfigError) as raised:
            half.run_for(given)
        assert raised.value.field == "seconds"
