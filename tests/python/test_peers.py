"""Answers of libraries by other people, on random problems. What is not installed is skipped: pip install PyNormaliz
libsemigroups_pybind11 fpylll cysignals sympy passagemath-gap passagemath-gap-pkg-numericalsgps-data."""
from __future__ import annotations

import importlib
import math
import random
from typing import Any

import numpy as np
import pytest

import slicepool as sp


def test_factorizations_are_the_lattice_points_of_normaliz() -> None:
    normaliz: Any = pytest.importorskip("PyNormaliz")
    random.seed(3)
    for _ in range(8):
        d = random.randint(2, 4)
        generators = [random.randint(3, 20) for _ in range(d)]
        element = random.randint(30, 120)
        # a_i >= 0 and a_1 g_1 + .. - n x = 0 with x = 1
        cone = normaliz.Cone(inhom_equations=[[*generators, -element]], inequalities=[[int(i == j) for j in range(d + 1)][:d] for i in range(d)])
        points = {tuple(point[:d]) for point in cone.LatticePoints()}
        assert set(sp.Factorizations(generators, element)) == points
        assert sp.Factorizations(generators, element).count == cone.NumberLatticePoints() == len(points)


def random_semigroup(largest: int, most: int) -> list[int]:
    while True:
        generators = sorted(random.sample(range(3, largest), random.randint(2, most)))
        if math.gcd(*generators) == 1:
            return generators


def test_betti_elements_are_those_of_markov_bases_of_normaliz() -> None:
    normaliz: Any = pytest.importorskip("PyNormaliz")
    random.seed(13)
    for _ in range(15):
        S = sp.NumericalSemigroup(random_semigroup(40, 5))
        generators = S.generators
        if len(generators) == 1:    # no equalities
            continue
        # Of each binomial that generates the toric ideal, the degree of one side: the elements of a minimal presentation.
        markov = normaliz.Cone(monoid=[[g] for g in generators]).MarkovBasis()
        degrees = sorted(sum(g * x for g, x in zip(generators, row) if x > 0) for row in markov)
        ours = sorted(sum(g * x for g, x in zip(generators, left)) for left, _ in S.minimal_presentation())
        assert ours == degrees and sorted(set(degrees)) == list(S.betti_elements())


@pytest.fixture(scope="module")
def gap() -> Any:
    """The library of GAP in this process, with numericalsgps."""
    pytest.importorskip("sage.all__sagemath_gap")
    libgap = importlib.import_module("sage.libs.gap.libgap").libgap
    if str(libgap.LoadPackage("numericalsgps")) != "true":
        pytest.skip("GAP has no package numericalsgps")
    return libgap


def test_semigroups_are_those_of_numericalsgps(gap: Any) -> None:
    random.seed(17)
    for _ in range(12):
        S = sp.NumericalSemigroup(random_semigroup(30, 4))
        theirs = gap.NumericalSemigroup(list(S.generators))
        for name, ask in (("betti_elements", "BettiElements"), ("pseudo_frobenius", "PseudoFrobenius"), ("gaps", "Gaps"),
                          ("small_elements", "SmallElements"), ("delta_set", "DeltaSet"), ("minimal_generators", "MinimalGenerators")):
            value = getattr(S, name)
            found = value() if callable(value) else value
            assert found == tuple(map(int, getattr(gap, ask)(theirs))), (S, name)
        for name, ask in (("frobenius", "FrobeniusNumber"), ("genus", "Genus"), ("conductor", "Conductor"), ("type", "Type"),
                          ("catenary_degree", "CatenaryDegree"), ("tame_degree", "TameDegree"), ("omega_primality", "OmegaPrimality"),
                          ("wilf", "WilfNumber"), ("eliahou", "EliahouNumber")):
            value = getattr(S, name)
            assert (value() if callable(value) else value) == int(getattr(gap, ask)(theirs)), (S, name)
        assert S.is_symmetric == (str(gap.IsSymmetric(theirs)) == "true")
        n = random.choice([n for n in range(60, 120) if n in S])
        F = S.factorizations(n)
        rows = gap.FactorizationsElementWRTNumericalSemigroup(n, theirs)
        assert set(F) == {tuple(map(int, row)) for row in rows}
        assert F.catenary_degree() == int(gap.CatenaryDegree(n, theirs)) and F.tame_degree() == int(gap.TameDegree(n, theirs))
        assert F.maximal_denumerant() == int(gap.MaximalDenumerant(n, theirs)) and F.omega_primality() == int(gap.OmegaPrimality(n, theirs))
        assert F.lengths().tolist() == list(map(int, gap.LengthsOfFactorizationsElementWRTNumericalSemigroup(n, theirs)))
        assert S.denumerants(n)[-1] == len(rows) and S.apery(n) == tuple(map(int, gap.AperyList(theirs, n)))


