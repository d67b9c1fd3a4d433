"""Records of runs and sweeps: the JSON of the command, and how a notebook shows it."""
from __future__ import annotations

import html
import json
import os
import pathlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from . import _plots
from ._pictures import table

if TYPE_CHECKING:
    from matplotlib.axes import Axes  # type: ignore[import-not-found,unused-ignore]

_PAGE_HEIGHT = 640  # pixels of a report page in a notebook


def record_of(job: Any) -> dict[str, Any]:
    """The record of a job that has ended. Large lists are read in pieces, so that a signal comes between two of them."""
    text = job.record()
    record: dict[str, Any] = json.loads(text.head)
    for i, member in enumerate(text.members):
        record[member].extend(json.loads(text.piece(i)))
    return record


class Record(dict[str, Any]):
    """The record of a run, as `slicepool run --json` prints it. A dictionary; docs/file-formats.md has the keys."""

    def plot(self, ax: Axes | None = None) -> Axes:
        """The timeline of the workers, a row for each, in seconds since the start of the enumeration.

        The bar of a worker goes from its first turn or launch to the end of its last one; the line begins when the worker was
        ready and ends with the run. docs/balancing.md has what to read from it. `ax`: axes of matplotlib to draw into, new
        ones if None; they are returned. Raises ConfigError for a run whose workers shared no search, and ImportError without
        matplotlib.
        """
        return _plots.workers(self, ax)


class SweepRecords(list[Record]):
    """The records of a sweep, one for each repetition, in the order of the points. A list, which a notebook shows as the page
    of the sweep."""

    def __init__(self, records: Iterable[Mapping[str, Any]], directory: str | os.PathLike[str]) -> None:
        super().__init__(map(Record, records))
        self.directory = pathlib.Path(directory)  #: where results.jsonl, summary.csv and report.html are

    def plot(self, x: str | None = None, y: str = "seconds", ax: Axes | None = None) -> Axes:
        """How `y` goes with `x`: a line for each combination of what else the sweep varies, through the medians of the
        repetitions, with bars from the least to the greatest.

        `x`: a number that the sweep varies, by its name in summary.csv ("engine.threads", "element", "size", ..); if None the
        threads, or the first such number. `y`: "seconds" (of the enumeration), "wall_seconds", "steps_per_second" or "speedup"
        (the median seconds at the smallest x over the seconds). `ax`: axes of matplotlib to draw into, new ones if None; they
        are returned. Points that were not run to the end are left out. Raises ConfigError for other names, and ImportError
        without matplotlib.
        """
        return _plots.scaling(self, x, y, ax)

    def _repr_html_(self) -> str:
        """The page in a frame, so that its style stays in there; a table where the page is gone."""
        try:
            page = (self.directory / "report.html").read_text(encoding="utf-8")
        except OSError:
            names = ["label", "repetition", "status", "seconds"]
            return table(f"{len(self)} records", names, ([record.get(name, "") for name in names] for record in self))
        return f'<iframe srcdoc="{html.escape(page)}" width="100%" height="{_PAGE_HEIGHT}" style="border: 0"></iframe>'
