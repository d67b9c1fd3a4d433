#!/usr/bin/env python3
"""How long the closest vectors of many targets take: whole processes, in several modes.

    bench/gpu/many_targets.py PROGRAM OUTPUT_FILE [--cases 30:8000 36:4000 40:2000 40:100 44:500] [--modes cpu gpu hybrid auto]
                              [--repetitions 3]

PROGRAM is a built slicepool or that of a bundle (bench/gpu/bundle.sh). A case is a dimension and a number of targets. Its lattice is
q-ary, half of its rows 1009 and below them random columns beside a unit matrix, made here by a seed; targets are integers anywhere. Modes take turns.
Ends with 1 when two runs differ in a distance.
"""
import argparse
import hashlib
import json
import os
import random
import statistics
import sys
import tempfile

from lattice_runs import Table, timed

Q = 1009
REACH = 100_000


def write_case(folder, d, count):
    draws = random.Random(f"targets {d}")
    half = d // 2
    rows = [[Q if i == j else 0 for j in range(d)] for i in range(half)]
    rows += [[*(draws.randrange(Q) for _ in range(half)), *(int(i == j) for j in range(d - half))] for i in range(d - half)]
    basis, batch = os.path.join(folder, "basis.txt"), os.path.join(folder, "targets.jsonl")
    with open(basis, "w", encoding="utf-8") as file:
        file.write("[" + "\n".join("[" + " ".join(map(str, row)) + "]" for row in rows) + "]\n")
    with open(batch, "w", encoding="utf-8") as file:
        for _ in range(count):
            file.write(json.dumps({"target": [draws.randrange(-REACH, REACH) for _ in range(d)]}) + "\n")
    return ["--basis", basis, "--batch", batch, "--reduce", "bkz-20"]


def distances(path):
    digest = hashlib.sha256()
    with open(path, encoding="utf-8") as file:
        for line in file:
            digest.update(json.loads(line)["squared_distance"].encode() + b"\n")
    return digest.hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("output_file")
    parser.add_argument("--cases", nargs="+", default=["30:8000", "36:4000", "40:2000", "40:100", "44:500"])
    parser.add_argument("--modes", nargs="+", default=["cpu", "gpu", "hybrid", "auto"])
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    answers = os.path.join(folder, "answers.jsonl")
    table = Table("slicepool lattice --basis B --reduce bkz-20 --batch F --output O --mode M: closest vectors of targets in q-ary lattices")
    same = True
    for case in arguments.cases:
        d, count = map(int, case.split(":"))
        flags = write_case(folder, d, count)
        walls, records, seen = {mode: [] for mode in arguments.modes}, {}, set()
        for _ in range(arguments.repetitions):
            for mode in arguments.modes:
                seconds, records[mode] = timed(arguments.program, [*flags, "--output", answers], mode)
                walls[mode].append(seconds)
                seen.add(distances(answers))
                os.remove(answers)
        same = same and len(seen) == 1
        for mode, times in walls.items():
            table.add(f"dimension {d} targets {count:5} {mode:7} whole process {statistics.median(times):.2f} s ({min(times):.2f} to {max(times):.2f}), "
                         f"search {records[mode]['seconds']:.2f} s, searched by a device {records[mode]['searched_by_device']}, {records[mode]['nodes']:.4g} nodes")
    return table.finish(arguments.output_file, "distances of all targets", same)


if __name__ == "__main__":
    sys.exit(main())