def test_large_counts_are_those_of_sympy() -> None:
    rings: Any = pytest.importorskip("sympy")
    series: Any = importlib.import_module("sympy.polys.ring_series")
    ring, x = rings.ring("x", rings.ZZ)
    random.seed(19)
    for _ in range(4):
        generators = [random.randint(1, 12) for _ in range(random.randint(8, 14))]
        n = random.randint(1000, 2000)
        product = ring(1)
        for g in generators:
            product = series.rs_mul(product, 1 - x**g, x, n + 1)
        expected = int(series.rs_series_inversion(product, x, n + 1).coeff(x**n))
        assert sp.Factorizations(generators, n).count == expected
    assert sp.Factorizations(range(1, 65), 64).count == int(importlib.import_module("sympy.functions.combinatorial.numbers").partition(64))


def test_monoids_are_those_of_libsemigroups() -> None:
    libsemigroups: Any = pytest.importorskip("libsemigroups_pybind11")
    _quiet = libsemigroups.ReportGuard(False)
    random.seed(5)
    with_rules = 0
    for _ in range(12):
        n = random.randint(2, 5)
        identity = list(range(n))
        generators = [[random.randrange(n) for _ in range(n)] for _ in range(random.randint(1, 3))]
        generators = [list(g) for g in dict.fromkeys(map(tuple, generators)) if list(g) != identity]
        if not generators:
            continue
        S = libsemigroups.FroidurePin([libsemigroups.Transf(g) for g in [identity, *generators]])
        M = sp.TransformationMonoid(libsemigroups.Transf(g) for g in generators)
        elements = [S[i] for i in range(S.size())]    # images() of a temporary object would be those of freed memory
        theirs = {tuple(x.images()) for x in elements}
        assert set(M) == theirs and len(M) == S.size() and M.number_of_idempotents() == S.number_of_idempotents()
        # The identity is a generator there, and shortlex order is the same but for words that begin with it.
        numbers = [M.index(tuple(x.images())) for x in elements]
        right, left = S.right_cayley_graph(), S.left_cayley_graph()
        for ours, graph in ((M.right_cayley_graph, right), (M.left_cayley_graph, left)):
            for i in range(len(elements)):
                for g in range(len(generators)):
                    assert ours[numbers[i], g] == numbers[graph.target(i, g + 1)]
        assert {numbers[S.position(e)] for e in S.idempotents()} == set(M.idempotents().tolist())
        if all(len(set(g)) < n for g in generators):    # then no product is the identity, and the semigroup is the rest of the monoid
            T = libsemigroups.FroidurePin([libsemigroups.Transf(g) for g in generators])
            rules = {(tuple(left), tuple(right)) for left, right in libsemigroups.froidure_pin.rules(T)}
            assert set(M.rules()) == rules and M.number_of_rules == T.number_of_rules() == len(rules)
            with_rules += 1
        for x in theirs:    # shortlex by both: of as many letters
            word = libsemigroups.froidure_pin.minimal_factorisation(S, libsemigroups.Transf(list(x)))
            assert len(M.word(M.index(x))) == (0 if list(x) == identity else len(word))
    assert with_rules > 2


def test_permutation_groups_are_those_of_sympy() -> None:
    combinatorics: Any = pytest.importorskip("sympy.combinatorics")
    random.seed(7)
    for _ in range(6):
        generators = [combinatorics.Permutation(random.sample(range(6), 6)) for _ in range(2)]
        group = combinatorics.PermutationGroup(*generators)
        assert set(sp.TransformationMonoid(generators)) == {tuple(p.array_form) for p in group.elements}


