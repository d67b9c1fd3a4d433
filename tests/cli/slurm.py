#!/usr/bin/env python3
"""A plan as an array on a real Slurm of one node: a job that reaches its time limit, one that is requeued or cancelled, the merge.

Slurm runs under a folder of its own, without systemd, on the loopback interface only. Skipped (exit code 77) where its daemons
are not installed (Debian: slurmctld slurmd slurm-client munge) or do not start, or this is not root. Run by CTest with
SLICEPOOL_COMMAND, label slurm. srun also starts ranks: of Open MPI where the program has a module for it and Slurm finds a PMIx
(Debian: libpmix-dev), of MPICH where SLICEPOOL_OTHER_MPI names one, whose module is in SLICEPOOL_MPI_MODULE.
One file: all cases share one Slurm.
"""
import json
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback

COMMAND = os.environ["SLICEPOOL_COMMAND"]
NEEDED = ["slurmctld", "slurmd", "sbatch", "sinfo", "squeue", "scontrol", "munged", "setpriv"]
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
MOST_TASKS = 5                  # of an array: more shards need several
START_SECONDS = 30              # a node that is not idle by then: Slurm cannot run here
END = time.monotonic() + 600    # of all tests: CTest kills this program after 900 s


def why_not():
    missing = [name for name in NEEDED if shutil.which(name, path=PATH) is None]
    if missing:
        return f"no {', '.join(missing)}: apt-get install slurmctld slurmd slurm-client munge"
    if os.geteuid() != 0:
        return "not root: slurmd starts jobs as their users"
    try:
        pwd.getpwnam("munge")
    except KeyError:
        return "no user munge"
    return None


