"""Short vectors of lattices."""
from __future__ import annotations

import dataclasses
import os
import threading
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from . import _slicepool
from ._options import RunOptions, integers, refuse_unknown
from ._pictures import table
from ._pieces import parts
from ._records import Record, record_of
from ._runs import Run, finish
from .errors import ConfigError, Error

_SHOWN = 8  # vectors in a notebook


@dataclasses.dataclass(frozen=True)
class ShortVector:
    """A vector of a lattice; of v and -v one."""

    squared_norm: int  #: exact
    vector: tuple[int, ...]  #: with a Gram matrix: coefficients of the basis that it is of
    coefficients: tuple[int, ...]  #: over the rows of the reduced basis that was searched; of many lattices none


@dataclasses.dataclass(frozen=True, eq=False)
class ShortVectors:
    """The vectors of a lattice within a radius, up to sign unless both signs were asked for."""

    count: int  #: all of them, not only those that were kept
    vectors: tuple[ShortVector, ...]  #: the shortest, sorted by norm
    nodes: int  #: of the search tree, in the half space
    nodes_per_level: tuple[int, ...]
    squared_radius: Fraction  #: exact
    gh_factor: float  #: the radius over the Gaussian heuristic
    reduction: str  #: what was done with the basis: "none", "lll", "bkz-20"
    fingerprint: str  #: a checksum of the set, of v and -v one: 32 hexadecimal digits
    both_signs: bool = False  #: whether v and -v are counted and kept, not one of them

    @property
    def _signs(self) -> str:
        return "" if self.both_signs else " up to sign"

    def __len__(self) -> int:
        return len(self.vectors)

    def to_numpy(self) -> npt.NDArray[Any]:
        """The kept vectors as rows: int64, or Python's integers (object) where these are larger."""
        rows = [vector.vector for vector in self.vectors]
        largest = max((abs(x) for row in rows for x in row), default=0)
        return np.array(rows, dtype=np.int64 if largest < 2**63 else object)

    def _repr_html_(self) -> str:
        rest = f".. {self.count - _SHOWN} more{self._signs}" if self.count > _SHOWN else ""
        return table(repr(self).strip("<>"), ["squared norm", "vector"], ((v.squared_norm, v.vector) for v in self.vectors[:_SHOWN]), rest)

    def __repr__(self) -> str:
        return f"<ShortVectors: {self.count}{self._signs or ' of both signs'}, {len(self.vectors)} kept>"


@dataclasses.dataclass(frozen=True)
class CloseVector:
    """A vector of a lattice close to a target."""

    squared_distance: Fraction  #: exact
    vector: tuple[int, ...]  #: with a Gram matrix: coefficients of the basis that it is of
    #: of `closest_vectors` by a basis: over its rows, as they were given; empty where one is beyond 60 bits
    coefficients: tuple[int, ...] = dataclasses.field(default=(), repr=False)


@dataclasses.dataclass(frozen=True, eq=False)
class CloseVectors:
    """The vectors of a lattice within a distance of a target."""

    count: int  #: all of them, not only those that were kept
    vectors: tuple[CloseVector, ...]  #: the closest, sorted by distance
    nodes: int  #: of the search tree
    nodes_per_level: tuple[int, ...]
    reduction: str  #: what was done with the basis: "none", "lll", "bkz-20"
    nearest_plane_squared_distance: Fraction  #: of Babai's vector

    def __len__(self) -> int:
        return len(self.vectors)

    def _repr_html_(self) -> str:
        rest = f".. {self.count - _SHOWN} more" if self.count > _SHOWN else ""
        return table(repr(self).strip("<>"), ["squared distance", "vector"], ((v.squared_distance, v.vector) for v in self.vectors[:_SHOWN]), rest)

    def __repr__(self) -> str:
        return f"<CloseVectors: {self.count}, {len(self.vectors)} kept>"


