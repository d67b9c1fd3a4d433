#!/usr/bin/env python3
"""fplll's own BKZ with pruned enumeration on the lattices of bench/gpu/svp.py, beside slicepool.

    bench/peers/svp_fpylll.py PROGRAM [--dimensions 50 60 70] [--lattices 5] [--threads 1 2] [--limit 300]

Needs fpylll. slicepool runs first, with --proof-limit 0; fplll then searches, with one thread, until it has a vector of the norm
that slicepool found (exact), or of 1.05 Gaussian heuristics. That is SVP reduction of the whole basis with fplll's default
strategies, pruning and rerandomisation, again and again. Seconds are wall time without the start of the process, medians.
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

from fpylll import BKZ, GSO, LLL, IntegerMatrix
from fpylll.algorithms.bkz2 import BKZReduction

from challenge_bases import strategies_file, svp


def by_fplll(prime, column, squared_norm, limit):
    d = len(column) + 1
    rows = [[prime] + [0] * (d - 1)] + [[a] + [int(j == i) for j in range(d - 1)] for i, a in enumerate(column)]
    begin = time.monotonic()
    basis = LLL.reduction(IntegerMatrix.from_matrix(rows))
    reduction = BKZReduction(GSO.Mat(basis, float_type="double"))
    strategies = strategies_file()
    for size in range(20, min(d - 10, 60) + 1, 10):
        reduction(BKZ.Param(size, strategies=strategies, max_loops=1, flags=BKZ.GH_BND))
    while True:
        reduction.svp_reduction(0, d, BKZ.Param(d, strategies=strategies, flags=BKZ.GH_BND))
        reduction.lll_obj()
        shortest = min(sum(x * x for x in row) for row in basis)
        if shortest <= squared_norm or time.monotonic() - begin > limit:
            return time.monotonic() - begin, shortest
        reduction.randomize_block(1, d, density=3)    # a second look at the same basis would find the same


def by_slicepool(program, path, target, threads):
    words = [program, "svp", "--basis", path, "--target", target, "--mode", "cpu", "--threads", str(threads), "--proof-limit", "0", "--json",
             "--progress", "none"]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--dimensions", type=int, nargs="+", default=[50, 60, 70])
    parser.add_argument("--lattices", type=int, default=5)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--limit", type=float, default=300)
    arguments = parser.parse_args()
    svp.environment(arguments.program)
    for target in ("exact", "gh:1.05"):
        for dimension in arguments.dimensions:
            ours = {threads: [] for threads in arguments.threads}
            found = {threads: [] for threads in arguments.threads}
            theirs = []
            for seed in range(arguments.lattices):
                prime, column = svp.challenge(dimension, seed)
                with tempfile.TemporaryDirectory() as folder:
                    path = os.path.join(folder, "basis.txt")
                    with open(path, "w", encoding="utf-8") as file:
                        file.write(svp.basis_text(prime, column))
                    norms = []
                    for threads in arguments.threads:
                        record = by_slicepool(arguments.program, path, target, threads)
                        ours[threads].append(record["wall_seconds"])
                        found[threads].append(record["found_seconds"])
                        norms.append(int(record["squared_norm"]))
                    wanted = min(norms) if target == "exact" else math.floor(float(record["gh"]) ** 2 * 1.05 ** 2)
                    if target == "exact" and len(set(norms)) > 1:
                        print(f"d {dimension} seed {seed}: threads differ: {norms}", flush=True)
                seconds, norm = by_fplll(prime, column, wanted, arguments.limit)
                theirs.append(seconds)
                if target == "exact" and norm < wanted:
                    print(f"d {dimension} seed {seed}: fplll found {norm}, slicepool {wanted}", flush=True)
            text = "; ".join(f"slicepool {threads} thread(s): found {statistics.median(found[threads]):.2f} s, sure {statistics.median(ours[threads]):.2f} s"
                             for threads in arguments.threads)
            print(f"{target:8} d {dimension}: {text}; fplll: {statistics.median(theirs):.2f} s (mean {statistics.mean(theirs):.2f})", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
