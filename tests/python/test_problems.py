"""No-three-in-line, lattices, monoids and numerical semigroups against independent searches in Python.

One file: a part for each.
"""
from __future__ import annotations

import itertools
import math
import pathlib
import pickle
import random
import subprocess
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from conftest import closure, composed
from hypothesis import given
from hypothesis import strategies as st

import slicepool as sp

needs_fplll = pytest.mark.skipif(not sp.info(gpus=False)["build"]["fplll"], reason="this build has no fplll, which reduces bases")

# --- no three in line ------------------------------------------------------------------------------------------


def no_three_in_line_set(n: int) -> set[frozenset[tuple[int, int]]]:
    """Every solution as a set of points, row by row."""
    found = set()

    def place(points: list[tuple[int, int]], row: int) -> None:
        if row == n:
            found.add(frozenset(points))
            return
        for pair in itertools.combinations(range(n), 2):
            more = points + [(x, row) for x in pair]
            if not any((b[0] - a[0]) * (c[1] - a[1]) == (c[0] - a[0]) * (b[1] - a[1])
                       for c in more[-2:] for a, b in itertools.combinations(more, 2) if c not in (a, b)):
                place(more, row + 1)

    place([], 0)
    return found


def orbit(points: frozenset[tuple[int, int]], n: int) -> set[frozenset[tuple[int, int]]]:
    images = set()
    for transpose, flip_x, flip_y in itertools.product((False, True), repeat=3):
        moved = ((y, x) if transpose else (x, y) for x, y in points)
        images.add(frozenset((n - 1 - x if flip_x else x, n - 1 - y if flip_y else y) for x, y in moved))
    return images


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_solutions_are_one_of_each_orbit(n: int) -> None:
    R = sp.no_three_in_line(n)
    every = no_three_in_line_set(n)
    assert R.solutions.shape == (R.count, 2 * n, 2) and R.masks.shape == (R.count, n)
    orbits = [orbit(frozenset(map(tuple, points.tolist())), n) for points in R.solutions]
    assert set().union(*orbits) == every and sum(map(len, orbits)) == len(every) == R.total
    assert sum(R.classes.values()) == R.count


def test_options_of_no_three_in_line() -> None:
    R = sp.no_three_in_line(8)
    assert (R.count, R.total) == (57, 380)    # A000769, Flammenkamp
    few = sp.no_three_in_line(8, solutions=False, mode="emulated")
    assert (few.count, few.fingerprint, few.nodes) == (R.count, R.fingerprint, R.nodes) and len(few.masks) == 0
    assert sp.no_three_in_line(8, symmetry="c4").count <= R.classes["rot4"] + R.classes["full"]
    assert len(sp.no_three_in_line(10, first=1).solutions) >= 1
    for bad in (0, 33):
        with pytest.raises(sp.ConfigError) as caught:
            sp.no_three_in_line(bad)
        assert caught.value.field == "size"
    with pytest.raises(TypeError, match="'symetry'; the nearest known one is 'symmetry'"):
        sp.no_three_in_line(8, symetry="c4")


# --- lattices --------------------------------------------------------------------------------------------------------


def box_vectors(basis: list[list[int]], radius2: int, bound: int) -> set[tuple[int, ...]]:
    """Vectors within the radius with coefficients up to `bound`, one of each pair: the one whose first nonzero is positive."""
    found = set()
    for coefficients in itertools.product(range(-bound, bound + 1), repeat=len(basis)):
        vector = tuple(sum(c * row[i] for c, row in zip(coefficients, basis)) for i in range(len(basis[0])))
        if any(vector) and sum(x * x for x in vector) <= radius2:
            found.add(max(vector, tuple(-x for x in vector)))
    return found


def test_numerical_semigroups_of_a_multiplicity_that_no_memory_holds() -> None:
    with pytest.raises(sp.LimitError, match="10000000000"):
        sp.NumericalSemigroup(10**10, 10**10 + 1)


@needs_fplll  # which reduces the random ones
def test_short_vectors_are_those_of_a_box() -> None:
    # the plane, A_3, and random bases close to a multiple of the identity: small coefficients
    random.seed(11)
    bases = [[[1, 0], [0, 1]], [[1, 1, 0], [-1, 1, 0], [0, -1, 1]]]
    bases += [[[6 * (i == j) + random.randint(-1, 1) for j in range(3)] for i in range(3)] for _ in range(6)]
    for basis in bases:
        radius2 = 2 * max(sum(x * x for x in row) for row in basis)
        V = sp.short_vectors(basis, radius2)
        vectors = {max(v.vector, tuple(-x for x in v.vector)) for v in V.vectors}
        assert vectors == box_vectors(basis, radius2, 6) and V.count == len(vectors) == len(V)
        norms = [v.squared_norm for v in V.vectors]
        assert norms == sorted(norms) == [sum(x * x for x in v.vector) for v in V.vectors]
        assert V.reduction != "none" or all(tuple(np.array(v.coefficients) @ np.array(basis)) == v.vector for v in V.vectors)
        assert sp.shortest_vector(basis).squared_norm == norms[0]
        assert np.array_equal(V.to_numpy(), [v.vector for v in V.vectors]) and V.squared_radius == radius2


