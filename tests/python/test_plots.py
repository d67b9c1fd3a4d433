"""Charts show the numbers that the library gave, and say what is missing where they cannot be drawn."""
from __future__ import annotations

import html
import pathlib
import pickle
import re
import statistics
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import slicepool as sp

SWEEP: dict[str, Any] = {"workload": "factorizations", "parameters": {"generators": [13, 37, 38, 40], "element": [1500, 2000], "sink": "lengths"},
                         "engine": {"threads": [1, 2]}, "measurement": {"repetitions": 3}}


@pytest.fixture
def ax() -> Any:
    figure: Any = pytest.importorskip("matplotlib.figure")    # not by pyplot, which keeps its figures
    return figure.Figure().add_subplot()


@pytest.fixture
def records(tmp_path: pathlib.Path) -> sp.SweepRecords:
    return sp.sweep(SWEEP, tmp_path / "sweep")


def test_a_histogram_has_a_bar_for_each_length(ax: Any) -> None:
    F = sp.Factorizations([6, 9, 20], 600)
    assert id(F.plot(ax)) == id(ax)
    heights, edges, _ = ax.patches[0].get_data()
    bars = {(left + right) / 2: height for left, right, height in zip(edges, edges[1:], heights) if height}
    assert bars == dict(zip(*map(np.ndarray.tolist, F.length_histogram())))
    assert len(sp.Factorizations([6, 9, 20], 1).plot(ax).patches) == 2    # empty, and no error
    with pytest.raises(TypeError, match="plot.*nearest known one is 'threads'"):
        F.plot(ax, thread=1)


def test_a_timeline_has_a_row_for_each_worker(ax: Any) -> None:
    record = sp.run({"workload": "three_in_line", "size": 9, "engine": {"mode": "emulated", "threads": 2}})
    assert id(record.plot(ax)) == id(ax)
    at_work = [worker for worker in record["workers"] if worker["first_seconds"] is not None]
    assert len(ax.get_yticklabels()) == len(record["workers"]) and len(ax.patches) == len(at_work)
    for bar, worker in zip(ax.patches, at_work):
        assert (bar.get_x(), bar.get_x() + bar.get_width()) == pytest.approx((worker["first_seconds"], worker["last_seconds"]))
    for label, worker in zip(ax.get_yticklabels(), record["workers"]):
        assert label.get_text().startswith(worker["name"] + "\n")


def test_the_report_of_a_run_has_a_timeline(ax: Any) -> None:
    with sp.Factorizations([13, 37, 38, 40], 2000).start("lengths", threads=2, mode="cpu") as run:
        run.result()
    assert len(run.report.plot(ax).get_yticks()) == len(run.report["workers"]) > 0


def test_runs_that_share_no_search_have_no_timeline(ax: Any) -> None:
    with pytest.raises(sp.ConfigError, match="without times of workers"):
        sp.run({"workload": "factorizations", "generators": [6, 9, 20], "element": 60}).plot(ax)


def test_rounds_of_a_semigroup_have_a_timeline(ax: Any) -> None:
    record = sp.run({"workload": "semigroup", "named": "bihecke:3"})
    assert len(record.plot(ax).get_yticks()) == len(record["workers"]) > 0
    for worker in record["workers"]:
        if worker["turns"] == 0:
            continue
        assert 0 == worker["ready_seconds"] <= worker["first_seconds"] < worker["last_seconds"] <= record["seconds"]


def test_a_line_of_a_sweep_goes_through_the_medians(ax: Any, records: sp.SweepRecords) -> None:
    assert id(records.plot(ax=ax)) == id(ax) and ax.get_xlabel() == "engine.threads"
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["element=1500", "element=2000"]
    for element, container in zip((1500, 2000), ax.containers):
        line = container.lines[0]
        expected = [statistics.median(r["seconds"] for r in records if (r["parameters"]["element"], r["engine"]["threads"]) == (element, threads))
                    for threads in (1, 2)]
        assert line.get_xdata().tolist() == [1, 2] and line.get_ydata().tolist() == expected


def test_a_speed_up_begins_at_one(ax: Any, records: sp.SweepRecords) -> None:
    records.plot("element", "speedup", ax)
    assert all(container.lines[0].get_ydata()[0] == 1 for container in ax.containers) and len(ax.containers) == 2


def test_what_a_sweep_cannot_show(ax: Any, records: sp.SweepRecords) -> None:
    with pytest.raises(sp.ConfigError, match="x: got 'elements'; accepted: 'element', 'engine.threads'"):
        records.plot("elements", ax=ax)
    with pytest.raises(sp.ConfigError, match="y: got 'time'; accepted: 'seconds'"):
        records.plot(y="time", ax=ax)
    with pytest.raises(sp.ConfigError, match="x: this sweep varies nothing"):
        sp.SweepRecords(records[:3], records.directory).plot(ax=ax)
    counted = sp.sweep({"workload": "factorizations", "parameters": {"generators": [6, 9, 20], "element": [60, 120]}}, records.directory.parent / "counted")
    with pytest.raises(sp.ConfigError, match="'speedup' for runs of 0 seconds"):
        counted.plot(y="speedup", ax=ax)


def test_records_are_lists_of_dictionaries(records: sp.SweepRecords) -> None:
    assert isinstance(records, list) and all(type(record) is sp.Record and isinstance(record, dict) for record in records)
    again = pickle.loads(pickle.dumps(records))
    assert again == records and type(again) is sp.SweepRecords and again.directory == records.directory


def test_a_notebook_shows_the_page_of_a_sweep(records: sp.SweepRecords) -> None:
    shown = re.fullmatch(r'<iframe srcdoc="([^"]*)"[^>]*></iframe>', records._repr_html_())
    assert shown is not None and html.unescape(shown[1]) == (records.directory / "report.html").read_text(encoding="utf-8")
    (records.directory / "report.html").unlink()
    assert records._repr_html_().count("<tr>") == 1 + len(records)


def test_without_matplotlib_the_error_has_advice() -> None:
    code = ("import sys; sys.modules['matplotlib'] = None\n"
            "import slicepool as sp\n"
            "try: sp.Factorizations([6, 9, 20], 60).plot()\n"
            "except ImportError as error: print(error)\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and "plot() needs matplotlib" in done.stdout and "pip install" in done.stdout, done.stderr


def test_new_axes_are_made_where_none_are_given() -> None:
    pyplot: Any = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    ax: Any = sp.Factorizations([6, 9, 20], 60).plot()
    assert np.sum(ax.patches[0].get_data().values) == 5
    pyplot.close(ax.figure)
