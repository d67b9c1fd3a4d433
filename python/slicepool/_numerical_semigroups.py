"""All numerical semigroups up to a genus."""
from __future__ import annotations

import json
from typing import Any

from . import _slicepool
from ._options import RunOptions
from ._runs import finish


class NumericalSemigroups:
    """How many numerical semigroups there are of each genus (number of gaps) up to a bound, from 1 to 127, and of each
    multiplicity or another number (A007323, A199711). They are counted at construction.

    `multiplicity`: only those with this smallest positive element, from 2 to genus + 1. `by`: what `triangle` counts by:
    "multiplicity", "embedding-dimension", "type", "frobenius" or "depth"; all but the first visit every semigroup. Options of runs as in
    `slicepool.options`. Raises ConfigError.

    >>> N = NumericalSemigroups(genus=10)
    >>> N.count, N.counts
    (204, (1, 1, 2, 4, 7, 12, 23, 39, 67, 118, 204))
    """

    __slots__ = ("genus", "multiplicity", "by", "counts", "triangle")

    genus: int  #: the bound
    multiplicity: int | None
    by: str
    counts: tuple[int, ...]  #: entry g is the number of semigroups of genus g
    #: Number v of entry g is that of semigroups of genus g and value v. Entries end with the last number that is not 0.
    triangle: tuple[tuple[int, ...], ...]

    def __init__(self, genus: int, multiplicity: int | None = None, by: str = "multiplicity", **run: Any) -> None:
        options = RunOptions("NumericalSemigroups", run, ("genus", "multiplicity", "by"))
        document = options.document("numerical_semigroups", genus=genus, multiplicity=multiplicity, by=by, triangle=True)

        def collect(job: Any) -> dict[str, Any]:
            record: dict[str, Any] = json.loads(job.record())
            return record

        record = finish(_slicepool.RunJob(document, options.follow), collect, options.progress)
        self.genus = int(genus)
        self.multiplicity = None if multiplicity is None else int(multiplicity)
        self.by = by
        self.counts = tuple(map(int, record["counts"]))
        self.triangle = tuple(tuple(map(int, row)) for row in record["triangle"])

    @property
    def count(self) -> int:
        """The number of semigroups of the bound itself."""
        return self.counts[self.genus]

    def __repr__(self) -> str:
        return f"<NumericalSemigroups of genus {self.genus} and less: {sum(self.counts)}>"