@dataclasses.dataclass(frozen=True)
class LatticeVectors:
    """What was found about one of many lattices."""

    error: str | None  #: what is wrong with this lattice; the rest is empty then
    count: int  #: vectors within the radius, up to sign; without a radius 1
    vectors: tuple[ShortVector, ...]  #: a shortest one; with a radius the shortest, sorted by norm. Without `coefficients`

    @property
    def shortest(self) -> ShortVector:
        """A shortest vector. Raises ConfigError where the lattice is none, or where nothing is within the radius."""
        if self.vectors:
            return self.vectors[0]
        raise ConfigError(self.error or "radius2: got a radius that leaves no vector; accepted: a larger one", "radius2" if self.error is None else "bases")


@dataclasses.dataclass(frozen=True)
class TargetVectors:
    """What was found about one of many targets."""

    error: str | None  #: what is wrong with this target; the rest is empty then
    count: int  #: vectors within the distance; without one 1
    vectors: tuple[CloseVector, ...]  #: a closest one; with a distance the closest, sorted by it

    @property
    def closest(self) -> CloseVector:
        """A closest vector. Raises ConfigError where the target is none, or where nothing is within the distance."""
        if self.vectors:
            return self.vectors[0]
        raise ConfigError(self.error or "radius2: got a distance that leaves no vector; accepted: a larger one",
                          "radius2" if self.error is None else "targets")


def _text(basis: Any, name: str = "basis") -> str:
    """fplll's text of a matrix: lists, an array, an IntegerMatrix, or the text or the name of a file itself."""
    if isinstance(basis, str):
        return basis
    if isinstance(basis, os.PathLike):
        return str(os.fspath(basis))
    if getattr(basis, "gram", None) is not None:    # a ReducedBasis, whose rows are no vectors in a space
        raise ConfigError(f"{name}: got coefficients over the basis of a Gram matrix; accepted: its `gram`, as gram", name)
    if hasattr(basis, "nrows") and hasattr(basis, "ncols"):
        rows: Iterable[Any] = [[basis[i, j] for j in range(basis.ncols)] for i in range(basis.nrows)]
    elif isinstance(basis, Iterable) and not isinstance(basis, (bytes, bytearray)):
        rows = basis
    else:
        raise ConfigError(f"{name}: got {basis!r}; accepted: rows of integers, an array of integers, an "
                          "IntegerMatrix, fplll's text or a file name", name)
    try:
        return "[" + "".join("[" + " ".join(map(str, integers(row, f"{name}[{i}]"))) + "]" for i, row in enumerate(rows)) + "]"
    except TypeError as error:    # which says where
        raise ConfigError(str(error), name) from None
    except ValueError as error:    # Python writes integers of some thousand digits only
        raise ConfigError(f"{name}: {error}", name) from None


def _matrices(basis: Any, gram: Any) -> dict[str, str]:
    """The member that says what the lattice is: `basis` or `gram`."""
    if (basis is None) == (gram is None):
        got = "neither" if basis is None else "both"
        raise ConfigError(f"basis: got {got} of basis and gram; accepted: one of them", "basis")
    return {"basis": _text(basis)} if gram is None else {"gram": _text(gram, "gram")}


def _squared(value: Any, name: str) -> float | str | None:
    """An exact number for the document."""
    try:
        return None if value is None else value if isinstance(value, float) else str(value)
    except ValueError as error:    # Python writes integers of some thousand digits only
        raise ConfigError(f"{name}: {error}", name) from None


