"""Full disks and limits of file size: code 4, no half-written file under a final name, resumable where it was

A limit of file size stands for a full disk everywhere; where a tmpfs can be mounted, that too.
"""
import os
import subprocess

import jobs
import support

SIZES = (0, 1, 4, 16, 64, 100, 400)   # KiB
FULL = len(jobs.ALL) * len(SIZES) * 2


def case(context, index):
    job = jobs.ALL[index % len(jobs.ALL)]
    size = SIZES[index // len(jobs.ALL) % len(SIZES)]
    mounted = index // len(jobs.ALL) // len(SIZES) == 1
    job.reference(context)
    folder = context.path("work")
    os.makedirs(folder)
    if mounted:
        if os.geteuid() != 0:
            raise support.Skipped("a tmpfs needs root")
        options = f"size={max(4, size)}k"
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "slicepool-robustness", folder],
                               capture_output=True, check=False)
        if mount.returncode != 0:
            raise support.Skipped("a tmpfs cannot be mounted here")
    try:
        attack(context, job, folder, "" if mounted else f"ulimit -f {size}")
    finally:
        if mounted:
            subprocess.run(["umount", "-l", folder], check=False)


def attack(context, job, folder, limits):
    inputs = context.path("inputs")
    os.makedirs(inputs, exist_ok=True)
    job.prepare(inputs)
    arguments = [os.path.join(inputs, word) if word in [os.path.basename(i) for i in job.inputs] else word
                 for word in job.arguments]
    saving = [] if job.streamed or job not in jobs.RESUMABLE else ["--checkpoint", job.checkpoint,
                                                                    "--checkpoint-interval", "0.01"]
    outcome = context.run(*arguments, *saving, "--json", limits=limits, folder=folder)
    support.check_manners(outcome, (0, 4))
    right, files = job.reference(context)
    if outcome.code == 0:
        support.expect(support.stable(outcome.json()) == right, f"{job.name}: wrong result", outcome)
    written = job.files(folder)
    for name, content in written.items():
        if name.endswith("manifest.json") or job.sharded:
            continue   # an unfinished output says so in its manifest
        support.expect(content == files.get(name), f"{job.name}: {name} is half-written", outcome)
    kept = [name for name in support.leftovers(folder) if not name.endswith(".part")]
    support.expect(not kept, f"{job.name}: left over {kept}", outcome)
    if limits and outcome.code == 4 and saving + [job.streamed]:
        resume = ["--resume", "auto"] if saving or job.streamed else []
        again = context.run(*arguments, *saving, *resume, "--json", folder=folder)
        job.check(context, again, folder)
