#!/usr/bin/env python3
"""Plans as a user runs them: plan, run of each shard, status, merge, for every workload that can be cut.

What the shards make together must be what one run makes: count, nodes, fingerprint and bytes of the output. A shard that
was stopped or killed goes on; whatever a merge must not take is named. Run by CTest with SLICEPOOL_COMMAND.
One file, because every workload goes through the same steps.
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

COMMAND = os.environ["SLICEPOOL_COMMAND"]
CLEAN = {name: value for name, value in os.environ.items()
         if name not in ("SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "OMPI_COMM_WORLD_RANK")}
DONE, BAD_INPUT, STOPPED, NOTHING_LEFT = 0, 2, 5, 6
# E8, reduced: a build without fplll searches it as well.
LATTICE = "[[" + "] [".join(" ".join(str(value) for value in row) for row in [
    [2, -2, 0, 0, 0, 0, 0, 0], [0, 2, -2, 0, 0, 0, 0, 0], [0, 2, 0, -2, 0, 0, 0, 0], [0, 2, 0, 2, 0, 0, 0, 0],
    [0, 2, 0, 0, -2, 0, 0, 0], [1, -1, 1, -1, 1, 1, 1, 1], [1, -1, 1, 1, 1, -1, 1, 1], [1, -1, 1, -1, 1, -1, -1, 1]]) + "]]"


class Folder:
    """A folder of its own, in which commands run."""

    def __init__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="slicepool-plans-"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)

    def run(self, *words, code=DONE, says="", environment=None):
        result = subprocess.run([COMMAND, *map(str, words)], cwd=self.path, env={**CLEAN, **(environment or {})},
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        text = f"slicepool {' '.join(map(str, words))}\n{result.stdout}{result.stderr}"
        assert result.returncode == code, f"exit code {result.returncode}, expected {code}: {text}"
        assert says in result.stdout + result.stderr, f"does not say {says!r}: {text}"
        return result.stdout

    def json(self, *words, **more):
        return json.loads(self.run(*words, "--json", **more))

    def write(self, name, document):
        (self.path / name).write_text(document if isinstance(document, str) else json.dumps(document))

    def plan(self, config, shards, *words):
        self.write("config.json", config)
        return self.json("plan", "config.json", "--shards", shards, "--output", "plan.json", *words)

    def run_all(self, shards, *words):
        for shard in reversed(range(shards)):   # the order does not matter
            self.run("run", "plan.json", "--shard", shard, "--progress", "none", *words)

    def hash(self, name):
        return hashlib.sha256((self.path / name).read_bytes()).hexdigest()

    def names(self):
        return {path.name for path in self.path.iterdir()}


def same(merged, single, *members):
    for member in members:
        assert merged.get(member) == single.get(member), \
            f"{member}: merged {merged.get(member)}, a single run {single.get(member)}"


def compare(config, shards, members, modes=("cpu",), outputs=()):
    """Plans, runs and merges; the record and the outputs must be those of one run."""
    with Folder() as one, Folder() as many:
        one.write("config.json", config)
        single = one.json("run", "config.json", "--progress", "none")
        many.plan(config, shards)
        for shard in range(shards):
            mode = modes[shard % len(modes)]
            many.run("run", "plan.json", "--shard", shard, "--mode", mode, "--threads", 1 + shard % 2, "--progress", "none")
        status = many.json("status", "plan.json")
        assert (status["done"], status["shards"], status["not_done"]) == (shards, shards, []), status
        merged = many.json("merge", "plan.json")
        same(merged, single, *members)
        assert merged["plan"]["shards"] == shards and merged["status"] == "done", merged
        assert json.loads((many.path / "plan.record.json").read_text()) == merged
        for name in outputs:
            assert many.hash(name) == one.hash(name), f"{name} differs from that of one run"
        left = [name for name in many.names() if name.endswith((".lease", ".lock", ".checkpoint", ".tmp", ".part"))]
        assert not left, left
        again = many.json("merge", "plan.json")     # parts stay: a merge can be repeated
        same(again, merged, *members)
        return single, merged, many.names()


def factorizations():
    base = {"workload": "factorizations", "generators": [13, 37, 38, 40], "element": 3000}
    members = ["count", "fingerprint", "sink"]
    for shards in (1, 3, 8):
        compare({**base, "sink": "count"}, shards, members)
    compare({**base, "sink": "fingerprint", "algorithm": "candidate"}, 5, members, modes=("cpu", "emulated"))
    compare({**base, "sink": "fingerprint"}, 5, members + ["steps"], modes=("cpu", "emulated"))
    compare({**base, "sink": "lengths", "fingerprint": True}, 4,
            members + ["lengths", "delta_set", "minimum_length", "maximum_length", "elasticity"])
    compare({**base, "sink": "extremes"}, 4, members + ["minimum_length", "maximum_length", "elasticity"])
    compare({**base, "sink": "coordinate-maxima"}, 4, members + ["coordinate_maxima"])
    compare({**base, "sink": "fingerprint", "rank_range": "100:1234"}, 4, members + ["rank_range", "total"])
    rows = {**base, "sink": "rows", "fingerprint": True}
    for output in ({"path": "rows.npy"}, {"path": "rows.csv"}, {"path": "rows.csv", "header": True},
                   {"path": "rows.npy", "element_type": "uint32", "writing": "streamed"}):
        compare({**rows, "output": output}, 3, members, modes=("cpu", "emulated"), outputs=[output["path"]])
    for suffix in (".npy", ".npy.zst"):
        config = {**rows, "output": {"path": "rows" + suffix, "shard_rows": 500}}
        single, merged, names = compare(config, 3, members)
        files = sorted(name for name in names if name.startswith("rows"))
        assert len(files) == single["output"]["shards"] + 1, files
        compare(config, 3, members, outputs=files)
        same(merged["output"], single["output"], "path", "bytes", "shards")
    with Folder() as place:   # numbers of factorizations beyond 64 bits
        wide = {"workload": "factorizations", "generators": list(range(1, 31)), "element": 30_000, "sink": "count"}
        place.plan(wide, 7)
        place.run_all(7)
        merged = place.json("merge", "plan.json")
        place.write("config.json", wide)
        same(merged, place.json("run", "config.json"), "count")
        assert len(str(merged["count"])) > 20, merged["count"]


def three_in_line():
    members = ["n", "symmetry", "count", "total", "classes", "orbits", "nodes", "fingerprint"]
    for size, shards in ((8, 3), (10, 4), (11, 8), (7, 1)):
        compare({"workload": "three_in_line", "size": size}, shards, members, modes=("cpu", "emulated"))
    compare({"workload": "three_in_line", "size": 12, "symmetry": "c4"}, 3, members)
    for suffix in (".rle", ".txt", ".json", ".svg"):
        compare({"workload": "three_in_line", "size": 8, "output": {"path": "solutions" + suffix}}, 4, members,
                outputs=["solutions" + suffix])
    compare({"workload": "three_in_line", "size": 6, "solutions": True}, 2, members + ["solutions"])
    compare({"workload": "three_in_line", "size": 3}, 40, members)    # more shards than boards


def lattice():
    members = ["dimension", "count", "solutions", "nodes", "nodes_per_level", "fingerprint", "squared_radius",
               "shortest_squared_norm", "reduction"]
    base = {"workload": "lattice", "basis": LATTICE, "fixed_radius": True, "squared_radius": 16}
    for shards in (1, 2, 7):
        compare(base, shards, members + ["shortest_vector", "shortest_coefficients"], modes=("cpu", "emulated"))
    compare({**base, "solutions": 0}, 3, members)
    compare({**base, "solutions": 100}, 5, members + ["vectors"])
    for suffix in (".npy", ".txt"):
        compare({**base, "solutions": 60, "output": {"path": "v" + suffix}}, 4, members, outputs=["v" + suffix])
    # All vectors come in the order in which they are found: the same rows, in another order.
    for suffix in (".npy", ".txt"):
        with Folder() as one, Folder() as many:
            config = {**base, "solutions": "all", "output": {"path": "v" + suffix}}
            one.write("config.json", config)
            single = one.json("run", "config.json")
            many.plan(config, 3)
            many.run_all(3)
            merged = many.json("merge", "plan.json")
            same(merged, single, *members)
            same(merged["output"], single["output"], "bytes", "rows")
            size = 8 if suffix == ".npy" else 0

            def rows(place):
                data = (place.path / ("v" + suffix)).read_bytes()
                if size == 0:
                    return sorted(data.splitlines())
                begin = 10 + int.from_bytes(data[8:10], "little")
                return data[:begin], sorted(data[i:i + size] for i in range(begin, len(data), size))
            assert rows(one) == rows(many)
            # Hashes that fit do not make it the file of a shard: a run that ended describes what it finds.
            part = many.path / ("plan-1" + suffix)
            whole = part.read_bytes()
            for other in ([whole.replace(b"|i1", b"|u1"), whole[:64] + whole[65:], whole[:9], whole + b"1"] if size else
                          [whole[:-1], whole + b"[1"]):
                (many.path / "plan-1.record.json").rename(many.path / "plan-1.ended.json")
                part.write_bytes(other)
                many.run("run", "plan.json", "--shard", 1, says="was searched by an earlier run")
                many.run("merge", "plan.json", code=BAD_INPUT, says="accepted: the vectors that the shard wrote")
    with Folder() as place:    # the basis may be a file, and must stay what it was
        place.write("basis.txt", LATTICE)
        place.plan({**base, "basis": "basis.txt"}, 2)
        place.run("run", "plan.json", "--shard", 0)
        place.write("basis.txt", LATTICE.replace("[2 -2", "[3 -2", 1))
        place.run("run", "plan.json", "--shard", 1, code=BAD_INPUT, says="another search than that of the plan")
        place.write("config.json", {**base, "fixed_radius": False})
        place.run("plan", "config.json", "--shards", 2, "--output", "p.json", code=BAD_INPUT,
                  says="fixed_radius: got a shrinking radius in a plan")
        place.write("config.json", {**base, "solutions": 5000})
        place.run("plan", "config.json", "--shards", 2, "--output", "p.json", code=BAD_INPUT, says="solutions: got 5000")


def stopped_and_killed():
    """A shard that is stopped at a step, or killed, goes on from its checkpoint with the same command."""
    members = ["count", "total", "nodes", "fingerprint"]
    config = {"workload": "three_in_line", "size": 11}
    with Folder() as place:
        place.write("config.json", config)
        single = place.json("run", "config.json")
        place.plan(config, 2)
        place.run("run", "plan.json", "--shard", 0, "--threads", 1, "--step-limit", 50_000, code=STOPPED)
        status = place.json("status", "plan.json")
        assert (status["interrupted"], status["missing"], status["done"]) == (1, 1, 0), status
        place.run("merge", "plan.json", code=BAD_INPUT, says="missing: shards 0, 1 of 2")
        place.run("run", "plan.json", "--shard", 0, "--threads", 1, "--step-limit", 50_000, code=STOPPED)
        record = place.json("run", "plan.json", "--shard", 0)
        assert record["resumed"]["steps_before"] >= 100_000, record["resumed"]
        # Killed: the emulator's slowdown keeps it from ending before its checkpoint is seen.
        place.write("config.json", {**config, "engine": {"mode": "emulated", "emulated": {
            "slowdown_ms": 200, "cpu_workers": False, "lanes": 64}, "checkpoint_interval_seconds": 0.05}})
        running = subprocess.Popen(
            [COMMAND, "run", "plan.json", "--shard", "1", "--progress", "none", "--mode", "emulated",
             "--checkpoint-interval", "0.05", "--set", "engine.emulated.slowdown_ms=200",
             "--set", "engine.emulated.lanes=64", "--set", "engine.emulated.cpu_workers=false"],
            cwd=place.path, env=CLEAN, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not (place.path / "plan-1.checkpoint").exists():
            assert running.poll() is None, "it ended before its first checkpoint"
            time.sleep(0.01)
        status = place.json("status", "plan.json")
        assert status["running"] == 1, status
        place.run("run", "plan.json", "--shard", 1, code=BAD_INPUT, says=f"--shard: got 1, which process {running.pid} on")
        place.run("run", "plan.json", "--shard", "any", code=NOTHING_LEFT, says="every shard of plan.json is done or running")
        assert place.json("run", "plan.json", "--shard", "all", code=NOTHING_LEFT) == {
            "status": "others", "ran": [], "done": 1, "shards": 2}
        running.send_signal(signal.SIGKILL)
        running.wait()
        status = place.json("status", "plan.json")
        assert (status["interrupted"], status["running"]) == (1, 0), status
        assert "which is gone" in status["not_done"][0]["why"], status
        place.run("run", "plan.json", "--shard", "any", says="is taken over from process")
        same(place.json("merge", "plan.json"), single, *members)


def ended_without_a_record():
    """A run that was killed between its search and its record is not repeated."""
    with Folder() as place:
        config = {"workload": "factorizations", "generators": [13, 37, 38], "element": 3000, "sink": "rows",
                  "output": {"path": "rows.npy"}}
        place.plan(config, 2)
        record, ended, output = (place.path / f"plan-0.{name}" for name in ("record.json", "ended.json", "npy"))

        def lose_record():
            place.run("run", "plan.json", "--shard", 0, "--mode", "cpu")
            assert "plan-0.ended.json" not in place.names()
            whole = record.read_bytes()
            record.rename(ended)    # the last that happens before a shard is done
            assert place.json("status", "plan.json")["interrupted"] == 1
            place.run("merge", "plan.json", code=BAD_INPUT, says="missing: shards")
            place.run("plan", "config.json", "--shards", 2, "--output", "plan.json", code=BAD_INPUT,
                      says="an earlier plan has left plan-0.ended.json")
            return whole

        for how in (["--shard", 0], ["--shard", "any"], ["--shard", "all"]):
            whole = lose_record()
            place.run("run", "plan.json", *how, "--mode", "emulated", says="shard 0 was searched by an earlier run")
            assert record.read_bytes() == whole and not ended.exists()
        # What cannot be used is replaced by a new run.
        other = whole.replace(b'"shard": 0', b'"shard": 1')
        for spoil in (output.unlink, lambda: ended.write_bytes(whole[:-9]), lambda: ended.write_bytes(other)):
            lose_record()
            spoil()
            assert place.json("run", "plan.json", "--shard", 0, "--mode", "emulated")["mode"] == "emulated"
            assert record.exists() and not ended.exists() and output.exists()
        place.run("merge", "plan.json")


def claims():
    with Folder() as place:
        place.plan({"workload": "three_in_line", "size": 8}, 3)
        for shard in range(3):
            place.run("run", "plan.json", "--shard", "any", says=f"shard {shard} of 3")
        place.run("run", "plan.json", "--shard", "any", code=NOTHING_LEFT, says="every shard of plan.json is done or running")
        place.run("run", "plan.json", "--shard", 1, says="shard 1 is done: plan-1.record.json")
    with Folder() as place:    # all that are free, in one process
        config = {"workload": "three_in_line", "size": 9, "output": {"path": "solutions.rle"}}
        place.plan(config, 5)
        place.run("run", "plan.json", "--shard", 2)
        first = place.json("run", "plan.json", "--shard", "all", "--step-limit", 1, "--cpu-budget", 1, code=STOPPED)
        assert (first["status"], first["ran"], first["done"]) == ("stopped", [], 1), first
        rest = place.json("run", "plan.json", "--shard", "all")
        assert rest == {"status": "done", "ran": [0, 1, 3, 4], "done": 5, "shards": 5}, rest
        assert json.loads((place.path / "plan-0.record.json").read_text())["record"]["resumed"]["steps_before"] >= 1
        place.run("run", "plan.json", "--shard", "all", says="done              5 of 5")
        merged = place.json("merge", "plan.json")
        place.write("config.json", config)
        same(merged, place.json("run", "config.json"), "count", "nodes", "fingerprint")
        (place.path / "plan-1.record.json").write_text("{}")
        place.run("run", "plan.json", "--shard", "all", code=BAD_INPUT, says="the records of shards 1 cannot be used")
    with Folder() as place:    # the environment of job systems
        place.plan({"workload": "three_in_line", "size": 8}, 3)
        for shard, variable in enumerate(("SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "OMPI_COMM_WORLD_RANK")):
            place.run("run", "plan.json", environment={variable: str(shard)})
            assert f"plan-{shard}.record.json" in place.names()
        place.run("run", "plan.json", environment={"PBS_ARRAY_INDEX": "3"}, code=BAD_INPUT,
                  says="PBS_ARRAY_INDEX: got \"3\"; accepted: 0 to 2")
        place.run("run", "plan.json", code=BAD_INPUT, says="--shard: got nothing; accepted: 0 to 2, any, or all; without it "
                                                           "SLURM_ARRAY_TASK_ID, PBS_ARRAY_INDEX or OMPI_COMM_WORLD_RANK")
    with Folder() as place:    # four at a time get every shard once
        place.plan({"workload": "three_in_line", "size": 9}, 12)
        said = [place.path / f"said-{worker}" for worker in range(4)]
        script = (f'while "{COMMAND}" run plan.json --shard any --progress none; do :; done; '
                  f'"{COMMAND}" run plan.json --shard any --progress none')
        workers = []
        try:
            for path in said:
                with open(path, "w") as output:
                    workers.append(subprocess.Popen(["bash", "-c", script], cwd=place.path, env=CLEAN, stdout=output,
                                                    stderr=output, start_new_session=True))
            for worker, path in zip(workers, said):
                assert worker.wait(600) == NOTHING_LEFT, path.read_text()
        finally:
            for worker in workers:
                if worker.poll() is None:
                    os.killpg(worker.pid, signal.SIGKILL)    # bash and the run that it waits for
                    worker.wait()
        text = "".join(path.read_text() for path in said)
        ran = sorted(int(shard) for shard in re.findall(r"info: shard (\d+) of 12$", text, re.M))
        assert ran == list(range(12)), f"{ran}\n{text}"
        status = place.json("status", "plan.json")
        assert status["done"] == 12, status
        place.run("merge", "plan.json")


def bad_input():
    three = {"workload": "three_in_line", "size": 8}
    factor = {"workload": "factorizations", "generators": [13, 37, 38], "element": 1000}
    with Folder() as place:
        def refused(config, says, shards=2, output="plan.json", *words):
            place.write("config.json", config)
            place.run("plan", "config.json", "--shards", shards, "--output", output, *words, code=BAD_INPUT, says=says)
            assert place.names() <= {"config.json"}, place.names()
        refused({"workload": "semigroup", "named": "full:3"}, 'workload: got "semigroup" in a plan')
        refused({"workload": "semigroup", "named": "full:3"}, "each round needs all elements of the rounds before it")
        refused(three, "--shards: got 0", 0)
        refused(three, '--shards: got "x"', "x")
        refused(three, "--shards: got 100001", 100_001)
        refused(three, '--output: got "plan.txt"', 2, "plan.txt")
        refused(three, "size: got", 2, "plan.json", "--set", "size=99")
        refused({**three, "first": 1}, "first: got 1 in a plan")
        refused({**three, "shards": 2, "shard": 0}, "shards: got 2 in a plan")
        refused({**three, "checkpoint": "c"}, "checkpoint: got")
        refused({**three, "resume": "auto"}, "resume: got")
        refused({**factor, "sink": "first:3"}, 'sink: got "first:3" in a plan')
        refused({**factor, "sink": "any:a1 = 1"}, "sink: got")
        refused({**factor, "sample": 3}, "sample: got 3 in a plan")
        refused({**factor, "sink": "rows"}, "output.path: got nothing with sink rows in a plan")
        refused({**factor, "sink": "rows", "output": {"path": "-"}}, 'output.path: got "-" in a plan')
        refused({**factor, "sink": "rows", "output": {"path": "r.npy.zst"}}, "output.shard_rows: got nothing with r.npy.zst")
        refused({**factor, "algorithm": "dynamic"}, "rank_range: got")
        refused({**factor, "rank_range": "0:99999999"}, "rank_range: got")
        refused({**factor, "element": 100}, "there are no more factorizations", 50)
        refused({"workload": "three_in_line", "parameters": {"size": [3]}}, "a sweep")
        place.run("plan", "none.json", "--shards", 2, "--output", "plan.json", code=BAD_INPUT, says="none.json")
        place.run("plan", "config.json", "--output", "plan.json", code=BAD_INPUT, says="--shards")
    with Folder() as place:
        place.plan(three, 4)
        place.run("plan", "plan.json", "--shards", 2, "--output", "p.json", code=BAD_INPUT, says="plan.json: got a plan")
        for shard in ("4", "-1", "x", "1.5", "99999999999999999999"):
            place.run("run", "plan.json", "--shard", shard, code=BAD_INPUT, says="accepted: 0 to 3, any, or all")
        place.run("run", "config.json", "--shard", 1, code=BAD_INPUT, says='--shard: got "1" without a plan')
        place.run("run", "config.json", "--lease-limit", 9, code=BAD_INPUT, says="without a plan")
        place.run("run", "plan.json", "--shard", 1, "--lease-limit", 0, code=BAD_INPUT, says="--lease-limit: got")
        place.run("run", "plan.json", "--shard", 1, "--set", "size=9", code=BAD_INPUT, says="size: got 9")
        place.run("run", "plan.json", "--shard", 1, "--output", "x.rle", code=BAD_INPUT, says="what it searches and writes")
        assert place.names() == {"config.json", "plan.json"}, place.names()
        text = (place.path / "plan.json").read_text()
        place.write("plan.json", text.replace('"size": 8', '"size": 7'))
        for words in (["run", "plan.json", "--shard", 1], ["status", "plan.json"], ["merge", "plan.json"],
                      ["slurm", "plan.json", "--time", 9]):
            place.run(*words, code=BAD_INPUT, says="plan.json: got no plan: ")
        place.write("plan.json", text)
        place.run("slurm", "plan.json", "--time", "soon", code=BAD_INPUT, says='--time: got "soon"')
        place.run("slurm", "plan.json", "--time", "1", "--signal-seconds", 31, code=BAD_INPUT,
                  says="--signal-seconds: got 31 with a time limit of 60 s; accepted: 1 to 30, half of the time limit")
        place.run("slurm", "plan.json", "--time", "1", "--signal-seconds", 30)
        place.run("slurm", "plan.json", "--time", "9", "--partition", "a b", code=BAD_INPUT, says='--partition: got "a b"')


def refused_merges():
    three = {"workload": "three_in_line", "size": 8, "output": {"path": "solutions.txt"}}
    with Folder() as place, Folder() as other:
        place.plan(three, 4)
        place.run_all(4)
        other.plan({**three, "size": 9}, 4)
        other.run_all(4)

        def refused(*says, words=()):
            for text in says:
                place.run("merge", "plan.json", *words, code=BAD_INPUT, says=text)
            assert not {"solutions.txt", "plan.record.json"} & place.names(), place.names()
        record = place.path / "plan-2.record.json"
        whole = record.read_bytes()
        record.unlink()
        refused("missing: shards 2 of 4")
        shutil.copy(place.path / "plan-1.record.json", record)
        refused("plan-2.record.json: shard 1 a second time, after plan-1.record.json")
        shutil.copy(other.path / "plan-2.record.json", record)
        refused("plan-2.record.json: foreign: it is of another plan")
        record.write_bytes(whole.replace(b'"nodes"', b'"nodez"', 1))
        refused("plan-2.record.json: damaged")
        place.run("run", "plan.json", "--shard", 2, code=BAD_INPUT, says="plan-2.record.json: got a record that cannot be used")
        record.write_bytes(whole[:100])
        refused("plan-2.record.json: damaged")
        record.write_bytes(whole)
        found = place.path / "plan-3.found.json"
        content = found.read_bytes()
        found.write_bytes(content.replace(b'"boards": ', b'"boards": 1', 1))
        refused("plan-3.found.json: damaged")
        found.unlink()
        refused("plan-3.found.json: missing")
        found.write_bytes(content)
        refused("shard 0 a second time", words=[f"plan-{i}.record.json" for i in (0, 1, 2, 3, 0)])
        refused("missing: shards 3 of 4", words=[f"plan-{i}.record.json" for i in (2, 1, 0)])
        place.run("merge", "plan.json", *[f"plan-{i}.record.json" for i in (2, 1, 0, 3)])
        assert {"solutions.txt", "plan.record.json"} <= place.names()
    rows = {"workload": "factorizations", "generators": [6, 9, 20], "element": 3000, "sink": "rows",
            "output": {"path": "rows.npy", "shard_rows": 100}}
    with Folder() as place:
        place.plan(rows, 3)
        place.run_all(3)
        part = place.path / "plan-1-00000.npy"
        content = part.read_bytes()
        part.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        place.run("merge", "plan.json", code=BAD_INPUT, says="plan-1.manifest.json: got")
        assert not any(name.startswith("rows") for name in place.names()), place.names()
        part.write_bytes(content)
        place.run("merge", "plan.json", "--output", "t.npy.zst", code=BAD_INPUT,
                  says="output.path: got t.npy.zst; accepted: a file name that ends in .npy, as those of the shards do")
        place.run("merge", "plan.json")
        place.run("verify", "rows.manifest.json")
    with Folder() as place:    # it is over before it is cut; and a plan that another program has cut in another way
        (place.path / "few.json").write_text(json.dumps({"workload": "integer_points", "matrix": [[3, 5, 7, 9]], "right_side": 300,
                                                         "output": {"path": "points.npy"}}))
        place.run("plan", "few.json", "--shards", 2, "--output", "plan.json", says="nothing to deal: the search is over before it can be cut")
    del rows["output"]["shard_rows"]
    with Folder() as place:
        place.plan(rows, 2)
        place.run_all(2)
        place.run("merge", "plan.json", "--output", "t.csv", code=BAD_INPUT,
                  says="output.path: got t.csv; accepted: a file name that ends in .npy, as those of the shards do")
        assert not any(name.startswith("t.") for name in place.names()), place.names()


def names_and_damage():
    """Nothing replaces the files of a plan, nothing takes over those of an earlier one, and damage is said."""
    three = {"workload": "three_in_line", "size": 8, "output": {"path": "solutions.rle"}}
    with Folder() as place:
        place.write("config.json", three)
        place.run("plan", "config.json", "--shards", 2, "--output", "plan-1.json", code=BAD_INPUT,
                  says='--output: got "plan-1.json"; accepted: a name that does not end in - and a number')
        for name in ("plan.json", "plan.record.json", "plan-0.found.json", "plan-7.txt"):
            for change in ({"output": {"path": name}}, {"record": name}):
                place.write("config.json", {**three, **change})
                place.run("plan", "config.json", "--shards", 2, "--output", "plan.json", code=BAD_INPUT,
                          says="a name that files of the plan do not have")
        place.plan(three, 3)
        place.run("run", "plan.json", "--shard", 0, "--step-limit", 1, "--cpu-budget", 1, code=STOPPED)
        for leftover in ("plan-0.checkpoint", "plan-0.record.json"):
            assert leftover in place.names(), place.names()
            place.run("plan", "config.json", "--shards", 3, "--output", "plan.json", code=BAD_INPUT,
                      says=f"an earlier plan has left {leftover}")
            place.run("run", "plan.json", "--shard", 0)
        record = place.json("run", "plan.json", "--shard", 0)
        assert record["status"] == "done", record
        found = place.path / "plan-0.found.json"
        whole = found.read_bytes()
        found.write_bytes(whole.replace(b'"boards": ', b'"boardz": ', 1))
        place.run("run", "plan.json", "--shard", 0, code=BAD_INPUT, says="its hash is not that of its record")
        place.run("run", "plan.json", environment={"PBS_ARRAY_INDEX": "1"}, says="shard 1, as PBS_ARRAY_INDEX says")
        place.run("run", "plan.json", "--shard", "any", says="shard 2 of 3")
        for name in ("plan.json", "plan-1.record.json"):
            place.run("merge", "plan.json", "--record", name, code=BAD_INPUT, says="--record: got")
            place.run("merge", "plan.json", "--output", name, code=BAD_INPUT, says="output.path: got")
        found.write_bytes(whole[:9])
        place.run("run", "plan.json", "--shard", "any", code=BAD_INPUT, says="the records of shards 0 cannot be used")
        found.write_bytes(whole)
        assert place.json("run", "plan.json", "--shard", "any", code=NOTHING_LEFT) == {"status": "none"}
        place.run("merge", "plan.json")


def main():
    tests = [factorizations, three_in_line, lattice, stopped_and_killed, ended_without_a_record, claims, bad_input, refused_merges, names_and_damage]
    chosen = [test for test in tests if len(sys.argv) < 2 or test.__name__ in sys.argv[1:]]
    failed = 0
    for test in chosen:
        begin = time.monotonic()
        try:
            test()
            print(f"passed {test.__name__} ({time.monotonic() - begin:.1f} s)", flush=True)
        except Exception as error:   # a missing member is a failure as well
            failed += 1
            lines = [str(frame.lineno) for frame in traceback.extract_tb(error.__traceback__)[1:-1]]
            print(f"FAILED {test.__name__}, lines {', '.join(lines)}: {error}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