class _Test:
    """A test of vectors by the user's function. What it raises stops the run, and is raised where the run was asked for."""

    def __init__(self, accept: Callable[..., Any], made: Callable[[str, list[int], list[int]], Any]) -> None:
        if not callable(accept):
            raise ConfigError(f"accept: got {accept!r}; accepted: a function of a vector", "accept")
        self._accept = accept
        self._made = made
        self._turn = threading.Lock()    # Python may switch between threads in the middle of a call
        self._run: Run[Any] | None = None
        self.error: BaseException | None = None

    def __call__(self, norm: str, vector: list[int], coefficients: list[int]) -> bool | None:
        """None where it has raised: the search fails, so that no checkpoint takes what was not asked for what was refused."""
        return self._ask(lambda: self._accept(self._made(norm, vector, coefficients)))

    def _ask(self, question: Callable[[], Any]) -> bool | None:
        with self._turn:
            if self.error is not None:
                return None
            try:
                return bool(question())
            except BaseException as error:
                self.error = error
                self._stop()
                return None

    def watch(self, run: Run[Any] | None) -> None:
        """None: the run is over, and holds this test."""
        self._run = run
        if self.error is not None:    # it was asked before the run was known
            self._stop()

    def _stop(self) -> None:
        if self._run is not None:
            self._run.cancel()


class _TestOfMany(_Test):
    """The same of vectors close to one of many targets."""

    def __call__(self, target: int, norm: str, vector: list[int]) -> bool:  # type: ignore[override]
        return bool(self._ask(lambda: self._accept(target, self._made(norm, vector, []))))    # there are no checkpoints


def _answer(going: Run[Any], test: _Test | None) -> Any:
    """The result of a run, or what its test raised."""
    if test is None:
        return going.result()
    test.watch(going)
    try:
        answer = going.result()
    except Error:
        if test.error is None:
            raise
    finally:
        test.watch(None)
        # The job holds the test, and the frames of an error hold the job: no collector sees through it.
        error, test.error = test.error, None
    if error is not None:
        raise error
    return answer


def _short(norm: str, vector: list[int], coefficients: list[int]) -> ShortVector:
    return ShortVector(int(norm), tuple(vector), tuple(coefficients))


def _near(distance: str, vector: list[int], _: list[int]) -> CloseVector:
    return CloseVector(Fraction(distance), tuple(vector))


def _job(name: str, own: tuple[str, ...], matrices: dict[str, str], run: dict[str, Any], pruning: Any, collect: Callable[[Any], Any],
         test: _Test | None = None, **members: Any) -> Any:
    options = RunOptions(name, run, own)
    coefficients: list[float] = []
    if pruning is not None and not isinstance(pruning, (str, os.PathLike)):
        try:
            coefficients, pruning = [float(value) for value in pruning], None
        except (TypeError, ValueError):
            raise ConfigError(f"pruning: got {pruning!r}; accepted: a number from 0 to 1 for each row, a file of them, or 'fplll:P'", "pruning") from None
    document = options.document("lattice", **matrices, pruning=None if pruning is None else os.fspath(pruning), **members)
    return _answer(Run(_slicepool.LatticeJob(document, options.follow, coefficients, test), collect, options.progress), test)


def _search(name: str, own: tuple[str, ...], matrices: dict[str, str], run: dict[str, Any], pruning: Any, **members: Any) -> ShortVectors:
    def collect(job: Any) -> ShortVectors:
        vectors = tuple(_short(*solution) for solution in parts(job.kept(), job.solutions))
        return ShortVectors(job.count(), vectors, job.nodes(), tuple(job.nodes_per_level()), Fraction(job.squared_radius()),
                            job.gh_factor(), job.reduction(), job.fingerprint(), bool(members.get("both_signs")))

    return cast(ShortVectors, _job(name, own, matrices, run, pruning, collect, **members))


def _target(target: Any, name: str = "target") -> str:
    """The text of a target: numbers, an array, or the text or the name of a file itself."""
    if isinstance(target, (str, os.PathLike)):
        return str(os.fspath(target))
    try:
        # A float is the number that it is, not its shortest decimal.
        return "[" + " ".join(str(Fraction(x.item() if hasattr(x, "item") else x)) for x in target) + "]"
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise ConfigError(f"{name}: got {target!r}; accepted: integers, fractions, decimals or floats, one for each column of the basis",
                          name) from None