def clean_environment():
    """Nothing of a Slurm or another job system around this test."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith(("SLURM_", "SBATCH_", "SCANCEL_", "SQUEUE_", "SINFO_", "PBS_", "OMPI_"))}


def free_ports(number):
    sockets = [socket.socket() for _ in range(number)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def left(most=None):
    """Seconds until everything must have ended, or `most` if that is less."""
    seconds = max(END - time.monotonic(), 1)
    return seconds if most is None else min(most, seconds)


def wait_until(what, seen, most=None):
    begin = time.monotonic()
    end = begin + left(most)
    while not seen():
        if time.monotonic() > end:
            raise AssertionError(f"waited {time.monotonic() - begin:.0f} s for {what}")
        time.sleep(0.2)


class CannotStart(Exception):
    """The daemons are there, but do not run on this machine."""


class Slurm:
    """munged, slurmctld and slurmd under one folder: child processes in the foreground, which end with this one."""

    def __init__(self, folder):
        self.folder = folder
        self.daemons = []
        self.old = set()    # jobs of earlier tests
        self.waiting = {}   # requeued jobs, by when they were first seen
        self.environment = {**clean_environment(), "PATH": PATH, "SLURM_CONF": str(folder / "slurm.conf")}
        folder.chmod(0o755)
        for name in ("state", "spool", "log", "munge"):
            (folder / name).mkdir(mode=0o755)

    def run(self, *words, cwd=None, check=True, environment=None):
        result = subprocess.run(list(map(str, words)), cwd=cwd, env=environment or self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=left(60))
        if check and result.returncode != 0:
            raise AssertionError(f"{' '.join(map(str, words))}: exit code {result.returncode}\n{result.stdout}")
        return result.stdout

    def configure(self):
        host = socket.gethostname().split(".")[0]
        folder = self.folder
        controller, daemon = free_ports(2)
        settings = {
            "ClusterName": "test", "SlurmctldHost": f"{host}(127.0.0.1)", "SlurmUser": "root", "SlurmdUser": "root",
            "AuthType": "auth/munge", "AuthInfo": f"socket={folder}/munge/socket",
            "CommunicationParameters": "NoInAddrAny,NoCtldInAddrAny", "SlurmctldPort": controller, "SlurmdPort": daemon,
            "StateSaveLocation": f"{folder}/state", "SlurmdSpoolDir": f"{folder}/spool",
            "SlurmctldPidFile": f"{folder}/slurmctld.pid", "SlurmdPidFile": f"{folder}/slurmd.pid",
            "SlurmctldLogFile": f"{folder}/log/slurmctld.log", "SlurmdLogFile": f"{folder}/log/slurmd.log",
            "ProctrackType": "proctrack/linuxproc", "TaskPlugin": "task/none",
            "JobAcctGatherType": "jobacct_gather/none", "SelectType": "select/cons_tres",
            "SelectTypeParameters": "CR_Core", "MpiDefault": "none", "ReturnToService": 2, "KillWait": 5,
            "MaxArraySize": MOST_TASKS}
        lines = [f"{name}={value}" for name, value in settings.items()]
        lines += [f"NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} RealMemory=1000 State=UNKNOWN",
                  "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP"]
        (folder / "slurm.conf").write_text("\n".join(lines) + "\n")
        # The detection of control groups fails without systemd.
        (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")
        return host

    def daemon(self, *words):
        name = next(word for word in words if word in NEEDED)
        with open(self.folder / "log" / (name + ".output"), "a") as output:
            process = subprocess.Popen(["setpriv", "--pdeathsig=TERM", *map(str, words)], env=self.environment,
                                       stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        self.daemons.append(process)
        return process

    def start(self):
        munge = self.folder / "munge"
        shutil.chown(munge, "munge", "munge")
        key = munge / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        shutil.chown(key, "munge", "munge")
        self.daemon("--reuid=munge", "--regid=munge", "--clear-groups", "munged", "--foreground", f"--key-file={key}",
                    *[f"--{name}={munge}/{file}" for name, file in (("socket", "socket"), ("pid-file", "pid"),
                                                                    ("log-file", "log"), ("seed-file", "seed"))])
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:    # once more when another program has taken a port meanwhile
            host = self.configure()
            both = [self.daemon("slurmctld", "-D"), self.daemon("slurmd", "-D", "-N", host)]
            while time.monotonic() < end and all(one.poll() is None for one in both):
                if "idle" in self.run("sinfo", "-h", "-o", "%T", check=False):
                    return
                time.sleep(0.2)
            self.end_daemons(both)
        logs = [path for path in sorted((self.folder / "log").iterdir())] + [munge / "log"]
        raise CannotStart("\n".join(f"{path.name}: {line}" for path in logs if path.exists()
                                    for line in path.read_text(errors="replace").splitlines()[-5:]))

    def end_daemons(self, processes):
        for process in processes:
            process.terminate()    # nothing, when it has ended
        for process in processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def end_jobs(self):
        """Cancels all jobs and waits until the last process of theirs is gone."""
        self.run("scancel", "-u", "root", check=False)
        wait_until("the end of cancelled jobs", lambda: not self.run("squeue", "-h", check=False).strip(), 30)

    def stop(self):
        try:
            if len(self.daemons) > 2 and self.daemons[1].poll() is None:
                self.end_jobs()
        except Exception as error:
            print(f"jobs may be left: {error}", flush=True)
        self.end_daemons(self.daemons[::-1])

    def jobs(self):
        """States of the jobs of this test, by job and task."""
        out = self.run("squeue", "-h", "-r", "-t", "all", "-o", "%F_%K|%A|%T|%r")
        lines = [line.split("|") for line in out.splitlines()]
        return {fields[0]: fields[1:] for fields in lines if len(fields) == 4 and fields[0] not in self.old}

    def end_test(self):
        self.end_jobs()
        self.old |= set(self.jobs())

    def hurry(self):
        """A requeued job waits for two minutes unless told to start. One that starts in the second of its requeue is revoked."""
        for job, state, reason in list(self.jobs().values()):
            if state != "PENDING" or reason != "BeginTime":
                self.waiting.pop(job, None)
            elif time.monotonic() - self.waiting.setdefault(job, time.monotonic()) > 3:
                self.run("scontrol", "update", f"jobid={job}", "StartTime=now", check=False)


def slicepool(folder, *words):
    result = subprocess.run([COMMAND, *map(str, words)], cwd=folder, env=clean_environment(), stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, timeout=left())
    if result.returncode != 0:
        raise AssertionError(f"slicepool {' '.join(map(str, words))}: {result.returncode}\n{result.stderr}")
    return result.stdout


SLOW = ("--mode emulated --set engine.emulated.slowdown_ms={} --set engine.emulated.lanes=16 "
        "--set engine.emulated.cpu_workers=false")


def slow_at_first(milliseconds):
    """Changes a script: the emulator keeps a shard busy for long until its task was requeued once."""
    line = '"$program" run "$plan" --shard "$shard" --threads 1 --progress plain &'

    def change(script):
        assert line in script, script
        return script.replace(line, f'[ -n "${{SLURM_RESTART_COUNT:-}}" ] || slow="{SLOW.format(milliseconds)}"\n' +
                              line.replace(" --progress", " ${slow:-} --progress"))
    return change


def submit(slurm, folder, config, shards, change=lambda script: script, time_limit="10", signal_seconds=120):
    (folder / "config.json").write_text(json.dumps(config))
    slicepool(folder, "plan", "config.json", "--shards", shards, "--output", "plan.json")
    script = slicepool(folder, "slurm", "plan.json", "--time", time_limit, "--program", COMMAND, "--cpus", 1,
                       "--signal-seconds", signal_seconds)
    (folder / "plan.sbatch").write_text(change(script))
    slurm.run("bash", "plan.sbatch", cwd=folder)


def array(slurm, folder, config, shards, during=None, **how):
    """Plans, submits and waits for the merge; the record of the whole and that of one run."""
    (folder / "config.json").write_text(json.dumps(config))
    single = json.loads(slicepool(folder, "run", "config.json", "--json", "--progress", "none"))
    for path in folder.glob("rows*"):
        path.rename(folder / ("single-" + path.name))
    submit(slurm, folder, config, shards, **how)
    merged = folder / "plan.record.json"

    def ended():
        slurm.hurry()
        if during is not None:
            during()
        states = slurm.jobs()
        stuck = [job for job, fields in states.items() if fields[1] in ("FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL")]
        if stuck:
            logs = "\n".join(f"{path.name}:\n{path.read_text()}" for path in sorted(folder.glob("*.log")))
            raise AssertionError(f"{stuck} did not end well: {states}\n{logs}")
        return merged.exists() and all(fields[1] == "COMPLETED" for fields in states.values())
    wait_until("the merge", ended)
    return json.loads(merged.read_text()), single


def same(merged, single, *members):
    for member in members:
        assert merged[member] == single[member], f"{member}: merged {merged[member]}, a single run {single[member]}"


def test_array(slurm, folder):
    merged, single = array(slurm, folder, {"workload": "three_in_line", "size": 11}, 8)
    same(merged, single, "count", "total", "nodes", "fingerprint")
    assert (merged["count"], merged["total"], merged["nodes"]) == (158, 1120, 823_319), merged
    # Two arrays.
    assert (folder / "plan-4.log").exists() and (folder / f"plan-{MOST_TASKS}+2.log").exists(), list(folder.glob("*.log"))


def test_rows(slurm, folder):
    config = {"workload": "factorizations", "generators": [13, 37, 38, 40], "element": 5000, "sink": "rows",
              "fingerprint": True, "output": {"path": "rows.npy", "shard_rows": 5000}}
    merged, single = array(slurm, folder, config, 3)
    same(merged, single, "count", "fingerprint")
    files = sorted(folder.glob("single-rows*"))
    assert len(files) > 3
    for path in files:
        assert path.read_bytes() == (folder / path.name.removeprefix("single-")).read_bytes(), path.name


def test_time_limit(slurm, folder):
    """Slurm's signal stops a shard that would take hours. Its log says so; the task is requeued and goes on."""
    # Limits are whole minutes, and Slurm may send the signal up to a minute early.
    merged, single = array(slurm, folder, {"workload": "three_in_line", "size": 11}, 2, change=slow_at_first(1000),
                           time_limit="1", signal_seconds=30)
    same(merged, single, "count", "total", "nodes", "fingerprint")
    for shard in range(2):
        record = json.loads((folder / f"plan-{shard}.record.json").read_text())["record"]
        assert "resumed" in record, f"shard {shard} was not resumed"
        assert "stopped by a signal" in (folder / f"plan-{shard}.log").read_text()


