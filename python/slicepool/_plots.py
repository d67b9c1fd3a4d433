"""Charts by matplotlib, which is imported when the first one is drawn. Called by the `plot` methods."""
from __future__ import annotations

import statistics
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .errors import ConfigError

if TYPE_CHECKING:
    from matplotlib.axes import Axes  # type: ignore[import-not-found,unused-ignore]

_COLOURS = {"cpu": "tab:blue", "gpu": "tab:orange", "emulated": "tab:purple"}
_MEASURES = ("seconds", "speedup", "steps_per_second", "wall_seconds")


def axes(given: Axes | None) -> Axes:
    """Those that are given, or new ones. Raises ImportError with advice where matplotlib is missing."""
    if given is not None:
        return given
    try:
        from matplotlib import pyplot  # type: ignore[import-not-found,unused-ignore]
    except ImportError as error:
        raise ImportError(f"plot() needs matplotlib ({error}): pip install matplotlib") from None
    return pyplot.subplots()[1]


def histogram(title: str, lengths: npt.NDArray[Any], counts: npt.NDArray[Any], given: Axes | None) -> Axes:
    """How many factorizations have each length."""
    ax = axes(given)
    # One shape of all bars: thousands of them take seconds to draw one by one. Between two bars is one of height 0.
    edges = np.column_stack([lengths - 0.5, lengths + 0.5]).ravel()
    heights = np.column_stack([counts, np.zeros_like(counts)]).ravel()[:-1]
    ax.stairs(heights, edges if len(edges) else [0.0], fill=True)
    ax.set(title=title, xlabel="length", ylabel="factorizations")
    return ax


def workers(record: Mapping[str, Any], given: Axes | None) -> Axes:
    """A row for each worker of a run: a line from when it was ready, a bar from its first turn or launch to the end of its last
    one, and in its label how much of the bar it was busy."""
    shown = [worker for worker in record.get("workers", []) if worker.get("ready_seconds") is not None]
    if not shown:
        raise ConfigError(f"workers: got a run of {record.get('workload')!r} without times of workers; accepted: one with a "
                          "search (not a count that a table answers)", "workers")
    ax = axes(given)
    end = float(record["seconds"])
    labels = []
    for row, worker in enumerate(shown):
        first, last = worker["first_seconds"], worker["last_seconds"]
        ax.plot([worker["ready_seconds"], max(end, worker["ready_seconds"])], [row, row], color="0.6", linewidth=1, zorder=0)
        if first is None or last is None:
            labels.append(f"{worker['name']}\nno turn")
            continue
        ax.barh(row, last - first, left=first, height=0.6, color=_COLOURS.get(worker["kind"], "tab:gray"))
        busy = min(1.0, worker["busy_seconds"] / (last - first)) if last > first else 1.0
        labels.append(f"{worker['name']}\n{busy:.0%} busy, {worker['share']:.0%} of steps")
    ax.axvline(end, color="black", linewidth=0.8)
    ax.set_yticks(range(len(shown)), labels)
    ax.set(title=f"{record['workload']}, {record['mode']}: {end:.3g} s", xlabel="seconds since the start of the enumeration",
           ylim=(len(shown) - 0.5, -0.5))    # the first worker above
    return ax


def coordinates(record: Mapping[str, Any]) -> dict[str, Any]:
    """Where a sweep has a record, by the names of its columns in summary.csv: parameters, and settings of the engine."""
    found: dict[str, Any] = dict(record["parameters"])
    for name, value in record["engine"].items():
        if isinstance(value, Mapping):    # engine.emulated
            found.update({f"engine.{name}.{inner}": setting for inner, setting in value.items()})
        else:
            found["mode" if name == "mode" else f"engine.{name}"] = value
    return found


def scaling(records: Sequence[Mapping[str, Any]], x: str | None, y: str, given: Axes | None) -> Axes:
    """A line for each combination of the other axes: the median of the repetitions, and bars from the least to the greatest."""
    if y not in _MEASURES:
        raise ConfigError(f"y: got {y!r}; accepted: {', '.join(map(repr, _MEASURES))}", "y")
    points = [(coordinates(record), record) for record in records if record.get("status") == "done"]
    names = dict.fromkeys(name for where, _ in points for name in where)
    varied = [name for name in names if len({_key(where.get(name)) for where, _ in points}) > 1]
    numeric = [name for name in names if all(_is_number(where.get(name)) for where, _ in points)]
    along = _axis(x, [name for name in varied if name in numeric], numeric)
    lines: dict[str, dict[float, list[float]]] = {}
    measured = "seconds" if y == "speedup" else y
    for where, record in points:
        label = ", ".join(f"{name}={where.get(name)}" for name in varied if name != along)
        lines.setdefault(label, {}).setdefault(float(where[along]), []).append(float(record[measured]))
    curves = {label: _curve(dict(sorted(line.items())), y) for label, line in lines.items()}
    ax = axes(given)
    for label, (at, middle, low, high) in curves.items():
        ax.errorbar(at, middle, yerr=[middle - low, high - middle], marker="o", capsize=3, label=label or None)
    ax.set(xlabel=along, ylabel=y.replace("_", " "), ylim=(0, None))
    if any(curves):
        ax.legend()
    return ax


def _axis(asked: str | None, varied: list[str], numeric: list[str]) -> str:
    if asked is None:
        if not varied:
            raise ConfigError("x: this sweep varies nothing that is a number; accepted: a sweep of several threads, sizes or elements", "x")
        return "engine.threads" if "engine.threads" in varied else varied[0]
    if asked not in numeric:
        raise ConfigError(f"x: got {asked!r}; accepted: {', '.join(map(repr, varied or numeric)) or 'nothing in this sweep'}", "x")
    return asked


def _curve(line: Mapping[float, Iterable[float]], y: str) -> tuple[npt.NDArray[np.float64], ...]:
    """x, the medians, the least and the greatest values. A speed-up is over the median of the smallest x."""
    at = np.array(list(line))
    middle, low, high = (np.array([choose(values) for values in line.values()]) for choose in (statistics.median, min, max))
    if y == "speedup":
        if not low.all():
            raise ConfigError("y: got 'speedup' for runs of 0 seconds, which enumerated nothing; accepted: 'wall_seconds', or another sink", "y")
        return at, middle[0] / middle, middle[0] / high, middle[0] / low
    return at, middle, low, high


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _key(value: Any) -> Hashable:
    return repr(value)    # of lists, which are no keys