def _close(name: str, own: tuple[str, ...], matrices: dict[str, str], target: Any, run: dict[str, Any], **members: Any) -> CloseVectors:
    def collect(job: Any) -> CloseVectors:
        vectors = tuple(_near(*solution) for solution in parts(job.kept(), job.solutions))
        return CloseVectors(job.count(), vectors, job.nodes(), tuple(job.nodes_per_level()), job.reduction(),
                            Fraction(job.nearest_plane_squared_distance()))

    return cast(CloseVectors, _job(name, own, {**matrices, "target": _target(target)}, run, None, collect, **members))


def shortest_vector(basis: Any = None, *, gram: Any = None, reduction: str = "auto", pruning: Any = None, **run: Any) -> ShortVector:
    """A shortest vector other than zero of the lattice that the rows of a basis span, with an exact norm.

    `basis`: 1 to 160 independent rows of integers of any size: lists, an array, an IntegerMatrix of fpylll, fplll's text, or
    the name of a file. `gram`: in its place the Gram matrix, symmetric and positive definite integers; `vector` is then a row
    of coefficients. `reduction`: "auto" (LLL, of a basis that is not reduced), "none", "lll" or "bkz-B"; needs fplll.
    `pruning`: coefficients from 0 to 1, one for each row, a file of them, or "fplll:P"; with it the vector may be longer than
    a shortest one. Raises ConfigError; also when pruning left nothing.

    >>> shortest_vector([[1, 3], [3, -2]]).squared_norm
    10
    >>> shortest_vector(gram=[[10, -3], [-3, 13]]).vector
    (1, 0)
    """
    found = _search("shortest_vector", ("gram", "reduction", "pruning"), _matrices(basis, gram), run, pruning, reduction=reduction)
    if not found.vectors:
        raise ConfigError("pruning: got coefficients that leave no vector; accepted: larger ones", "pruning")
    return found.vectors[0]


def short_vectors(basis: Any = None, radius2: int | float | str | Fraction | Decimal | None = None, *, gram: Any = None,
                  gh_factor: float | None = None, minimum2: int | float | str | Fraction | Decimal | None = None,
                  both_signs: bool = False, accept: Callable[[ShortVector], Any] | None = None, first: int | None = None,
                  solutions: int = 1000, pruning: Any = None, reduction: str = "auto", **run: Any) -> ShortVectors:
    """All vectors other than zero within a radius, up to sign: their number, and the `solutions` shortest of them.

    `radius2`: the squared radius, exact; vectors of this squared norm are within. Or `gh_factor`: the radius as a multiple of
    the Gaussian heuristic. `minimum2`: shorter vectors are
    left out; with `radius2` of the same value a shell. `both_signs`: v and -v, not one of each pair. `accept`: a function of a
    `ShortVector`; only vectors for which it returns true are solutions. Threads of the run call it, one at a time, and what it
    raises stops the run and is raised here. `first`: stop when this many solutions are known. The rest is as in
    `shortest_vector`.

    >>> short_vectors([[1, 0], [0, 1]], 2).count
    4
    >>> short_vectors(gram=[[2, 1], [1, 2]], radius2=6, minimum2=6, both_signs=True).count
    6
    >>> short_vectors([[1, 0], [0, 1]], 25, accept=lambda v: v.vector[0] == 3 * v.vector[1]).vectors[0].vector
    (3, 1)
    """
    own = ("radius2", "gram", "gh_factor", "minimum2", "both_signs", "accept", "first", "solutions", "pruning", "reduction")
    refuse_unknown("short_vectors", run, own)
    radius = _squared(radius2, "radius2")
    if radius is None and gh_factor is None:
        raise ConfigError("radius2: got nothing; accepted: a squared norm, or gh_factor", "radius2")
    return _search("short_vectors", own, _matrices(basis, gram), run, pruning, test=None if accept is None else _Test(accept, _short),
                   squared_radius=radius, gh_factor=gh_factor, fixed_radius=True, solutions=solutions, first=first, reduction=reduction,
                   minimum_squared_norm=_squared(minimum2, "minimum2"), both_signs=both_signs or None)


