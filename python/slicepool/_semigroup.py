"""Monoids that transformations generate."""
from __future__ import annotations

import contextlib
import threading
from collections.abc import Collection, Iterable, Iterator
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from . import _slicepool
from ._options import RunOptions, integer, integers
from ._pieces import tuples_of_lengths
from ._runs import finish
from .errors import ConfigError, Error, Stopped

Array = npt.NDArray[Any]
Word = tuple[int, ...]
_LONGEST = 1e9  # seconds
_BLOCK = 1 << 14  # elements of an iteration that are made at a time


def _images(map_: Any, field: str = "images") -> list[int]:
    """The image list of a transformation: a list, an array, a Transf or Perm of libsemigroups, a Permutation of sympy."""
    for name in ("array_form", "images"):
        if hasattr(map_, name):
            value = getattr(map_, name)
            return integers(value() if callable(value) else value, field)    # while map_ lives: libsemigroups iterates over its memory
    return integers(map_, field)


class TransformationMonoid(Collection[tuple[int, ...]]):
    """The monoid that transformations of n points generate, with the identity, which is element 0.

    Elements are tuples of images, numbered in shortlex order of their shortest words; words act from left to right:
    (x.g)[i] = g[x[i]]. The monoid is explored when something about it is first asked, in O(size |G|) steps, on CPU, GPU or
    both. `generators`: image lists (0-based) of one length, an array of shape (|G|, n), or transformations of libsemigroups
    or sympy. `max_elements` and `max_stage` end an exploration early; then `complete` is false, and the answers are about
    what was found. Options of runs as in `slicepool.options`.

    Objects are immutable, equal where generators and limits are, hashable and picklable.

    >>> M = TransformationMonoid([[1, 2, 0], [1, 0, 2], [0, 0, 2]])
    >>> len(M), (2, 2, 2) in M, M.number_of_idempotents()
    (27, True, 10)
    """

    __slots__ = ("_source", "_limits", "_run", "_job", "_right", "_idempotents", "_lock", "_exploring")

    def __init__(self, generators: Iterable[Any], *, max_elements: int | None = None, max_stage: int | None = None, **run: Any) -> None:
        if isinstance(generators, (str, bytes)) or not isinstance(generators, Iterable):
            raise TypeError(f"generators: got {generators!r}; accepted: transformations, in a list, a tuple or an array")
        source = tuple(tuple(_images(map_, f"generators[{i}]")) for i, map_ in enumerate(generators))
        self._begin(("generators", source), max_elements, max_stage, run)

    @classmethod
    def named(cls, name: str, *, max_elements: int | None = None, max_stage: int | None = None, **run: Any) -> TransformationMonoid:
        """A member of a family: "bihecke:r", "renner:r", "full:n", "symmetric:n", "order-preserving:n" or "catalan:n"."""
        monoid = cls.__new__(cls)
        monoid._begin(("named", name), max_elements, max_stage, run)
        return monoid

    def _begin(self, source: tuple[str, Any], max_elements: int | None, max_stage: int | None, run: dict[str, Any]) -> None:
        self._source = source
        self._limits = (max_elements, max_stage)
        self._run = RunOptions("TransformationMonoid", run, ("max_elements", "max_stage"))
        self._job: Any = None
        self._lock = threading.RLock()    # one exploration, whichever threads ask
        self._exploring = False
        self._right: Array | None = None
        self._idempotents: Array | None = None

    def _explored(self) -> Any:
        """The job that has all elements."""
        with self._lock:
            if not self.finished:
                self._explore(-1)
            return self._job

    def _explore(self, seconds: float) -> None:
        """Goes on, to the end or for `seconds`, whichever is sooner; negative: to the end. The lock is held."""
        if self._exploring:    # by this thread, which a function for progress has come from
            raise Error("progress: asked about a monoid that is being explored; current_size and finished tell what is known")
        job = self._begun()
        job.pause_after(seconds)
        self._exploring = True
        try:
            finish(job, lambda job: None, self._run.progress)
            self._job = job
        finally:
            self._exploring = False
            if seconds >= 0:
                self._job = job    # after Ctrl-C, too

    def _begun(self) -> Any:
        """A job that is to go on."""
        if self._job is not None:
            return self._job
        kind, value = self._source
        limits = {"max_elements": self._limits[0], "max_stage": self._limits[1]}
        return _slicepool.SemigroupJob(self._run.document("semigroup", **{kind: value}, **limits), self._run.follow)

    def run_for(self, seconds: float) -> bool:
        """Explores for about so many seconds, to the end of a stage, and returns whether that was all (`finished`). The next
        call goes on, and so does the first question about the monoid, to the end.

        >>> M = TransformationMonoid.named("bihecke:4")
        >>> while not M.run_for(0.01):
        ...     pass
        >>> M.finished, M.current_size
        (True, 477)
        """
        limit = float(seconds)
        if not 0 <= limit <= _LONGEST:
            raise ConfigError(f"seconds: got {seconds!r}; accepted: a number from 0 to {_LONGEST:.0f}", "seconds")
        with self._lock:
            if not self.finished:
                with contextlib.suppress(Stopped):
                    self._explore(limit)
            return self.finished

    @property
    def finished(self) -> bool:
        """Whether the exploration has ended: what is asked next is known. Explores nothing."""
        return self._job is not None and bool(self._job.finished)

    @property
    def current_size(self) -> int:
        """How many elements have been found so far. Explores nothing. It falls when the base of points by which elements are
        told apart turns out to be too small: the exploration then begins anew with a larger one."""
        return 0 if self._job is None else int(self._job.size())

    @property
    def complete(self) -> bool:
        """Whether all elements were found: always, unless a limit was given."""
        return bool(self._explored().complete())

    @property
    def points(self) -> int:
        """n."""
        return int(self._explored().points())

    @property
    def number_of_generators(self) -> int:
        """|G|: of those that were given, with repetitions."""
        return int(self._explored().generator_count())

    @property
    def stages(self) -> tuple[int, ...]:
        """How many elements have a shortest word of length 0, 1, 2, .."""
        return tuple(self._explored().stages())

    def __len__(self) -> int:
        return int(self._explored().size())

    @overload
    def __getitem__(self, number: int) -> tuple[int, ...]: ...
    @overload
    def __getitem__(self, number: slice) -> Array: ...
    def __getitem__(self, number: Any) -> Any:
        """The images of an element, O(n length of its word); of a slice an array of shape (elements, n), uint32."""
        if isinstance(number, slice):
            chosen = range(len(self))[number]
            if not chosen:
                return np.empty((0, self.points), dtype=np.uint32)
            low, high = min(chosen[0], chosen[-1]), max(chosen[0], chosen[-1])
            rows = np.asarray(self._explored().elements(low, high + 1))
            return rows[chosen[0] - low::chosen.step] if chosen.step > 0 else rows[::chosen.step]
        at = self._number(number)
        return tuple(self._explored().elements(at, at + 1)[0].tolist())

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        for begin in range(0, len(self), _BLOCK):
            yield from map(tuple, self[begin:begin + _BLOCK].tolist())

    def to_numpy(self) -> Array:
        """The images of all elements: an array of shape (size, n), uint32."""
        return self[:]

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        """What `numpy.array` takes: `to_numpy()`, of any type. Raises ValueError for `copy=False`: the rows are made anew."""
        if copy is False:
            raise ValueError("copy: got False; accepted: None or True, as the rows are made by the call")
        rows = self.to_numpy()
        return rows if dtype is None else rows.astype(dtype, copy=False)

    def index(self, images: Any, start: int = 0, stop: int | None = None) -> int:
        """The number of an element. O(n + length). Raises ConfigError, a ValueError, for a map that is none."""
        number = self._find(images)
        if number is None or number < start or (stop is not None and number >= stop):
            raise ConfigError(f"images: got {images!r}; accepted: the images of an element", "images")
        return number

    def __contains__(self, images: object) -> bool:
        return self._find(images) is not None

    def word(self, number: int) -> Word:
        """The shortest word of an element, of these the first in lexicographic order: numbers of generators."""
        return tuple(self._explored().word(self._number(number)))

    def factorisation(self, number: int) -> Word:
        """The same as `word`, by the name that libsemigroups has for it."""
        return self.word(number)

    @property
    def left_cayley_graph(self) -> Array:
        """Entry [x, g] is the number of g.x: shape (size, |G|), uint32, a read-only view on the library's memory."""
        return np.asarray(_slicepool.left_graph(self._explored()))

    @property
    def right_cayley_graph(self) -> Array:
        """Entry [x, g] is the number of x.g: shape (size, |G|), uint32, read-only. Made once, when it is first asked for."""
        if self._right is None:
            right = np.asarray(self._explored().right_graph())
            right.flags.writeable = False
            self._right = right
        return self._right

    def to_networkx(self, side: str = "right") -> Any:
        """A Cayley graph as `networkx.MultiDiGraph`: nodes are the numbers of elements, and the edge from x to x.g ("right") or
        g.x ("left") has the number of the generator as its key. Raises ImportError without networkx."""
        try:
            import networkx  # type: ignore[import-not-found,import-untyped,unused-ignore]
        except ImportError as error:
            raise ImportError("to_networkx() needs networkx (pip install networkx)") from error
        graph = networkx.MultiDiGraph()
        graph.add_nodes_from(range(len(self)))
        rows = self._graph(side).tolist()
        graph.add_edges_from((x, y, letter) for x, row in enumerate(rows) for letter, y in enumerate(row))
        return graph

    def dot(self, side: str = "right") -> str:
        """A Cayley graph as text for Graphviz, as the command writes it to .dot: nodes are the numbers of elements, labels of edges
        those of generators."""
        edges = (f'  {x} -> {y} [label="{letter}"];\n' for x, row in enumerate(self._graph(side).tolist()) for letter, y in enumerate(row))
        return f"digraph {side}_cayley_graph {{\n{''.join(edges)}}}\n"

    def _graph(self, side: str) -> Array:
        if side not in ("right", "left"):
            raise ConfigError(f"side: got {side!r}; accepted: 'right' or 'left'", "side")
        return self.right_cayley_graph if side == "right" else self.left_cayley_graph

    @property
    def number_of_rules(self) -> int:
        """Of the complete shortlex rewriting system, in which the identity is the empty word."""
        return int(self._explored().number_of_rules())

    def rules(self) -> list[tuple[Word, Word]]:
        """The complete shortlex rewriting system: (left side, right side), in the order of left sides. O(size |G|)."""
        words = tuples_of_lengths(*map(np.asarray, self._explored().rules()))
        return list(zip(words[::2], words[1::2]))

    def idempotents(self) -> Array:
        """The numbers of the elements x with x.x = x, ascending, with the identity; uint32. O(size length)."""
        if self._idempotents is None:
            found = np.asarray(self._explored().idempotents())
            found.flags.writeable = False
            self._idempotents = found
        return self._idempotents

    def number_of_idempotents(self) -> int:
        """How many elements x have x.x = x, with the identity: the length of `idempotents()`."""
        return len(self.idempotents())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TransformationMonoid):
            return NotImplemented
        return (self._source, self._limits) == (other._source, other._limits)

    def __hash__(self) -> int:
        return hash((TransformationMonoid, self._source, self._limits))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._source, self._limits)

    def __repr__(self) -> str:
        kind, value = self._source
        limits = "".join(f", {name}={value}" for name, value in zip(("max_elements", "max_stage"), self._limits) if value is not None)
        if kind == "named":
            return f"TransformationMonoid.named({value!r}{limits})"
        return f"TransformationMonoid({[list(map_) for map_ in value]}{limits})"

    def _number(self, number: Any) -> int:
        size, at = len(self), integer("number", number)
        wanted = at + size if at < 0 else at
        if not 0 <= wanted < size:
            raise IndexError(f"element {at} of {size}")
        return wanted

    def _find(self, images: Any) -> int | None:
        try:
            values = _images(images)
        except TypeError:
            return None
        if len(values) != self.points or not all(0 <= value < len(values) for value in values):
            return None
        found = self._explored().find(values)
        return None if found is None else int(found)


def _restored(source: tuple[str, Any], limits: tuple[int | None, int | None]) -> TransformationMonoid:
    """An unpickled monoid. It has the options of where it is now."""
    monoid = TransformationMonoid.__new__(TransformationMonoid)
    monoid._begin(source, *limits, {})
    return monoid
