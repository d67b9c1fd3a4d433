"""The set of factorizations of an element of a numerical semigroup. One file: a class, whose methods are its whole interface."""
from __future__ import annotations

import dataclasses
import html
import operator
import os
import pathlib
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Reversible
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar, overload

import numpy as np
import numpy.typing as npt

from . import _plots, _slicepool
from ._device_array import DeviceArray, allocate, device_of, device_output, stream_handle, write_rows
from ._element_invariants import ElementInvariants
from ._manifest import Manifest
from ._options import RunOptions, integer, integers, path_text, plain
from ._pictures import table
from ._runs import Run, finish
from .errors import ConfigError, LimitError

if TYPE_CHECKING:
    from matplotlib.axes import Axes  # type: ignore[import-not-found,unused-ignore]

Array = npt.NDArray[Any]
Buffer = TypeVar("Buffer")
_SHOWN = 8  # rows in a notebook
_FEW = 4096  # rows that are unranked one after another: a search would take longer to begin


@dataclasses.dataclass(frozen=True, init=False, repr=False)
class LinearPredicate:
    """`sum(coefficients[i] * a[i]) <relation> bound`, with a relation of "<=", "=" (or "==") and ">="."""

    coefficients: tuple[int, ...]
    relation: str
    bound: int

    def __init__(self, coefficients: Iterable[int], relation: str, bound: int) -> None:
        if relation not in ("<=", "=", "==", ">="):
            raise ConfigError(f"relation: got {relation!r}; accepted: '<=', '=', '==' or '>='", "relation")
        values = tuple(integers(coefficients, "coefficients")), "=" if relation == "==" else relation, integer("bound", bound)
        for name, value in zip(("coefficients", "relation", "bound"), values):
            object.__setattr__(self, name, value)

    def __str__(self) -> str:
        if not any(self.coefficients):
            return f"0 {self.relation} {self.bound}"
        terms = [f"{'-' if c < 0 else '+'} {abs(c)}*a{i}" for i, c in enumerate(self.coefficients, 1) if c]
        return f"{' '.join(terms).removeprefix('+ ').replace('- ', '-', 1 if terms and terms[0][0] == '-' else 0)} {self.relation} {self.bound}"

    def __repr__(self) -> str:
        return f"LinearPredicate({list(self.coefficients)}, {self.relation!r}, {self.bound})"