def closest_vector(basis: Any = None, target: Any = None, *, gram: Any = None, reduction: str = "auto", **run: Any) -> CloseVector:
    """A vector of the lattice that no other one is closer to the target than, with its exact squared distance.

    `target`: one number for each column of the basis, or each row of the Gram matrix (it is then a row of coefficients):
    integers, fractions, decimals or floats, all of them exact, the text of a vector ("[1/2 3]") or the name of a file. The
    rest is as in `shortest_vector`.

    >>> closest_vector([[2, 0], [1, 2]], ["1/2", 5])
    CloseVector(squared_distance=Fraction(5, 4), vector=(0, 4))
    """
    return _close("closest_vector", ("gram", "reduction"), _matrices(basis, gram), target, run, reduction=reduction).vectors[0]


def close_vectors(basis: Any = None, target: Any = None, radius2: int | float | str | Fraction | Decimal | None = None, *,
                  gram: Any = None, gh_factor: float | None = None, accept: Callable[[CloseVector], Any] | None = None,
                  first: int | None = None, solutions: int = 1000, reduction: str = "auto", **run: Any) -> CloseVectors:
    """All vectors of the lattice within a distance of the target: their number, and the `solutions` closest of them.

    `radius2`: the squared distance, exact; vectors at this distance are within. Or `gh_factor`: the distance as a multiple of
    the Gaussian heuristic. `accept`: a function of a `CloseVector`, as in `short_vectors`; `first`: stop when this many solutions
    are known. The rest is as in `closest_vector`.

    >>> close_vectors([[1, 0], [0, 1]], ["1/2", "1/2"], 1).count
    4
    """
    if radius2 is None and gh_factor is None:
        raise ConfigError("radius2: got nothing; accepted: a squared distance, or gh_factor", "radius2")
    own = ("radius2", "gram", "gh_factor", "accept", "first", "solutions", "reduction")
    return _close("close_vectors", own, _matrices(basis, gram), target, run, test=None if accept is None else _Test(accept, _near),
                  squared_radius=_squared(radius2, "radius2"), gh_factor=gh_factor, fixed_radius=True, solutions=solutions, first=first,
                  reduction=reduction)


def _add(job: Any, gram: bool, lattices: Any, name: str) -> None:
    if isinstance(lattices, np.ndarray) and lattices.ndim == 3 and np.can_cast(lattices.dtype, np.int64):
        job.add_array(gram, np.ascontiguousarray(lattices, dtype=np.int64))
        return
    if isinstance(lattices, (str, os.PathLike)) or not isinstance(lattices, Iterable):
        raise ConfigError(f"{name}: got {lattices!r}; accepted: a list of matrices, or an array of three dimensions", name)
    for i, matrix in enumerate(lattices):
        if isinstance(matrix, np.ndarray) and matrix.ndim == 2 and np.can_cast(matrix.dtype, np.int64):
            job.add_array(gram, np.ascontiguousarray(matrix, dtype=np.int64)[np.newaxis])
        else:
            text = _text(matrix, f"{name}[{i}]")
            if not text.lstrip().startswith("["):
                raise ConfigError(f"{name}[{i}]: got {text!r}; accepted: rows of integers, an array of integers, an IntegerMatrix or fplll's text", name)
            job.add_text(gram, text)