def test_a_squared_radius_may_be_a_fraction() -> None:
    near = sp.close_vectors([[2, 0], [1, 2]], ["1/2", 5], Fraction(5, 4))
    assert near.count == len(near.vectors) == 2
    assert near.vectors[0].squared_distance == Fraction(5, 4)
    assert sp.close_vectors([[2, 0], [1, 2]], ["1/2", 5], Fraction(249, 200)).count == 0
    assert sp.close_vectors([[2, 0], [1, 2]], ["1/2", 5], Fraction(2)).count == 2
    hole = ["1/3", "1/3"]
    assert sp.close_vectors(gram=[[2, 1], [1, 2]], target=hole, radius2=Fraction(2, 3)).count == 3
    assert sp.close_vectors(gram=[[2, 1], [1, 2]], target=hole, radius2=Fraction(2, 3) - Fraction(1, 10**60)).count == 0
    assert [f.count for f in sp.closest_vectors(gram=[[2, 1], [1, 2]], targets=[hole, [0, 0]], radius2=Fraction(8, 3))] == [6, 7]
    with pytest.raises(sp.ConfigError, match="radius"):
        sp.close_vectors([[2, 0], [1, 2]], ["1/2", 5], Fraction(10**6000, 7))
    with pytest.raises(sp.ConfigError, match="-5/4"):
        sp.close_vectors([[2, 0], [1, 2]], ["1/2", 5], Fraction(-5, 4))


def test_a_theta_series_may_have_no_term() -> None:
    assert sp.theta_series([[20, 0], [10, 20]], 1, target=["1/2", 5]) == {}


@needs_fplll
def test_kissing_number_of_e8() -> None:
    basis = [[2, 0, 0, 0, 0, 0, 0, 0], [-1, 1, 0, 0, 0, 0, 0, 0], [0, -1, 1, 0, 0, 0, 0, 0], [0, 0, -1, 1, 0, 0, 0, 0],
             [0, 0, 0, -1, 1, 0, 0, 0], [0, 0, 0, 0, -1, 1, 0, 0], [0, 0, 0, 0, 0, -1, 1, 0], [1, 1, 1, 1, 1, 1, 1, 1]]
    doubled = [[2 * x for x in row] for row in basis[:7]] + [basis[7]]
    V = sp.short_vectors(doubled, 8)
    assert 2 * V.count == 240 and len({v.vector for v in V.vectors}) == 120    # Conway, Sloane, chapter 4
    few = sp.short_vectors(np.array(doubled), 8, solutions=5, mode="emulated")
    assert few.count == 120 and len(few) == 5 and few.fingerprint == V.fingerprint


@needs_fplll
def test_gram_matrices_shells_and_both_signs() -> None:
    random.seed(5)
    for _ in range(5):
        B = np.array([[6 * (i == j) + random.randint(-1, 1) for j in range(3)] for i in range(3)])
        G, radius2 = B @ B.T, 90
        V = sp.short_vectors(gram=G.tolist(), radius2=radius2, both_signs=True)
        assert {tuple(np.array(v.vector) @ B) for v in V.vectors} == {w for v in box_vectors(B.tolist(), radius2, 6) for w in (v, tuple(-x for x in v))}
        assert V.count == len(V) and V.both_signs and all(np.array(v.vector) @ G @ v.vector == v.squared_norm for v in V.vectors)
        norms = [v.squared_norm for v in V.vectors]
        shell = sp.short_vectors(gram=G, radius2=norms[-1], minimum2=norms[-1], both_signs=True)
        assert shell.count == norms.count(norms[-1])
        assert sp.shortest_vector(gram=G).squared_norm == norms[0]
    with pytest.raises(sp.ConfigError, match="row 2, column 1: got 0"):
        sp.shortest_vector(gram=[[2, 1], [0, 2]])
    for wrong in ({}, {"basis": [[1]], "gram": [[1]]}):
        with pytest.raises(sp.ConfigError, match="one of them"):
            sp.shortest_vector(**wrong)  # type: ignore[arg-type]


@needs_fplll
def test_close_vectors_are_those_of_a_box() -> None:
    random.seed(3)
    for denominator in (1, 2, 7):
        B = np.array([[6 * (i == j) + random.randint(-1, 1) for j in range(3)] for i in range(3)])
        target = [Fraction(random.randint(-20, 20), denominator) for _ in range(3)]
        box = {tuple(int(x) for x in np.array(c) @ B): 0 for c in itertools.product(range(-12, 13), repeat=3)}
        distances = {v: sum((x - t) ** 2 for x, t in zip(v, target)) for v in box}
        near = {v: distance for v, distance in distances.items() if distance <= 60}
        for mode in ("cpu", "emulated"):
            V = sp.close_vectors(B, target, 60, mode=mode)
            assert {v.vector: v.squared_distance for v in V.vectors} == near and V.count == len(near)
            closest = sp.closest_vector(B.tolist(), target, mode=mode)
            assert closest.squared_distance == min(distances.values()) == distances[closest.vector] <= V.nearest_plane_squared_distance
    assert sp.closest_vector([[1, 0], [0, 1]], np.array([0.3, -1.7])).vector == (0, -2)
    assert sp.closest_vector(gram=[[2, 1], [1, 2]], target=["1/3", 0.25]).squared_distance == Fraction(37, 72)
    with pytest.raises(sp.ConfigError, match="got 2 numbers; accepted: 3"):
        sp.closest_vector([[1, 0, 0]], [1, 2])
    with pytest.raises(sp.ConfigError, match="target"):
        sp.closest_vector([[1, 0]], ["x", 2])


