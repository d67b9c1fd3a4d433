"""fpylll with slicepool as its enumerator: the same vectors and bases, counted blocks, and errors before anything is called."""
from __future__ import annotations

import ctypes
import subprocess
import sys
import threading
from typing import Any

import pytest

import slicepool as sp
from slicepool import _slicepool

fpylll: Any = pytest.importorskip("fpylll")

pytestmark = pytest.mark.skipif(not sp.info(gpus=False)["build"]["fplll"], reason="this build has no fplll")

EVERYTHING: dict[str, Any] = {"min_dimension": 0, "min_nodes": 0}    # no block is left to fplll for its size
ALONE = 1e300    # nodes from which on a pool searches


def lattice(dimension: int, seed: int) -> Any:
    fpylll.FPLLL.set_random_seed(seed)
    return fpylll.LLL.reduction(fpylll.IntegerMatrix.random(dimension, "qary", k=dimension // 2, bits=20))


def bases() -> list[str]:
    return [str(fpylll.BKZ.reduction(lattice(40, seed), fpylll.BKZ.Param(16))) for seed in range(3)]


def shortest() -> list[float]:
    """Squared norms by fpylll's own enumeration class."""
    norms = []
    for seed in range(3):
        gso = fpylll.GSO.Mat(lattice(30, seed))
        gso.update_gso()
        norms.append(fpylll.Enumeration(gso).enumerate(0, 30, gso.get_r(0, 0) * 1.0001, 0)[0][0])
    return norms


def settings() -> Any:
    return _slicepool.fplll_mode(), _slicepool.fplll_limits()


class Function(ctypes.Structure):
    """libstdc++'s std::function of a function pointer."""
    _fields_ = [(name, ctypes.c_void_p) for name in ("pointer", "unused", "manager", "invoker")]


def installed() -> Any:
    """Who is the enumerator of fpylll's libfplll."""
    get = getattr(ctypes.CDLL(fpylll.util.__file__), _slicepool.fplll_interface()[1])
    get.restype = Function
    found = get()
    return found.pointer, found.manager, found.invoker


@pytest.fixture(autouse=True)
def nothing_is_left_behind() -> Any:
    before = settings(), installed()
    yield
    assert (settings(), installed()) == before


class Another:
    """An enumerator that notes that it was asked, and declines every block. Inside a `with` block it is that of fpylll."""

    def __init__(self) -> None:
        self.asked = 0
        self.function = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p,
                                         ctypes.c_void_p, ctypes.c_bool, ctypes.c_bool)(self.decline)

    def decline(self, counts: int, *arguments: Any) -> int:
        self.asked += 1
        ctypes.c_uint64.from_address(counts).value = 2**64 - 1
        return counts

    def __enter__(self) -> Another:
        own = installed()
        self.before = getattr(ctypes.CDLL(fpylll.util.__file__), _slicepool.fplll_interface()[0]), Function(own[0], None, own[1], own[2])
        fpylll.util.set_external_enumerator(self.function)
        return self

    def __exit__(self, *exception: Any) -> None:
        self.before[0](ctypes.byref(self.before[1]))

    def is_asked(self) -> bool:
        before = self.asked
        shortest()
        return self.asked > before


@pytest.mark.parametrize("mode", ["cpu", "emulated", "auto"])
def test_bases_and_vectors_are_those_of_fplll(mode: str) -> None:
    want = bases(), shortest()
    with sp.fpylll.enumerator(mode=mode, engine_nodes=ALONE, **EVERYTHING) as blocks:
        assert bases() == want[0] and blocks.counts.sequential > 30 and blocks.counts.pooled == 0
    with sp.fpylll.enumerator(mode=mode, threads=2, engine_nodes=1000, **EVERYTHING) as blocks:
        # Its norms are sums in another order.
        assert shortest() == pytest.approx(want[1], rel=1e-12) and blocks.counts.pooled > 0 and blocks.counts.nodes > 0
    after = blocks.counts
    assert shortest() == want[1] and blocks.counts == after and "pooled=" in repr(blocks)    # fplll searches again


def test_blocks_that_are_small_are_left_to_fplll() -> None:
    want = shortest()
    with sp.fpylll.enumerator(mode="cpu") as blocks:
        assert shortest() == want
    assert blocks.counts.declined >= 3 and blocks.counts.nodes == 0


def test_dual_blocks_are_taken_where_that_is_asked_for() -> None:
    orthogonal = fpylll.GSO.Mat(lattice(40, 1))
    orthogonal.update_gso()
    radius = 1.0001 / orthogonal.get_r(39, 39)

    def vector() -> Any:
        return [int(x) for x in fpylll.Enumeration(orthogonal).enumerate(0, 40, radius, 0, dual=True)[0][1]]

    want = vector()
    for dual, taken in ((False, 0), (True, 1)):
        with sp.fpylll.enumerator(mode="cpu", engine_nodes=ALONE, dual=dual, **EVERYTHING) as blocks:
            assert vector() == want
        assert (blocks.counts.sequential, blocks.counts.declined) == (taken, 1 - taken)


def test_enumerators_may_be_nested() -> None:
    with sp.fpylll.enumerator(mode="cpu", engine_nodes=ALONE, **EVERYTHING) as outer:
        with sp.fpylll.enumerator(mode="emulated", threads=1, engine_nodes=1000):
            assert settings() == ("emulated", (0, 0, 1000, 1, 0))
            shortest()
        pooled = outer.counts.pooled
        shortest()
        assert outer.counts.pooled == pooled > 0 and outer.counts.sequential >= 3


def test_the_enumerator_from_before_is_back() -> None:
    own = installed()
    assert own[0]    # fplll's parallel one
    with sp.fpylll.enumerator(mode="cpu", **EVERYTHING):
        ours = installed()
        assert ours != own
    assert installed() == own
    with Another() as another:
        assert another.is_asked()
        with sp.fpylll.enumerator(mode="cpu", engine_nodes=ALONE, **EVERYTHING) as blocks:
            assert not another.is_asked() and blocks.counts.sequential >= 3
        assert another.is_asked()
        with pytest.raises(ZeroDivisionError):
            with sp.fpylll.enumerator(mode="cpu", **EVERYTHING), sp.fpylll.enumerator(mode="cpu"):
                1 / 0
        assert another.is_asked()
        with pytest.raises(sp.ConfigError):
            with sp.fpylll.enumerator(threads=-1):
                pass
        assert another.is_asked()
    assert installed() == own


def test_an_enumerator_between_two_blocks_is_back_after_the_inner_one() -> None:
    with sp.fpylll.enumerator(mode="cpu", engine_nodes=ALONE, **EVERYTHING) as blocks:
        ours = installed()
        with Another() as another:
            with sp.fpylll.enumerator(mode="cpu", engine_nodes=ALONE):
                assert installed() == ours and not another.is_asked()
            assert another.is_asked()
        assert installed() == ours and not another.is_asked() and blocks.counts.sequential >= 6


def test_blocks_that_end_in_any_order_leave_the_enumerator_from_before() -> None:
    own = installed()
    first, second = (sp.fpylll.enumerator(mode="cpu", threads=threads, **EVERYTHING) for threads in (1, 2))
    first.__enter__()
    ours = installed()
    second.__enter__()
    first.__exit__(None, None, None)
    assert installed() == ours and settings()[1][3] == 2    # those of the block that is left
    second.__exit__(None, None, None)
    assert installed() == own
    second.__exit__(None, None, None)    # a block that has ended
    assert installed() == own
    with sp.fpylll.enumerator(mode="cpu", **EVERYTHING):
        assert installed() == ours
    barrier = threading.Barrier(4)

    def enter() -> None:
        for _ in range(50):
            barrier.wait()
            with sp.fpylll.enumerator(mode="cpu", **EVERYTHING):
                seen.append(installed() == ours)

    seen: list[bool] = []
    threads = [threading.Thread(target=enter) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert installed() == own and len(seen) == 200 and all(seen)


def test_bad_settings_change_nothing() -> None:
    for wrong, accepted in (({"mode": "fast"}, "auto, cpu, gpu, hybrid, emulated"), ({"threads": -1}, "0 .all cores. to 4096"),
                            ({"min_nodes": "many"}, "0 to 1e300"), ({"dual": "yes"}, "True or False"), ({"min_dimension": 2.5}, "0 to 1048576")):
        with pytest.raises(sp.ConfigError, match=accepted) as caught:
            given: dict[str, Any] = {"min_dimension": 7, **wrong}
            with sp.fpylll.enumerator(**given):
                pass
        assert caught.value.field == next(iter(wrong))
    if not sp.info()["machine"]["gpus"]:
        with pytest.raises(sp.DeviceError, match="'hybrid', and there is no usable GPU"):
            with sp.fpylll.enumerator(mode="hybrid"):
                pass


def test_another_interface_is_refused_before_anything_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[Any] = []
    known = _slicepool.fplll_interface()
    assert "1024" in known[0]
    monkeypatch.setattr(_slicepool, "fplll_enter", lambda *addresses: called.append(addresses))
    for other in ((known[0].replace("1024", "512"), known[1]), (known[0], known[1] + "2"), ("", known[1]), (known[0], "")):
        monkeypatch.setattr(_slicepool, "fplll_interface", lambda: other)
        with pytest.raises(sp.Error, match="another interface for enumerators"):
            with sp.fpylll.enumerator():
                pass
    monkeypatch.undo()
    assert called == []


def test_what_is_missing_is_named() -> None:
    for lines, says in (("import sys; sys.modules['fpylll'] = None\nimport slicepool as sp", "needs fpylll"),
                        ("import slicepool as sp; del sp._slicepool.fplll_enter", "no enumerator for fplll")):
        code = f"{lines}\ntry:\n    with sp.fpylll.enumerator(): pass\nexcept (ImportError, sp.Error) as error: print(error)\n"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.returncode == 0 and says in done.stdout, done.stderr
