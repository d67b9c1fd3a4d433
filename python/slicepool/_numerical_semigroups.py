"""All numerical semigroups up to a genus or a Frobenius number."""
from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any, overload

import numpy as np

from . import _slicepool
from ._options import RunOptions, integer
from ._pieces import tuples_of_lengths
from ._records import record_of
from ._runs import finish, finished_record
from .errors import ConfigError

Generators = tuple[int, ...]
Rows = list[Generators]
_OWN = ("genus", "multiplicity", "by", "frobenius", "where", "trim")
_NO_FILES = {"checkpoint": None, "resume": None, "trace": None}  # of what searches nothing
# Bytes of a rank on its way to a tuple, and of each generator.
_RANK_BYTES = 256
_GENERATOR_BYTES = 12


class NumericalSemigroups:
    """All numerical semigroups of a genus (number of gaps) from 1 to 127, and how many there are of each smaller one (A007323,
    A199711). They are counted when something about them is first asked.

    `multiplicity`: only those with this smallest positive element, from 2 to genus + 1. `frobenius`, instead of a genus: those
    with this Frobenius number, and how many there are of each smaller one (A124506). `where`: only those that satisfy linear
    conditions, such as "2*e - t >= 5 and wilf < 0", on g, m, u, e, t, F, d, children, wilf and eliahou, joined by "and" and "or".
    `by`: what `triangle` counts by: "multiplicity", "embedding-dimension", "type", "frobenius", "depth", "second", "children" or
    "genus", or two of them, as "type,depth"; all but "multiplicity" and "second" visit every semigroup. `trim`: without the
    descendants of semigroups for which Wilf's inequality is known to be hereditary. Options of runs as in `slicepool.options`.
    Raises ConfigError when first used with others.

    Objects are immutable, equal where these parameters are, hashable and picklable. As a sequence these are the semigroups of the
    bound itself, each as the tuple of its generators: `N[i]`, `len(N)`, `for`, `sample`. The order is that of lists of gaps.

    >>> N = NumericalSemigroups(genus=10)
    >>> N.count, N.counts
    (204, (1, 1, 2, 4, 7, 12, 23, 39, 67, 118, 204))
    >>> N[203], N.sample(2, seed=1)
    ((2, 21), [(9, 10, 11, 12, 13, 15, 17), (6, 9, 11, 14, 19)])
    >>> N.all("wilf >= 0"), NumericalSemigroups(frobenius=11, where="t = 1").list()
    (True, [(6, 7, 8, 9, 10), (5, 7, 8, 9), (4, 6, 9), (4, 5), (3, 7), (2, 13)])
    """

    __slots__ = ("_given", "_run", "_counted", "_ranked")

    def __init__(self, genus: int | None = None, multiplicity: int | None = None, by: str = "multiplicity", *,
                 frobenius: int | None = None, where: str | None = None, trim: bool = False, **run: Any) -> None:
        RunOptions("NumericalSemigroups", run, _OWN)
        if (genus is None) == (frobenius is None):
            raise ConfigError("genus: accepted: one of genus and frobenius", "genus")
        numbers = [None if value is None else integer(name, value)
                   for name, value in (("genus", genus), ("frobenius", frobenius), ("multiplicity", multiplicity))]
        self._given: tuple[Any, ...] = (*numbers, by, where, bool(trim))
        self._run = run
        self._counted: dict[str, Any] | None = None
        self._ranked: Any = None

    @property
    def genus(self) -> int | None:
        """The bound; None: `frobenius` is."""
        return self._given[0]  # type: ignore[no-any-return]

    @property
    def frobenius(self) -> int | None:
        """The bound; None: `genus` is."""
        return self._given[1]  # type: ignore[no-any-return]

    @property
    def multiplicity(self) -> int | None:
        """The smallest positive element of all of them; None: any."""
        return self._given[2]  # type: ignore[no-any-return]

    @property
    def by(self) -> str:
        """What `triangle` counts by."""
        return str(self._given[3])

    @property
    def where(self) -> str | None:
        """The linear conditions that all of them satisfy; None: there are none."""
        return self._given[4]  # type: ignore[no-any-return]

    @property
    def trim(self) -> bool:
        """Whether descendants that are known to satisfy Wilf's inequality are left out."""
        return bool(self._given[5])

    def _counts(self) -> dict[str, Any]:
        if self._counted is None:
            self._counted = self._search(self._run, by=self.by, triangle=True)
        return self._counted

    @property
    def counts(self) -> tuple[int, ...]:
        """Entry b is the number of semigroups of genus (or Frobenius number) b."""
        return tuple(map(int, self._counts()["counts"]))

    @property
    def triangle(self) -> tuple[Any, ...]:
        """Number v of entry b is that of semigroups of genus (or Frobenius number) b and value v. Entries end with the last
        number that is not 0. By two statistics: row v of entry b, and in it number w."""
        return tuple(_numbers(self._counts()["triangle"]))

    def _search(self, run: Mapping[str, Any], **members: Any) -> dict[str, Any]:
        options = RunOptions("NumericalSemigroups", run, _OWN)
        return finished_record(self._document(options, **members), options)

    def _listed(self, **members: Any) -> Rows:
        options = RunOptions("NumericalSemigroups", self._run, _OWN)
        job = _slicepool.SemigroupsJob(self._document(options, **members), options.follow)

        def collect(done: Any) -> Any:    # what Stopped has of a run in half is its record
            return _rows(done) if done.finished else record_of(done)

        found: Rows = finish(job, collect, options.progress)
        return found

    def _document(self, options: RunOptions, **members: Any) -> str:
        return options.document("numerical_semigroups", genus=self.genus, frobenius=self.frobenius, where=self.where,
                                multiplicity=self.multiplicity, trim=self.trim or None, **members)

    @property
    def count(self) -> int:
        """The number of semigroups of the bound itself."""
        return self.counts[-1]

    @property
    def leaves(self) -> int:
        """Semigroups of the bound without children in the tree: no generator is above the Frobenius number. One more search."""
        row = self._search(self._run, by="children")["histogram"]
        return int(row[0]) if row else 0

    def list(self) -> Rows:
        """The semigroups of the bound, all in memory. One more search."""
        return self._listed(sink="list", exactly=True)

    def first(self, k: int) -> Rows:
        """k of the semigroups of at most the bound, or all; which ones may differ from run to run."""
        return self._listed(sink=f"first:{integer('k', k)}")

    def any(self, condition: str) -> bool:
        """Whether a semigroup of at most the bound satisfies `condition`. The search stops at the first one."""
        return bool(self._search(self._run, sink=f"any:{condition}")["predicate_holds"])

    def all(self, condition: str) -> bool:
        """Whether all semigroups of at most the bound satisfy `condition`. The search stops at the first one that does not."""
        return bool(self._search(self._run, sink=f"all:{condition}")["predicate_holds"])

    def sample(self, k: int, seed: int = 0) -> Rows:
        """k semigroups of the bound, drawn independently, each with the same probability. The same seed gives the same ones.

        Counts the semigroups of each class, once, and then the subtrees on the ways to those that were drawn. Raises ConfigError when
        there is none to draw, and LimitError when k outgrows the memory limit."""
        number = integer("k", k)
        if number < 0:
            raise ConfigError(f"k: got {number}; accepted: an integer from 0", "k")
        draw = random.Random(integer("seed", seed))
        self._refuse_unranked()
        if not self.count and number:    # the count refuses what is no genus
            raise ConfigError(f"k: got {number}, and there is no semigroup to draw; accepted: 0", "k")
        self._require_memory("k", number)
        ranks = [draw.randrange(self.count) for _ in range(number)]
        distinct = sorted(set(ranks))
        rows = dict(zip(distinct, self._at(distinct)))
        return [rows[rank] for rank in ranks]

    def _at(self, *ranks: Any) -> Rows:
        """The semigroups of ascending ranks: a list of them, or begin, step and how many."""
        self._refuse_unranked()
        document = self._document(RunOptions("NumericalSemigroups", {**self._run, **_NO_FILES}, _OWN))
        if self._ranked is None:
            assert self.genus is not None  # one of the two bounds is given
            job = _slicepool.RankingJob(document, self.genus, self.multiplicity or 0)
            self._ranked = finish(job, lambda done: done.ranked())
        at = _slicepool.SemigroupsAtJob(document, self._ranked, *ranks)
        return finish(at, _rows)

    def _require_memory(self, what: str, rows: int) -> None:
        """Raises LimitError where the semigroups of so many ranks may not fit: each with as many generators as there can be."""
        assert self.genus is not None  # as above
        document = self._document(RunOptions("NumericalSemigroups", {**self._run, **_NO_FILES}, _OWN))
        _slicepool.require_memory(document, what, min(rows, 2**64 - 1), _RANK_BYTES + _GENERATOR_BYTES * (self.genus + 1))

    def _refuse_unranked(self) -> None:
        for name, value in (("frobenius", self.frobenius), ("where", self.where), ("trim", self.trim or None)):
            if value is not None:
                raise ConfigError(f"{name}: got {value!r}; accepted: no {name} where semigroups have ranks; use list()", name)

    def __len__(self) -> int:
        return self.count

    @overload
    def __getitem__(self, rank: int) -> Generators: ...
    @overload
    def __getitem__(self, rank: slice) -> Rows: ...

    def __getitem__(self, rank: int | slice) -> Generators | Rows:
        """The semigroup of a rank, found by counting subtrees and without a list of the others; or those of a slice.

        Raises IndexError, ConfigError where semigroups have no ranks, and LimitError when a slice outgrows the memory limit."""
        if isinstance(rank, slice):
            ranks = range(self.count)[rank]
            self._refuse_unranked()
            self._require_memory("slice", len(ranks))
            ascending = ranks if ranks.step > 0 else ranks[::-1]
            rows = self._at(ascending.start, ascending.step, len(ranks)) if ranks else []
            return rows if ranks.step > 0 else rows[::-1]
        try:
            place = range(self.count)[rank]
        except IndexError:
            raise IndexError(f"there are {self.count} semigroups, and no rank {rank}") from None
        return self._at([place])[0]

    def __iter__(self) -> Iterator[Generators]:
        return iter(self.list())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NumericalSemigroups):
            return NotImplemented
        return self._given == other._given

    def __hash__(self) -> int:
        return hash((NumericalSemigroups, self._given))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, self._given

    def __repr__(self) -> str:
        names = ("genus", "frobenius", "multiplicity", "by", "where", "trim")
        usual = (None, None, None, "multiplicity", None, False)
        given = (f"{name}={value!r}" for name, value, other in zip(names, self._given, usual) if value != other)
        return f"NumericalSemigroups({', '.join(given)})"


def _restored(genus: int | None, frobenius: int | None, multiplicity: int | None, by: str, where: str | None, trim: bool) -> NumericalSemigroups:
    """An unpickled set. It has the options of where it is now."""
    return NumericalSemigroups(genus, multiplicity, by, frobenius=frobenius, where=where, trim=trim)


def _numbers(value: Any) -> Any:
    return tuple(map(_numbers, value)) if isinstance(value, list) else int(value)


def _rows(job: Any) -> Rows:
    return tuples_of_lengths(*map(np.asarray, job.take()))