def test_vectors_are_those_of_fpylll() -> None:
    fpylll: Any = pytest.importorskip("fpylll")
    if not sp.info(gpus=False)["build"]["fplll"]:
        pytest.skip("this build has no fplll, which reduces bases")
    fpylll.FPLLL.set_random_seed(11)
    for d in (6, 10, 14):
        A = fpylll.IntegerMatrix.random(d, "uniform", bits=12)
        fpylll.LLL.reduction(A)
        rows = np.array([[A[i, j] for j in range(d)] for i in range(d)])
        radius2 = int(1.5 * min((rows**2).sum(axis=1)))
        M = fpylll.GSO.Mat(A)
        M.update_gso()
        enumeration = fpylll.Enumeration(M, nr_solutions=100_000, strategy=fpylll.EvaluatorStrategy.BEST_N_SOLUTIONS)
        theirs = {max(v, tuple(-x for x in v)) for v in (tuple(np.array(c, dtype=int) @ rows)
                                                         for _, c in enumeration.enumerate(0, d, radius2 + 0.5, 0)) if any(v)}
        ours = sp.short_vectors(A, radius2, solutions=100_000)
        assert {max(v.vector, tuple(-x for x in v.vector)) for v in ours.vectors} == theirs and ours.count == len(theirs)


def test_closest_vectors_are_those_of_fpylll() -> None:
    fpylll: Any = pytest.importorskip("fpylll")
    if not sp.info(gpus=False)["build"]["fplll"]:
        pytest.skip("this build has no fplll, which reduces bases")
    fpylll.FPLLL.set_random_seed(12)
    random.seed(12)
    for d in (3, 8, 16):
        A = fpylll.IntegerMatrix.random(d, "uniform", bits=12)
        fpylll.LLL.reduction(A)
        for _ in range(4):
            target = [random.randint(-10**6, 10**6) for _ in range(d)]
            theirs = [int(x) for x in fpylll.CVP.closest_vector(A, target)]
            ours = sp.closest_vector(A, target)
            distance = sum((x - t) ** 2 for x, t in zip(ours.vector, target))
            assert distance == ours.squared_distance and distance == sum((x - t) ** 2 for x, t in zip(theirs, target))


def test_closest_vectors_of_many_targets_are_those_of_fpylll() -> None:
    fpylll: Any = pytest.importorskip("fpylll")
    if not sp.info(gpus=False)["build"]["fplll"]:
        pytest.skip("this build has no fplll, which reduces bases")
    fpylll.FPLLL.set_random_seed(13)
    random.seed(13)
    for d in (2, 10, 20, 24):
        A = fpylll.IntegerMatrix.random(d, "qary", k=d // 2, bits=12) if d > 2 else fpylll.IntegerMatrix.random(d, "uniform", bits=12)
        fpylll.LLL.reduction(A)
        targets = [[random.randint(-10**6, 10**6) for _ in range(d)] for _ in range(20)]
        for target, ours in zip(targets, sp.closest_vectors(A, targets)):
            theirs = [int(x) for x in fpylll.CVP.closest_vector(A, target)]
            assert ours.closest.squared_distance == sum((x - t) ** 2 for x, t in zip(theirs, target))


def test_gram_matrices_and_batches_are_those_of_fpylll() -> None:
    fpylll: Any = pytest.importorskip("fpylll")
    if not sp.info(gpus=False)["build"]["fplll"]:
        pytest.skip("this build has no fplll, which reduces bases")
    fpylll.FPLLL.set_random_seed(14)
    bases, least = [], []
    for d in (2, 12, 24, 32):
        A = fpylll.IntegerMatrix.random(d, "qary", k=max(1, d // 2), bits=8)
        rows = np.array([[A[i, j] for j in range(d)] for i in range(d)])
        M = fpylll.GSO.Mat(fpylll.LLL.reduction(A))
        M.update_gso()
        norm = round(fpylll.Enumeration(M).enumerate(0, d, M.get_r(0, 0) * 1.0001, 0)[0][0])
        G = rows @ rows.T
        for found in (sp.shortest_vector(gram=G), sp.svp(gram=G)):
            assert found.squared_norm == norm == np.array(found.vector) @ G @ np.array(found.vector)
        bases.append(rows)
        least.append(norm)
    assert [found.shortest.squared_norm for found in sp.shortest_vectors(bases)] == least
