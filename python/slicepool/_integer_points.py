"""All integer points of a bounded system of linear equations."""
from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from . import _slicepool
from ._options import RunOptions, integer, integers
from ._pieces import tuples_of
from ._records import record_of
from ._runs import finish, finished_record
from .errors import ConfigError

T = TypeVar("T")

Point = tuple[int, ...]
Points = list[Point]
Numbers = tuple[int, ...]
Matrix = tuple[Numbers, ...]
UpperBounds = tuple[int | None, ...]
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

    Objects are immutable, equal where these parameters are (bounds for all columns and for each are the same), hashable and picklable.

    >>> import slicepool as sp
    >>> P = sp.IntegerPoints([[1, 1, 1, 0], [0, 1, 2, 3]], [10, 12])
    >>> len(P), P.first(1)[0] in P, (0, 0, 0, 4) in P
    (17, True, False)
    >>> P.to_numpy().shape, list(P)[-1], P.all("x1 <= 10")
    ((17, 4), (10, 0, 0, 4), True)
    >>> sp.IntegerPoints.factorizations([(1, 2), (3, 1), (1, 1)], (20, 30)).list()
    [(10, 0, 10), (12, 1, 5), (14, 2, 0)]
    """

    __slots__ = ("_matrix", "_right_side", "_lower", "_upper", "_where", "_run", "_count")

    def __init__(self, matrix: Any, right_side: Any, lower: Bounds = None, upper: Bounds = None, where: str | None = None,
                 **run: Any) -> None:
        RunOptions("IntegerPoints", run, _OWN)
        if isinstance(matrix, (str, bytes)) or not isinstance(matrix, Iterable):
            raise TypeError(f"matrix: got {matrix!r}; accepted: rows of integers")
        self._matrix = tuple(tuple(integers(row, f"matrix[{i}]")) for i, row in enumerate(matrix))
        self._right_side = _spread("right_side", right_side, len(self._matrix), integer)
        self._lower = None if lower is None else _spread("lower", lower, self._columns, integer)
        self._upper = None if upper is None else _spread("upper", upper, self._columns, _bound)
        self._where = where
        self._run = run
        self._count: int | None = None

    @property
    def matrix(self) -> Matrix:
        """The rows of A."""
        return self._matrix

    @property
    def right_side(self) -> Numbers:
        """b, a number for each row."""
        return self._right_side

    @property
    def lower(self) -> Numbers | None:
        """The lower bounds, one for each column; None: 0."""
        return self._lower

    @property
    def upper(self) -> UpperBounds | None:
        """The upper bounds, one for each column, or None where there is none; None: there are none."""
        return self._upper

    @property
    def where(self) -> str | None:
        """The linear conditions; None: there are none."""
        return self._where

    @property
    def _columns(self) -> int:
        return len(self._matrix[0]) if self._matrix else 0

    @classmethod
    def factorizations(cls, generators: Any, element: Any, **more: Any) -> IntegerPoints:
        """The factorizations of `element` in the affine semigroup of `generators`: how often each is taken."""
        columns = [integers(generator, f"generators[{i}]") for i, generator in enumerate(generators)]
        for i, column in enumerate(columns):
            if len(column) != len(columns[0]):
                raise ConfigError(f"generators[{i}]: got {len(column)} numbers; accepted: {len(columns[0])}, as generators[0] has", "generators")
        return cls(list(zip(*columns)), integers(element, "element"), **more)

    def _search(self, **members: Any) -> dict[str, Any]:
        options = RunOptions("IntegerPoints", self._run, _OWN)
        return finished_record(self._document(options, **members), options)

    def _listed(self, sink: str) -> Points:
        options = RunOptions("IntegerPoints", self._run, _OWN)
        job = _slicepool.PointsJob(self._document(options, sink=sink), options.follow)

        def collect(done: Any) -> Any:    # what Stopped has of a run in half is its record
            return tuples_of(np.asarray(done.take_points())) if done.finished else record_of(done)

        found: Points = finish(job, collect, options.progress)
        return found

    def _document(self, options: RunOptions, **members: Any) -> str:
        return options.document("integer_points", matrix=self._matrix, right_side=self._right_side, lower=self._lower,
                                upper=self._upper, where=self._where, **members)

    @property
    def count(self) -> int:
        """The number of points, exact."""
        if self._count is None:
            self._count = int(self._search(sink="count")["count"])
        return self._count

    def __len__(self) -> int:
        if self.count > sys.maxsize:
            raise OverflowError(f"there are {self.count} points; len() ends at {sys.maxsize}, .count does not")
        return self.count

    def __bool__(self) -> bool:
        return bool(self.first(1))

    def list(self) -> Points:
        """All points, in memory."""
        return self._listed("list")

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
        return self._listed(f"first:{integer('k', k)}")

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
        """Whether it is one of the points. O(rows columns); with `where` it is a run of its own, of one point. Raises ConfigError where
        the matrix, the right side and the bounds do not go together."""
        self._refuse_other_sizes()
        try:
            x = integers(point)  # type: ignore[arg-type]
        except TypeError:
            return False
        if len(x) != self._columns:
            return False
        lower = self._lower if self._lower is not None else (0,) * len(x)
        upper = self._upper if self._upper is not None else (None,) * len(x)
        if any(a < low or (high is not None and a > high) for a, low, high in zip(x, lower, upper)):
            return False
        if any(sum(c * a for c, a in zip(row, x)) != side for row, side in zip(self._matrix, self._right_side)):
            return False
        if self._where is None:
            return True
        files = {"checkpoint": None, "resume": None, "trace": None}    # those of the search itself
        return IntegerPoints(self._matrix, self._right_side, x, x, self._where, **{**self._run, **files}).count == 1

    def _refuse_other_sizes(self) -> None:
        """A run does the same; what asks for a point alone makes no run."""
        if not self._matrix or not self._columns:
            raise ConfigError("matrix: got no numbers; accepted: 1 to 32 rows of 1 to 64 numbers", "matrix")
        columns = self._columns
        sizes = [(f"matrix[{i}]", len(row), columns) for i, row in enumerate(self._matrix)]
        sizes += [(name, size if values is None else len(values), size)
                  for name, values, size in (("right_side", self._right_side, len(self._matrix)), ("lower", self._lower, columns),
                                             ("upper", self._upper, columns))]
        for name, got, wanted in sizes:
            if got != wanted:
                raise ConfigError(f"{name}: got {got} numbers; accepted: {wanted} numbers", name)

    def _given(self) -> tuple[Any, ...]:
        return self._matrix, self._right_side, self._lower, self._upper, self._where

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IntegerPoints):
            return NotImplemented
        return self._given() == other._given()

    def __hash__(self) -> int:
        return hash((IntegerPoints, *self._given()))

    def __reduce__(self) -> tuple[Any, ...]:
        return IntegerPoints, self._given()    # with the options of where it is then

    def __repr__(self) -> str:
        return f"<IntegerPoints of {len(self._matrix)} rows and {self._columns} columns>"


def _bound(field: str, value: Any) -> int | None:
    return None if value is None else integer(field, value)


def _spread(field: str, values: Any, size: int, number: Callable[[str, Any], T]) -> tuple[T, ...]:
    """One number, or a list of one, stands for all."""
    if hasattr(values, "__index__") and not getattr(values, "ndim", 0):
        return (number(field, values),) * size
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"{field}: got {values!r}; accepted: an integer, or integers, in a list, a tuple or an array")
    given = tuple(number(f"{field}[{i}]", value) for i, value in enumerate(values))
    return given * size if len(given) == 1 else given