def shortest_vectors(bases: Any = None, radius2: int | float | str | Fraction | Decimal | None = None, *, grams: Any = None,
                     accept: Callable[[int, ShortVector], Any] | None = None, first: int | None = None, solutions: int = 1,
                     **run: Any) -> list[LatticeVectors]:
    """A shortest vector of each of many lattices, or with a radius all vectors within it: their number, and the `solutions`
    shortest of them.

    `bases`: a list of bases as `shortest_vector` takes one (but no files), or an array of shape (lattices, rows, columns).
    `grams`: in their place Gram matrices. `radius2`: the squared radius, exact, for all. `accept`: a
    function of the index of a lattice and a `ShortVector`, as in `closest_vectors`. `first`: of each lattice, stop when this many vectors are known. Every lattice is searched by one
    core, small ones in a fraction of a millisecond; answers are in the order of the lattices. A lattice that is none does not
    stop the others: it has an `error`. What is no integer is an error of the call, which names its place.

    >>> [found.shortest.squared_norm for found in shortest_vectors([[[1, 3], [3, -2]], [[2, 0], [0, 3]]])]
    [10, 4]
    >>> shortest_vectors([[[1, 1], [2, 2]]])[0].error is None
    False
    """
    if (bases is None) == (grams is None):
        got = "neither" if bases is None else "both"
        raise ConfigError(f"bases: got {got} of bases and grams; accepted: one of them", "bases")
    options = RunOptions("shortest_vectors", run, ("radius2", "grams", "accept", "first", "solutions"))
    if accept is not None and radius2 is None:
        raise ConfigError("accept: got a test of vectors without radius2; accepted: this only with a squared radius", "accept")
    test = None if accept is None else _TestOfMany(accept, _short)
    if first is not None and radius2 is None:
        raise ConfigError(f"first: got {first!r} without radius2; accepted: this only with a squared radius", "first")
    document = options.document("lattice", squared_radius=_squared(radius2, "radius2"), first=first, solutions=solutions if solutions != 1 else None)
    job = _slicepool.LatticesJob(document, options.follow, test)
    _add(job, bases is None, grams if bases is None else bases, "grams" if bases is None else "bases")

    def collect(done: Any) -> list[LatticeVectors]:
        return [LatticeVectors(error or None, count, tuple(_short(norm, vector, []) for norm, vector, _ in vectors))
                for error, count, vectors in parts(done.answered(), done.answers)]

    return cast("list[LatticeVectors]", _answer(Run(job, collect, options.progress), test))


def _add_targets(job: Any, targets: Any) -> None:
    if isinstance(targets, np.ndarray) and targets.ndim == 2 and np.can_cast(targets.dtype, np.int64):
        job.add_targets(np.ascontiguousarray(targets, dtype=np.int64))
        return
    if isinstance(targets, np.ndarray) and targets.ndim == 2 and targets.dtype.kind == "f" and np.isfinite(targets).all():
        for row in targets.tolist():    # a Fraction of each float would take most of the time
            job.add_target("[" + " ".join("%d/%d" % x.as_integer_ratio() for x in row) + "]")
        return
    if isinstance(targets, (str, os.PathLike)) or not isinstance(targets, Iterable):
        raise ConfigError(f"targets: got {targets!r}; accepted: a list of targets, or an array of two dimensions", "targets")
    for i, target in enumerate(targets):
        text = _target(target, f"targets[{i}]")
        if not text.lstrip().startswith("["):
            raise ConfigError(f"targets[{i}]: got {text!r}; accepted: integers, fractions, decimals or floats, or the text of a vector", "targets")
        job.add_target(text)


