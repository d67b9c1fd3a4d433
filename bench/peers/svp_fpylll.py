#!/usr/bin/env python3
"""fplll's own BKZ with pruned enumeration on the lattices of bench/gpu/svp.py, beside slicepool.

    bench/peers/svp_fpylll.py PROGRAM [--dimensions 50 60 70] [--lattices 5] [--mode cpu] [--threads 1 2] [--processes 1] [--limit 300]
                              [--targets exact gh:1.05]

Needs fpylll. slicepool runs first, with --proof-limit 0; fplll then searches, by so many processes of one thread, until one of them has a
vector of the norm that slicepool found (exact), or of 1.05 Gaussian heuristics. That is SVP reduction of the whole basis with fplll's
default strategies, pruning and rerandomisation, again and again; all but the first process begin with a rerandomisation of their own. Where
the limit ends it, its time counts, and how often that was is said. Seconds are wall time without the start of the process, medians.
"""
import argparse
import json
import math
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time

from fpylll import BKZ, FPLLL, GSO, LLL, IntegerMatrix, load_strategies_json
from fpylll.algorithms.bkz2 import BKZReduction

from challenge_bases import strategies_file, svp


def by_process(number, prime, column, squared_norm, limit, answers):
    FPLLL.set_random_seed(number + 1)
    d = len(column) + 1
    rows = [[prime] + [0] * (d - 1)] + [[a] + [int(j == i) for j in range(d - 1)] for i, a in enumerate(column)]
    strategies = load_strategies_json(strategies_file())    # once, and not in the seconds
    begin = time.monotonic()
    basis = LLL.reduction(IntegerMatrix.from_matrix(rows))
    reduction = BKZReduction(GSO.Mat(basis, float_type="double"))
    for size in range(20, min(d - 10, 60) + 1, 10):
        reduction(BKZ.Param(size, strategies=strategies, max_loops=1, flags=BKZ.GH_BND))
    if number != 0:   # not before: rows as long as those of LLL would leave what doubles hold
        reduction.randomize_block(1, d, density=3)
        reduction.lll_obj()
    while True:
        reduction.svp_reduction(0, d, BKZ.Param(d, strategies=strategies, flags=BKZ.GH_BND))
        reduction.lll_obj()
        shortest = min(sum(x * x for x in row) for row in basis)
        if shortest <= squared_norm or time.monotonic() - begin > limit:
            answers.put((time.monotonic() - begin, shortest))
            return
        reduction.randomize_block(1, d, density=3)    # a second look at the same basis would find the same


def by_fplll(processes, *problem):
    """Seconds and squared norm of the process that is first."""
    answers = multiprocessing.Queue()
    searchers = [multiprocessing.Process(target=by_process, args=(number, *problem, answers)) for number in range(processes)]
    for searcher in searchers:
        searcher.start()
    first = answers.get(timeout=problem[-1] + 100)   # a process that is in the middle of a search ends it
    for searcher in searchers:
        searcher.terminate()
        searcher.join()
    return first


def by_slicepool(program, path, target, mode, threads):
    words = [program, "svp", "--basis", path, "--target", target, "--mode", mode, "--threads", str(threads), "--proof-limit", "0", "--json",
             "--progress", "none"]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--dimensions", type=int, nargs="+", default=[50, 60, 70])
    parser.add_argument("--lattices", type=int, default=5)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--mode", default="cpu", help="of slicepool")
    parser.add_argument("--processes", type=int, default=1, help="of fplll")
    parser.add_argument("--targets", nargs="+", default=["exact", "gh:1.05"])
    parser.add_argument("--limit", type=float, default=300, help="seconds after which fplll gives up")
    arguments = parser.parse_args()
    svp.environment(arguments.program)
    for target in arguments.targets:
        for dimension in arguments.dimensions:
            ours = {threads: [] for threads in arguments.threads}
            found = {threads: [] for threads in arguments.threads}
            theirs, cut = [], 0
            for seed in range(arguments.lattices):
                prime, column = svp.challenge(dimension, seed)
                with tempfile.TemporaryDirectory() as folder:
                    path = os.path.join(folder, "basis.txt")
                    with open(path, "w", encoding="utf-8") as file:
                        file.write(svp.basis_text(prime, column))
                    norms = []
                    for threads in arguments.threads:
                        record = by_slicepool(arguments.program, path, target, arguments.mode, threads)
                        ours[threads].append(record["wall_seconds"])
                        found[threads].append(record["found_seconds"])
                        norms.append(int(record["squared_norm"]))
                    wanted = min(norms) if target == "exact" else math.floor(float(record["gh"]) ** 2 * 1.05 ** 2)
                    if target == "exact" and len(set(norms)) > 1:
                        print(f"d {dimension} seed {seed}: threads differ: {norms}", flush=True)
                seconds, norm = by_fplll(arguments.processes, prime, column, wanted, arguments.limit)
                theirs.append(seconds)
                cut += norm > wanted
                if target == "exact" and norm < wanted:
                    print(f"d {dimension} seed {seed}: fplll found {norm}, slicepool {wanted}", flush=True)
            text = "; ".join(f"slicepool {threads} thread(s): found {statistics.median(found[threads]):.2f} s, sure {statistics.median(ours[threads]):.2f} s"
                             for threads in arguments.threads)
            given_up = f", {cut} of {len(theirs)} not found" if cut else ""
            print(f"{target:8} d {dimension}: {text}; fplll, {arguments.processes} process(es): {statistics.median(theirs):.2f} s "
                  f"(mean {statistics.mean(theirs):.2f}{given_up})", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
