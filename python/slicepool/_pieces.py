"""Lists of tuples from arrays, in pieces: between two of them Python sees signals and lets other threads run."""
from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Rows = list[tuple[int, ...]]

_PIECE = 1 << 14  # rows, of some milliseconds


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
