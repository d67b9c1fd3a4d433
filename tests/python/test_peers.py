"""Answers of libraries by other people, on random problems. What is not installed is skipped: pip install PyNormaliz
libsemigroups_pybind11 fpylll cysignals sympy."""
from __future__ import annotations

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


def test_monoids_are_those_of_libsemigroups() -> None:
    libsemigroups: Any = pytest.importorskip("libsemigroups_pybind11")
    _quiet = libsemigroups.ReportGuard(False)
    random.seed(5)
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
        for x in theirs:    # shortlex by both: of as many letters
            word = libsemigroups.froidure_pin.minimal_factorisation(S, libsemigroups.Transf(list(x)))
            assert len(M.word(M.index(x))) == (0 if list(x) == identity else len(word))


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
