"""Searches from C++ text: compiled once, cached, run on the pool; and what is said where that cannot be."""
from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import pathlib
import pickle
import shutil
import stat

import pytest

import slicepool as sp

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="there is no C++ compiler")

QUEENS = (pathlib.Path(__file__).parents[2] / "examples" / "nqueens" / "nqueens.hpp").read_text() + "SLICEPOOL_PYTHON_WORKLOAD(NQueens, n);\n"
NVCC = shutil.which(os.environ.get("CUDACXX", "nvcc")) or shutil.which("/usr/local/cuda/bin/nvcc")
KNOWN = [1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680]    # OEIS A000170, from n = 1

#: Counts the integers from `low` to `high` with a step each; its other parameters are there to be given.
RANGE = """
#include <slicepool/core/error.hpp>
#include <cstdint>
#include <string>
#include <vector>
struct Range {
  struct View { int low, high; double scale; std::uint8_t small; bool flag; };
  struct Slice { std::int64_t next, end; };
  static std::vector<Slice> roots(const View& view) {
    if (view.low > view.high) throw slicepool::ConfigError("low", std::to_string(view.low), "at most high");
    const std::int64_t middle = view.low + (view.high - view.low) / 2;
    return {{view.low, middle}, {middle, static_cast<std::int64_t>(view.high * view.scale)}};
  }
  template <class Emit>
  SLICEPOOL_HD static slicepool::Turn advance(const View&, Slice& slice, slicepool::Budget& budget, Emit& emit) {
    for (; slice.next < slice.end; ++slice.next) {
      if (budget.left == 0) return slicepool::Turn::budgetSpent;
      --budget.left;
      if (!emit(slice.next)) return slicepool::Turn::sinkFull;
    }
    return slicepool::Turn::exhausted;
  }
  SLICEPOOL_HD static bool split(const View&, Slice& kept, Slice& given) {
    if (kept.end - kept.next < 2) return false;
    given = {kept.next + (kept.end - kept.next) / 2, kept.end};
    kept.end = given.next;
    return true;
  }
};
"""


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """One for all tests, and not the user's. Without nvcc, which would compile for a GPU as well where there is one: that takes a
    minute, and these tests are of the host's compiler."""
    folder = tmp_path_factory.getbasetemp() / "workloads"
    monkeypatch.setenv("SLICEPOOL_CACHE_DIR", str(folder))
    monkeypatch.setenv("CUDACXX", "no-nvcc")
    return folder


def compiled_range(parameters: str) -> sp.Workload:
    return sp.Workload.from_source(f"{RANGE}SLICEPOOL_PYTHON_WORKLOAD({parameters});")


def test_counts_are_the_known_ones_in_every_mode() -> None:
    W = sp.Workload.from_source(QUEENS)
    assert (W.name, W.parameters, repr(W)) == ("NQueens", ("n",), "<Workload NQueens(n)>")
    for mode in ("cpu", "emulated", "auto"):
        assert [W.run(n=n, mode=mode, threads=2) for n in range(1, 12)] == KNOWN


def test_runs_have_records() -> None:
    with sp.Workload.from_source(QUEENS).start(n=11, threads=2, mode="cpu") as run:
        assert run.result() == KNOWN[10]
    record = run.report
    assert (record["workload"], record["parameters"], record["count"], record["status"]) == ("NQueens", {"n": 11}, KNOWN[10], "done")
    assert record["engine"] == {"mode": "cpu", "threads": 2} and sum(worker["results"] for worker in record["workers"]) == KNOWN[10]


def test_parameters_are_numbers_that_fit_their_members() -> None:
    W = compiled_range("Range, low, high, scale, small, flag")
    numbers = {"low": -5, "high": 20, "scale": 1.5, "small": 255, "flag": True}
    assert W.parameters == tuple(numbers) and W.run(**numbers) == 35 and W.run(**{**numbers, "scale": 2}) == 45
    for wrong, accepted in (({"small": 256}, "0 to 255"), ({"low": 2**31}, "2147483647"), ({"high": 1.5}, "an integer"), ({"flag": 2}, "0 to 1"),
                            ({"high": 2**63}, "2\\^63-1"), ({"scale": "x"}, "a finite number"), ({"scale": float("nan")}, "a finite number")):
        with pytest.raises(sp.ConfigError, match=accepted) as caught:
            W.run(**{**numbers, **wrong})
        assert caught.value.field == next(iter(wrong))
    with pytest.raises(sp.ConfigError, match="low: got 21; accepted: at most high") as refused:    # by roots()
        W.run(**{**numbers, "low": 21})
    assert refused.value.field == "low"


