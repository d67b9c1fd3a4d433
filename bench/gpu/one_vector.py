#!/usr/bin/env python3
"""How long a shortest vector, and a closest one, take: whole processes, in several modes.

    bench/gpu/one_vector.py OUTPUT_FILE PROGRAM [PROGRAM ..] [--dimensions 48 52 56] [--count 3] [--modes cpu gpu hybrid auto]
                            [--threads 16]

PROGRAM is a built slicepool or that of a bundle (bench/gpu/bundle.sh); several are compared. The lattices are those of the SVP challenge's kind,
a prime of 10 d bits and random numbers below it, made here by a seed; targets are integers anywhere. Each is reduced by BKZ-20 in the process.
Programs and modes take turns; the table has medians over the lattices. Ends with 1 when two runs differ in a norm.
"""
import argparse
import os
import random
import statistics
import sys
import tempfile

from lattice_runs import Table, timed
from svp import basis_text, is_prime


def write_instance(folder, d, k):
    """Flags of the searches for a shortest vector and for a closest one."""
    draws = random.Random(f"one vector {d} {k}")
    prime = 0
    while prime == 0 or not is_prime(prime):
        prime = draws.getrandbits(10 * d) | 1 | 1 << (10 * d - 1)
    column = [draws.randrange(prime) for _ in range(d - 1)]
    basis, target = os.path.join(folder, f"basis-{d}-{k}.txt"), os.path.join(folder, f"target-{d}-{k}.txt")
    with open(basis, "w", encoding="utf-8") as file:
        file.write(basis_text(prime, column))
    with open(target, "w", encoding="utf-8") as file:
        file.write("[" + " ".join(str(draws.randrange(prime)) for _ in range(d)) + "]\n")
    shortest = ["--basis", basis, "--reduce", "bkz-20"]
    return {"shortest": shortest, "closest": [*shortest, "--target", target]}


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
    table = Table(f"slicepool lattice --basis B --reduce bkz-20 [--target T] --mode M --threads {arguments.threads}: medians of {arguments.count} lattices")
    same = True
    for d in arguments.dimensions:
        instances = [write_instance(folder, d, k) for k in range(arguments.count)]
        for what in ("shortest", "closest"):
            walls, searches, nodes, found = {}, {}, {}, {}
            for k, flags in enumerate(instances):
                for mode in arguments.modes:
                    for program in arguments.programs:
                        seconds, record = timed(program, [*flags[what], "--threads", str(arguments.threads)], mode)
                        key = (mode, program)
                        walls.setdefault(key, []).append(seconds)
                        searches.setdefault(key, []).append(record["phases"]["search"])
                        nodes.setdefault(key, []).append(record["nodes"])
                        found.setdefault(k, set()).add(record["squared_distance" if what == "closest" else "shortest_squared_norm"])
            same = same and all(len(norms) == 1 for norms in found.values())
            for (mode, program), seconds in walls.items():
                key = (mode, program)
                table.add(f"{what:8} d {d} {mode:6} whole process {statistics.median(seconds):.2f} s, search {statistics.median(searches[key]):.3f} s, "
                          f"{statistics.median(nodes[key]):.3g} nodes  {os.path.basename(program)}")
    return table.finish(arguments.output_file, "norms", same)


if __name__ == "__main__":
    sys.exit(main())
