#!/usr/bin/env python3
"""How long the shortest vectors of many small lattices take: whole processes, in several modes.

    bench/gpu/many_lattices.py PROGRAM OUTPUT_FILE [--count 100000] [--dimension 29] [--modes cpu gpu hybrid auto] [--threads 16 0]
                               [--repetitions 3]

PROGRAM is a built slicepool or that of a bundle (bench/gpu/bundle.sh). Lattices are q-ary and not reduced: d // 2 rows of 1009, and
below them random columns beside a unit matrix, made here by a seed. Threads 0: all cores. Ends with 1 when two runs differ in a norm.
"""
import argparse
import hashlib
import json
import multiprocessing
import os
import random
import statistics
import sys
import tempfile

from lattice_runs import Table, timed

Q = 1009


def lines(part):
    first, count, d = part
    half = d // 2
    top = ", ".join("[" + ", ".join(str(Q if i == j else 0) for j in range(d)) + "]" for i in range(half))
    units = [", ".join(str(int(i == j)) for j in range(d - half)) for i in range(d - half)]
    draws = random.Random(f"many {first} {d}")
    texts = []
    for _ in range(count):
        rows = (", ".join(map(str, draws.choices(range(Q), k=half))) for _ in units)
        texts.append('{"basis": [' + top + ", " + ", ".join(f"[{row}, {unit}]" for row, unit in zip(rows, units)) + "]}\n")
    return "".join(texts)


def norms(path):
    digest = hashlib.sha256()
    count = 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            digest.update(json.loads(line)["squared_norm"].encode())
            count += 1
    return count, digest.hexdigest()[:12]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("output_file")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--dimension", type=int, default=29)
    parser.add_argument("--modes", nargs="+", default=["cpu", "gpu", "hybrid", "auto"])
    parser.add_argument("--threads", nargs="+", type=int, default=[16, 0])
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    batch = os.path.join(folder, "lattices.jsonl")
    answers = os.path.join(folder, "answers.jsonl")
    step = 1000
    parts = [(first, min(step, arguments.count - first), arguments.dimension) for first in range(0, arguments.count, step)]
    with multiprocessing.Pool() as pool, open(batch, "w", encoding="utf-8") as file:
        file.writelines(pool.imap(lines, parts))
    seen = set()
    table = Table(f"slicepool lattice --batch F --output O --mode M --threads T: {arguments.count} q-ary lattices of dimension {arguments.dimension}, not reduced")
    for threads in arguments.threads:
        for mode in arguments.modes:
            walls, record = [], {}
            for _ in range(arguments.repetitions):
                seconds, record = timed(arguments.program, ["--batch", batch, "--output", answers, "--threads", str(threads)], mode)
                walls.append(seconds)
                os.remove(answers) if len(walls) < arguments.repetitions else seen.add(norms(answers))
            table.add(f"threads {threads or os.cpu_count():3} {mode:7} whole process {statistics.median(walls):.2f} s "
                      f"({min(walls):.2f} to {max(walls):.2f}), search {record['seconds']:.2f} s, reduced by a device {record['reduced_by_device']}, searched by it {record['searched_by_device']}, "
                      f"{record['nodes']:.4g} nodes")
            os.remove(answers)
    os.remove(batch)
    return table.finish(arguments.output_file, "norms of all lattices", len(seen) == 1)


if __name__ == "__main__":
    sys.exit(main())
