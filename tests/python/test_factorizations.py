"""Factorizations: every answer against brute force, and the command's."""
from __future__ import annotations

import itertools
import math
import pickle
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from conftest import brute_force
from hypothesis import given
from hypothesis import strategies as st

import slicepool as sp

problems = st.tuples(st.lists(st.integers(1, 9), min_size=1, max_size=4), st.integers(0, 40))


@given(problems)
def test_rows_are_those_of_brute_force_in_order(problem: tuple[list[int], int]) -> None:
    F = sp.Factorizations(*problem)
    expected = brute_force(*problem)
    assert F.count == len(F) == len(expected) and bool(F) == bool(expected)
    assert list(map(tuple, F.to_numpy().tolist())) == expected
    assert list(F) == expected and list(reversed(F)) == expected[::-1]
    assert [F[rank] for rank in range(len(F))] == expected
    assert [F.index(row) for row in expected] == list(range(len(expected)))
    assert all(row in F for row in expected)


@given(problems, st.integers(-60, 60), st.data())
def test_indexing_and_slicing_are_those_of_a_list(problem: tuple[list[int], int], index: int, data: Any) -> None:
    F, expected = sp.Factorizations(*problem), brute_force(*problem)
    if -len(expected) <= index < len(expected):
        assert F[index] == expected[index]
    else:
        with pytest.raises(IndexError, match=rf"rank {index} of {len(expected)}"):
            F[index]
    part = data.draw(st.slices(max(len(expected), 1)))
    rows = F[part]
    assert rows.shape == (len(expected[part]), F.dimension) and list(map(tuple, rows.tolist())) == expected[part]


@given(problems, st.data())
def test_parts_and_batches_are_those_of_a_list(problem: tuple[list[int], int], data: Any) -> None:
    F, expected = sp.Factorizations(*problem), brute_force(*problem)
    begin = data.draw(st.integers(0, len(expected)))
    end = data.draw(st.integers(begin, len(expected)))
    for ranks in ((begin, end), range(begin, end)):
        assert list(map(tuple, F.to_numpy(ranks=ranks).tolist())) == expected[begin:end]
    size = data.draw(st.integers(1, len(expected) + 2))
    assert [list(map(tuple, batch.tolist())) for batch in F.batches(size)] == [expected[i:i + size] for i in range(0, len(expected), size)]
    if expected:
        assert set(map(tuple, F.sample(5, seed=begin).tolist())) <= set(expected)
    assert list(map(tuple, F.first(size).tolist())) == expected[:size]


