"""All integer points of a bounded system of linear equations."""
from __future__ import annotations

import operator
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._options import RunOptions, integers
from ._runs import finished_record

Point = tuple[int, ...]
Points = list[Point]
Numbers = list[int]
Rows = list[Numbers]
UpperBounds = list[int | None]
Sums = dict[int, int]
Bounds = int | Sequence[Any] | None
_OWN = ("lower", "upper", "where")


class IntegerPoints:
    """All integer vectors x with A x = b and lower <= x <= upper, in lexicographic order. They are counted when their number
    is asked for.

    `matrix`: the rows of A, 1 to 32 of 1 to 64 integers. `right_side`: b, a number for each row or one for all. `lower`, `upper`: a
    number for each column or one for all; lower bounds are 0 without it, and upper bounds may be None, for all columns or for some,
    where the rows allow finitely many points. `where`: linear conditions such as "x1 - 2*x3 >= 5 and x2 <= 7", joined by "and" and "or".
    Options of runs as in `slicepool.options`. What asks for points raises ConfigError for a system that is none, or that has
    infinitely many.

    >>> import slicepool as sp
    >>> P = sp.IntegerPoints([[1, 1, 1, 0], [0, 1, 2, 3]], [10, 12])
    >>> len(P), P.first(1)[0] in P, (0, 0, 0, 4) in P
    (17, True, False)
    >>> P.to_numpy().shape, list(P)[-1], P.all("x1 <= 10")
    ((17, 4), (10, 0, 0, 4), True)
    >>> sp.IntegerPoints.factorizations([(1, 2), (3, 1), (1, 1)], (20, 30)).list()
    [(10, 0, 10), (12, 1, 5), (14, 2, 0)]
    """

    __slots__ = ("matrix", "right_side", "lower", "upper", "where", "_run", "_count")

    matrix: Rows
    right_side: Numbers
    lower: Numbers | None
    upper: UpperBounds | None
    where: str | None

    def __init__(self, matrix: Any, right_side: Any, lower: Bounds = None, upper: Bounds = None, where: str | None = None,
                 **run: Any) -> None:
        RunOptions("IntegerPoints", run, _OWN)
        self.matrix = [integers(row) for row in matrix]
        columns = len(self.matrix[0]) if self.matrix else 0
        self.right_side = _spread(right_side, len(self.matrix))
        self.lower = None if lower is None else _spread(lower, columns)
        self.upper = None if upper is None else _bounds(upper, columns)
        self.where = where
        self._run = run
        self._count: int | None = None

    @classmethod
    def factorizations(cls, generators: Any, element: Any, **more: Any) -> IntegerPoints:
        """The factorizations of `element` in the affine semigroup of `generators`: how often each is taken."""
        return cls([list(row) for row in zip(*(integers(generator) for generator in generators), strict=True)],
                   integers(element), **more)

    def _search(self, **members: Any) -> dict[str, Any]:
        options = RunOptions("IntegerPoints", self._run, _OWN)
        document = options.document("integer_points", matrix=self.matrix, right_side=self.right_side, lower=self.lower,
                                    upper=self.upper, where=self.where, **members)
        return finished_record(document, options)

    @property
    def count(self) -> int:
        """The number of points, exact."""
        if self._count is None:
            self._count = int(self._search(sink="count")["count"])
        return self._count

    def __len__(self) -> int:
        return self.count

    def __bool__(self) -> bool:
        return bool(self.first(1))

    def list(self) -> Points:
        """All points, in memory."""
        return _points(self._search(sink="list"))

    def __iter__(self) -> Iterator[Point]:
        return iter(self.list())

    def to_numpy(self) -> npt.NDArray[Any]:
        """All points as an array of shape (count, columns), of the narrowest integers that hold every value."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "points.npy")
            self._search(sink="list", output={"path": path})
            array: npt.NDArray[Any] = np.load(path)
            return array

    def first(self, k: int) -> Points:
        """k of the points, or all; which ones may differ from run to run."""
        return _points(self._search(sink=f"first:{operator.index(k)}"))

    def any(self, condition: str) -> bool:
        """Whether a point satisfies `condition`. The search stops at the first one."""
        return bool(self._search(sink=f"any:{condition}")["predicate_holds"])

    def all(self, condition: str) -> bool:
        """Whether all points satisfy `condition`. The search stops at the first one that does not."""
        return bool(self._search(sink=f"all:{condition}")["predicate_holds"])

    def sums(self) -> Sums:
        """How many points have each coordinate sum: of factorizations, each length."""
        return {int(total): int(count) for total, count in self._search(sink="sums")["sums"]}

    def fingerprint(self) -> str:
        """32 hexadecimal digits that depend on the set alone."""
        return str(self._search(sink="count", fingerprint=True)["fingerprint"])

    def __contains__(self, point: object) -> bool:
        try:
            x = integers(point)  # type: ignore[arg-type]
        except TypeError:
            return False
        if len(x) != len(self.matrix[0]):
            return False
        lower = self.lower if self.lower is not None else [0] * len(x)
        upper: Sequence[int | None] = self.upper if self.upper is not None else [None] * len(x)
        if any(a < low or (high is not None and a > high) for a, low, high in zip(x, lower, upper)):
            return False
        if any(sum(c * a for c, a in zip(row, x)) != side for row, side in zip(self.matrix, self.right_side)):
            return False
        if self.where is None:
            return True
        return IntegerPoints(self.matrix, self.right_side, x, x, self.where, **self._run).count == 1

    def __repr__(self) -> str:
        return f"<IntegerPoints of {len(self.matrix)} rows and {len(self.matrix[0])} columns>"


def _spread(values: Any, size: int) -> list[int]:
    """One number, or a list of one, stands for all."""
    try:
        return [operator.index(values)] * size
    except TypeError:
        given = integers(values)
        return given * size if len(given) == 1 else given


def _bounds(values: Any, size: int) -> list[int | None]:
    try:
        return [operator.index(values)] * size
    except TypeError:
        given = [None if value is None else operator.index(value) for value in values]
        return given * size if len(given) == 1 else given


def _points(record: Mapping[str, Any]) -> Points:
    return [tuple(point) for point in record["points"]]
