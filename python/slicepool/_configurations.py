"""Runs and sweeps from the JSON that the command `slicepool` takes."""
from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Mapping
from typing import Any

from . import _slicepool
from ._options import path_text, plain, require_text
from ._records import Record, SweepRecords, record_of
from ._runs import Run, finish
from .errors import ConfigError, Error, Stopped

Configuration = Mapping[str, Any] | str | os.PathLike[str]


def _text(config: Configuration) -> tuple[str, str]:
    """The JSON text, and what errors call it."""
    if isinstance(config, Mapping):
        try:
            text = json.dumps(dict(config), default=plain, allow_nan=False, ensure_ascii=False)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"config: got a dictionary that JSON cannot have ({error}); accepted: texts, finite numbers, lists and dictionaries", "config") from None
        return require_text("config", text), "configuration"
    try:
        name = os.fsdecode(config).encode("utf-8", "backslashreplace").decode()
        return pathlib.Path(config).read_text(encoding="utf-8"), name
    except TypeError:
        raise TypeError(f"config: got {type(config).__name__}; accepted: a dictionary or the path of a file") from None
    except UnicodeDecodeError:
        raise ConfigError(f"config: got {os.fspath(config)!r}, which is no text in UTF-8; accepted: a file of JSON", "config") from None
    except OSError as error:
        raise ConfigError(f"config: got {os.fspath(config)!r} ({error.strerror}); accepted: a dictionary or a file that can be read", "config") from None


def _writes_to_standard_output(text: str) -> bool:
    try:
        return bool(json.loads(text)["output"]["path"] == "-")
    except (ValueError, KeyError, TypeError):
        return False    # what is wrong with it, the library says


def _directory(text: str, given: str | os.PathLike[str] | None) -> str:
    """Where a sweep that was accepted writes."""
    return os.path.abspath(given or str(json.loads(text)["output"]["directory"]))


def run(config: Configuration, *, progress: Any = None) -> Record:
    """Runs a configuration, a dictionary or the path of a JSON file, and returns its record: what `slicepool run --json`
    prints. docs/file-formats.md has the keys of both; `plot()` draws the timeline of the workers.

    >>> run({"workload": "factorizations", "generators": [6, 9, 20], "element": 60})["count"]
    5
    """
    text, _ = _text(config)
    if _writes_to_standard_output(text):
        raise ConfigError("output.path: got '-'; accepted: the name of a file", "output.path")
    job = _slicepool.RunJob(text, progress is not None and progress is not False, True)
    return Run(job, lambda done: Record(record_of(done)), progress).result()


def sweep(config: Configuration, directory: str | os.PathLike[str] | None = None, *, restart: bool = False) -> SweepRecords:
    """Runs a sweep and returns its records, one for each repetition. A notebook shows its page; `plot()` draws how the time goes
    with a parameter or with the number of threads.

    The directory, or the one that the sweep names, gets results.jsonl, summary.csv and report.html, a page for any browser.
    What it has already is kept and not run again, unless `restart` is true. Ctrl-C raises Interrupted; the same call goes on.
    Raises Error, after the report is written, where points that must agree do not.
    """
    text, source = _text(config)
    job = _slicepool.SweepJob(text, source, "" if directory is None else path_text("directory", directory), restart)

    where = _directory(text, directory)

    def collect(done: Any) -> SweepRecords:
        return SweepRecords(map(json.loads, done.records()), where)

    records = finish(job, collect)
    if job.stopped():
        raise Stopped("the sweep was stopped; the same call goes on", records)
    if mismatches := job.mismatches():
        raise Error("; ".join(mismatches))
    return records


def info(*, gpus: bool = True) -> dict[str, Any]:
    """Version, machine, build and workloads, as `slicepool info --json` prints them. `gpus=False` asks no driver."""
    return dict(json.loads(_slicepool.info(gpus)))
