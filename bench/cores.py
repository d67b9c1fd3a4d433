#!/usr/bin/env python3
"""How much faster a search is on many cores than on one, beside what the machine allows: as many processes of one thread, each bound to
a core, that share nothing. Cores that are threads of one core, clocks that fall and caches that are shared slow both down; what
slicepool loses by itself is the difference.

    bench/cores.py PROGRAM OUTPUT_FILE [--threads 16] [--repetitions 3] [--only TEXT]

A line a case: seconds of the search on one thread, how many times faster all threads are (median), how many times more all processes do together, and
the share of the first in the second. Mark: 15/16 of what the machine allows. Ends with 1 when answers differ, with 3 when the mark is missed.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MARK = 15 / 16


def cases():
    folder = os.path.join(ROOT, "tests/data/lattices")
    lattices = {i["id"]: i for i in json.load(open(os.path.join(folder, "expected.json"), encoding="utf-8"))["instances"]}
    k55 = lattices["k55"]
    yield "lattice k55", ["lattice", "--basis", os.path.join(folder, k55["basis"]), "--squared-radius", str(k55["squared_radius"]),
                          "--fixed-radius", "--solutions", "0"]
    yield "three in line 13", ["three-in-line", "-n", "13"]
    yield "semigroup bihecke:6", ["semigroup", "--named", "bihecke:6"]
    yield "numerical semigroups 39", ["numerical-semigroups", "-g", "39"]
    yield "candidate (8, 3000)", ["factorizations", "--generators", "13,37,38,40,41,42,43,44", "--element", "3000", "--algorithm", "candidate"]


def start(program, words, threads, cores):
    """A process whose threads may use these cores."""
    words = [program, *words, "--mode", "cpu", "--threads", str(threads), "--json", "--progress", "none"]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=lambda: os.sched_setaffinity(0, cores))


def record(process):
    text, _ = process.communicate()
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(process.args)}: code {process.returncode}")
    return json.loads(text)


def answer(found):
    names = ("count", "total", "nodes", "fingerprint", "size", "solutions_found", "semigroups")
    return {name: found[name] for name in names if name in found}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("output")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))[:options.threads]
    if len(cores) < options.threads:
        parser.error(f"--threads: got {options.threads}; accepted: up to {len(cores)}, the cores of this process")
    missed = differ = False
    with open(options.output, "w", encoding="utf-8") as file:
        def say(line):
            print(line, flush=True)
            print(line, file=file, flush=True)
        say(f"bench/cores.py PROGRAM FILE --threads {options.threads} --repetitions {options.repetitions}")
        say("| case | one thread, s | all threads, s | times faster | processes of one thread, times | share |")
        say("|---|---|---|---|---|---|")
        for name, words in cases():
            if options.only not in name:
                continue
            alone, all_threads, apart, answers = [], [], [], []
            for _ in range(options.repetitions):   # by turns, so that a machine that gets slower harms all
                one = record(start(options.program, words, 1, cores[:1]))
                many = record(start(options.program, words, options.threads, cores))
                others = [record(process) for process in [start(options.program, words, 1, [core]) for core in cores]]
                answers += [answer(found) for found in (one, many, *others)]
                alone.append(one["phases"]["search"])
                all_threads.append(many["phases"]["search"])
                apart.append(sum(1 / found["phases"]["search"] for found in others))
            seconds = statistics.median(alone)
            times = seconds / statistics.median(all_threads)
            allowed = seconds * statistics.median(apart)
            verdict = ""
            if times < MARK * min(allowed, options.threads):
                verdict, missed = " MISSED", True
            if any(found != answers[0] for found in answers):
                verdict, differ = verdict + " ANSWERS DIFFER", True
            say(f"| {name} | {seconds:.3f} | {statistics.median(all_threads):.4f} | {times:.2f} | {allowed:.2f} | {times / allowed:.3f}{verdict} |")
    return 1 if differ else 3 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
