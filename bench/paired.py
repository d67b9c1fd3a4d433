#!/usr/bin/env python3
"""Compares two builds of slicepool: is the second one slower than the first? Runs of both go in turn, each first every other time,
so that a machine that gets slower harms both. A line a run: medians of the seconds of the enumeration and of the whole process,
and the ratio of the second build's to the first's.

    bench/paired.py BEFORE AFTER OUTPUT_FILE [--modes cpu,gpu] [--threads 1,16] [--repetitions 5] [--only TEXT]

BEFORE and AFTER are programs; bases are read from tests/data/lattices of this tree. Marks: the enumeration takes at most 1.03 times as
long; what is missed is printed. Ends with 1 when the answers of both differ.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EIGHT = "13,37,38,40,41,42,43,44"
MARK = 1.03


def cases(mode):
    """(name, arguments) of what the mode does in some tenths of a second to some seconds."""
    folder = os.path.join(ROOT, "tests/data/lattices")
    lattices = {i["id"]: i for i in json.load(open(os.path.join(folder, "expected.json"), encoding="utf-8"))["instances"]}

    def lattice(name):
        instance = lattices[name]
        return (f"lattice {name}", ["lattice", "--basis", os.path.join(folder, instance["basis"]), "--squared-radius",
                                    str(instance["squared_radius"]), "--fixed-radius", "--solutions", "0"])

    def three(size):
        return (f"three in line {size}", ["three-in-line", "-n", str(size)])

    def monoid(name):
        return (name, ["semigroup", "--named", name])

    def sets(name, element, generators, *more):
        return (name, ["factorizations", "--generators", generators, "--element", str(element), *more])

    rows = sets("rows (9, 1500) to a file", 1500, EIGHT + ",45", "--sink", "rows", "--output", "{folder}/rows.npy")
    if mode == "cpu":
        return [lattice("k45"), lattice("k50"), three(11), three(12), monoid("bihecke:5"), monoid("full:7"), rows,
                sets("candidate (8, 1500)", 1500, EIGHT, "--algorithm", "candidate"),
                sets("ranked fingerprint (8, 3000)", 3000, EIGHT, "--algorithm", "ranked", "--fingerprint"),
                sets("lengths (8, 3000)", 3000, EIGHT, "--sink", "lengths")]
    return [lattice("k50"), lattice("k55"), lattice("k60"), three(13), three(14), three(15), monoid("bihecke:6"),
            monoid("renner:8"), monoid("full:8"), rows,
            sets("candidate (8, 3600)", 3600, EIGHT, "--algorithm", "candidate"),
            sets("candidate (8, 5000)", 5000, EIGHT, "--algorithm", "candidate"),
            sets("ranked fingerprint (8, 6000)", 6000, EIGHT, "--algorithm", "ranked", "--fingerprint"),
            sets("lengths (8, 6000)", 6000, EIGHT, "--sink", "lengths")]


def run(program, arguments, mode, threads):
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        command = [program, *(a.replace("{folder}", folder) for a in arguments), "--mode", mode, "--json"]
        if threads:
            command += ["--threads", str(threads)]
        begin = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        whole = time.monotonic() - begin
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()[-300:]}")
    return json.loads(done.stdout), whole


def answer(record):
    return {key: record[key] for key in ("count", "size", "fingerprint") if record.get(key) is not None}


class Comparison:
    def __init__(self, path):
        self.file = open(path, "w", encoding="utf-8")
        self.missed = self.differ = self.failed = 0
        self.ratios = []

    def say(self, text):
        print(text, flush=True)
        self.file.write(text + "\n")
        self.file.flush()

    def pair(self, name, programs, arguments, mode, threads, repetitions):
        taken, wholes, answers = ([], []), ([], []), []
        try:
            for repetition in range(repetitions):
                for which in ((0, 1) if repetition % 2 == 0 else (1, 0)):
                    record, whole = run(programs[which], arguments, mode, threads)
                    taken[which].append(record["seconds"])
                    wholes[which].append(whole)
                    answers.append(answer(record))
        except RuntimeError as error:
            self.failed += 1
            self.say(f"  {name:44} FAILED: {error}")
            return
        before, after = (statistics.median(each) for each in taken)
        ratio = after / before
        self.ratios.append(ratio)
        missed = ratio > MARK
        self.missed += missed
        differ = any(each != answers[0] for each in answers)
        self.differ += differ
        self.say(f"  {name:44} {before:9.4f} {after:9.4f}  {ratio:5.2f}   {statistics.median(wholes[0]):8.3f} "
                 f"{statistics.median(wholes[1]):8.3f}{f'  MISSED {MARK}' if missed else ''}{'  ANSWERS DIFFER' if differ else ''}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("output")
    parser.add_argument("--modes", default="cpu")
    parser.add_argument("--threads", default="1,0", help="of mode cpu; 0: as many as the machine has")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--only", default="", help="runs whose name contains this")
    options = parser.parse_args()
    programs = [os.path.abspath(options.before), os.path.abspath(options.after)]
    comparison = Comparison(options.output)
    comparison.say(f'{"seconds, medians of " + str(options.repetitions):46} {"before":>9} {"after":>9}  ratio   whole process, before and after')
    for mode in options.modes.split(","):
        for threads in [int(each) for each in options.threads.split(",")] if mode == "cpu" else [0]:
            how = f"{mode}, {threads} thread{'' if threads == 1 else 's'}" if threads else mode
            for name, arguments in cases(mode):
                if options.only in name:
                    comparison.pair(f"{name}, {how}", programs, arguments, mode, threads, options.repetitions)
    if comparison.ratios:
        mean = math.exp(sum(map(math.log, comparison.ratios)) / len(comparison.ratios))
        comparison.say(f"geometric mean of the ratios {mean:.3f}; {comparison.missed} over {MARK}, {comparison.failed} failed, "
                       f"{comparison.differ} whose answers differ")
    return 1 if comparison.differ or comparison.failed else 0


if __name__ == "__main__":
    sys.exit(main())
