"""Invariants of numerical semigroups and elements: definitions by brute force in Python, and the ways to ask."""
from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import slicepool as sp

Row = tuple[int, ...]


def distance(a: Row, b: Row) -> int:
    common = sum(map(min, a, b))
    return max(sum(a), sum(b)) - common


def bottleneck(rows: list[Row]) -> int:
    """Of a minimum spanning tree, by Prim's algorithm."""
    inside, outside, largest = [rows[0]], rows[1:], 0
    while outside:
        near, row = min((distance(a, b), b) for a in inside for b in outside)
        largest = max(largest, near)
        outside.remove(row)
        inside.append(row)
    return largest


def tame(rows: list[Row]) -> int:
    having = [[row for row in rows if row[i]] for i in range(len(rows[0]))]
    return max((min(distance(a, b) for b in some) for some in having if some for a in rows), default=0)


semigroups = st.lists(st.integers(2, 14), min_size=2, max_size=3).filter(lambda values: math.gcd(*values) == 1)


@given(semigroups, st.integers(0, 60))
def test_values_of_elements_are_those_of_their_definitions(generators: list[int], n: int) -> None:
    F = sp.Factorizations(generators, n)
    rows: list[Row] = [row for row in itertools.product(*(range(n // g + 1) for g in generators))
                       if sum(a * g for a, g in zip(row, generators)) == n]
    if not rows:
        with pytest.raises(sp.ConfigError, match="accepted: an element"):
            F.catenary_degree()
        return
    by_length: dict[int, list[Row]] = {}
    for row in rows:
        by_length.setdefault(sum(row), []).append(row)
    lengths = sorted(by_length)
    found = F.invariants("all")
    assert found["denumerant"] == len(rows) and found["length_set"] == tuple(lengths)
    assert found["lengths"] == tuple((k, len(by_length[k])) for k in lengths)
    mean = Fraction(sum(map(sum, rows)), len(rows))
    assert found["length_mean"] == mean
    assert found["length_variance"] == sum((sum(row) - mean) ** 2 for row in rows) / len(rows)
    equal = max(bottleneck(some) for some in by_length.values())
    adjacent = max((min(distance(a, b) for a in by_length[k] for b in by_length[l]) for k, l in zip(lengths, lengths[1:])), default=0)
    assert (found["catenary_degree"], found["equal_catenary_degree"]) == (bottleneck(rows), equal)
    assert (found["adjacent_catenary_degree"], found["monotone_catenary_degree"]) == (adjacent, max(equal, adjacent))
    assert found["tame_degree"] == tame(rows)
    value, (left, right) = F.tame_degree(witness=True)
    assert {left, right} <= set(rows) and distance(left, right) == value == found["tame_degree"]


def test_the_ways_to_ask_agree() -> None:
    S = sp.NumericalSemigroup(10, 11, 17, 23, 35)    # values: numericalsgps
    assert S.betti_elements() == (33, 34, 40, 45, 46, 52, 58, 70) and S.catenary_degree() == 5 and S.tame_degree() == 7
    assert S.omega_primality() == 7 and S.delta_set() == (1, 2, 3) and len(S.minimal_presentation()) == 8
    assert S.omega_primality(150) == 18 and S.elasticity == Fraction(7, 2) and S.conductor == 37
    every = S.invariants()
    assert every["pseudo_frobenius"] == S.pseudo_frobenius() and every["type"] == S.type() == len(S.pseudo_frobenius())
    assert (every["wilf"], every["eliahou"]) == (S.wilf(), S.eliahou())
    assert every["apery_set"] == S.apery() and every["frobenius"] == S.frobenius and every["genus"] == S.genus
    F = S.factorizations(150)
    assert (F.r_classes(), F.omega_primality(), F.equal_catenary_degree()) == (1, 18, 7)
    assert (F.adjacent_catenary_degree(), F.monotone_catenary_degree(), F.catenary_degree(mode="emulated")) == (5, 7, 4)


def test_every_invariant_has_a_method_or_property_of_its_name() -> None:
    S = sp.NumericalSemigroup(10, 11, 17, 23, 35)
    for name, value in S.invariants().items():
        if name == "minimal_presentation_size":
            assert value == len(S.minimal_presentation())
            continue
        found = getattr(S, name)
        assert (found() if callable(found) else found) == value, name
    for name in ("catenary_degree", "tame_degree", "omega_primality"):
        assert getattr(S, name)(witness=True) == S.invariants(name, witness=True)[name]
    F = S.factorizations(150)
    others = {"denumerant": F.count, "length_set": tuple(F.lengths().tolist()), "elasticity": F.elasticity(), "delta_set": F.delta_set(),
              "lengths": tuple(zip(*map(np.ndarray.tolist, F.length_histogram())))}    # these were there first
    for name, value in F.invariants("all").items():
        assert (others[name] if name in others else getattr(F, name)()) == value, name
    for name in ("catenary_degree", "tame_degree", "r_classes", "omega_primality"):
        assert getattr(F, name)(witness=True) == F.invariants(name, witness=True)[name]
    for last in (0, 9, 150):
        assert S.denumerants(last) == tuple(S.factorizations(n).count for n in range(last + 1))
    assert S.omega_primality(150, witness=True) == F.omega_primality(witness=True)


@given(semigroups)
def test_gaps_and_small_elements(generators: list[int]) -> None:
    S = sp.NumericalSemigroup(generators)
    assert S.gaps() == tuple(n for n in range(200) if n not in S) and len(S.gaps()) == S.genus    # the Frobenius number is below 13 * 14
    assert S.small_elements() == tuple(n for n in range(S.frobenius + 2) if n in S)
    assert S.is_symmetric == all((n in S) != (S.frobenius - n in S) for n in range(S.frobenius + 1))
    assert S.is_symmetric == (S.type() == 1)


def test_batches() -> None:
    S = sp.NumericalSemigroup(6, 9, 20)
    some = S.element_invariants(range(40, 50), "delta_set", "catenary_degree")
    assert list(some) == [n for n in range(40, 50) if n in S]
    for n, values in some.items():
        assert values == S.element_invariants([n], "delta_set", "catenary_degree")[n] == S.factorizations(n).invariants("delta_set", "catenary_degree")
    for part in (range(46, 40, -1), range(43, 44), range(40, 60, 3)):    # what is no element is left out
        assert list(S.element_invariants(part, "denumerant")) == [n for n in part if n in S]
    for below in (range(-3, 10), range(-9, -3), range(-3, 1), range(-4, 10, 2), range(9, -4, -1)):    # negative ones are no elements
        assert list(S.element_invariants(below, "denumerant")) == [n for n in below if n in S]
    assert S.element_invariants([]) == {} and list(S.element_invariants([60, 42, 60], "denumerant")) == [60, 42]
    with pytest.raises(sp.ConfigError, match="43"):
        S.element_invariants([42, 43])
    with pytest.raises(sp.ConfigError, match="nearest is genus"):
        S.invariants("gneus")
    with pytest.raises(TypeError, match="witness"):
        S.invariants(witnes=True)


def test_an_element_may_be_an_integer_of_numpy() -> None:
    S = sp.NumericalSemigroup(106, 107, 250)    # entries beyond 8 bits
    assert S.apery(np.uint8(212)) == S.apery(212) and {type(entry) for entry in S.apery(np.uint8(212))} == {int}
    assert S.apery(np.int64(106)) == S.apery()
