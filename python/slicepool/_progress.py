"""How far a run is: what callables are given, and what `progress=True` shows."""
from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from typing import Any, Protocol


@dataclasses.dataclass(frozen=True)
class Progress:
    """Where a run is. Steps are candidates, rows or nodes, as the problem has it."""

    seconds: float  #: since the run began
    phase: str  #: "start", "tables", "cutting", "waiting_for_gpu", "search", "writing" or "merging"
    steps: float  #: so far, those of the runs that it resumes included
    total_steps: float  #: exact or estimated; 0: unknown
    results: int
    steps_per_second: float
    done_share: float  #: 0 to 1; negative: unknown
    seconds_left: float  #: estimate; negative: unknown
    rows_written: int
    rows_to_write: int  #: of an output; 0: there is none


class Reporter(Protocol):
    def show(self, progress: Progress) -> None: ...
    def close(self) -> None: ...


class _Call:
    def __init__(self, function: Callable[[Progress], Any]) -> None:
        self._function = function

    def show(self, progress: Progress) -> None:
        self._function(progress)

    def close(self) -> None:
        pass


class _Line:
    """One line on standard error, written again and again."""

    def __init__(self) -> None:
        self._shown = False

    def show(self, progress: Progress) -> None:
        share = f"{100 * progress.done_share:5.1f} %, " if progress.done_share >= 0 else ""
        left = f", {progress.seconds_left:.0f} s left" if progress.seconds_left >= 0 and share else ""
        sys.stderr.write(f"\r{share}{progress.steps:.3g} steps, {progress.phase}{left}\033[K")
        sys.stderr.flush()
        self._shown = True

    def close(self) -> None:
        if self._shown:
            sys.stderr.write("\n")


class _Bar:
    def __init__(self, tqdm: Any) -> None:
        self._bar = tqdm(total=100, bar_format="{l_bar}{bar}| {elapsed}<{remaining}{postfix}")

    def show(self, progress: Progress) -> None:
        self._bar.n = round(100 * max(progress.done_share, 0), 1)
        self._bar.set_postfix_str(f"{progress.steps:.3g} steps, {progress.phase}")

    def close(self) -> None:
        self._bar.close()


def reporter(progress: Any) -> Reporter | None:
    """Of the option `progress`: None, a bar of tqdm or a line on standard error for True, else the callable."""
    if progress is None or progress is False:
        return None
    if callable(progress):
        return _Call(progress)
    if progress is not True:
        raise TypeError(f"progress: got {progress!r}; accepted: None, True or a callable")
    try:
        from tqdm.auto import tqdm  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        return _Line()
    return _Bar(tqdm)
