"""Points of a grid, no three in line."""
from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _slicepool
from ._options import RunOptions
from ._pictures import sheet
from ._runs import finish

_SHOWN = 12  # solutions in a notebook
_CLASSES = ("iden", "rot2", "dia1", "ort1", "rot4", "dia2", "ort2", "full")


@dataclasses.dataclass(frozen=True, eq=False)
class NoThreeInLine:
    """What a search found: ways to place 2n points on an n x n grid, no three of them on a line of any slope."""

    size: int  #: n
    count: int  #: solutions up to the symmetries of the square
    total: int  #: solutions in all orientations
    classes: dict[str, int]  #: solutions of each symmetry, by the names of Flammenkamp's classes
    nodes: int  #: boards visited
    fingerprint: str  #: a checksum of the set: 32 hexadecimal digits, the same in every mode
    #: The solutions that were kept, shape (k, n), uint32: bit x of row y is the point (x, y). One of each orbit, sorted.
    masks: npt.NDArray[np.uint32]

    @property
    def solutions(self) -> npt.NDArray[np.uint8]:
        """The points (x, y) of the solutions that were kept, row by row: shape (k, 2n, 2)."""
        bits = (self.masks[:, :, None] >> np.arange(self.size, dtype=np.uint32)) & 1
        _, y, x = np.nonzero(bits)
        return np.stack([x, y], axis=-1).astype(np.uint8).reshape(len(self.masks), 2 * self.size, 2)

    def _repr_svg_(self) -> str:
        """The first solutions, as a notebook shows them."""
        return sheet(dataclasses.replace(self, masks=self.masks[:_SHOWN]).solutions, self.size)

    def __repr__(self) -> str:
        return f"<NoThreeInLine n={self.size}: {self.count} up to symmetry, {self.total} in all>"


def no_three_in_line(n: int, symmetry: str | None = None, first: int = 0, *, solutions: bool = True, **run: Any) -> NoThreeInLine:
    """Searches for all ways to place 2n points on an n x n grid with no three in line (A000769; n from 1 to 32).

    `symmetry`: only solutions with at least this symmetry: "none", "c2", "c4", "diagonal", "orthogonal", "diagonals",
    "orthogonals" or "full". `first`: stop when so many are known; which ones may differ from run to run. `solutions=False`
    counts and keeps none. Options of runs as in `slicepool.options`. Raises ConfigError.

    >>> no_three_in_line(6).total
    50
    """
    options = RunOptions("no_three_in_line", run, ("symmetry", "first", "solutions"))
    document = options.document("three_in_line", size=n, symmetry=symmetry, first=first or None, solutions=solutions or None)

    def collect(job: Any) -> NoThreeInLine:
        return NoThreeInLine(int(n), job.count(), job.total(), dict(zip(_CLASSES, job.classes())), job.nodes(),
                             job.fingerprint(), job.masks())

    return finish(_slicepool.ThreeInLineJob(document, options.follow), collect, options.progress)
