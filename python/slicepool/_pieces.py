"""Large answers as Python's objects, in pieces: between two of them Python sees signals and lets other threads run."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

Rows = list[tuple[int, ...]]

_PIECE = 1 << 14  # rows, of some milliseconds
_PART = 1 << 10  # objects of C++ that have rows of their own


def parts(count: int, part: Callable[[int, int], list[Any]]) -> Iterator[Any]:
    """All objects of a list of `count`, of which `part(begin, end)` makes some."""
    for begin in range(0, count, _PART):
        yield from part(begin, min(begin + _PART, count))


def tuples_of(rows: npt.NDArray[Any]) -> Rows:
    """The rows of a matrix."""
    found: Rows = []
    for begin in range(0, len(rows), _PIECE):
        found.extend(map(tuple, rows[begin:begin + _PIECE].tolist()))
    return found


def tuples_of_lengths(values: npt.NDArray[Any], ends: npt.NDArray[Any]) -> Rows:
    """Tuple i has the values from ends[i - 1] to ends[i]; the first one begins with the first value."""
    found: Rows = []
    begin = 0
    for piece in np.split(ends, range(_PIECE, len(ends), _PIECE)):
        if len(piece):
            numbers, start = values[begin:int(piece[-1])].tolist(), 0
            for end in (piece - np.uint64(begin)).tolist():
                found.append(tuple(numbers[start:end]))
                start = end
            begin = int(piece[-1])
    return found
