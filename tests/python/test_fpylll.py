"""fpylll with slicepool as its enumerator: the same vectors and bases, counted blocks, and errors before anything is called."""
from __future__ import annotations

import subprocess
import sys
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


@pytest.fixture(autouse=True)
def nothing_is_left_behind() -> Any:
    before = settings()
    yield
    assert settings() == before


@pytest.mark.parametrize("mode", ["cpu", "emulated", "auto"])
def test_bases_and_vectors_are_those_of_fplll(mode: str) -> None:
    want = bases(), shortest()
    with sp.fpylll.enumerator(mode=mode, engine_nodes=ALONE, **EVERYTHING) as blocks:
        assert bases() == want[0] and blocks.counts.sequential > 30 and blocks.counts.pooled == 0
    with sp.fpylll.enumerator(mode=mode, threads=2, engine_nodes=1000, **EVERYTHING) as blocks:
        assert shortest() == want[1] and blocks.counts.pooled > 0 and blocks.counts.nodes > 0
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
    monkeypatch.setattr(_slicepool, "fplll_interface", lambda: _slicepool_interface.replace("1024", "512"))
    monkeypatch.setattr(fpylll.util, "set_external_enumerator", called.append, raising=False)
    with pytest.raises(sp.Error, match="another interface for enumerators"):
        with sp.fpylll.enumerator():
            pass
    assert called == []


_slicepool_interface = str(getattr(_slicepool, "fplll_interface", lambda: "")())


def test_what_is_missing_is_named() -> None:
    for lines, says in (("import sys; sys.modules['fpylll'] = None\nimport slicepool as sp", "needs fpylll"),
                        ("import slicepool as sp; del sp._slicepool.fplll_enumerator", "no enumerator for fplll")):
        code = f"{lines}\ntry:\n    with sp.fpylll.enumerator(): pass\nexcept (ImportError, sp.Error) as error: print(error)\n"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.returncode == 0 and says in done.stdout, done.stderr
