"""SIGINT, SIGTERM, SIGHUP, SIGSTOP, closed pipes and step limits at any moment, then --resume: the same result

A stopped run ends with code 5 and a checkpoint, or with 1 and a word of it; a run that was faster with 0.
"""
import os
import signal

import jobs
import kills
import support

FULL = 300


def case(context, index):
    job = jobs.RESUMABLE[index % len(jobs.RESUMABLE)]
    job.reference(context)
    job.prepare(context.folder)
    saving = [] if job.streamed else ["--checkpoint", job.checkpoint]
    arguments = [*job.arguments, *saving, "--resume", "auto", "--checkpoint-interval", "0.01"]
    kind = context.random.choice(["INT", "INT", "TERM", "STOP", "TWICE", "PIPE", "STEPS", "STEPS"])
    if kind == "PIPE":
        reading, writing = os.pipe()
        process = context.start(*arguments, "--json", stdout=writing)
        os.close(writing)
        os.close(reading)
        outcome = context.finish(process, arguments)
        support.expect(outcome.code in (0, 1, 4, -signal.SIGPIPE), f"{job.name}: its answer has no reader", outcome)
    elif kind == "STEPS":   # also within what is written as a whole, which signals seldom meet
        limit = int(10 ** context.random.uniform(1, 6))
        outcome = context.run(*arguments, *kills.disguises(context, job), "--step-limit", limit, "--json")
        support.check_manners(outcome, (0, 5))
    else:
        process = context.start(*arguments)
        kills.moment(context, job)(process)
        if kind in ("STOP", "TWICE"):
            support.interrupt(process, signal.SIGSTOP)
        if kind == "STOP":
            support.interrupt(process, signal.SIGCONT)
        number = signal.SIGTERM if kind == "TERM" else signal.SIGINT
        support.interrupt(process, number)
        if kind == "TWICE":   # as timeout(1) does it: the process and its group; both wait for it here
            support.interrupt(process, signal.SIGTERM)
            support.interrupt(process, signal.SIGCONT)
        outcome = context.finish(process, arguments)
        early = outcome.code in (-signal.SIGINT, -signal.SIGTERM) and not outcome.err and not os.path.exists(context.path(job.checkpoint))
        if not early:   # before the program had begun the signal ends it
            support.check_manners(outcome, (0, 5))
            if outcome.code == 5:
                support.expect(os.path.exists(context.path(job.checkpoint)), f"{job.name}: code 5, no checkpoint",
                               outcome)
    if os.path.exists(context.path(job.checkpoint)) or outcome.code != 0:
        job.check(context, context.run(*arguments, "--json"), context.folder)
    else:
        job.check(context, outcome, context.folder, answer=False)


