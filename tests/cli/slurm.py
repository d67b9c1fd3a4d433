#!/usr/bin/env python3
"""A plan as an array on a real Slurm of one node: a job that reaches its time limit, one that is requeued, the merge.

Slurm runs under a folder of its own, without systemd, on the loopback interface only. Skipped (exit code 77) where its daemons
are not installed (Debian: slurmctld slurmd slurm-client munge) or this is not root. Run by CTest with SLICEPOOL_COMMAND, label
slurm.
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

COMMAND = os.environ["SLICEPOOL_COMMAND"]
NEEDED = ["slurmctld", "slurmd", "sbatch", "sinfo", "squeue", "scontrol", "munged", "setpriv"]
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
HANG_SECONDS = 300    # tells a hang from a slow machine, nothing else


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


def free_ports(number):
    sockets = [socket.socket() for _ in range(number)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def wait_until(what, seen):
    end = time.monotonic() + HANG_SECONDS
    while not seen():
        if time.monotonic() > end:
            raise AssertionError(f"waited {HANG_SECONDS} s for {what}")
        time.sleep(0.2)


class Slurm:
    """munged, slurmctld and slurmd under one folder. Stopped by their pid files."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = {**os.environ, "PATH": PATH, "SLURM_CONF": str(folder / "slurm.conf")}
        for name in ("SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "OMPI_COMM_WORLD_RANK"):
            self.environment.pop(name, None)
        folder.chmod(0o755)
        for name in ("state", "spool", "log", "munge"):
            (folder / name).mkdir(mode=0o755)

    def run(self, *words, cwd=None, check=True):
        result = subprocess.run(list(map(str, words)), cwd=cwd, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
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
            "SelectTypeParameters": "CR_Core", "MpiDefault": "none", "ReturnToService": 2, "KillWait": 5}
        lines = [f"{name}={value}" for name, value in settings.items()]
        lines += [f"NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} RealMemory=1000 State=UNKNOWN",
                  "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP"]
        (folder / "slurm.conf").write_text("\n".join(lines) + "\n")
        # The detection of control groups fails without systemd.
        (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")
        return host

    def start(self):
        munge = self.folder / "munge"
        shutil.chown(munge, "munge", "munge")
        key = munge / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        shutil.chown(key, "munge", "munge")
        self.run("setpriv", "--reuid=munge", "--regid=munge", "--clear-groups", "munged", f"--key-file={key}",
                 *[f"--{name}={munge}/{file}" for name, file in (("socket", "socket"), ("pid-file", "pid"),
                                                                 ("log-file", "log"), ("seed-file", "seed"))])
        host = self.configure()
        self.run("slurmctld")
        self.run("slurmd", "-N", host)
        wait_until("an idle node", lambda: "idle" in self.run("sinfo", "-h", "-o", "%T", check=False))

    def stop(self):
        for name in ("slurmd.pid", "slurmctld.pid", "munge/pid"):
            try:
                process = int((self.folder / name).read_text())
                os.kill(process, signal.SIGTERM)
            except (OSError, ValueError):
                continue
            end = time.monotonic() + 20
            while time.monotonic() < end and pathlib.Path(f"/proc/{process}").exists():
                time.sleep(0.1)

    def jobs(self):
        """States of all jobs that are known, by job and task."""
        out = self.run("squeue", "-h", "-r", "-t", "all", "-o", "%F_%K|%A|%T|%r")
        return {fields[0]: fields[1:] for fields in (line.split("|") for line in out.splitlines())}

    def hurry(self):
        """A requeued job waits for two minutes, unless it is told to start."""
        for job, state, reason in list(self.jobs().values()):
            if state == "PENDING" and reason == "BeginTime":
                self.run("scontrol", "update", f"jobid={job}", "StartTime=now", check=False)


def slicepool(folder, *words):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}
    result = subprocess.run([COMMAND, *map(str, words)], cwd=folder, env=clean, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise AssertionError(f"slicepool {' '.join(map(str, words))}: {result.returncode}\n{result.stderr}")
    return result.stdout


def array(slurm, folder, config, shards, change=lambda script: script, time_limit="10", signal_seconds=120, during=None):
    """Plans, submits and waits for the merge; the record of the whole and that of one run."""
    (folder / "config.json").write_text(json.dumps(config))
    single = json.loads(slicepool(folder, "run", "config.json", "--json", "--progress", "none"))
    for path in folder.glob("rows*"):
        path.rename(folder / ("single-" + path.name))
    slicepool(folder, "plan", "config.json", "--shards", shards, "--output", "plan.json")
    script = slicepool(folder, "slurm", "plan.json", "--time", time_limit, "--program", COMMAND, "--cpus", 1,
                       "--signal-seconds", signal_seconds)
    (folder / "plan.sbatch").write_text(change(script))
    slurm.run("bash", "plan.sbatch", cwd=folder)
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
    # The emulator is slow until the first stop was seen; the second time the shard runs on a CPU worker.
    slow = ('  --mode emulated --set engine.emulated.slowdown_ms=1000 --set engine.emulated.lanes=16 '
            '--set engine.emulated.cpu_workers=false')

    def change(script):
        line = '"$program" run "$plan" --shard "$SLURM_ARRAY_TASK_ID" --threads 1 --progress plain &'
        assert line in script, script
        return script.replace(line, f'[ -n "${{SLURM_RESTART_COUNT:-}}" ] || slow="{slow}"\n' +
                              line.replace(" --progress", " ${slow:-} --progress"))
    # Limits are whole minutes, and Slurm may send the signal up to a minute early.
    merged, single = array(slurm, folder, {"workload": "three_in_line", "size": 11}, 2, change, "1", 50)
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

    def change(script):
        line = '"$program" run "$plan" --shard "$SLURM_ARRAY_TASK_ID" --threads 1 --progress plain &'
        return script.replace(line, '[ -n "${SLURM_RESTART_COUNT:-}" ] || slow="--mode emulated --set '
                              'engine.emulated.slowdown_ms=500 --set engine.emulated.lanes=16 --set '
                              'engine.emulated.cpu_workers=false"\n' + line.replace(" --progress", " ${slow:-} --progress"))
    merged, single = array(slurm, folder, config, 1, change, during=requeue)
    same(merged, single, "count", "total", "nodes", "fingerprint")
    assert asked, "nothing was requeued"
    assert "resumed" in json.loads((folder / "plan-0.record.json").read_text())["record"]


def main():
    reason = why_not()
    if reason is not None:
        print(f"[skipped] no Slurm: {reason}")
        return 77
    root = pathlib.Path(tempfile.mkdtemp(prefix="slicepool-slurm-"))
    root.chmod(0o755)
    (root / "slurm").mkdir()
    slurm = Slurm(root / "slurm")
    failed = 0
    try:
        slurm.start()
        for test in (test_array, test_rows, test_time_limit, test_requeue):
            if len(sys.argv) > 1 and test.__name__ not in sys.argv[1:]:
                continue
            folder = root / test.__name__
            folder.mkdir()
            begin = time.monotonic()
            try:
                test(slurm, folder)
                print(f"passed {test.__name__} ({time.monotonic() - begin:.1f} s)", flush=True)
            except AssertionError as error:
                failed += 1
                print(f"FAILED {test.__name__}: {error}", flush=True)
            slurm.run("scancel", "--state=PENDING,RUNNING", "-u", "root", check=False)
    finally:
        slurm.stop()
        shutil.rmtree(root, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
