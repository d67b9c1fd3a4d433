"""Shards of a plan as tasks of Dask and of Ray, by the function of docs/cluster.md: a worker that is killed while its shard runs costs
nothing, whether slicepool outlives it or not. Skipped where the module is not installed."""
from __future__ import annotations

import doctest
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

SHARDS = 12
DOCUMENT = pathlib.Path(__file__).parents[2] / "docs" / "cluster.md"


def documented() -> dict[str, Any]:
    """The names that the first Python fence of the document defines."""
    fence = next(match[1] for match in re.finditer(r"^```python\n(.*?)^```$", DOCUMENT.read_text(encoding="utf-8"), re.M | re.S))
    names: dict[str, Any] = {"__name__": "__main__"}
    for example in doctest.DocTestParser().get_examples(fence):
        exec(compile(example.source, str(DOCUMENT), "exec"), names)
    return names


def process_of(lease: pathlib.Path) -> int | None:
    """Of a lease that is there."""
    try:
        return int(json.loads(lease.read_text())["process"])
    except (OSError, ValueError, KeyError):    # gone meanwhile
        return None


def held_run(folder: pathlib.Path, seen: set[int]) -> int:
    """Stops a run of a shard while it has its lease; its process."""
    while len(list(folder.glob("plan-*.record.json"))) < SHARDS:
        for lease in folder.glob("plan-*.lease"):
            process = process_of(lease)
            if process is None or process in seen:
                continue
            try:
                os.kill(process, signal.SIGSTOP)
            except ProcessLookupError:
                continue
            if process_of(lease) == process:
                return process
            os.kill(process, signal.SIGCONT)
        time.sleep(0.001)
    pytest.fail("every shard was done before one was seen")


def parent_of(process: int) -> int:
    return int(pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])


def make_plan(folder: pathlib.Path, slicepool: Callable[..., Any]) -> str:
    (folder / "config.json").write_text(json.dumps({"workload": "three_in_line", "size": 11}))
    plan = str(folder / "plan.json")
    made = slicepool("plan", folder / "config.json", "--shards", SHARDS, "--output", plan)
    assert made.returncode == 0, made.stderr
    return plan


def kill_two_workers(folder: pathlib.Path) -> None:
    """The first with the run that it started, as a machine takes both along; of the second the run goes on."""
    run = held_run(folder, set())
    os.kill(parent_of(run), signal.SIGKILL)
    os.kill(run, signal.SIGKILL)
    second = held_run(folder, {run})
    os.kill(parent_of(second), signal.SIGKILL)
    os.kill(second, signal.SIGCONT)


def merged_is_right(plan: str, slicepool: Callable[..., Any]) -> None:
    status = json.loads(slicepool("status", plan, "--json").stdout)
    assert (status["done"], status["not_done"]) == (SHARDS, [])
    merged = json.loads(slicepool("merge", plan, "--json").stdout)
    single = json.loads(slicepool("three-in-line", "-n", 11, "--json", "--progress", "none").stdout)
    assert merged["count"] == 158
    for member in ("count", "total", "nodes", "fingerprint"):
        assert merged[member] == single[member]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_dask_outlives_workers(tmp_path: pathlib.Path) -> None:
    distributed = pytest.importorskip("distributed")
    names = documented()
    plan = make_plan(tmp_path, names["slicepool"])
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        tasks = client.map(names["run_shard"], [plan] * SHARDS, range(SHARDS), pure=False)
        kill_two_workers(tmp_path)
        assert sorted(client.gather(tasks)) == list(range(SHARDS))
    merged_is_right(plan, names["slicepool"])


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_ray_outlives_workers(tmp_path: pathlib.Path) -> None:
    ray = pytest.importorskip("ray")
    names = documented()
    plan = make_plan(tmp_path, names["slicepool"])
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        task = ray.remote(max_retries=10)(names["run_shard"])
        tasks = [task.remote(plan, shard) for shard in range(SHARDS)]
        kill_two_workers(tmp_path)
        assert sorted(ray.get(tasks)) == list(range(SHARDS))
    finally:
        ray.shutdown()
    merged_is_right(plan, names["slicepool"])


def test_a_shard_that_fails_is_an_error_of_its_task(tmp_path: pathlib.Path) -> None:
    names = documented()
    plan = make_plan(tmp_path, names["slicepool"])
    with pytest.raises(RuntimeError, match='--shard: got "99"'):
        names["run_shard"](plan, 99)
    assert names["run_shard"](plan, 3) == 3
    assert names["run_shard"](plan, 3) == 3    # done: nothing is run again
    (tmp_path / "plan-3.found.json").write_text("{}")
    with pytest.raises(RuntimeError, match="plan-3.record.json: got a record that cannot be used"):
        names["run_shard"](plan, 3)
    waiting = subprocess.run([sys.executable, "-m", "slicepool", "status", plan, "--json"], capture_output=True, check=True)
    assert json.loads(waiting.stdout)["damaged"] == 1
