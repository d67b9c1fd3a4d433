"""Runs and sweeps from JSON, against the command."""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import pytest

import slicepool as sp

command = pytest.mark.skipif("SLICEPOOL_COMMAND" not in os.environ, reason="SLICEPOOL_COMMAND names no command")

CONFIGURATIONS: list[dict[str, Any]] = [
    {"workload": "factorizations", "generators": [13, 37, 38, 40], "element": 2000, "sink": "lengths", "fingerprint": True},
    {"workload": "factorizations", "generators": list(range(1, 30)), "element": 2000},
    {"workload": "three_in_line", "size": 7, "solutions": True},
    {"workload": "lattice", "basis": "[[1 3] [3 -2]]", "squared_radius": 40, "fixed_radius": True, "solutions": 3},
    {"workload": "semigroup", "named": "bihecke:4", "idempotents": True},
]
OF_THE_RUN = {"seconds", "setup_seconds", "wall_seconds", "phases", "steps", "steps_per_second", "splits", "workers", "memory", "settings",
              "started", "machine", "peak_bytes", "phase_seconds"}


@command
@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=lambda value: value["workload"])
def test_records_are_those_of_the_command(configuration: dict[str, Any], tmp_path: pathlib.Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(configuration))
    printed = subprocess.run([os.environ["SLICEPOOL_COMMAND"], "run", str(path), "--json"], capture_output=True, check=True).stdout
    expected = {name: value for name, value in json.loads(printed).items() if name not in OF_THE_RUN}
    for config in (configuration, path, str(path)):
        record = sp.run(config)
        assert {name: value for name, value in record.items() if name not in OF_THE_RUN} == expected
        assert OF_THE_RUN >= set(record) - set(expected) and record["status"] == "done"


@command
def test_info_is_that_of_the_command() -> None:
    printed = json.loads(subprocess.run([os.environ["SLICEPOOL_COMMAND"], "info", "--json"], capture_output=True, check=True).stdout)
    known = sp.info()
    for name in ("version", "build", "workloads"):
        assert known[name] == printed[name]
    assert sp.__version__ == printed["version"] and sp.info(gpus=False)["machine"]["gpus"] is None


@command
@pytest.mark.parametrize("arguments", [["three-in-line", "-n", "6", "--json"], ["--version"], ["factorizations", "--element", "x"], ["nobody"]])
def test_the_module_is_the_command(arguments: list[str]) -> None:
    theirs, ours = (subprocess.run([*program, *arguments], capture_output=True, text=True)
                    for program in ([os.environ["SLICEPOOL_COMMAND"]], [sys.executable, "-m", "slicepool"]))
    assert ours.returncode == theirs.returncode and ours.stderr == theirs.stderr
    if "--json" in arguments:
        assert json.loads(ours.stdout)["fingerprint"] == json.loads(theirs.stdout)["fingerprint"]
    else:
        assert ours.stdout == theirs.stdout


def test_configurations_that_are_none(tmp_path: pathlib.Path) -> None:
    for bad, field in (({"workload": "factorization"}, "workload"), ({}, "workload"), ({"workload": "three_in_line", "size": 99}, "size"),
                       ({"workload": "three_in_line", "size": 9, "siez": 3}, "siez")):
        with pytest.raises(sp.ConfigError) as caught:
            sp.run(bad)
        assert field in caught.value.field + str(caught.value)
    with pytest.raises(sp.ConfigError, match="can be read"):
        sp.run(tmp_path / "nothing.json")
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(sp.ConfigError):
        sp.run(tmp_path / "broken.json")
    with pytest.raises(sp.ConfigError, match="output.path"):
        sp.run({"workload": "three_in_line", "size": 4, "output": {"path": "-"}})
    (tmp_path / "prints.json").write_text('{"workload": "three_in_line", "size": 4, "output": {"path": "-"}}')
    with pytest.raises(sp.ConfigError, match="output.path"):
        sp.run(tmp_path / "prints.json")
    with pytest.raises(sp.ConfigError, match="generators"):
        sp.Factorizations([6, 0], 60).to_numpy(dtype="uint8")


def test_sweeps_are_kept_and_go_on(tmp_path: pathlib.Path) -> None:
    sweep = {"workload": "factorizations", "parameters": {"generators": [6, 9, 20], "element": [60, 120], "sink": "lengths"},
             "engine": {"mode": ["cpu", "emulated"]}, "measurement": {"repetitions": 2}}
    records = sp.sweep(sweep, tmp_path / "results")
    assert len(records) == 8 and {record["count"] for record in records} == {sp.Factorizations([6, 9, 20], n).count for n in (60, 120)}
    assert {path.name for path in (tmp_path / "results").iterdir()} >= {"results.jsonl", "summary.csv", "report.html"}
    assert sp.sweep(sweep, tmp_path / "results") == records    # nothing is run again
    (tmp_path / "sweep.json").write_text(json.dumps(sweep))
    assert sp.sweep(tmp_path / "sweep.json", tmp_path / "results") == records
    with pytest.raises(sp.ConfigError, match="directory"):
        sp.sweep(sweep)