def test_arguments_that_are_missing_or_unknown() -> None:
    W = compiled_range("Range, low, high, scale")
    with pytest.raises(TypeError, match="run.. needs high, scale: the parameters of Range are low, high, scale"):
        W.run(low=1)
    with pytest.raises(TypeError, match="'hihg'; the nearest known one is 'high'"):
        W.run(low=1, high=2, scale=1, hihg=3)
    assert sp.Workload.from_source(f"{RANGE}SLICEPOOL_PYTHON_WORKLOAD(Range);").run() == 0    # all as View{} has them
    for mode in ("fast", 7):
        with pytest.raises(sp.ConfigError) as caught:
            W.run(low=1, high=2, scale=1, mode=mode)
        assert caught.value.field == "engine.mode"
    with pytest.raises(sp.DeviceError):
        W.run(low=1, high=2, scale=1, mode="gpu")
    text = RANGE.replace("low", "threads")
    with pytest.raises(sp.ConfigError, match="'threads', which is an option of runs"):
        sp.Workload.from_source(f"{text}SLICEPOOL_PYTHON_WORKLOAD(Range, threads);")


def test_messages_of_the_compiler_have_the_lines_of_the_text() -> None:
    line = QUEENS[:QUEENS.index("if (kept.row < 0)")].count("\n") + 1
    with pytest.raises(sp.CompilerError) as caught:
        sp.Workload.from_source(QUEENS.replace("if (kept.row < 0)", "if (kept.rwo < 0)"))
    assert f"workload.hpp:{line}:" in str(caught.value) and "if (kept.rwo < 0)" in str(caught.value)
    with pytest.raises(sp.CompilerError, match="the emitter|advance|split"):    # a clause of the contract, in a sentence
        sp.Workload.from_source(QUEENS.replace("static bool split(", "static bool halve("))
    with pytest.raises(sp.CompilerError, match="'m'|‘m’"):
        sp.Workload.from_source(f"{RANGE}SLICEPOOL_PYTHON_WORKLOAD(Range, m);")
    with pytest.raises(sp.ConfigError, match=r"SLICEPOOL_PYTHON_WORKLOAD\(NQueens, n\)"):
        sp.Workload.from_source(RANGE)


