"""Reduced bases of lattices."""
from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _slicepool
from ._lattice import _matrices
from ._options import RunOptions
from ._records import Record, record_of
from ._runs import finish


@dataclasses.dataclass(frozen=True, eq=False)
class ReducedBasis:
    """The rows of a reduced basis, which can be given where a basis is asked for, and what is known of them."""

    rows: tuple[tuple[int, ...], ...]  #: by a Gram matrix G: T, coefficients of the reduced basis
    squared_norm: int  #: of the first row
    hermite_factor: float  #: (|b_1| / det^(1/d))^(1/d)
    slope: float  #: of ln |b*_i|^2 over i
    log2_norms: tuple[float, ...]  #: log2 |b*_i|
    unchanged: bool  #: a tour with the largest blocks changed nothing
    record: Record  #: what `slicepool reduce --json` prints
    gram: tuple[tuple[int, ...], ...] | None = None  #: by a Gram matrix G: that of the reduced basis, T G T^t

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return iter(self.rows)

    def __getitem__(self, index: int) -> tuple[int, ...]:
        return self.rows[index]

    def to_numpy(self) -> npt.NDArray[Any]:
        """The rows: int64, or Python's integers (object) where these are larger."""
        largest = max(abs(x) for row in self.rows for x in row)
        return np.array(self.rows, dtype=np.int64 if largest < 2**63 else object)

    def __repr__(self) -> str:
        return f"<ReducedBasis: {len(self.rows)} rows, root Hermite factor {self.hermite_factor:.5f}>"


def reduce(basis: Any = None, block_size: int | None = None, tours: int | None = None, *, gram: Any = None, trials: int | None = None,
           seed: int | None = None, **run: Any) -> ReducedBasis:
    """A reduced basis of the lattice that the rows of a basis span: by LLL, and by BKZ with blocks of `block_size` rows.

    `basis`: 1 to 512 independent rows of integers of any size: lists, an array, an IntegerMatrix of fpylll, fplll's text, or
    the name of a file. `gram`: in its place the Gram matrix, symmetric and positive definite integers; the answer has `rows` of
    coefficients and the reduced matrix as `gram`, which is what other functions take. `tours`: with blocks of `block_size`, at most (8). `trials`: of each block of more than 32 rows (by its
    size). `seed`: of the trials. Raises ConfigError, with the place, for rows that depend on others and for matrices that are
    not symmetric or not positive definite. Needs fplll.

    >>> reduced = reduce([[1, 0, 331], [0, 1, 301], [0, 0, 409]], block_size=3)
    >>> len(reduced), reduced.squared_norm
    (3, 57)
    >>> reduced = reduce(gram=[[10, 17], [17, 30]])
    >>> reduced.gram, reduced.to_numpy().shape
    (((2, 1), (1, 6)), (2, 2))
    """
    options = RunOptions("reduce", run, ("block_size", "tours", "gram", "trials", "seed"))
    job = _slicepool.ReduceJob(options.document("reduce", **_matrices(basis, gram), bkz_block_size=block_size, tours=tours, trials=trials,
                                                seed=seed), options.follow)

    def collect(done: Any) -> ReducedBasis:
        record = Record(record_of(done))
        rows = tuple(tuple(row) for row in done.rows())
        form = tuple(tuple(row) for row in done.gram()) or None
        norm = sum(x * x for x in rows[0]) if form is None else form[0][0]
        return ReducedBasis(rows, norm, record["hermite_factor"], record["slope"], tuple(record["log2_norms"]),
                            record["unchanged"], record, form)

    return finish(job, collect, options.progress)