def closest_vectors(basis: Any = None, targets: Any = None, radius2: int | float | str | Fraction | Decimal | None = None, *,
                    gram: Any = None, accept: Callable[[int, CloseVector], Any] | None = None, first: int | None = None, solutions: int = 1,
                    reduction: str = "auto", **run: Any) -> list[TargetVectors]:
    """A closest vector to each of many targets in one lattice, or with a distance all vectors within it: their number, and the
    `solutions` closest of them.

    `targets`: a list of targets as `closest_vector` takes one (but no files), or an array of shape (targets, columns).
    `radius2`: the squared distance, exact, for all. `accept`: a function of the index of a target and a `CloseVector` (without
    coefficients); of the vectors within the distance only those count for which it returns true, as in `short_vectors`. `first`: for each target, stop when
    this many vectors are known. The basis is read, checked and reduced once; each target is searched by
    one core, small ones in some microseconds; answers are in the order of the targets. A target that is none does not stop the
    others: it has an `error`. What is no number is an error of the call, which names its place. The rest is as in `closest_vector`; a stronger `reduction` ("bkz-20") pays with many targets.

    >>> found = closest_vectors([[2, 0], [1, 2]], [[1, 5], ["1/2", 5], [4, 8]])
    >>> [str(each.closest.squared_distance) for each in found]
    ['1', '5/4', '0']
    >>> closest_vectors([[2, 0], [1, 2]], [[1, 2, 3]])[0].error
    'target: got 3 numbers; accepted: 2, as many as the basis has columns'
    >>> wanted = [(1, 6), (0, 4)]
    >>> [each.count for each in closest_vectors([[2, 0], [1, 2]], [[1, 5], [4, 8]], 20, accept=lambda i, v: v.vector == wanted[i])]
    [1, 0]
    """
    options = RunOptions("closest_vectors", run, ("radius2", "gram", "accept", "first", "solutions", "reduction"))
    if first is not None and radius2 is None:
        raise ConfigError(f"first: got {first!r} without radius2; accepted: this only with a squared distance", "first")
    if accept is not None and radius2 is None:
        raise ConfigError("accept: got a test of vectors without radius2; accepted: this only with a squared distance", "accept")
    test = None if accept is None else _TestOfMany(accept, _near)
    document = options.document("lattice", **_matrices(basis, gram), squared_radius=_squared(radius2, "radius2"),
                                first=first, solutions=solutions if solutions != 1 else None, reduction=reduction)
    job = _slicepool.LatticesJob(document, options.follow, test)
    _add_targets(job, targets)

    def collect(done: Any) -> list[TargetVectors]:
        return [TargetVectors(error or None, count, tuple(CloseVector(Fraction(distance), tuple(vector), tuple(coefficients))
                                                         for distance, vector, coefficients in vectors))
                for error, count, vectors in parts(done.answered(), done.answers)]

    return cast("list[TargetVectors]", _answer(Run(job, collect, options.progress), test))


def theta_series(basis: Any = None, radius2: int | float | str | Fraction | Decimal | None = None, *, gram: Any = None, target: Any = None,
                 gh_factor: float | None = None, reduction: str = "auto", **run: Any) -> dict[int | Fraction, int]:
    """The theta series of a lattice up to a squared radius: how many vectors have each squared norm, v and -v apart. Exact.

    A dictionary in order of the norms, from `{0: 1}` on, with the norms that occur. `radius2`: the largest squared norm, exact, or
    `gh_factor`, the radius as a multiple of the Gaussian heuristic. `target`: of the vectors of the lattice less this one, a coset; norms are then
    squared distances, fractions. The rest is as in `short_vectors`. Source: an enumeration after Fincke and Pohst (1985) visits all
    of them; an exact norm of each is counted.

    >>> theta_series(gram=[[2, -1], [-1, 2]], radius2=8)    # of the hexagonal lattice
    {0: 1, 2: 6, 6: 6, 8: 6}
    >>> {str(norm): number for norm, number in theta_series([[1, 0], [0, 1]], 2, target=["1/2", "1/2"]).items()}
    {'1/2': 4}
    """
    if radius2 is None and gh_factor is None:
        raise ConfigError("radius2: got nothing; accepted: a squared norm, or gh_factor", "radius2")

    def collect(job: Any) -> dict[int | Fraction, int]:
        pairs = record_of(job)["theta_series"]
        return {int(norm) if target is None else Fraction(norm): int(number) for norm, number in pairs}

    near = {} if target is None else {"target": _target(target)}
    return cast("dict[int | Fraction, int]",
                _job("theta_series", ("radius2", "gram", "target", "gh_factor", "reduction"), {**_matrices(basis, gram), **near}, run, None, collect,
                     squared_radius=_squared(radius2, "radius2"), gh_factor=gh_factor, theta=True, reduction=reduction))


