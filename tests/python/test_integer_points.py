"""Integer points against a search of the whole box in Python."""
from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import slicepool as sp

entries = st.integers(-3, 4)


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_points_are_those_of_the_box(data: st.DataObject) -> None:
    columns = data.draw(st.integers(1, 4))
    rows = data.draw(st.lists(st.lists(entries, min_size=columns, max_size=columns), min_size=1, max_size=3))
    lower = data.draw(st.lists(st.integers(-2, 1), min_size=columns, max_size=columns))
    upper = [low + data.draw(st.integers(0, 4)) for low in lower]
    inside = [data.draw(st.integers(low, high)) for low, high in zip(lower, upper)]
    side = [sum(c * x for c, x in zip(row, inside)) for row in rows]
    expected = [x for x in itertools.product(*(range(low, high + 1) for low, high in zip(lower, upper)))
                if all(sum(c * a for c, a in zip(row, x)) == b for row, b in zip(rows, side))]
    P = sp.IntegerPoints(rows, side, lower, upper, mode=data.draw(st.sampled_from(["cpu", "emulated"])))
    assert len(P) == len(expected) and list(P) == expected
    assert [tuple(row) for row in P.to_numpy().tolist()] == expected
    assert set(P.first(3)) <= set(expected) and len(P.first(3)) == min(3, len(expected))
    assert tuple(inside) in P and tuple(inside) + (0,) not in P
    sums: dict[int, int] = {}
    for x in expected:
        sums[sum(x)] = sums.get(sum(x), 0) + 1
    assert P.sums() == sums
    assert P.any(f"x1 = {inside[0]}") and P.all(f"x1 <= {max(x[0] for x in expected)}")


def test_conditions_and_membership() -> None:
    P = sp.IntegerPoints(np.array([[1, 1, 1]]), 6, where="x1 > x2 or x3 = 5", upper=[None, 4, 5])
    expected = [x for x in itertools.product(range(7), range(5), range(6)) if sum(x) == 6 and (x[0] > x[1] or x[2] == 5)]
    assert P.list() == expected and bool(P)
    assert (0, 1, 5) in P and (1, 2, 3) not in P and (6, 0, 0) in P and "text" not in P
    assert P.fingerprint() == sp.IntegerPoints([[1, 1, 1]], [6], where="x3 = 5 or x1 > x2", upper=[6, 4, 5]).fingerprint()


def test_a_list_of_one_number_stands_for_all() -> None:
    for P in (sp.IntegerPoints([[1, 2]], [5], upper=[3]), sp.IntegerPoints([[1, 2], [0, 1]], [3]),
              sp.IntegerPoints([[1, 2]], 5, lower=[1]), sp.IntegerPoints([[1, 2]], 5, upper=[None])):
        points = P.list()
        assert [x for x in itertools.product(range(7), repeat=2) if x in P] == points


def test_factorizations_in_an_affine_semigroup_of_one_entry_are_those_of_a_numerical_one() -> None:
    P = sp.IntegerPoints.factorizations([[6], [9], [20]], [300])
    F = sp.Factorizations([6, 9, 20], 300)
    assert P.count == len(F) and sorted(map(tuple, F.to_numpy().tolist())) == P.list()
    assert P.fingerprint() == F.fingerprint()
    assert not sp.IntegerPoints.factorizations([[2, 0], [0, 2]], [3, 4])


def test_what_is_no_bounded_system_is_refused() -> None:
    for rows, side, part in [([[1, -1]], [0], "upper"), ([], [], "matrix"), ([[1, 2], [3]], [1, 1], "matrix"),
                             ([[1, 2]], [1, 2], "right_side")]:
        with pytest.raises(sp.ConfigError, match=part):
            len(sp.IntegerPoints(rows, side))
    with pytest.raises(TypeError):
        sp.IntegerPoints([[1.5]], [1])
    with pytest.raises(TypeError, match="nearest"):
        sp.IntegerPoints([[1]], [1], uper=3)
