"""Two processes on one output or checkpoint: one owns it, the other ends with code 2 and has touched nothing

The second one starts at once, when the output appears, or after a random delay. It asks for the same, or for
something else.
"""
import os

import jobs
import kills
import support

FULL = 300

OTHER = {"--element": lambda n: str(int(n) - 7), "-n": lambda n: str(int(n) - 1), "--squared-radius": lambda _: "30",
         "--gh-factor": lambda _: "0.99", "--named": lambda _: "full:5"}


def other_request(job):
    words = list(job.arguments)
    for option, change in OTHER.items():
        if option in words:
            at = words.index(option) + 1
            words[at] = change(words[at])
            return jobs.Job(f"{job.name} (other)", words, job.outputs, job.inputs, job.streamed, job.changes)
    return job


def case(context, index):
    job = jobs.ALL[index % len(jobs.ALL)]
    second = other_request(job) if context.random.random() < 0.4 else job
    saving = []
    if not job.streamed and job in jobs.RESUMABLE:
        saving = ["--checkpoint", job.checkpoint, "--checkpoint-interval", "0.01"]
    if not saving and not job.outputs:
        raise support.Skipped("no file to share")
    resume = ["--resume", "auto"] if context.random.random() < 0.5 and (saving or job.streamed) else []
    job.reference(context)
    second.reference(context)
    job.prepare(context.folder)

    first = context.start(*job.arguments, *saving, *resume, "--json")
    when = context.random.choice(["at once", "output", "delay"])
    if when == "output":
        name = (job.outputs[0] + ".part") if job.outputs else job.checkpoint
        support.wait_for(lambda: os.path.exists(context.path(name)), first)
    elif when == "delay":
        kills._sleep(first, context.random.uniform(0, 0.1))
    late = [*second.arguments, *saving, *resume, "--json"]
    process = context.start(*late)
    outcomes = [context.finish(first, [*job.arguments, *saving, *resume]), context.finish(process, late)]

    done = []
    for outcome, wanted in zip(outcomes, (job, second)):
        support.expect(outcome.code in (0, 2), f"{wanted.name}: one of two on the same files", outcome)
        if outcome.code == 0:
            now, right = support.stable(outcome.json()), wanted.reference(context)[0]
            support.expect(now == right, f"{wanted.name}: another result: {now} instead of {right}"[:500], outcome)
            done.append(wanted)
        else:
            names = (*job.outputs, job.checkpoint, "r-", "r.manifest")
            support.expect(any(name in outcome.err for name in names), "the file is not named", outcome)
    support.expect(bool(done), "neither of two ended", outcomes[1])
    written = job.files(context.folder)
    rights = [wanted.reference(context)[1] for wanted in done]
    if job.sharded and job is not second:   # shards of an earlier output with more of them stay: not part of the last
        whole = any(all(written.get(name) == content for name, content in right.items()) for right in rights)
    else:
        whole = any(written == right for right in rights)
    support.expect(whole, f"wrong bytes of {job.name}", outcomes[0])
    support.expect(not support.leftovers(context.folder), f"left over {support.leftovers(context.folder)}", outcomes[1])
