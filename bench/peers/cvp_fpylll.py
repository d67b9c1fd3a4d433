#!/usr/bin/env python3
"""Closest vectors to many targets of one lattice: slicepool lattice --batch, one command for each, and fpylll's CVP.closest_vector.

    bench/peers/cvp_fpylll.py PROGRAM [--dimensions 20 30 40] [--targets 2000] [--singles 20] [--peers 20] [--threads 1 2]

Needs fpylll. Bases are q-ary with a prime of 12 bits, reduced by fplll's LLL and, in a second row, by BKZ-20; targets are uniform
integers modulo that prime. Seconds of the batch are wall time of the process less that of an empty file; those of the command the
mean over whole processes; those of fpylll the mean over calls in one process. Distances are compared.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import tempfile
import time

from fpylll import BKZ, CVP, FPLLL, LLL, IntegerMatrix

PRIME_BITS = 12


def text(basis):
    return "[" + "\n".join("[" + " ".join(map(str, row)) + "]" for row in basis) + "]\n"


def run(words):
    begin = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return time.monotonic() - begin, done.stdout


def batch(program, path, targets, folder, threads, repetitions=3):
    name = os.path.join(folder, "targets.jsonl")
    output = os.path.join(folder, "closest.jsonl")
    with open(name, "w", encoding="ascii") as file:
        file.writelines(json.dumps({"target": target}) + "\n" for target in targets)
    words = [program, "lattice", "--basis", path, "--batch", name, "--output", output, "--mode", "cpu", "--threads", str(threads), "--progress",
             "none"]
    seconds = statistics.median(run(words)[0] for _ in range(repetitions))
    with open(output, encoding="ascii") as file:
        return seconds, [int(json.loads(line)["squared_distance"]) for line in file]


def by_command(program, path, target):
    vector = "[" + " ".join(map(str, target)) + "]"
    seconds, out = run([program, "lattice", "--basis", path, "--target", vector, "--mode", "cpu", "--json", "--progress", "none"])
    return seconds, int(json.loads(out)["squared_distance"])


def by_fpylll(basis, target):
    begin = time.monotonic()
    vector = CVP.closest_vector(basis, target)
    return time.monotonic() - begin, sum((int(x) - t) ** 2 for x, t in zip(vector, target))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--dimensions", type=int, nargs="+", default=[20, 30, 40])
    parser.add_argument("--targets", type=int, default=2000)
    parser.add_argument("--singles", type=int, default=20)
    parser.add_argument("--peers", type=int, default=20)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    options = parser.parse_args()
    random.seed(1)
    print("| d | basis | targets/s, " + " | ".join(f"{threads} threads" for threads in options.threads)
          + " | us of a core | a command each, ms | fpylll, ms |")
    print("|---" * (5 + len(options.threads)) + "|")
    for dimension in options.dimensions:
        for reduction in ("LLL", "BKZ-20"):
            FPLLL.set_random_seed(dimension)
            basis = LLL.reduction(IntegerMatrix.random(dimension, "qary", k=dimension // 2, bits=PRIME_BITS))
            if reduction != "LLL":
                BKZ.reduction(basis, BKZ.Param(20))
            targets = [[random.randrange(1 << PRIME_BITS) for _ in range(dimension)] for _ in range(options.targets)]
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "basis.txt")
                with open(path, "w", encoding="ascii") as file:
                    file.write(text(basis))
                times = []
                for threads in options.threads:
                    empty, _ = batch(options.program, path, [], folder, threads)
                    seconds, distances = batch(options.program, path, targets, folder, threads)
                    times.append(seconds - empty)
                singles = [by_command(options.program, path, target) for target in targets[:options.singles]]
            peers = [by_fpylll(basis, target) for target in targets[:options.peers]]
            for found in (singles, peers):
                assert [distance for _, distance in found] == distances[:len(found)], "distances differ"
            cells = [f"{options.targets / seconds:,.0f}" for seconds in times]
            means = [f"{1e3 * statistics.mean(seconds for seconds, _ in found):.3g}" for found in (singles, peers)]
            print(f"| {dimension} | {reduction} | {' | '.join(cells)} | {1e6 * times[0] * options.threads[0] / options.targets:.0f} | {' | '.join(means)} |",
                  flush=True)


if __name__ == "__main__":
    main()
