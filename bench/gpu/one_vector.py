#!/usr/bin/env python3
"""How long a shortest vector, and a closest one, take: whole processes, in several modes.

    bench/gpu/one_vector.py OUTPUT_FILE PROGRAM [PROGRAM ..] [--dimensions 48 52 56] [--count 3] [--modes cpu gpu hybrid auto]
                            [--threads 16]

PROGRAM is a built slicepool or that of a bundle (bench/gpu/bundle.sh); several are compared. The lattices are those of the SVP challenge's kind,
a prime of 10 d bits and random numbers below it, made here by a seed; targets are integers anywhere. Each is reduced by BKZ-20 in the process.
Programs and modes take turns; the table has medians over the lattices. Ends with 1 when two runs differ in a norm.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time


def prime(draws, bits):
    while True:
        number = draws.getrandbits(bits) | 1 | 1 << (bits - 1)
        if all(pow(base, number - 1, number) == 1 for base in (2, 3, 5, 7, 11, 13)):
            return number


def write_instance(folder, d, k):
    """Flags of the searches for a shortest vector and for a closest one."""
    draws = random.Random(f"one vector {d} {k}")
    p = prime(draws, 10 * d)
    rows = [[p] + [0] * (d - 1)] + [[draws.randrange(p)] + [int(i == j) for j in range(1, d)] for i in range(1, d)]
    basis, target = os.path.join(folder, f"basis-{d}-{k}.txt"), os.path.join(folder, f"target-{d}-{k}.txt")
    with open(basis, "w", encoding="utf-8") as file:
        file.write("[" + "\n".join("[" + " ".join(map(str, row)) + "]" for row in rows) + "]\n")
    with open(target, "w", encoding="utf-8") as file:
        file.write("[" + " ".join(str(draws.randrange(p)) for _ in range(d)) + "]\n")
    shortest = ["--basis", basis, "--reduce", "bkz-20"]
    return {"shortest": shortest, "closest": [*shortest, "--target", target]}


def run(program, flags, mode, threads):
    begin = time.monotonic()
    done = subprocess.run([program, "lattice", *flags, "--mode", mode, "--threads", str(threads), "--json", "--progress", "none"],
                          capture_output=True, text=True, check=False)
    seconds = time.monotonic() - begin
    if done.returncode != 0:
        sys.exit(done.stderr[-500:])
    record = json.loads(done.stdout)
    return seconds, record


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output_file")
    parser.add_argument("programs", nargs="+", metavar="PROGRAM")
    parser.add_argument("--dimensions", nargs="+", type=int, default=[48, 52, 56])
    parser.add_argument("--count", type=int, default=3)
    parser.add_argument("--modes", nargs="+", default=["cpu", "gpu", "hybrid", "auto"])
    parser.add_argument("--threads", type=int, default=16)
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    table = [f"# slicepool lattice --basis B --reduce bkz-20 [--target T] --mode M --threads {arguments.threads}: medians of {arguments.count} lattices"]
    same = True
    for d in arguments.dimensions:
        instances = [write_instance(folder, d, k) for k in range(arguments.count)]
        for what in ("shortest", "closest"):
            walls, searches, nodes, found = {}, {}, {}, {}
            for k, flags in enumerate(instances):
                for mode in arguments.modes:
                    for program in arguments.programs:
                        seconds, record = run(program, flags[what], mode, arguments.threads)
                        key = (mode, program)
                        walls.setdefault(key, []).append(seconds)
                        searches.setdefault(key, []).append(record["phases"]["search"] if "phases" in record else record["seconds"])
                        nodes.setdefault(key, []).append(record["nodes"])
                        found.setdefault(k, set()).add(record["squared_distance" if what == "closest" else "shortest_squared_norm"])
            same = same and all(len(norms) == 1 for norms in found.values())
            for (mode, program), seconds in walls.items():
                key = (mode, program)
                table.append(f"{what:8} d {d} {mode:6} whole process {statistics.median(seconds):.2f} s, search {statistics.median(searches[key]):.3f} s, "
                             f"{statistics.median(nodes[key]):.3g} nodes  {os.path.basename(program)}")
                print(table[-1], flush=True)
    table.append("norms: the same in every run" if same else "NORMS DIFFER")
    print(table[-1])
    with open(arguments.output_file, "w", encoding="utf-8") as file:
        file.write("\n".join(table) + "\n")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
