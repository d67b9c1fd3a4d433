"""One bit, digit, byte or length of what a stopped run has left is changed: code 2, or the right result

The files of an unfinished run (checkpoint, unfinished output, finished shards, manifest) and of a finished one
(shards, manifest, records). A wrong result with code 0 is what must not be.
"""
import os
import shutil
import signal

import jobs
import support

FULL = 5000


def unfinished(campaign, job):
    """A folder in which the job was killed after a checkpoint. Which one is left to chance; the result is not."""
    folder = os.path.join(campaign.folder, job.name.replace(" ", "-").replace(":", "-"))
    os.mkdir(folder)
    job.prepare(folder)
    with support.Context(campaign, -1) as context:
        job.reference(context)
        saving = [] if job.streamed else ["--checkpoint", job.checkpoint]
        # One thread and small steps: slow enough to be met on its way, on any machine.
        arguments = [*job.arguments, *saving, "--checkpoint-interval", "0.005"]
        if "--cpu-budget" not in job.arguments and job.arguments[0] != "semigroup":
            arguments += ["--mode", "emulated", "--emulated-lanes", "32", "--emulated-slowdown", "5", "--threads", "1"]
        for _ in range(20):
            process = context.start(*arguments, folder=folder)
            path = os.path.join(folder, job.checkpoint)
            met = support.wait_for(lambda p=path: os.path.exists(p), process)
            support.interrupt(process, signal.SIGKILL)
            context.finish(process, arguments)
            if met and os.path.exists(path):
                for name in support.leftovers(folder):
                    if not name.endswith(".part"):
                        os.remove(os.path.join(folder, name))
                return folder
    return None


def prepare(campaign):
    campaign.unfinished = {}
    for job in jobs.RESUMABLE:
        campaign.unfinished[job.name] = unfinished(campaign, job)
    finished = os.path.join(campaign.folder, "finished")
    os.mkdir(finished)
    with support.Context(campaign, -1) as context:
        context.run("factorizations", "--generators", "13,37,38", "--element", "900", "--sink", "rows", "--output",
                    "r.npy", "--shard-rows", "30", folder=finished)
        context.run("factorizations", "--generators", "13,37,38", "--element", "900", "--sink", "rows", "--output",
                    "z.npy.zst", "--shard-rows", "30", folder=finished)
        for shard in ("0", "1"):
            context.run("three-in-line", "-n", "6", "--shards", "2", "--shard", shard, "--record", f"p{shard}.json",
                        folder=finished)
        campaign.merged = context.run("merge", "p0.json", "p1.json", "--json", folder=finished).json()
        campaign.merged.pop("seconds")


def damage(random, data, foreign):
    kind = random.choice(("bit", "bit", "bit", "digit", "digit", "cut", "append", "zero", "swap", "foreign"))
    if not data and kind not in ("append", "foreign"):
        kind = "append"
    if kind == "bit":
        at = random.randrange(len(data))
        return kind, data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1:]
    if kind == "digit":
        digits = [i for i, byte in enumerate(data) if 48 <= byte <= 57]
        if digits:
            at = random.choice(digits)
            return kind, data[:at] + bytes([48 + (data[at] - 47) % 10]) + data[at + 1:]
    if kind == "cut":
        return kind, data[:random.randrange(len(data))]
    if kind == "zero":
        at = random.randrange(len(data))
        return kind, data[:at] + bytes(min(64, len(data) - at)) + data[at + 64:]
    if kind == "swap" and len(data) > 64:
        a, b = sorted(random.sample(range(len(data) - 16), 2))
        return kind, data[:a] + data[b:b + 8] + data[a + 8:b] + data[a:a + 8] + data[b + 8:] if b - a >= 8 else data
    if kind == "foreign" and foreign is not None:
        return kind, foreign
    return "append", data + bytes(random.randrange(256) for _ in range(random.randint(1, 100)))


def case(context, index):
    if index % 4 == 3:
        finished(context, index // 4)
        return
    job = jobs.RESUMABLE[index % len(jobs.RESUMABLE)]
    source = context.campaign.unfinished[job.name]
    if source is None:
        raise support.Skipped(f"{job.name} was always finished before its first checkpoint")
    work = context.path("work")
    shutil.copytree(source, work)
    names = sorted(name for name in os.listdir(work) if name not in [os.path.basename(i) for i in job.inputs])
    name = context.random.choice(names)
    path = os.path.join(work, name)
    other = context.campaign.unfinished[context.random.choice(jobs.RESUMABLE).name]
    foreign = None
    if other and other != source:
        same = [n for n in os.listdir(other) if n.split(".")[-1] == name.split(".")[-1]]
        if same:
            with open(os.path.join(other, same[0]), "rb") as file:
                foreign = file.read()
    with open(path, "rb") as file:
        data = file.read()
    kind, changed = damage(context.random, data, foreign)
    if kind == "zero" or context.random.random() < 0.9 or name == job.checkpoint:
        with open(path, "wb") as file:
            file.write(changed)
    else:
        kind = "missing"
        os.remove(path)
    before = support.snapshot(work)
    saving = [] if job.streamed else ["--checkpoint", job.checkpoint]
    outcome = context.run(*job.arguments, *saving, "--resume", "auto", "--json", folder=work)
    try:
        support.check_manners(outcome, (0, 2))
        if outcome.code == 0:
            job.check(context, outcome, work)
        else:
            after = support.snapshot(work)
            support.expect(after == before, f"{job.name}: refused, but changed "
                           f"{[n for n in set(after) | set(before) if after.get(n) != before.get(n)]}", outcome)
    except support.Failure as failure:
        raise support.Failure(f"{kind} in {name}: {failure}") from failure


def finished(context, index):
    source = os.path.join(context.campaign.folder, "finished")
    work = context.path("work")
    shutil.copytree(source, work)
    name = context.random.choice(sorted(os.listdir(work)))
    with open(os.path.join(work, name), "rb") as file:
        data = file.read()
    other = context.random.choice([n for n in sorted(os.listdir(work)) if n.split(".")[-1] == name.split(".")[-1]])
    with open(os.path.join(work, other), "rb") as file:
        foreign = file.read()
    kind, changed = damage(context.random, data, foreign)
    with open(os.path.join(work, name), "wb") as file:
        file.write(changed)
    if name.startswith("p"):
        outcome = context.run("merge", "p0.json", "p1.json", "--json", folder=work)
        if outcome.code == 0:
            answer = outcome.json()
            answer.pop("seconds")
            support.expect(answer == context.campaign.merged, f"{kind} in {name}: another merged result", outcome)
        support.check_manners(outcome, (0, 2))
        return
    manifest = "r.manifest.json" if name.startswith("r") else "z.manifest.json"
    outcome = context.run("verify", manifest, folder=work)
    support.check_manners(outcome, (0, 1, 2))
    renamed = kind == "foreign" and name.endswith(".json")   # the manifest of the other output, whose shards are right
    if changed != data and not renamed and not (name.endswith(".json") and _blank(data, changed)):
        support.expect(outcome.code != 0, f"{kind} in {name} at verify: not seen", outcome)
    assert index >= 0


def _blank(data, changed):
    """Only blanks between JSON tokens differ."""
    import json
    try:
        return json.loads(data) == json.loads(changed)
    except ValueError:
        return False
