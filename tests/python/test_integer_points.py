"""Integer points against a search of the whole box in Python."""
from __future__ import annotations

import itertools
import pathlib
import pickle
from typing import Any

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


def test_objects_are_values() -> None:
    rows = [[1, 1, 1], [0, 1, 2]]
    P = sp.IntegerPoints(rows, [6, 4], upper=[5, None, 3], where="x1 >= 1", mode="cpu")
    same = sp.IntegerPoints(np.array(rows), (6, 4), upper=(5, None, 3), where="x1 >= 1")
    rows[0][0] = 7    # the list is the caller's
    assert P == same and hash(P) == hash(same) and P.matrix == ((1, 1, 1), (0, 1, 2)) and P.right_side == (6, 4)
    assert (P.lower, P.upper, P.where) == (None, (5, None, 3), "x1 >= 1")
    again = pickle.loads(pickle.dumps(P))
    assert again == P and again.list() == P.list() == same.list()
    others = [sp.IntegerPoints([[1, 1, 1], [0, 1, 2]], [6, 4], upper=[5, None, 3]), sp.IntegerPoints([[1, 1, 1], [0, 1, 2]], [6, 4], where="x1 >= 1"),
              sp.IntegerPoints([[1, 1, 1], [0, 1, 2]], [6, 5], upper=[5, None, 3], where="x1 >= 1")]
    assert len({P, same, *others}) == 4 and P != P.list()
    assert sp.IntegerPoints([[1, 2]], 5, upper=3) == sp.IntegerPoints([[1, 2]], [5], upper=[3, 3])
    for name in ("matrix", "right_side", "lower", "upper", "where", "count", "name"):
        with pytest.raises(AttributeError):
            setattr(P, name, None)


@pytest.mark.parametrize("given, field", [
    (dict(lower=[0, 0]), "lower"), (dict(lower=[0, 0, 0, 0]), "lower"), (dict(upper=[4, 4]), "upper"), (dict(upper=[4] * 4), "upper"),
    (dict(right_side=[6, 6]), "right_side"), (dict(matrix=[[1, 1, 1], [1, 1]], right_side=[6, 6]), "matrix"), (dict(matrix=[]), "matrix"),
    (dict(matrix=[[]]), "matrix"),
])
def test_sizes_that_do_not_go_together_are_refused_by_every_question(given: dict[str, Any], field: str) -> None:
    P = sp.IntegerPoints(**{"matrix": [[1, 1, 1]], "right_side": [6], **given})
    for question in (lambda: (1, 2, 3) in P, lambda: (1, 2) in P, lambda: P.count, lambda: P.list(), lambda: P.first(1), lambda: P.to_numpy()):
        with pytest.raises(sp.ConfigError) as caught:
            question()
        assert caught.value.field.startswith(field)
    assert "columns" in repr(P)


@pytest.mark.parametrize("given, message", [
    (dict(matrix=7), "matrix: got 7; accepted: rows of integers"), (dict(matrix=[[1, 2, 1.5]]), "matrix[0][2]: got 1.5; accepted: an integer"),
    (dict(right_side=2.5), "right_side: got 2.5; accepted: an integer"), (dict(lower=[0, "1"]), "lower[1]: got '1'; accepted: an integer"),
    (dict(upper=[None, 1.5]), "upper[1]: got 1.5; accepted: an integer"), (dict(lower="0"), "lower: got '0'; accepted: an integer"),
])
def test_numbers_of_other_types_are_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError) as caught:
        sp.IntegerPoints(**{"matrix": [[1, 1, 1]], "right_side": [6], **given})
    assert message in str(caught.value)


def test_membership_writes_no_file_of_the_search(tmp_path: pathlib.Path) -> None:
    P = sp.IntegerPoints([[1, 1, 1]], 6, where="x1 > x2", trace=tmp_path / "trace.json")
    assert (3, 2, 1) in P and not list(tmp_path.iterdir())
