"""kill -9, 1 to 7 times in a row, then the same command to its end: the bytes of an undisturbed run

Kills come at a new checkpoint, at a growing output or at a random moment; whichever it is, the result must be right.
Between two runs mode, threads and budget may change.
"""
import os
import signal

import jobs
import support

FULL = 500


def disguises(context, job):
    """Options that may differ between two runs of one request."""
    if not job.changes:
        return ["--threads", context.random.choice(["1", "2", "3"])]
    choice = context.random.choice(["cpu", "cpu", "threads", "emulated", "emulated few"])
    if choice == "cpu":
        return ["--mode", "cpu"]
    if choice == "threads":
        return ["--mode", "cpu", "--threads", str(context.random.randint(1, 4))]
    lanes = "64" if choice == "emulated few" else "1024"
    return ["--mode", "emulated", "--emulated-lanes", lanes]


def moment(context, job):
    """Waits for something to happen; then the process is killed."""
    kind = context.random.choice(["checkpoint", "checkpoint", "output", "time"])
    if kind == "time":
        delay = context.random.uniform(0, 0.5)
        return lambda process: _sleep(process, delay)
    name = job.checkpoint if kind == "checkpoint" or not job.outputs else job.outputs[0] + ".part"
    changes = context.random.randint(1, 4)

    def wait(process):
        path, seen, count = context.path(name), None, 0

        def changed():
            nonlocal seen, count
            try:
                status = os.stat(path)
            except OSError:
                return False
            now = (status.st_ino, status.st_mtime_ns, status.st_size)
            if now != seen:
                seen, count = now, count + 1
            return count >= changes
        support.wait_for(changed, process)
    return wait


def _sleep(process, seconds):
    try:
        process.wait(seconds)
    except Exception:   # pylint: disable=broad-except  # not ended yet
        pass


def case(context, index):
    job = jobs.RESUMABLE[index % len(jobs.RESUMABLE)]
    job.reference(context)
    job.prepare(context.folder)
    saving = [] if job.streamed else ["--checkpoint", job.checkpoint]
    saving += ["--resume", "auto", "--checkpoint-interval", context.random.choice(["0.001", "0.01", "0.05"])]
    for _ in range(context.random.randint(1, 7)):
        arguments = [*job.arguments, *saving, *disguises(context, job)]
        process = context.start(*arguments)
        moment(context, job)(process)
        support.interrupt(process, signal.SIGKILL)
        outcome = context.finish(process, arguments)
        support.expect(outcome.code in (0, -signal.SIGKILL), f"{job.name}: a run between kills", outcome)
        if outcome.code == 0:   # it was faster: nothing to go on from
            break
        for name in job.outputs:
            if os.path.exists(context.path(name)) and not job.sharded:
                support.expect(job.files(context.folder).get(name) == job.reference(context)[1].get(name),
                               f"{job.name}: a half-written {name} under its final name", outcome)
    arguments = [*job.arguments, *saving, *disguises(context, job), "--json"]
    outcome = context.run(*arguments)
    job.check(context, outcome, context.folder)
