#!/usr/bin/env python3
"""The batch script of a Slurm array without Slurm: what it submits, and what a task does with signals and exit codes.

sbatch, scontrol and slicepool are replaced by small scripts that note how they are called. tests/cli/slurm.py runs the same
script on a real Slurm. Run by CTest with SLICEPOOL_SOURCE_DIR.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

SCRIPT = pathlib.Path(os.environ["SLICEPOOL_SOURCE_DIR"]) / "tests" / "data" / "cluster" / "plan.sbatch"
HANG_SECONDS = 60    # tells a hang from a slow machine, nothing else
SBATCH = """#!/bin/sh
printf '%s|' "$@" >> sbatch.calls; echo >> sbatch.calls
case "$*" in
  *--wrap*) [ -z "$MERGE_FAILS" ] || exit 3; echo '12;cluster' ;;
  *) [ -z "$ARRAY_FAILS" ] || [ "$(wc -l < sbatch.calls)" -lt "$ARRAY_FAILS" ] || exit 4; echo "$((10 + $(wc -l < sbatch.calls)));cluster" ;;
esac
"""
SCONTROL = """#!/bin/sh
case "$*" in 'show config') echo 'ClusterName             = test'; echo "MaxArraySize            = ${MOST:-1001}"; exit ;; esac
echo "$@" >> scontrol.calls
exit 1   # the script does not wait then
"""
# Ends with $CODE, or upon SIGTERM, after it has saved as $SAVES says.
SLICEPOOL = """#!/bin/bash
echo "$@" >> slicepool.calls
trap 'echo TERM >> slicepool.calls; asked=1' TERM
touch started
while [ -z "$CODE" ] && { [ -z "$asked" ] || [ -e busy ]; }; do sleep 0.02; done
[ -z "$SAVES" ] || { echo x > new; mv new plan-3.checkpoint; }
exit "${CODE:-5}"
"""


class Place:
    def __init__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="slicepool-batch-"))
        for name, text in (("sbatch", SBATCH), ("scontrol", SCONTROL), ("slicepool", SLICEPOOL)):
            (self.path / "bin").mkdir(exist_ok=True)
            (self.path / "bin" / name).write_text(text)
            (self.path / "bin" / name).chmod(0o755)
        shutil.copy(SCRIPT, self.path / "plan.sbatch")
        self.running = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.running is not None and self.running.poll() is None:
            os.killpg(self.running.pid, signal.SIGKILL)
            self.running.wait()
        shutil.rmtree(self.path)

    def start(self, *words, **variables):
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "SBATCH_"))}
        clean.update(variables, PATH=f"{self.path}/bin:{os.environ['PATH']}")
        self.running = subprocess.Popen(["bash", *words], cwd=self.path, env=clean, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        return self.running

    def end(self, code):
        text = self.running.communicate(timeout=HANG_SECONDS)[0]
        assert self.running.returncode == code, f"exit code {self.running.returncode}, expected {code}: {text}"
        return text

    def task(self, **variables):
        return self.start("plan.sbatch", "task", SLURM_ARRAY_JOB_ID="11", SLURM_ARRAY_TASK_ID="3", **variables)

    def wait_for(self, name, text=""):
        end = time.monotonic() + HANG_SECONDS
        while not (self.path / name).exists() or text not in (self.path / name).read_text():
            assert time.monotonic() < end, f"no {text} in {name}"
            time.sleep(0.02)

    def calls(self, name):
        path = self.path / (name + ".calls")
        return path.read_text().splitlines() if path.exists() else []


def submission():
    # Also from a shell within a task of another array.
    for outer in ({}, {"SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_JOB_ID": "5", "SLURM_JOB_NAME": "plan"}):
        with Place() as place:
            place.start("plan.sbatch", **outer)
            assert place.end(0) == "array 11, merge 12\n"
            array, merge = place.calls("sbatch")
            assert array == "--parsable|plan.sbatch|task|", array
            assert "|--dependency=afterok:11|--kill-on-invalid-dep=yes|" in merge, merge
            assert merge.endswith("|--wrap|slicepool merge plan.json|"), merge
            assert place.calls("slicepool") == []
    with Place() as place:
        place.start("plan.sbatch", ARRAY_FAILS="1")
        place.end(4)
        assert len(place.calls("sbatch")) == 1
    with Place() as place:    # 8 shards, and arrays of 3 at most
        place.start("plan.sbatch", MOST="3")
        assert place.end(0) == "array 11:12:13, merge 12\n"
        calls = place.calls("sbatch")
        assert calls[:3] == ["--parsable|--array=0-2|--output=plan-%a.log|plan.sbatch|task|0|",
                             "--parsable|--array=0-2|--output=plan-3+%a.log|plan.sbatch|task|3|",
                             "--parsable|--array=0-1|--output=plan-6+%a.log|plan.sbatch|task|6|"], calls
        assert "|--dependency=afterok:11:12:13|" in calls[3], calls
    for at_once, bound in (("4", "%1"), ("100", "%37"), ("1", "%1")):
        with Place() as place:
            script = place.path / "plan.sbatch"
            script.write_text(script.read_text().replace("at_once=0 ", f"at_once={at_once} "))
            place.start("plan.sbatch", MOST="3")
            place.end(0)
            assert f"|--array=0-2{bound}|" in place.calls("sbatch")[0], place.calls("sbatch")
    with Place() as place:
        place.start("plan.sbatch", MOST="3", ARRAY_FAILS="2")
        assert "the shards from 3 on are not submitted; submitted: 11." in place.end(1)
    with Place() as place:    # a task of the second array
        place.start("plan.sbatch", "task", "3", CODE="0", SLURM_ARRAY_JOB_ID="12", SLURM_ARRAY_TASK_ID="2")
        place.end(0)
        assert place.calls("slicepool") == ["run plan.json --shard 5 --progress plain"], place.calls("slicepool")
    with Place() as place:
        place.start("plan.sbatch", MERGE_FAILS="1")
        assert "array 11 is submitted, its merge is not" in place.end(1)


def exit_codes():
    for code in (0, 1, 2, 5):
        with Place() as place:
            place.task(CODE=str(code))
            place.end(code)
            assert place.calls("slicepool") == ["run plan.json --shard 3 --progress plain"]
            assert place.calls("scontrol") == [], "requeued though it has not saved"
    for code, requeued in ((1, False), (5, True)):    # 5: the plan has a step limit
        with Place() as place:
            place.task(CODE=str(code), SAVES="1")
            place.end(code)
            assert place.calls("scontrol") == (["requeue 11_3"] if requeued else []), code
    with Place() as place:    # `sbatch plan.sbatch`: Slurm runs a copy of this name
        shutil.copy(SCRIPT, place.path / "slurm_script")
        place.start("slurm_script", CODE="0", SLURM_ARRAY_TASK_ID="3")
        place.end(0)
        assert len(place.calls("slicepool")) == 1 and place.calls("sbatch") == []
    with Place() as place:
        place.start("plan.sbatch", "task")
        assert "SLURM_ARRAY_TASK_ID" in place.end(1)


def signals():
    for name, saves, requeued in ((signal.SIGUSR1, "1", True), (signal.SIGUSR1, "", False), (signal.SIGTERM, "1", False)):
        for before in (False, True):
            with Place() as place:
                if before:
                    (place.path / "plan-3.checkpoint").write_text("old\n")
                place.task(SAVES=saves)
                place.wait_for("started")
                place.running.send_signal(name)
                text = place.end(5)
                assert place.calls("slicepool")[1:] == ["TERM"], place.calls("slicepool")
                assert place.calls("scontrol") == (["requeue 11_3"] if requeued else []), (name, saves, before)
                assert ("it saved nothing" in text) == (name == signal.SIGUSR1 and not saves), text


def second_signal():
    """It interrupts the second wait; the exit code is that of the run, which gets one SIGTERM."""
    for first, second, requeued in ((signal.SIGUSR1, signal.SIGUSR1, True), (signal.SIGUSR1, signal.SIGTERM, False),
                                    (signal.SIGTERM, signal.SIGUSR1, False)):
        with Place() as place:
            (place.path / "busy").touch()
            place.task(SAVES="1")
            place.wait_for("started")
            place.running.send_signal(first)
            place.wait_for("slicepool.calls", "TERM")
            for _ in range(3):
                place.running.send_signal(second)
                time.sleep(0.05)
            assert place.running.poll() is None, "it did not wait for the run"
            (place.path / "busy").unlink()
            place.end(5)
            assert place.calls("slicepool")[1:] == ["TERM"], place.calls("slicepool")
            assert place.calls("scontrol") == (["requeue 11_3"] if requeued else []), (first, second)


def early_signal():
    """A signal before the run is there is not lost: here the shell gets it while it looks at the checkpoint."""
    with Place() as place:
        stat = place.path / "bin" / "stat"
        stat.write_text('#!/bin/bash\n[ -e seen ] || { touch seen; kill -USR1 "$(cat shell)"; }\necho same\n')
        stat.chmod(0o755)
        slow = place.path / "bin" / "slicepool"    # it can be stopped from its first moment
        slow.write_text("#!/bin/bash\nexec sleep 600\n")
        place.start("-c", "echo $$ > shell; exec bash plan.sbatch task", SLURM_ARRAY_TASK_ID="3")
        place.end(128 + signal.SIGTERM)
        assert place.calls("scontrol") == []


def main():
    failed = 0
    tests = [submission, exit_codes, signals, second_signal, early_signal]
    for test in tests:
        try:
            test()
        except Exception:
            failed += 1
            print(f"FAILED {test.__name__}")
            traceback.print_exc(file=sys.stdout)
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