class Factorizations(ElementInvariants, Collection[tuple[int, ...]], Reversible[tuple[int, ...]]):
    """All vectors a of nonnegative integers with `sum(a[i] * generators[i]) == element`, as a sorted set.

    Rows are in decreasing lexicographic order, so that rank 0 is the greatest. Nothing is computed before it is asked for.
    Counting and random access take a table of 8 d (n + 1) bytes (d generators, element n) that is made once, in O(d n), and
    kept; whatever enumerates goes through the work pool, on CPU, GPU or both. Every method that runs something takes the
    options of `slicepool.options`.

    `generators`: 1 to 64 integers from 1 to 2^63-1, in any order; coordinates keep it. `element`: an integer from 0 to 2^63-1.
    Raises ConfigError when first used with others.

    Objects are immutable, equal where generators and element are, hashable and picklable.

    >>> F = Factorizations([6, 9, 20], 60)
    >>> len(F), F[2], (4, 4, 0) in F
    (5, (4, 4, 0), True)
    """

    __slots__ = ("_generators", "_element", "_index", "_histogram", "_on_devices")

    def __init__(self, generators: Iterable[SupportsIndex], element: SupportsIndex) -> None:
        self._generators = tuple(integers(generators, "generators"))
        self._element = integer("element", element)
        self._index: Any = None
        self._on_devices: dict[tuple[int, int], Any] = {}
        self._histogram: tuple[Array, Array, Fraction | None, tuple[int, ...]] | None = None

    @property
    def generators(self) -> tuple[int, ...]:
        """The generators, in the order in which they were given: that of the coordinates."""
        return self._generators

    @property
    def element(self) -> int:
        """The integer whose factorizations these are."""
        return self._element

    @property
    def dimension(self) -> int:
        """The number of generators."""
        return len(self._generators)

    # --- counting and random access -------------------------------------------------------------------

    @property
    def count(self) -> int:
        """The number of factorizations, exact, of any size. O(d n) the first time, O(1) from then on.

        Where the table does not fit the memory limit, a formula has it if the least common multiple of the generators is small.
        Otherwise they are enumerated instead; more than 2^80, about, are refused (LimitError).
        """
        try:
            return int(self._table().count)
        except LimitError:
            return int(self._run("count", {}, "count", lambda job: job.count()))

    def __len__(self) -> int:
        count = self.count
        if count > sys.maxsize:
            raise OverflowError(f"there are {count} factorizations; len() ends at {sys.maxsize}, .count does not")
        return count

    def __bool__(self) -> bool:
        return self.count != 0

    @overload
    def __getitem__(self, rank: int) -> tuple[int, ...]: ...
    @overload
    def __getitem__(self, rank: slice) -> Array: ...
    def __getitem__(self, rank: Any) -> Any:
        """The factorization of a rank as a tuple, O(d log n); of a slice an array of shape (rows, d).

        Negative ranks count from the end. Raises IndexError, and LimitError when the table or the rows of a slice do not fit.
        """
        if isinstance(rank, slice):
            return self._slice(range(self._table().count)[rank])
        table = self._table()
        number = integer("rank", rank)
        wanted = number + table.count if number < 0 else number
        if not 0 <= wanted < table.count:
            raise IndexError(f"rank {number} of {table.count} factorizations")
        return tuple(table.unrank(wanted))

    def index(self, row: Iterable[int], start: int = 0, stop: int | None = None) -> int:
        """The rank of a factorization, O(d). Raises ConfigError, a ValueError, for a row that is none."""
        try:
            rank = int(self._table().rank_of(integers(row)))
        except TypeError:
            raise ConfigError(f"row: got {row!r}; accepted: a factorization, one integer from 0 for each generator", "row") from None
        if rank < start or (stop is not None and rank >= stop):
            raise ConfigError(f"row: got {row!r} of rank {rank}; accepted: a rank from {start} to {stop}", "row")
        return rank

    def __contains__(self, row: object) -> bool:
        """Whether the row is a factorization. O(d); needs no table."""
        try:
            values = integers(row)  # type: ignore[arg-type]
        except TypeError:
            return False
        return (len(values) == self.dimension and min(values, default=0) >= 0
                and sum(map(operator.mul, values, self._generators)) == self._element)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        """Tuples, in order. Memory for some batches of rows."""
        for batch in self.batches(1 << 16):
            yield from map(tuple, batch.tolist())

    def __reversed__(self) -> Iterator[tuple[int, ...]]:
        count, step = self._table().count, _FEW
        for end in range(count, 0, -step):
            yield from map(tuple, self._rows(max(0, end - step), 1, min(step, end)).tolist()[::-1])

    def sample(self, rows: int, seed: int = 0, *, threads: int | None = None) -> Array:
        """Rows drawn independently, each with the same probability: an array of shape (rows, d). O(rows d log n).

        The same seed, from 0 to 2^64-1, gives the same rows everywhere. Raises ConfigError when there is none to draw, and
        LimitError when the rows outgrow the memory limit.
        """
        drawn, start = _natural("rows", rows), _natural("seed", seed)
        document = self._table_document("sample", {"threads": threads})
        job = _slicepool.SampleJob(document, self._table(), drawn, start)
        return np.asarray(finish(job, lambda done: done.take_rows()))

    def first(self, rows: int, **run: Any) -> Array:
        """The lexicographically greatest rows, `rows` of them at most: an array."""
        try:
            count = min(_natural("rows", rows), self._table().count)
        except LimitError:
            return self._matrix(f"first:{operator.index(rows)}", run, "first")
        return self._slice(range(count)) if not run else self.to_numpy(ranks=(0, count), **run)

    # --- rows ---------------------------------------------------------------------------------------------

    @overload
    def to_numpy(self, dtype: npt.DTypeLike | None = None, out: None = None, ranks: Any = None, **run: Any) -> Array: ...
    @overload
    def to_numpy(self, dtype: npt.DTypeLike | None = None, *, out: Buffer, ranks: Any = None, **run: Any) -> Buffer: ...
    @overload
    def to_numpy(self, dtype: npt.DTypeLike | None, out: Buffer, ranks: Any = None, **run: Any) -> Buffer: ...
    def to_numpy(self, dtype: npt.DTypeLike | None = None, out: Any = None, ranks: Any = None, **run: Any) -> Any:
        """All rows, or those of some ranks: an array of shape (rows, d) on the library's memory, without a copy.

        `dtype`: an integer type that holds every coordinate; the narrowest unsigned one if None. `out`: an array or buffer to
        write into instead (a memmap, pinned memory, ..), of shape (rows, d), in C order, aligned and writable; it is returned.
        `ranks`: a pair (begin, end) or a range with step 1. Raises ConfigError, and LimitError when the rows outgrow the
        memory limit. O(rows d).
        """
        members, rows = self._ranks(ranks)
        return self._start_rows(dtype, out, rows, members, RunOptions("to_numpy", run, ("dtype", "out", "ranks"))).result()

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        """What `numpy.array` takes: `to_numpy(dtype)`, of any type. Raises ValueError for `copy=False`: the rows are made anew."""
        if copy is False:
            raise ValueError("copy: got False; accepted: None or True, as the rows are made by the call")
        rows = self.to_numpy()
        return rows if dtype is None else rows.astype(dtype, copy=False)

    def to_device(self, device: SupportsIndex | None = None, dtype: npt.DTypeLike | None = None, out: Any = None,
                  stream: Any = None, ranks: Any = None) -> Any:
        """All rows, or those of some ranks, in memory of a GPU: a `DeviceArray` of shape (rows, d), for `cupy.from_dlpack` and
        `torch.from_dlpack`, or `out`.

        With 3 to 16 generators and all numbers below 2^31 a kernel writes the rows where they are wanted, and the host sees
        none of them; others are made on the host and copied. The tables of a set on a GPU are made once, O(d n), and kept with
        this object.

        `device`: the number of a GPU (None: that of `out`, else 0). `dtype`, `ranks`: as for `to_numpy`. `out`: an array on the
        GPU to write into instead, of CuPy, PyTorch or any other with `__cuda_array_interface__`, of shape (rows, d), in C order;
        it is returned. `stream`: a stream of CuPy or PyTorch, or its handle: the rows are queued there and the call returns at
        once; the consumer of the array by DLPack waits for them on its own stream. None: the stream that `out` names, and without
        one the rows are there when the call returns. Raises DeviceError without a GPU, ConfigError, and LimitError when the rows
        do not fit the GPU.
        """
        _, wanted = self._ranks(ranks)
        begin = 0 if wanted is None else integers((ranks.start, ranks.stop) if isinstance(ranks, range) else ranks)[0]
        shape = (self.count if wanted is None else wanted, self.dimension)
        if begin + shape[0] > self.count:
            raise ConfigError(f"ranks: got {begin} to {begin + shape[0]}; accepted: ranks within 0 to {self.count}", "ranks")
        number = 0 if device is None else integer("device", device)
        if number < 0:
            raise ConfigError(f"device: got {number}; accepted: the number of a GPU, from 0", "device")
        address, named = 0, None
        if out is not None:
            address, given, named = device_output(out, shape)
            number = device_of(out, number) if device is None else number
            if dtype is not None and np.dtype(dtype) != given:
                raise ConfigError(f"dtype: got {np.dtype(dtype)} with out of {given}; accepted: one of the two", "dtype")
            dtype = given
        kind = self._kind(dtype)[0] or np.dtype(f"u{self._narrowest()}")
        waits = stream is None and named is None
        queue = stream_handle(stream if stream is not None else named or 0)
        table = self._device_table(number, kind.itemsize)
        memory = allocate(number, shape, kind) if out is None else None
        host = None if table is not None else self.to_numpy(dtype=kind, ranks=(begin, begin + shape[0]))
        write_rows(table, host, begin, begin + shape[0], memory.address if memory is not None else address, number, queue)
        if memory is not None:
            memory.record_on(queue)
        if waits:
            _slicepool.synchronize(number, queue)
        return DeviceArray(memory, shape, kind, number, None if waits else queue) if memory is not None else out

    def batches(self, rows: int = 1 << 20, **run: Any) -> Iterator[Array]:
        """The rows in order, in arrays of `rows` rows. The next array is made while the last one is used."""
        size = integer("rows", rows)
        if size < 1:
            raise ConfigError(f"rows: got {size}; accepted: an integer from 1", "rows")
        return self._batches(size, RunOptions("batches", run, ("rows",)))

    @overload
    def save(self, path: str | os.PathLike[str], *, shard_rows: int, **settings: Any) -> Manifest: ...
    @overload
    def save(self, path: str | os.PathLike[str], *, shard_rows: None = None, **settings: Any) -> pathlib.Path: ...
    def save(self, path: str | os.PathLike[str], *, shard_rows: int | None = None, dtype: npt.DTypeLike | None = None,
             compression_level: int | None = None, header: bool | None = None, ranks: Any = None, **run: Any) -> Manifest | pathlib.Path:
        """Writes the rows to a file: .npy, .npy.zst or .csv, by the suffix. Needs no memory for them.

        With `shard_rows`, files of so many rows each and a manifest with their hashes, which is returned; else the path.
        `resume="auto"` goes on with an output that was stopped.
        """
        output: dict[str, Any] = {"path": path_text("path", path)}
        settings = {"shard_rows": shard_rows, "compression_level": compression_level, "header": header,
                    "element_type": None if dtype is None else np.dtype(dtype).name}
        output.update({name: plain(value) for name, value in settings.items() if value is not None})
        if output["path"] == "-":
            raise ConfigError("path: got '-'; accepted: the name of a file that ends in .npy, .npy.zst or .csv", "path")
        members, _ = self._ranks(ranks)
        own = ("shard_rows", "dtype", "compression_level", "header", "ranks")
        where = self._run("rows", run, "save", lambda job: job.output_path(), own, output=output, **members)
        return Manifest.open(where) if str(where).endswith(".manifest.json") else pathlib.Path(where)

    # --- what the rows have in common ---------------------------------------------------------------------------

    def lengths(self, **run: Any) -> Array:
        """The set of lengths, the sums of the coordinates: ascending, uint64."""
        return self._lengths("lengths", run)[0]

    def length_histogram(self, **run: Any) -> tuple[Array, Array]:
        """(lengths, counts): the set of lengths, ascending, and how many factorizations have each; uint64."""
        return self._lengths("length_histogram", run)[:2]

    def plot(self, ax: Axes | None = None, **run: Any) -> Axes:
        """A bar chart of `length_histogram`: how many factorizations have each length.

        `ax`: axes of matplotlib to draw into, new ones if None; they are returned. Raises ImportError without matplotlib.
        """
        lengths, counts = self._lengths("plot", run)[:2]
        return _plots.histogram(repr(self), lengths, counts, ax)

    def elasticity(self, **run: Any) -> Fraction | None:
        """The greatest length over the least. 1 for element 0, and None without factorizations."""
        return self._lengths("elasticity", run)[2]

    def delta_set(self, **run: Any) -> tuple[int, ...]:
        """The distinct gaps between neighbours in the set of lengths, ascending."""
        return self._lengths("delta_set", run)[3]

    def coordinate_maxima(self, **run: Any) -> tuple[int, ...]:
        """The greatest value of each coordinate. Empty when there is no factorization."""
        return tuple(self._run("coordinate-maxima", run, "coordinate_maxima", lambda job: job.coordinate_maxima()))

    def fingerprint(self, **run: Any) -> str:
        """A checksum of the set: 32 hexadecimal digits, the same in every mode and for every order of the rows."""
        return str(self._run("fingerprint", run, "fingerprint", lambda job: job.fingerprint()))

    def any(self, predicate: str | LinearPredicate, **run: Any) -> bool:
        """Whether a factorization satisfies a predicate such as "2*a1 - a3 >= 5" or "length = 7". Stops at the first."""
        return bool(self._run(f"any:{_predicate(predicate)}", run, "any", lambda job: job.predicate_holds()))

    def all(self, predicate: str | LinearPredicate, **run: Any) -> bool:
        """Whether every factorization satisfies a predicate. Stops at the first that does not."""
        return bool(self._run(f"all:{_predicate(predicate)}", run, "all", lambda job: job.predicate_holds()))

    def start(self, sink: str = "count", **run: Any) -> Run[Any]:
        """Begins a run in the background. `sink`: "count", "rows", "lengths" (a histogram), "coordinate-maxima",
        "fingerprint", "any:EXPR" or "all:EXPR"; `Run.result()` is what the method of this name returns."""
        options = RunOptions("start", run, ("sink",))
        if not isinstance(sink, str):
            raise TypeError(f"sink: got {sink!r}; accepted: text such as 'lengths'")
        if sink == "rows":
            return self._start_rows(None, None, None, {}, options)
        if sink == "extremes":
            raise ConfigError("sink: got 'extremes'; accepted: 'lengths', which has them", "sink")
        collect = {"count": lambda job: job.count(), "lengths": lambda job: job.lengths(),
                   "coordinate-maxima": lambda job: tuple(job.coordinate_maxima()),
                   "fingerprint": lambda job: job.fingerprint()}.get(sink, lambda job: job.predicate_holds())
        if sink.startswith("first:"):
            collect = self._taken
        return Run(self._job(sink, options), collect, options.progress)

    # --- the object itself ------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Factorizations):
            return NotImplemented
        return (self._generators, self._element) == (other._generators, other._element)

    def __hash__(self) -> int:
        return hash((Factorizations, self._generators, self._element))

    def __reduce__(self) -> tuple[Any, ...]:
        return Factorizations, (self._generators, self._element)

    def __repr__(self) -> str:
        return f"Factorizations({list(self._generators)}, {self._element})"

    def _repr_html_(self) -> str:
        """The first rows; of a set that is too large for a table only its name."""
        try:
            count = self._table().count
        except LimitError:
            return html.escape(repr(self))
        rest = f".. {count - _SHOWN} more" if count > _SHOWN else ""
        head = ["rank", *(f"a{i}" for i in range(1, self.dimension + 1))]
        return table(f"{self!r}: {count}", head, ([rank, *self[rank]] for rank in range(min(count, _SHOWN))), rest)

    # --- below: how ------------------------------------------------------------------------------------------------

    def _table(self) -> Any:
        if self._index is None:
            self._index = finish(_slicepool.IndexJob(self._table_document("count")), lambda job: job.index())
        return self._index

    def _table_document(self, function: str, run: Mapping[str, Any] = MappingProxyType({})) -> str:
        """Of what searches nothing, and so saves nothing."""
        return self._document(RunOptions(function, {**run, "checkpoint": None, "resume": None, "trace": None}))

    def _document(self, options: RunOptions, **members: Any) -> str:
        return options.document("factorizations", generators=list(self._generators), element=self._element, **members)

    def _job(self, sink: str, options: RunOptions, memory: tuple[int, int, int] = (0, 0, 0), **members: Any) -> Any:
        return _slicepool.FactorizationsJob(self._document(options, sink=sink, **members), options.follow, *memory)

    def _run(self, sink: str, run: dict[str, Any], name: str, collect: Callable[[Any], Any], own: Iterable[str] = (), **members: Any) -> Any:
        options = RunOptions(name, run, own)
        return finish(self._job(sink, options, **members), collect, options.progress)

    def _taken(self, job: Any) -> Array:
        return np.asarray(job.take_rows(self.dimension))

    def _matrix(self, sink: str, run: dict[str, Any], name: str) -> Array:
        return np.asarray(self._run(sink, run, name, self._taken))

    def _lengths(self, name: str, run: dict[str, Any]) -> tuple[Array, Array, Fraction | None, tuple[int, ...]]:
        if self._histogram is None:
            def collect(job: Any) -> tuple[Array, Array, Fraction | None, tuple[int, ...]]:
                lengths, counts = job.lengths()
                for shared in (lengths, counts):
                    shared.flags.writeable = False
                pair = job.elasticity()
                return lengths, counts, None if pair is None else Fraction(*pair), tuple(job.delta_set())
            self._histogram = self._run("lengths", run, name, collect)
        else:
            RunOptions(name, run)  # refuses unknown names
        return self._histogram

    def _ranks(self, ranks: Any) -> tuple[dict[str, Any], int | None]:
        """Members of the document, and the number of rows where it is known."""
        if ranks is None:
            return {}, None
        if isinstance(ranks, range) and ranks.step == 1:
            begin, end = ranks.start, max(ranks.start, ranks.stop)
        else:
            try:
                begin, end = integers(ranks)
            except (TypeError, ValueError):
                raise ConfigError(f"ranks: got {ranks!r}; accepted: a pair (begin, end) or a range with step 1", "ranks") from None
        if not 0 <= begin <= end:
            raise ConfigError(f"ranks: got {begin} to {end}; accepted: 0 <= begin <= end", "ranks")
        return {"rank_range": f"{begin}:{end}"}, end - begin

    def _start_rows(self, dtype: Any, out: Any, rows: int | None, members: dict[str, Any], options: RunOptions) -> Run[Any]:
        if out is None:
            kind, width = self._kind(dtype)
            job = self._job("rows", options, (0, 0, width), **members)
            return Run(job, lambda done: self._taken(done).view(kind) if kind else self._taken(done), options.progress)
        given = np.asarray(out)
        if np.asarray(out).ctypes.data != given.ctypes.data:    # of a list, say, NumPy makes a new array each time
            raise ConfigError(f"out: got {type(out).__name__}; accepted: an array, or another buffer that can be written", "out")
        if dtype is not None and np.dtype(dtype) != given.dtype:
            raise ConfigError(f"dtype: got {np.dtype(dtype)} with out of {given.dtype}; accepted: one of the two", "dtype")
        _, width = self._kind(given.dtype)
        shape = (self.count if rows is None else rows, self.dimension)
        flags = given.flags
        if given.shape != shape or not (flags.c_contiguous and flags.writeable and flags.aligned):
            raise ConfigError(f"out: got an array of shape {given.shape} with {given.dtype}; accepted: shape {shape}, "
                              "in C order, aligned and writable", "out")
        job = self._job("rows", options, (given.ctypes.data if given.size else 0, given.nbytes, width), **members)
        return Run(job, lambda done: out, options.progress)  # the closure keeps the memory

    def _kind(self, dtype: Any) -> tuple[np.dtype[Any] | None, int]:
        """The type of rows (None: the narrowest) and its bytes."""
        if dtype is None:
            return None, 0
        kind = np.dtype(dtype)
        largest = self._element // max(1, min(self._generators, default=1))    # others than positive ones the library refuses
        if kind.kind not in "ui" or not kind.isnative or largest > np.iinfo(kind).max:
            raise ConfigError(f"dtype: got {kind}; accepted: an integer type that holds {largest}, the largest that a coordinate can be", "dtype")
        return kind, kind.itemsize

    def _narrowest(self) -> int:
        """Bytes of the narrowest type of the rows."""
        largest = self._element // min(self._generators)
        return next(width for width in (1, 2, 4, 8) if largest < 2 ** (8 * width))

    def _device_table(self, device: int, width: int) -> Any:
        """What a kernel makes rows from; None: there is none for this set."""
        if not 3 <= self.dimension <= 16 or max(*self._generators, self._element) >= 2**31 or self.count >= 2**63:
            return None
        key = (device, width)
        if key not in self._on_devices:
            job = _slicepool.DeviceTableJob(list(self._generators), self._element, width, device)
            self._on_devices[key] = finish(job, lambda done: done.table())
        return self._on_devices[key]

    def _rows(self, begin: int, step: int, count: int) -> Array:
        table = self._table()
        if count <= _FEW:
            return np.asarray(table.rows_at(begin, step, count))
        job = _slicepool.RowsAtJob(self._table_document("slice"), table, begin, step, count)
        return np.asarray(finish(job, lambda done: done.take_rows()))

    def _slice(self, ranks: range) -> Array:
        try:
            count = len(ranks)
        except OverflowError:
            raise OverflowError(f"a slice of more than {sys.maxsize} rows; .batches() and .save() have no such end") from None
        if count == 0:
            return self._rows(0, 1, 0)
        if ranks.step == 1 and count > _FEW:
            return self.to_numpy(ranks=(ranks.start, ranks.start + count))
        return self._rows(ranks.start, ranks.step, count)

    def _batches(self, size: int, options: RunOptions) -> Iterator[Array]:
        count = self.count

        def begun(begin: int) -> Run[Array]:
            members, rows = self._ranks((begin, min(begin + size, count)))
            return self._start_rows(None, None, rows, members, options)

        if count == 0:
            return
        run = begun(0)
        for begin in range(size, count + size, size):
            try:
                batch = run.result()
            finally:
                run._stop()
            if begin < count:
                run = begun(begin)
            try:
                yield batch
            except GeneratorExit:
                run._stop()
                raise


def _predicate(predicate: Any) -> str:
    if not isinstance(predicate, (str, LinearPredicate)):
        raise TypeError(f"predicate: got {predicate!r}; accepted: text such as '2*a1 - a3 >= 5', or a LinearPredicate")
    return str(predicate)


def _natural(field: str, value: SupportsIndex) -> int:
    """A number from 0 to 2^64-1. Raises ConfigError."""
    number = integer(field, value)
    if not 0 <= number < 2**64:
        raise ConfigError(f"{field}: got {number}; accepted: 0 to 2^64-1", field)
    return number