def test_requeue(slurm, folder):
    """A running task that an administrator requeues goes on from its checkpoint."""
    asked = set()

    def requeue():
        for job, fields in slurm.jobs().items():
            if fields[1] == "RUNNING" and job not in asked and list(folder.glob("plan-*.checkpoint")):
                asked.add(job)
                slurm.run("scontrol", "requeue", fields[0], check=False)
    config = {"workload": "three_in_line", "size": 11, "engine": {"checkpoint_interval_seconds": 0.2}}
    merged, single = array(slurm, folder, config, 1, during=requeue, change=slow_at_first(500))
    same(merged, single, "count", "total", "nodes", "fingerprint")
    assert asked, "nothing was requeued"
    assert "resumed" in json.loads((folder / "plan-0.record.json").read_text())["record"]


def test_cancel(slurm, folder):
    """A cancelled task is not requeued, though it saves its checkpoint; the merge that waits for it goes too."""
    submit(slurm, folder, {"workload": "three_in_line", "size": 11}, 2, change=slow_at_first(1000))
    wait_until("two running tasks", lambda: len(list(folder.glob("plan-*.lease"))) == 2)
    slurm.run("scancel", "--name=plan")
    wait_until("the end of all", lambda: not slurm.run("squeue", "-h").strip())
    states = [fields[1] for fields in slurm.jobs().values()]
    assert states == ["CANCELLED"] * 3, slurm.jobs()
    for shard in range(2):
        assert "stopped by a signal" in (folder / f"plan-{shard}.log").read_text()