def kissing_number(basis: Any = None, *, gram: Any = None, reduction: str = "auto", **run: Any) -> int:
    """How many shortest vectors other than zero a lattice has, v and -v apart. Exact.

    `basis`, `gram` and `reduction` are as in `shortest_vector`, which is searched first; then all vectors of its norm are counted. A `checkpoint`
    would be one of two searches, and is refused.

    >>> kissing_number(gram=[[2, -1, 0, 0], [-1, 2, -1, -1], [0, -1, 2, 0], [0, -1, 0, 2]])    # of D4
    24
    """
    options = RunOptions("kissing_number", run, ("gram", "reduction"))
    for name in ("checkpoint", "resume", "trace"):
        if name in options.values:
            raise ConfigError(f"{name}: got {options.values[name]!r} for two searches; accepted: nothing, or theta_series with a radius", name)
    matrices: dict[str, Any] = _matrices(basis, gram)    # as text: an iterator has its rows once
    least = shortest_vector(**matrices, reduction=reduction, **run).squared_norm
    return short_vectors(**matrices, radius2=least, both_signs=True, solutions=0, reduction=reduction, **run).count


@dataclasses.dataclass(frozen=True)
class SvpAnswer:
    """A vector by `svp`, and what is certain about it."""

    found: bool  #: the vector is within the target, or a shortest one as far as is known
    proven: bool  #: it is a shortest one without a doubt, or the target has none within
    squared_norm: int  #: exact; of the shortest vector that is known, whether found or not
    vector: tuple[int, ...]  #: with a Gram matrix: coefficients of the basis that it is of
    gh_factor: float  #: its length over the Gaussian heuristic
    success_probability: float  #: that the trials had found a vector within the last radius
    record: Record  #: what `slicepool svp --json` prints


def svp(basis: Any = None, target: str = "exact", *, gram: Any = None, seed: int | None = None, block_size: int | None = None,
        probability: float | None = None, trial_probability: float | None = None, rates: str | None = None, proof_limit: float | None = None,
        **run: Any) -> SvpAnswer:
    """A shortest vector where one unpruned search takes too long: many reduced bases, each searched with pruning.

    `basis`, `gram`: as in `shortest_vector`. `target`: "exact", "gh:1.05" (any vector of at most 1.05 Gaussian heuristics) or "norm2:N" (of
    at most this squared norm, exact). `seed`: of the trials. `block_size`: of their last BKZ tour. `probability`: trials end when a vector
    within the radius would have been found with this (0.99). `trial_probability`: of each trial. `rates`: "measured", or "fixed", with which a
    run of one thread can be repeated. `proof_limit`: seconds that an unpruned search, a proof, may be expected to take (60). Raises ConfigError as `shortest_vector`. Needs fplll. docs/svp.md has the method and its sources.

    >>> answer = svp([[1, 3], [3, -2]])
    >>> answer.squared_norm, answer.proven
    (10, True)
    >>> svp(gram=[[10, -3], [-3, 13]], target="norm2:9").found
    False
    """
    own = ("target", "gram", "seed", "block_size", "probability", "trial_probability", "rates", "proof_limit")
    options = RunOptions("svp", run, own)
    document = options.document("svp", **_matrices(basis, gram), target=target, seed=seed, bkz_block_size=block_size, probability=probability,
                                trial_probability=trial_probability, rates=rates, proof_limit=proof_limit)
    job = _slicepool.RunJob(document, options.follow)

    def collect(done: Any) -> SvpAnswer:
        record = Record(record_of(done))
        return SvpAnswer(record["found"], record["proven"], int(record["squared_norm"]), tuple(map(int, record["vector"])), record["gh_ratio"],
                         record["success_probability"], record)

    return finish(job, collect, options.progress)