@given(problems)
def test_reductions_are_those_of_the_set(problem: tuple[list[int], int]) -> None:
    F, rows = sp.Factorizations(*problem), brute_force(*problem)
    lengths = sorted({sum(row) for row in rows})
    assert F.lengths().tolist() == lengths
    histogram = F.length_histogram()
    assert dict(zip(*map(np.ndarray.tolist, histogram))) == {l: sum(sum(row) == l for row in rows) for l in lengths}
    assert F.delta_set() == tuple(sorted({b - a for a, b in itertools.pairwise(lengths)}))
    assert F.coordinate_maxima() == (tuple(map(max, zip(*rows))) if rows else ())
    if lengths and lengths[0] > 0:
        assert F.elasticity() == Fraction(lengths[-1], lengths[0])
    bound = lengths[len(lengths) // 2] if lengths else 1
    predicate = sp.LinearPredicate([1] * F.dimension, ">=", bound)
    assert F.any(predicate) == any(sum(row) >= bound for row in rows)
    assert F.all(predicate) == all(sum(row) >= bound for row in rows)


def test_predicates_are_written_as_the_command_reads_them() -> None:
    assert str(sp.LinearPredicate([2, 0, -1], ">=", 5)) == "2*a1 - 1*a3 >= 5"
    assert str(sp.LinearPredicate([-2, 1, 0], "==", -3)) == "-2*a1 + 1*a2 = -3"
    for relation, bound, holds in (("<=", 0, True), (">=", 1, False), ("=", 0, True), ("=", -1, False)):    # 0 is compared with the bound
        assert sp.Factorizations([6, 9, 20], 60).all(sp.LinearPredicate([0, 0, 0], relation, bound)) is holds
    P = sp.LinearPredicate([2, 0, -1], "==", 5)
    assert pickle.loads(pickle.dumps(P)) == P == sp.LinearPredicate((2, 0, -1), "=", 5) and P in {eval(repr(P), vars(sp))}
    with pytest.raises(AttributeError):
        P.bound = 6    # type: ignore[misc]
    F = sp.Factorizations([6, 9, 20], 60)
    for coefficients in itertools.product((-2, 0, 1), repeat=3):
        if any(coefficients):
            values = [sum(c * a for c, a in zip(coefficients, row)) for row in F]
            for bound in (-20, 0, 3):
                assert F.any(sp.LinearPredicate(coefficients, "<=", bound)) == (min(values) <= bound)
                assert F.all(sp.LinearPredicate(coefficients, "=", bound)) == (set(values) == {bound})


def test_counts_and_ranks_beyond_64_bits() -> None:
    F = sp.Factorizations(range(1, 30), 2000)
    # Bell's quasi-polynomial agrees with the coefficient of the product of geometric series.
    ways = [1] + [0] * 2000
    for part in range(1, 30):
        for n in range(part, 2001):
            ways[n] += ways[n - part]
    assert F.count == ways[2000] > 2**64
    with pytest.raises(OverflowError, match=r"\.count"):
        len(F)
    for rank in (0, 1, 2**64 + 5, F.count // 3, F.count - 1):
        assert F.index(F[rank]) == rank
    assert F[-1] == F[F.count - 1]
    rows = F[10**20:10**20 + 3 * 10**19:10**19]
    assert [F.index(row) for row in rows] == [10**20, 11 * 10**19, 12 * 10**19]
    assert len(F[2**70:2**70 + 5000]) == 5000    # through the pool
    with pytest.raises(OverflowError, match=r"\.batches"):
        F[:]


def test_long_slices_come_from_the_pool() -> None:
    F = sp.Factorizations([13, 37, 38, 40], 4000)
    assert len(F) > 10000
    rows = F[1000:9000]
    assert rows.shape == (8000, 4) and F.index(rows[0]) == 1000 and F.index(rows[-1]) == 8999
    assert np.array_equal(rows, F.to_numpy()[1000:9000]) and np.array_equal(F[::1000], F.to_numpy()[::1000])
    whole = F.to_numpy().astype(np.int64)
    assert np.all(whole @ np.array(F.generators) == F.element) and len(np.unique(whole, axis=0)) == len(F)


@pytest.mark.parametrize("mode", ["cpu", "emulated", "auto"])
def test_modes_give_the_same_answers(mode: str) -> None:
    F = sp.Factorizations([13, 37, 38, 40], 3000)
    with sp.options(mode="cpu", threads=1):
        rows, fingerprint = F.to_numpy(), F.fingerprint()
    assert np.array_equal(F.to_numpy(mode=mode), rows) and F.fingerprint(mode=mode) == fingerprint


def test_types_of_rows() -> None:
    F = sp.Factorizations([1, 3, 7], 120)
    rows = F.to_numpy()
    assert rows.dtype == np.uint8
    for kind in (np.uint8, np.uint16, np.uint32, np.uint64, np.int8, np.int16, np.int32, np.int64):
        wide = F.to_numpy(dtype=kind)
        assert wide.dtype == kind and np.array_equal(wide, rows)
    with pytest.raises(sp.ConfigError, match="128, the largest") as caught:
        sp.Factorizations([1, 3, 7], 128).to_numpy(dtype=np.int8)
    assert caught.value.field == "dtype"
    with pytest.raises(sp.ConfigError, match="float64"):
        F.to_numpy(dtype=np.float64)
    assert sp.Factorizations([2], 600).to_numpy().dtype == np.uint16


def test_numpy_takes_sets_as_arrays() -> None:
    F, M = sp.Factorizations([6, 9, 20], 60), sp.TransformationMonoid.named("full:3")
    for whole in (F, M):
        assert np.array_equal(np.asarray(whole), whole.to_numpy()) and np.asarray(whole).dtype == whole.to_numpy().dtype
        assert np.array(whole, dtype=float).dtype == np.float64 and np.array_equal(np.array(whole, dtype=float), whole.to_numpy())


def test_rows_go_into_given_memory(tmp_path: Any) -> None:
    F = sp.Factorizations([13, 37, 38, 40], 2000)
    for kind in (np.uint8, np.uint16, np.int64):
        out = np.empty((len(F), 4), dtype=kind)
        assert F.to_numpy(out=out) is out and np.array_equal(out, F.to_numpy())
    mapped = np.memmap(tmp_path / "rows", dtype=np.uint16, mode="w+", shape=(len(F), 4))
    assert F.to_numpy(out=mapped) is mapped
    mapped.flush()
    assert np.array_equal(np.fromfile(tmp_path / "rows", dtype=np.uint16).reshape(-1, 4), F.to_numpy())
    large = sp.Factorizations([13, 37, 38, 40], 20000)    # 14 MB of rows, with buffers for far less
    beyond = np.memmap(tmp_path / "large", dtype=np.uint16, mode="w+", shape=(len(large), 4))
    large.to_numpy(out=beyond, memory_limit="4MiB")
    assert np.array_equal(beyond[::1000], large[::1000]) and np.all(beyond @ np.array(large.generators) == large.element)
    buffer = bytearray(4 * len(F))
    view = memoryview(buffer).cast("B", (len(F), 4))
    assert F.to_numpy(out=view) is view and np.array_equal(np.frombuffer(buffer, np.uint8).reshape(-1, 4), F.to_numpy())
    part = np.empty((10, 4), dtype=np.uint32)
    assert np.array_equal(F.to_numpy(out=part, ranks=(5, 15)), F[5:15]) and np.array_equal(F.to_numpy(ranks=range(5, 15)), part)
    for wrong in (np.empty((3, 4), np.uint8), np.empty((len(F), 4), np.uint8, order="F"), np.empty((len(F), 8), np.uint8)[:, ::2]):
        with pytest.raises(sp.ConfigError, match="C order") as caught:
            F.to_numpy(out=wrong)
        assert caught.value.field == "out"


def test_batches_are_the_rows_in_order() -> None:
    F = sp.Factorizations([6, 9, 20], 900)
    for size in (1, 7, 100, 10**6):
        batches = list(itertools.islice(F.batches(size), 50))
        assert all(len(batch) == size for batch in batches[:-1])
        assert np.array_equal(np.concatenate(batches), F.to_numpy()[:50 * size])
    next(F.batches(3))    # the one that is on its way is cancelled
    assert list(sp.Factorizations([6, 9, 20], 1).batches()) == []
    with pytest.raises(sp.ConfigError, match="rows"):
        next(F.batches(0))


def test_samples_are_rows_and_go_by_the_seed() -> None:
    F = sp.Factorizations([6, 9, 20], 600)
    rows = F.sample(3000, seed=5)
    assert rows.shape == (3000, 3) and all(tuple(row) in F for row in rows.tolist())
    assert np.array_equal(rows, F.sample(3000, seed=5, threads=1)) and not np.array_equal(rows, F.sample(3000, seed=6))
    assert np.array_equal(rows[:10], F.sample(10, seed=5))
    assert len({tuple(row) for row in rows.tolist()}) == len(F)    # 3000 draws of 41: each is there
    with pytest.raises(sp.ConfigError):
        sp.Factorizations([6, 9, 20], 1).sample(1)
    with pytest.raises(sp.ConfigError, match="rows: got -1"):
        F.sample(-1)
    with pytest.raises(sp.ConfigError, match="seed: got -1"):
        F.sample(1, seed=-1)
    with pytest.raises(sp.ConfigError, match="rows: got -1"):
        F.first(-1)


def test_saved_rows(tmp_path: Any) -> None:
    F = sp.Factorizations([6, 9, 20], 900)
    path = F.save(tmp_path / "rows.npy", dtype=np.uint32)
    assert np.load(path).dtype == np.uint32 and np.array_equal(np.load(path), F.to_numpy())
    assert np.loadtxt(F.save(tmp_path / "rows.csv", ranks=(2, 5)), delimiter=",").tolist() == F[2:5].tolist()
    manifest = F.save(tmp_path / "parts.npy", shard_rows=30)
    assert isinstance(manifest, sp.Manifest) and manifest.verify().rows == len(F) and manifest.complete
    assert (manifest.generators, manifest.element) == (F.generators, F.element)
    assert np.array_equal(np.concatenate([manifest[i] for i in range(len(manifest))]), F.to_numpy())
    assert manifest.shards[1][1:] == (30, 60) and repr(sp.Manifest.open(manifest.path)) == repr(manifest)
    with open(tmp_path / manifest.shards[0][0], "r+b") as file:
        file.seek(-1, 2)
        file.write(b"\x55")
    with pytest.raises(sp.Error, match=manifest.shards[0][0]):
        manifest.verify()


def test_objects_are_values() -> None:
    F = sp.Factorizations(np.array([6, 9, 20]), np.int64(60))
    same = pickle.loads(pickle.dumps(F))
    assert same == F and hash(same) == hash(F) and same.to_numpy().tolist() == F.to_numpy().tolist()
    assert F != sp.Factorizations([6, 9, 20], 61) and F != 3 and F in {same}
    assert repr(F) == "Factorizations([6, 9, 20], 60)" and eval(repr(F), vars(sp)) == F
    with pytest.raises(AttributeError):
        F.element = 61    # type: ignore[misc]
    assert sp.Factorizations([6, 9, 20], 10**12).generators == (6, 9, 20)    # nothing is computed


def test_rows_that_are_none() -> None:
    F = sp.Factorizations([6, 9, 20], 60)
    strangers: list[Any] = [(4, 4), (4, 4, 1), (-1, 1, 1), (2**70, 0, 0), "abc", None, 3.5]
    for row in strangers:
        assert row not in F
        with pytest.raises((sp.ConfigError, TypeError)):
            F.index(row)
    with pytest.raises(ValueError):    # as of a list
        F.index((4, 4, 1))


@pytest.mark.parametrize("generators, element, field", [
    ([6, 0], 60, "generators"), ([], 60, "generators"), ([6, -3], 60, "generators"), ([6, 2**63], 60, "generators"),
    ([6, 9], -1, "element"), ([6, 9], 2**63, "element"), ([1] * 65, 3, "generators")])
def test_bad_problems_name_their_field(generators: list[int], element: int, field: str) -> None:
    with pytest.raises(sp.ConfigError) as caught:
        sp.Factorizations(generators, element).count
    assert caught.value.field.startswith(field) and "accepted" in str(caught.value)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (type(copy), str(copy), copy.field) == (sp.ConfigError, str(caught.value), caught.value.field)


def test_without_a_table_counts_are_enumerated() -> None:
    F = sp.Factorizations([999_999_937, 10**9], 5 * 10**9)
    with sp.options(memory_limit="16MiB"):
        assert F.count == 1 and F.first(3).tolist() == [[0, 5]] and F.lengths().tolist() == [5]
        with pytest.raises(sp.LimitError):
            F[0]
        with pytest.raises(MemoryError):
            F[0]


def test_large_count_by_binomials() -> None:
    # d ones: weak compositions
    assert sp.Factorizations([1] * 20, 200).count == math.comb(219, 19) > sys.maxsize