def only_record(output):
    """Of a step of ranks; processes on their own would print one each. srun may say that it waits, in lines of its own."""
    records = [line for line in output.splitlines() if line.startswith("{")]
    assert len(records) == 1, f"{len(records)} records\n{output}"
    return json.loads(records[0])


def pid_of_rank(rank):
    """Of a rank that srun has started."""
    for entry in pathlib.Path("/proc").iterdir():
        try:
            variables = (entry / "environ").read_text().split("\0") if entry.name.isdigit() else []
            if f"SLURM_PROCID={rank}" in variables and os.readlink(entry / "exe") == os.path.realpath(COMMAND):
                return int(entry.name)
        except (OSError, UnicodeDecodeError):
            continue
    raise AssertionError(f"rank {rank} does not run")


def ranks(slurm, folder, interface, environment):
    """srun in the place of mpirun. A rank that is killed ends the step, which goes on from its checkpoint."""
    start = ["srun", "-n", "3", "--overcommit", "--kill-on-bad-exit=1"]
    words = ["three-in-line", "-n", "11", "--json", "--progress", "none"]
    single = json.loads(slicepool(folder, *words))
    checkpoint = folder / f"{interface}.checkpoint"
    job = [*start, f"--mpi={interface}", COMMAND, *words, "--cluster", "mpi", "--checkpoint", checkpoint, "--resume", "auto",
           "--checkpoint-interval", "0.1"]
    slow = ["--mode", "emulated", "--emulated-alone", "--emulated-lanes", "64", "--gpu-budget", "20", "--emulated-slowdown", "20",
            "--threads", "1"]
    running = subprocess.Popen(list(map(str, [*job, *slow])), cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    seen = set()

    def saved_again():    # the first checkpoints may come before the first commit
        if checkpoint.exists():
            seen.add(checkpoint.stat().st_mtime_ns)
        return len(seen) > 5 or running.poll() is not None
    try:
        wait_until("checkpoints", saved_again)
        os.kill(pid_of_rank(2), signal.SIGKILL)
        output = running.communicate(timeout=left(60))[0]
    finally:
        if running.poll() is None:
            running.kill()
    assert running.returncode != 0 and '"nodes"' not in output, f"exit code {running.returncode}\n{output}"
    record = only_record(slurm.run(*job, "--mode", "cpu", "--threads", "1", cwd=folder, environment=environment))
    same(record, single, "count", "total", "nodes", "fingerprint")
    assert record["resumed"]["steps_before"] > 0, record["resumed"]
    refused = slurm.run(*start, "--mpi=none", COMMAND, *words, "--cluster", "mpi", cwd=folder, check=False, environment=environment)
    assert "3 ranks were started (SLURM_STEP_NUM_TASKS)" in refused and "exit code 2" in refused, refused


def test_ranks_of_open_mpi(slurm, folder):
    environment = {name: value for name, value in slurm.environment.items() if name != "SLICEPOOL_MPI_MODULE"}
    if "Open MPI" not in subprocess.run([os.environ.get("SLICEPOOL_MPIEXEC") or "false", "--version"], capture_output=True,
                                        text=True).stdout:
        return print("skipped: the program has no module for Open MPI")
    said = slurm.run("srun", "--mpi=pmix", "true", check=False)
    if "can not load PMIx library" in said or "Invalid MPI type" in said:
        return print("skipped: Slurm finds no PMIx, install libpmix-dev")
    ranks(slurm, folder, "pmix", environment)


def test_ranks_of_mpich(slurm, folder):
    """Two ranks, none of which is killed: MPI_Init of MPICH 5.0 stood still in some starts of three ranks on two cores."""
    if not os.environ.get("SLICEPOOL_OTHER_MPI"):
        return print("skipped: no MPICH")
    words = ["three-in-line", "-n", "10", "--mode", "cpu", "--threads", "1", "--json", "--progress", "none"]
    single = json.loads(slicepool(folder, *words))
    start = ["srun", "-n", "2", "--overcommit"]
    record = only_record(slurm.run(*start, "--mpi=pmi2", COMMAND, *words, "--cluster", "mpi", cwd=folder))
    same(record, single, "count", "total", "nodes", "fingerprint")
    refused = slurm.run(*start, "--mpi=none", COMMAND, *words, "--cluster", "mpi", cwd=folder, check=False)
    assert "2 ranks were started (SLURM_STEP_NUM_TASKS)" in refused and "exit code 2" in refused, refused


def stop_signal(number, _):
    raise SystemExit(128 + number)    # main() stops the daemons


def main():
    reason = why_not()
    if reason is not None:
        print(f"[skipped] no Slurm: {reason}")
        return 77
    signal.signal(signal.SIGTERM, stop_signal)
    root = pathlib.Path(tempfile.mkdtemp(prefix="slicepool-slurm-"))
    root.chmod(0o755)
    (root / "slurm").mkdir()
    slurm = Slurm(root / "slurm")
    failed = 0
    try:
        slurm.start()
        for test in (test_array, test_rows, test_time_limit, test_requeue, test_cancel, test_ranks_of_open_mpi,
                     test_ranks_of_mpich):
            if len(sys.argv) > 1 and test.__name__ not in sys.argv[1:]:
                continue
            folder = root / test.__name__
            folder.mkdir()
            begin = time.monotonic()
            for step in (test, lambda slurm, _: slurm.end_test()):
                try:
                    step(slurm, folder)
                except Exception:
                    failed += 1
                    print(f"FAILED {test.__name__}:", flush=True)
                    traceback.print_exc(file=sys.stdout)
            print(f"ended {test.__name__} ({time.monotonic() - begin:.1f} s)", flush=True)
    except CannotStart as error:
        print(f"[skipped] no Slurm: its daemons do not run here\n{error}")
        return 77
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        slurm.stop()
        shutil.rmtree(root, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