def test_without_a_compiler_the_error_has_advice(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(sp.CompilerError, match="'none-such', which is no program on PATH"):
        sp.Workload.from_source(QUEENS, compiler="none-such")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(sp.CompilerError, match="needs a C.* compiler, and none of c.., g.., clang.. is on PATH; install one"):
        sp.Workload.from_source(QUEENS)


def test_a_text_is_compiled_once(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLICEPOOL_CACHE_DIR", str(tmp_path / "cache"))
    log = tmp_path / "log"
    program = tmp_path / "compiler"
    program.write_text(f'#!/bin/sh\necho "$@" >>{log}\nexec {next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))))} "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)

    def compilations() -> int:
        return sum("wrapper.cpp" in line for line in log.read_text().splitlines())

    text = f"{RANGE}SLICEPOOL_PYTHON_WORKLOAD(Range, low);"
    first = sp.Workload.from_source(text, compiler=str(program))
    again = sp.Workload.from_source(text, compiler=str(program))
    assert compilations() == 1 and first == again and hash(first) == hash(again)
    assert sp.Workload.from_source(text, compiler=str(program), flags=["-DNDEBUG"]) != first and compilations() == 2
    sp.Workload.from_source(text + "// another\n", compiler=str(program))
    assert compilations() == 3
    with pytest.raises(sp.CompilerError):
        sp.Workload.from_source("int", compiler=str(program))
    assert len(list((tmp_path / "cache").iterdir())) == 3    # and nothing of the one that failed
    assert os.stat(tmp_path / "cache").st_mode & 0o077 == 0


def queens(text: str) -> int:
    return sp.Workload.from_source(text).run(n=8, threads=1)


def test_processes_that_compile_at_once(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLICEPOOL_CACHE_DIR", str(tmp_path))
    with concurrent.futures.ProcessPoolExecutor(3, multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(queens, [QUEENS] * 3)) == [92] * 3
        assert pool.submit(sp.Workload.run, sp.Workload.from_source(QUEENS), n=6).result() == 4    # a pickled one
    assert [path.suffix for path in tmp_path.iterdir()] == [".so"]


def test_a_cache_that_cannot_be_written(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SLICEPOOL_CACHE_DIR", str(tmp_path / "file"))
    with pytest.raises(sp.CompilerError, match=r"\$SLICEPOOL_CACHE_DIR names another folder"):
        sp.Workload.from_source(QUEENS)


def test_a_search_goes_on_from_its_checkpoint(tmp_path: pathlib.Path) -> None:
    W = sp.Workload.from_source(QUEENS)
    with pytest.raises(sp.Stopped) as caught:
        W.run(n=18, checkpoint=tmp_path / "queens.ckpt", time_limit=0.1)
    assert caught.value.partial >= 0 and caught.value.checkpoint == str(tmp_path / "queens.ckpt")
    other = sp.Workload.from_source(QUEENS + "// changed\n")
    flagged = sp.Workload.from_source(QUEENS, flags=["-DCHANGED=1"])
    for workload, n in ((other, 18), (flagged, 18), (W, 17)):
        with pytest.raises(sp.CheckpointError):
            workload.run(n=n, resume=tmp_path / "queens.ckpt")

    path = tmp_path / "parts.ckpt"
    for _ in range(10_000):    # as many as the machine needs
        try:
            count = W.run(n=14, checkpoint=path, resume="auto", time_limit=0.05)
            break
        except sp.Stopped as stop:
            assert 0 <= stop.partial < 365596 and path.exists()
    assert count == 365596 and not path.exists()


def test_pickles_are_of_the_text() -> None:
    W = sp.Workload.from_source(QUEENS)
    assert pickle.loads(pickle.dumps(W)) == W and pickle.loads(pickle.dumps(W)).run(n=6) == 4


def test_kernels_are_refused_with_what_is_missing() -> None:
    with pytest.raises(sp.ConfigError) as caught:
        sp.Workload.from_source(QUEENS, cuda="fast")
    assert caught.value.field == "cuda"
    if not sp.info(gpus=False)["build"]["cuda"]:
        for cuda in (True, "90"):
            with pytest.raises(sp.CompilerError, match="has no CUDA workers"):
                sp.Workload.from_source(QUEENS, cuda=cuda)
    W = sp.Workload.from_source(QUEENS, cuda=False)
    assert not W.has_kernels
    assert not pickle.loads(pickle.dumps(W)).has_kernels


def test_kernels_find_what_the_cpu_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    if not sp.info()["machine"]["gpus"]:
        reason = f"no usable GPU: {sp.info()['gpu_reason']}"
        if os.environ.get("SLICEPOOL_REQUIRE_GPU") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    if NVCC is None:
        pytest.skip("there is no nvcc")
    monkeypatch.setenv("CUDACXX", NVCC)
    W = sp.Workload.from_source(QUEENS, cuda=True)
    assert W.has_kernels
    for mode in ("gpu", "hybrid", "auto"):
        assert [W.run(n=n, mode=mode, threads=2) for n in range(1, 12)] == KNOWN
    with pytest.raises(sp.CompilerError, match="has no member"):
        sp.Workload.from_source(QUEENS.replace("if (kept.row < 0)", "if (kept.rwo < 0)"), cuda=True)


def test_boards_of_sizes_that_the_example_does_not_have_are_refused() -> None:
    W = sp.Workload.from_source(QUEENS)
    for n in (-1, 0, 21, 32, 64):
        with pytest.raises(sp.ConfigError, match=f"n: got {n}; accepted: an integer from 1 to 20"):
            W.run(n=n)