@needs_fplll
def test_vectors_that_a_function_accepts() -> None:
    B = [[7, 1, 0], [-1, 8, 2], [0, 3, -6]]
    every = sp.short_vectors(B, 900)
    assert every.count == len(every) > 50

    def wanted(v: sp.ShortVector) -> bool:
        assert sum(x * x for x in v.vector) == v.squared_norm and len(v.coefficients) == 3
        return v.vector[0] % 3 == 0

    some = [v for v in every.vectors if wanted(v)]
    for mode in ("cpu", "emulated"):
        V = sp.short_vectors(B, 900, accept=wanted, mode=mode)
        assert V.count == len(some) and {v.vector for v in V.vectors} == {v.vector for v in some}
        sought = some[-1].vector
        found = sp.short_vectors(B, 900, accept=lambda v: v.vector == some[-1].vector, first=1, mode=mode)
        assert found.count == 1 and found.vectors[0].vector == sought
        near = sp.close_vectors(B, ["1/2", 0, 3], 900, accept=lambda v: v.squared_distance.denominator == 4 and v.vector[1] == 0, mode=mode)
        assert near.count == sum(v.vector[1] == 0 for v in sp.close_vectors(B, ["1/2", 0, 3], 900).vectors)
    # Not one, but many are asked about when the error comes.
    with pytest.raises(ZeroDivisionError):
        sp.short_vectors(B, 9000, accept=lambda v: 1 // (v.squared_norm - some[0].squared_norm))
    with pytest.raises(KeyboardInterrupt):
        sp.short_vectors(B, 9000, accept=lambda v: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(sp.ConfigError, match="accept: got 3; accepted: a function"):
        sp.short_vectors(B, 9000, accept=3)  # type: ignore[arg-type]
    # Nothing is left behind, of errors neither: the extension would say so at the end of Python.
    program = f"""
import slicepool as sp
print(sp.short_vectors({B}, 900, accept=lambda v: True).count)
for wrong in (lambda v: 1 // 0, lambda v: v.none):
    try:
        sp.short_vectors({B}, 900, accept=wrong)
    except (ZeroDivisionError, AttributeError) as error:
        print(type(error).__name__)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(every.count), "ZeroDivisionError", "AttributeError"] and done.stderr == ""


def test_a_test_of_vectors_that_raises_leaves_no_checkpoint(tmp_path: pathlib.Path) -> None:
    B = [[7, 1, 0], [-1, 8, 2], [0, 3, -6]]
    every = sp.short_vectors(B, 9000, accept=lambda v: True).count
    path = tmp_path / "c"
    for at in (1, 20, every // 2):
        asked = 0

        def broken(v: sp.ShortVector) -> bool:
            nonlocal asked
            asked += 1
            if asked == at:
                raise ZeroDivisionError
            return True

        # It would take those that were not asked about for refused.
        with pytest.raises(ZeroDivisionError):
            sp.short_vectors(B, 9000, accept=broken, checkpoint=path)
        assert not path.exists()


@needs_fplll
def test_reduced_bases_are_bases_of_the_same_lattice() -> None:
    random.seed(14)
    prime, d = 10007, 20
    column = [random.randrange(prime) for _ in range(d - 1)]
    basis = [[prime] + [0] * (d - 1)] + [[a] + [int(j == i) for j in range(d - 1)] for i, a in enumerate(column)]
    for block in (None, 10, 20):
        reduced = sp.reduce(basis, block, tours=100)
        assert all((row[0] - sum(a * x for a, x in zip(column, row[1:]))) % prime == 0 for row in reduced)
        assert round(abs(np.linalg.det(reduced.to_numpy().astype(float)))) == prime
        assert sum(reduced.log2_norms) == pytest.approx(math.log2(prime))
        assert reduced.squared_norm == sum(x * x for x in reduced[0]) and len(reduced) == d
    assert reduced.unchanged and reduced.squared_norm == sp.shortest_vector(basis).squared_norm
    assert reduced.record["tours"][-1]["bkz_block_size"] == 20
    assert sp.reduce(basis, 20, tours=100, threads=1).rows == reduced.rows
    assert sp.reduce([[10**30, 1], [0, 10**31]]).to_numpy().dtype == object
    for field, wrong in {"bkz_block_size": {"block_size": 1}, "tours": {"tours": 0}, "trials": {"trials": 0}, "seed": {"seed": -1}}.items():
        with pytest.raises(sp.ConfigError) as caught:
            sp.reduce(basis, **wrong)
        assert caught.value.field == field


@needs_fplll
def test_a_test_of_vectors_has_the_index_of_its_target() -> None:
    B = [[7, 1, 0], [-1, 8, 2], [0, 3, -6]]
    targets: list[list[Any]] = [["1/2", 0, 3], [100, 0, -40], [3, 3, 3]]
    every = [sp.close_vectors(B, target, 400).vectors for target in targets]
    wanted = [vectors[i].vector for i, vectors in enumerate(every)]
    asked: list[set[tuple[int, ...]]] = [set(), set(), set()]

    def accept(index: int, v: sp.CloseVector) -> bool:
        assert v.squared_distance == sum((x - Fraction(t)) ** 2 for x, t in zip(v.vector, targets[index]))
        asked[index].add(v.vector)
        return v.vector == wanted[index]

    found = sp.closest_vectors(B, targets, 400, accept=accept, solutions=5)
    assert [[v.vector for v in each.vectors] for each in found] == [[vector] for vector in wanted] and all(each.count == 1 for each in found)
    assert asked == [{v.vector for v in vectors} for vectors in every]
    big = [[x * 10**20 for x in row] for row in B]    # by big integers, and vectors that 64 bits do not hold
    assert sp.closest_vectors(big, [[0, 0, 0]], 54 * 10**40, accept=lambda i, v: v.vector[0] == 7 * 10**20)[0].closest.vector == (7 * 10**20, 10**20, 0)
    with pytest.raises(ZeroDivisionError):
        sp.closest_vectors(B, targets * 100, 400, accept=lambda i, v: 1 // (i - 150))
    once = sp.closest_vectors(B, targets, 400, accept=lambda i, v: v.vector == wanted[i], first=1)
    assert [each.closest.vector for each in once] == wanted
    assert [each.count for each in sp.closest_vectors(B, targets, 400, first=2, solutions=9)] == [min(2, len(vectors)) for vectors in every]
    assert [each.count for each in sp.shortest_vectors([B, B], 900, first=3)] == [3, 3]
    second = sp.shortest_vectors([B], 900, solutions=9)[0].vectors[1].vector
    tested = sp.shortest_vectors([B, B], 900, accept=lambda i, v: i == 1 and v.vector == second, solutions=9)
    assert [[v.vector for v in each.vectors] for each in tested] == [[], [second]]
    with pytest.raises(ZeroDivisionError):
        sp.shortest_vectors([B] * 300, 400, accept=lambda i, v: 1 // (i - 150))
    with pytest.raises(sp.ConfigError) as caught:
        sp.shortest_vectors([B], accept=lambda i, v: True)
    assert caught.value.field == "accept"
    for call in (lambda: sp.closest_vectors(B, targets, first=1), lambda: sp.shortest_vectors([B], first=1)):
        with pytest.raises(sp.ConfigError) as caught:
            call()
        assert caught.value.field == "first"
    for wrong in ({"accept": 3, "radius2": 4}, {"accept": lambda i, v: True}):
        with pytest.raises(sp.ConfigError) as caught:
            sp.closest_vectors(B, targets, **wrong)
        assert caught.value.field == "accept"


def box(d: int, most: int) -> Any:
    return np.array(list(itertools.product(range(-most, most + 1), repeat=d)))


@needs_fplll
def test_a_kissing_number_reads_an_iterator_once() -> None:
    assert sp.kissing_number(iter([[1, 0], [0, 1]])) == 4 == sp.kissing_number([iter([1, 0]), iter([0, 1])])
    assert sp.kissing_number(gram=(row for row in [[2, -1], [-1, 2]])) == 6


def test_theta_series_and_kissing_numbers_are_those_of_a_box() -> None:
    random.seed(15)
    for d in (1, 2, 3):
        B = np.array([[random.randint(-3, 3) + 7 * (i == j) for j in range(d)] for i in range(d)])
        G = B @ B.T
        norms = np.einsum("ij,jk,ik->i", box(d, 12), G, box(d, 12))
        radius2 = int(2 * G.diagonal().max())
        expected = {int(n): int(k) for n, k in zip(*np.unique(norms[norms <= radius2], return_counts=True))}
        for given_by in ({"basis": B}, {"gram": G.tolist()}):
            series = sp.theta_series(radius2=radius2, **given_by)
            assert series == expected and list(series) == sorted(series)
            assert sp.kissing_number(**given_by) == list(expected.values())[1]
        target = [Fraction(random.randint(-9, 9), 4) for _ in range(d)]
        differences = box(d, 12) @ B * 4 - np.array([int(4 * t) for t in target])
        squares = (differences**2).sum(axis=1)
        coset = sp.theta_series(B, radius2, target=target)
        assert coset == {Fraction(int(n), 16): int(k) for n, k in zip(*np.unique(squares[squares <= 16 * radius2], return_counts=True))}
    # SPLAG, tables 1.2 and 4.9: E8 and its theta series, 1 + 240 sum sigma_3(m) q^2m.
    E8 = [[2 * (i == j) - ((i, j) in {(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (2, 7)} or
                           (j, i) in {(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (2, 7)}) for j in range(8)] for i in range(8)]
    assert sp.kissing_number(gram=E8) == 240
    assert sp.theta_series(gram=E8, radius2=8) == {0: 1, 2: 240, 4: 240 * 9, 6: 240 * 28, 8: 240 * 73}
    for call, field in ((lambda: sp.theta_series([[1]]), "radius2"), (lambda: sp.kissing_number(), "basis"),
                        (lambda: sp.kissing_number([[1]], checkpoint="x"), "checkpoint"),
                        (lambda: sp.theta_series(gram=[[1, 2], [2, 1]], radius2=3), "gram: row 2, column 1")):
        with pytest.raises(sp.ConfigError) as caught:
            call()
        assert caught.value.field == field


@needs_fplll
def test_svp_and_reduce_by_a_basis_and_by_its_gram_matrix() -> None:
    random.seed(16)
    for d in (1, 5, 20):
        B = [[random.randint(-50, 50) + 200 * (i == j) for j in range(d)] for i in range(d)]
        G = (np.array(B) @ np.array(B).T).tolist()
        least = sp.shortest_vector(B).squared_norm
        by_basis, by_gram = sp.svp(B), sp.svp(gram=G, seed=3)
        assert by_basis.squared_norm == by_gram.squared_norm == least and by_basis.proven and by_gram.proven and by_gram.found
        assert sum(x * x for x in by_basis.vector) == least == np.array(by_gram.vector) @ G @ np.array(by_gram.vector)
        reduced = sp.reduce(gram=np.array(G), block_size=max(2, d))
        T = reduced.to_numpy()
        assert reduced.gram is not None and np.array_equal(T @ G @ T.T, np.array(reduced.gram)) and abs(round(np.linalg.det(T.astype(float)))) == 1
        assert reduced.squared_norm == reduced.gram[0][0] == least
        with pytest.raises(sp.ConfigError, match="accepted: its `gram`"):
            sp.shortest_vector(reduced)
        assert sp.reduce(B).gram is None
    assert not sp.svp([[3, 0], [0, 4]], "norm2:8").found and sp.svp([[3, 0], [0, 4]], "norm2:9").found
    with pytest.raises(sp.ConfigError, match="gram: row 2, column 1: got 0"):
        sp.svp(gram=[[2, 1], [0, 2]])
    with pytest.raises(sp.ConfigError, match="gram: row 3: got 0"):
        sp.reduce(gram=[[2, 1, 1], [1, 2, -1], [1, -1, 2]])
    with pytest.raises(sp.ConfigError, match="target: got"):
        sp.svp([[1]], "short")
    assert sp.svp([[3, 0], [0, 4]], rates="fixed").record["rates"] == "fixed" and sp.svp([[3, 0], [0, 4]]).record["rates"] == "measured"
    with pytest.raises(sp.ConfigError, match='rates: got "slow"; accepted: measured or fixed'):
        sp.svp([[1]], rates="slow")


def test_bases_in_every_form_and_large_integers(tmp_path: Any) -> None:
    class IntegerMatrix:    # as fpylll has it
        nrows, ncols = 2, 2

        def __getitem__(self, at: tuple[int, int]) -> int:
            return [[1, 3], [3, -2]][at[0]][at[1]]

    (tmp_path / "basis.txt").write_text("[[1 3][3 -2]]")
    for basis in ([[1, 3], [3, -2]], np.array([[1, 3], [3, -2]]), "[[1 3] [3 -2]]", IntegerMatrix(), tmp_path / "basis.txt",
                  str(tmp_path / "basis.txt")):
        assert sp.shortest_vector(basis).squared_norm == 10
    large = 10**30
    V = sp.short_vectors([[large, 0], [0, large + 1]], 3 * large**2, reduction="none")
    assert {v.squared_norm for v in V.vectors} == {large**2, (large + 1)**2, large**2 + (large + 1)**2}
    assert V.to_numpy().dtype == object and len(V) == 4
    for bad in ([[1, 2], [2, 4]], [[1.5, 2], [0, 1]], 3, [[1, 2], [3]]):
        with pytest.raises(sp.ConfigError) as caught:
            sp.shortest_vector(bad)
        assert caught.value.field.startswith("basis")


# --- transformation monoids -------------------------------------------------------------------------------------------


def check_monoid(generators: list[tuple[int, ...]], points: int) -> None:
    M = sp.TransformationMonoid(generators)
    elements = list(M)
    assert set(elements) == closure(generators, points) and len(set(elements)) == len(M) == sum(M.stages)
    for number, x in enumerate(elements):
        word = M.word(number)
        product = tuple(range(points))
        for letter in word:
            product = composed(product, generators[letter])
        assert product == x == M[number] and M.index(x) == number and x in M
        assert M.right_cayley_graph[number].tolist() == [M.index(composed(x, g)) for g in generators]
        assert M.left_cayley_graph[number].tolist() == [M.index(composed(g, x)) for g in generators]
    words = [M.word(i) for i in range(len(M))]
    assert words == sorted(words, key=lambda word: (len(word), word))
    assert M.idempotents().tolist() == [i for i, x in enumerate(elements) if composed(x, x) == x]
    rules = M.rules()
    assert len(rules) == M.number_of_rules and len({left for left, _ in rules}) == len(rules)
    reduced = {left for left, _ in rules}
    for length in range(1, 4):    # complete: a word is that of an element where no left side is a factor
        for word in itertools.product(range(len(generators)), repeat=length):
            factors = {word[i:j] for i in range(length) for j in range(i + 1, length + 1)}
            assert (word in words) == (not factors & reduced)


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.tuples(*[st.integers(0, n - 1)] * n), min_size=1, max_size=3)))
def test_monoids_are_those_of_a_closure(generators: list[tuple[int, ...]]) -> None:
    check_monoid(generators, len(generators[0]))


def test_named_monoids_and_what_is_known_of_them() -> None:
    M = sp.TransformationMonoid.named("bihecke:4")
    assert len(M) == 477 and len(M.rules()) == M.number_of_rules
    full = sp.TransformationMonoid.named("full:4", mode="emulated")
    assert len(full) == 4**4 and full.number_of_idempotents() == sum(math.comb(4, k) * k**(4 - k) for k in range(1, 5))
    assert len(sp.TransformationMonoid.named("symmetric:5")) == 120
    assert full.to_numpy().shape == (256, 4) and len(np.unique(full.to_numpy(), axis=0)) == 256


@given(st.slices(27))
def test_slices_of_monoids(part: slice) -> None:
    M = sp.TransformationMonoid.named("full:3")
    assert [tuple(row) for row in M[part].tolist()] == list(M)[part]


def test_graphs_are_read_only_views() -> None:
    M = sp.TransformationMonoid.named("bihecke:4")
    left, again = M.left_cayley_graph, M.left_cayley_graph
    assert left.ctypes.data == again.ctypes.data and left.dtype == np.uint32 and left.shape == (477, M.number_of_generators)
    for shared in (left, M.right_cayley_graph, M.idempotents()):
        with pytest.raises(ValueError):
            shared[0] = 1
    del M
    assert int(left.max()) == 476    # the view keeps the library's memory


def test_cayley_graphs_for_other_programs(tmp_path: Any) -> None:
    M = sp.TransformationMonoid.named("bihecke:3")
    paths = {side: tmp_path / f"{side}.dot" for side in ("right", "left")}
    sp.run({"workload": "semigroup", "named": "bihecke:3", "output": {f"{side}_cayley_graph": str(path) for side, path in paths.items()}})
    for side, path in paths.items():
        assert M.dot(side) == path.read_text()


def test_cayley_graphs_of_networkx() -> None:
    networkx: Any = pytest.importorskip("networkx")
    M = sp.TransformationMonoid([[1, 2, 0], [0, 0, 2]])
    for side, rows in (("right", M.right_cayley_graph), ("left", M.left_cayley_graph)):
        graph = M.to_networkx(side)
        assert set(graph.nodes) == set(range(len(M)))
        assert set(graph.edges(keys=True)) == {(x, int(y), g) for x, row in enumerate(rows) for g, y in enumerate(row)}
    assert networkx.shortest_path_length(M.to_networkx(), 0) == {i: len(M.word(i)) for i in range(len(M))}


def test_monoids_are_values_and_take_other_libraries_maps() -> None:
    class Permutation:    # sympy
        array_form = [1, 2, 0]

    class Transf:    # libsemigroups
        def images(self) -> Any:
            return iter([0, 0, 2])

    M = sp.TransformationMonoid([Permutation(), Transf(), np.array([1, 0, 2])])
    assert M == sp.TransformationMonoid([[1, 2, 0], (0, 0, 2), [1, 0, 2]]) and len(M) == 27
    same = pickle.loads(pickle.dumps(M))
    assert same == M and hash(same) == hash(M) and list(same) == list(M) and eval(repr(M), vars(sp)) == M
    named = sp.TransformationMonoid.named("full:3")
    assert pickle.loads(pickle.dumps(named)) == named != M and eval(repr(named), vars(sp)) == named
    strangers: list[Any] = [[0, 1], (0, 1, 3), "abc", None]
    assert not any(stranger in M for stranger in strangers)
    with pytest.raises(ValueError):
        M.index([0, 1, 3])
    with pytest.raises(IndexError):
        M[27]
    limited = sp.TransformationMonoid.named("bihecke:5", max_stage=2)
    assert not limited.complete and len(limited) == sum(limited.stages)
    bases: list[Any] = [[], [[0, 3]], [[0, 1], [0]], [[]]]
    for bad in bases:
        with pytest.raises(sp.ConfigError) as caught:
            len(sp.TransformationMonoid(bad))
        assert caught.value.field.startswith("generators")
    with pytest.raises(sp.ConfigError):
        len(sp.TransformationMonoid.named("nobody:3"))


# --- numerical semigroups ----------------------------------------------------------------------------------------------


@given(st.lists(st.integers(1, 25), min_size=1, max_size=4).filter(lambda values: math.gcd(*values) == 1))
def test_numerical_semigroups_are_those_of_a_sieve(generators: list[int]) -> None:
    end = 700    # the Frobenius number is below 25 * 24
    elements = [True] + [False] * end
    for n in range(1, end + 1):
        elements[n] = any(g <= n and elements[n - g] for g in generators)
    gaps = [n for n in range(end) if not elements[n]]
    S = sp.NumericalSemigroup(generators)
    assert S.genus == len(gaps) and S.frobenius == max(gaps, default=-1)
    assert [n in S for n in range(-3, end)] == [False] * 3 + elements[:end]
    assert [n in S for n in np.arange(-3, end)] == [False] * 3 + elements[:end] and "6" not in S and 6.5 not in S
    minimal = [g for g in sorted(set(generators)) if not any(0 < a < g and elements[a] and elements[g - a] for a in range(g))]
    assert list(S.generators) == minimal and S.multiplicity == minimal[0] and S.embedding_dimension == len(minimal)
    for m in {S.multiplicity, minimal[-1], 2 * minimal[0]}:
        assert list(S.apery(m)) == [next(n for n in range(i, end * m, m) if n > end or elements[n]) for i in range(m)]
    assert S == sp.NumericalSemigroup(*generators) and pickle.loads(pickle.dumps(S)) == S
    assert bool(S.factorizations(30)) == elements[30] and hash(S) == hash(sp.NumericalSemigroup(generators))


def test_what_is_no_numerical_semigroup() -> None:
    for bad in ([], [0, 1], [4, 6], [-2, 3]):
        with pytest.raises(sp.ConfigError):
            sp.NumericalSemigroup(bad)
    with pytest.raises(sp.ConfigError, match="accepted: an element"):
        sp.NumericalSemigroup(6, 9, 20).apery(7)
    assert 2.5 not in sp.NumericalSemigroup(1) and repr(sp.NumericalSemigroup(6, 9, 20)) == "NumericalSemigroup(6, 9, 20)"


# --- numerical semigroups by genus -----------------------------------------------------------------------------


def gaps_of_genus(genus: int) -> set[frozenset[int]]:
    """All numerical semigroups of a genus, by their gaps: sets of integers whose complement is closed under addition."""
    level = {frozenset[int]()}
    for _ in range(genus):
        level = {gaps | {s} for gaps in level for s in range(max(gaps, default=0) + 1, 2 * genus)
                 if all(a in gaps or s - a in gaps for a in range(1, s // 2 + 1))}
    return level


def test_numerical_semigroups_by_genus_and_multiplicity() -> None:
    N = sp.NumericalSemigroups(genus=9)
    for genus in range(10):
        by_multiplicity = [0] * (genus + 2)    # of genus g, the multiplicity g + 1 occurs
        for gaps in gaps_of_genus(genus):
            by_multiplicity[min(set(range(1, genus + 2)) - gaps)] += 1
        assert N.triangle[genus] == tuple(by_multiplicity)
        assert N.counts[genus] == sum(by_multiplicity)
    assert N.count == 118
    assert sp.NumericalSemigroups(40, multiplicity=3, mode="emulated").count == 14
    types = sp.NumericalSemigroups(genus=9, by="type").triangle[9]
    assert sum(types) == 118
    # Symmetric semigroups of genus 9 are those with the Frobenius number 17: their type is 1.
    assert types[1] == sp.NumericalSemigroups(genus=9, by="frobenius").triangle[9][17]
    both = sp.NumericalSemigroups(genus=9, by="type,frobenius").triangle[9]
    assert tuple(map(sum, both)) == types
    with pytest.raises(sp.ConfigError, match="genus"):
        sp.NumericalSemigroups(0).count
    with pytest.raises(TypeError, match="genus"):
        sp.NumericalSemigroups(5, genius=3)


def gaps_of(generators: tuple[int, ...]) -> frozenset[int]:
    """Of a numerical semigroup whose gaps are below 64."""
    elements = {0}
    for x in range(1, 64):
        if any(x - g in elements for g in generators):
            elements.add(x)
    return frozenset(range(64)) - elements


def test_numerical_semigroups_are_a_ranked_set() -> None:
    N = sp.NumericalSemigroups(genus=9)
    rows = N.list()
    assert len(N) == len(rows) == 118 and {gaps_of(row) for row in rows} == gaps_of_genus(9)
    assert [sorted(gaps_of(row)) for row in rows] == sorted(sorted(gaps) for gaps in gaps_of_genus(9))
    assert [N[rank] for rank in range(118)] == rows == N[:] == list(N)
    assert N[-1] == (2, 19) and N[100:90:-3] == rows[100:90:-3]
    with pytest.raises(IndexError, match="118"):
        N[118]
    assert N.leaves == sum(1 for gaps in gaps_of_genus(9) if not any(gaps | {s} in gaps_of_genus(10) for s in range(max(gaps), 28)))
    sample = N.sample(2000, seed=3)
    assert sample == N.sample(2000, seed=3) != N.sample(2000, seed=4)
    assert len(set(sample)) == 118    # each is missed with probability 4e-8
    assert N.sample(0) == []


def test_numerical_semigroups_by_conditions() -> None:
    symmetric = sp.NumericalSemigroups(genus=9, where="t = 1")
    assert symmetric.count == len(symmetric.list()) == len([gaps for gaps in gaps_of_genus(9) if max(gaps) == 17])
    assert symmetric.all("F = 2g - 1 or g = 0") and not symmetric.any("wilf < 0")
    assert len(symmetric.first(3)) == 3
    by_frobenius = sp.NumericalSemigroups(frobenius=11, by="genus")
    assert by_frobenius.counts == (0, 1, 1, 2, 2, 5, 4, 11, 10, 21, 22, 51) and by_frobenius.genus is None
    assert {max(gaps_of(row)) for row in by_frobenius.list()} == {11}
    with pytest.raises(sp.ConfigError, match="where"):
        symmetric[0]
    with pytest.raises(sp.ConfigError, match="a name is"):
        symmetric.any("wolf = 2")
    for genus, frobenius in ((None, None), (3, 3)):
        with pytest.raises(sp.ConfigError, match="one of genus and frobenius"):
            sp.NumericalSemigroups(genus, frobenius=frobenius)


@given(st.slices(39), st.integers(-50, 50))
def test_slices_of_numerical_semigroups(part: slice, rank: int) -> None:
    N = sp.NumericalSemigroups(genus=7)
    rows = N.list()
    assert N[part] == rows[part]
    if -39 <= rank < 39:
        assert N[rank] == rows[rank]
    else:
        with pytest.raises(IndexError, match=f"39 semigroups, and no rank {rank}"):
            N[rank]


def test_sets_of_numerical_semigroups_are_values() -> None:
    N = sp.NumericalSemigroups(10**6)    # nothing is computed, and nothing refused
    assert (N.genus, N.frobenius, N.multiplicity, N.by, N.where, N.trim) == (10**6, None, None, "multiplicity", None, False)
    with pytest.raises(sp.ConfigError, match="genus"):
        len(N)
    M = sp.NumericalSemigroups(9, 4, by="type", mode="cpu")
    assert M[0] in M.list()    # a pickle has nothing of what was computed
    for same in (pickle.loads(pickle.dumps(M)), eval(repr(M), vars(sp))):
        assert same == M and hash(same) == hash(M) and same.triangle == M.triangle and same.list() == M.list()
    assert M != sp.NumericalSemigroups(9, 4) and M != sp.NumericalSemigroups(frobenius=9, multiplicity=4, by="type") and M != 9
    assert repr(sp.NumericalSemigroups(frobenius=11, where="t = 1")) == "NumericalSemigroups(frobenius=11, where='t = 1')"
    with pytest.raises(AttributeError):
        M.genus = 10    # type: ignore[misc]
    with pytest.raises(sp.ConfigError, match="k: got -1"):
        M.sample(-1)
    for wrong in (9.5, "9"):
        with pytest.raises(TypeError, match="genus: got .*; accepted: an integer"):
            sp.NumericalSemigroups(wrong)    # type: ignore[arg-type]


def test_many_targets_are_answered_like_single_ones_and_a_bad_one_stops_none() -> None:
    rng = np.random.default_rng(21)
    basis = rng.integers(-9, 10, size=(6, 7)) + 40 * np.eye(6, 7, dtype=np.int64)
    targets = rng.integers(-1000, 1001, size=(30, 7))
    found = sp.closest_vectors(basis, targets)
    assert [f.closest.squared_distance for f in found] == [sp.closest_vector(basis, t).squared_distance for t in targets]
    assert all(sum((x - int(t)) ** 2 for x, t in zip(f.closest.vector, target)) == f.closest.squared_distance for f, target in zip(found, targets))
    assert sp.closest_vectors(basis, targets.tolist()) == found
    assert all(tuple(np.array(f.closest.coefficients) @ basis) == f.closest.vector for f in found)
    assert [f.closest for f in sp.closest_vectors(basis, targets.astype(np.float64))] == [f.closest for f in found]
    floats = rng.normal(size=(5, 7)) * 1e-3 + targets[:5]
    assert [f.closest.squared_distance for f in sp.closest_vectors(basis, floats)] == [sp.closest_vector(basis, t).squared_distance for t in floats]
    gram = basis @ basis.T
    coordinates = [[Fraction(int(x), 7) for x in rng.integers(-99, 99, size=6)] for _ in range(3)]
    assert [f.closest.squared_distance for f in sp.closest_vectors(gram=gram, targets=coordinates)] == [
        sp.closest_vector(gram=gram, target=t).squared_distance for t in coordinates]
    mixed = sp.closest_vectors([[2, 0], [1, 2]], [[1, 5], [1], "[1/2 5]", [Fraction(1, 2), 5], [10**30, 1]])
    assert mixed[1].error is not None and "1 numbers" in mixed[1].error and mixed[1].vectors == ()
    assert mixed[2] == mixed[3] and mixed[0].closest.squared_distance == 1 and mixed[4].closest.squared_distance == 1
    with pytest.raises(sp.ConfigError, match="1 numbers"):
        _ = mixed[1].closest
    near = sp.closest_vectors([[1, 0], [0, 1]], [["1/2", "1/2"], [0, 0]], 1, solutions=9)
    assert [n.count for n in near] == [4, 5] and near[1].vectors[0].vector == (0, 0)
    with pytest.raises(sp.ConfigError, match="leaves no vector"):
        _ = sp.closest_vectors([[2, 0], [0, 2]], [[1, 1]], 1)[0].closest
    wrongs: tuple[tuple[Any, ...], ...] = ((None, [[1]]), ([[1, 1], [2, 2]], [[1, 1]]), ([[1]], "file.txt"), ([[1]], ["file.txt"]), ([[1]], [["x"]]),
                                           ([[1]], np.array([[np.nan]])))
    for wrong in wrongs:
        with pytest.raises(sp.ConfigError):
            sp.closest_vectors(*wrong)
    assert sp.closest_vectors([[1]], []) == []


def test_many_lattices_are_answered_like_single_ones_and_a_bad_one_stops_none() -> None:
    rng = np.random.default_rng(20)
    bases = rng.integers(-9, 10, size=(30, 6, 6)) + 40 * np.eye(6, dtype=np.int64)
    found = sp.shortest_vectors(bases)
    assert [f.shortest.squared_norm for f in found] == [sp.shortest_vector(B).squared_norm for B in bases]
    assert all(sum(x * x for x in f.shortest.vector) == f.shortest.squared_norm for f in found)
    grams = [B @ B.T for B in bases]
    assert [f.shortest.squared_norm for f in sp.shortest_vectors(grams=grams)] == [f.shortest.squared_norm for f in found]
    mixed = sp.shortest_vectors([[[1, 1], [2, 2]], [[10**30, 0], [0, 10**31]], "[[3 0] [0 2]]", bases[0]])
    assert mixed[0].error is not None and "row 2" in mixed[0].error and mixed[0].vectors == ()
    assert mixed[1].shortest.vector == (10**30, 0) and mixed[1].shortest.squared_norm == 10**60
    assert mixed[2].shortest.vector == (0, 2) and mixed[3].shortest == found[0].shortest
    with pytest.raises(sp.ConfigError, match="row 2"):
        _ = mixed[0].shortest
    near = sp.shortest_vectors([[[1, 0], [0, 1]]], 2, solutions=3)[0]
    assert near.count == 4 and [v.squared_norm for v in near.vectors] == [1, 1, 2]
    wrongs: tuple[dict[str, Any], ...] = ({}, {"bases": [], "grams": []}, {"bases": "file.txt"}, {"bases": ["file.txt"]}, {"bases": [[["x"]]]})
    for wrong in wrongs:
        with pytest.raises(sp.ConfigError):
            sp.shortest_vectors(**wrong)
    assert sp.shortest_vectors([]) == []
