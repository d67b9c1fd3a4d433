#!/usr/bin/env python3
"""fplll's own BKZ beside slicepool reduce: the same basis, the same block size, the same number of tours.

    bench/peers/reduce_fpylll.py PROGRAM [--cases 100:50 120:60 140:60] [--start 40] [--tours 1] [--threads 1 2] [--lattices 1]

Needs fpylll. The lattices are those of bench/gpu/svp.py. Both begin with the basis that slicepool makes with blocks of up to
--start (two tours), and make tours with the block size of the case; slicepool's smaller tours before them, which change little then,
count. Seconds are wall time and time of cores of these tours, without the start of processes and LLL of the whole basis. Quality is
that of the bases: ln of the first length, of the potential (sum of (d - i) ln |b*_i|^2 over d^2) and slope, the smaller the better but for
the slope. fplll is its C++ loop with default strategies, with one thread, double precision.
"""
import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time

from fpylll import BKZ, GSO, LLL, IntegerMatrix
from fpylll.fplll.bkz import BKZReduction

from challenge_bases import strategies_file, svp


def quality(matrix):
    """(ln |b_1|, potential over d^2, slope)."""
    m = GSO.Mat(matrix, float_type="long double")
    m.update_gso()
    logs = [math.log(m.get_r(i, i)) for i in range(m.d)]
    d = len(logs)
    middle, mean = (d - 1) / 2, sum(logs) / d
    slope = sum((i - middle) * (x - mean) for i, x in enumerate(logs)) / sum((i - middle) ** 2 for i in range(d))
    return logs[0] / 2, sum((d - i) * x for i, x in enumerate(logs)) / d ** 2, slope


def by_fplll(path, block, tours):
    matrix = IntegerMatrix.from_file(path)
    m = GSO.Mat(matrix, float_type="double")
    lll = LLL.Reduction(m)
    lll()
    parameters = BKZ.Param(block, strategies=strategies_file(), max_loops=tours, flags=BKZ.MAX_LOOPS | BKZ.GH_BND | BKZ.BOUNDED_LLL)
    begin, cpu = time.monotonic(), time.process_time()
    BKZReduction(m, lll, parameters)()
    return time.monotonic() - begin, time.process_time() - cpu, quality(matrix)


def by_slicepool(program, path, block, tours, options):
    """Its record as well."""
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "reduced.txt")
        words = [program, "reduce", "--basis", path, "--output", output, "--bkz", str(block), "--tours", str(tours), "--json", "--progress", "none", *options]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        record = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return record, cpu, quality(IntegerMatrix.from_file(output))


def start_of(program, folder, dimension, seed, block):
    prime, column = svp.challenge(dimension, seed)
    given, start = os.path.join(folder, "given.txt"), os.path.join(folder, f"start-{dimension}-{seed}.txt")
    with open(given, "w", encoding="utf-8") as file:
        file.write(svp.basis_text(prime, column))
    subprocess.run([program, "reduce", "--basis", given, "--bkz", str(block), "--tours", "2", "--mode", "cpu", "--output", start, "--progress", "none"],
                   capture_output=True, check=True)
    return start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--cases", nargs="+", default=["100:50", "120:60", "140:60"])
    parser.add_argument("--start", type=int, default=40)
    parser.add_argument("--tours", type=int, default=1)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--lattices", type=int, default=1)
    parser.add_argument("--options", nargs="*", default=["--mode=cpu"], help="of slicepool")
    parser.add_argument("--without-fplll", action="store_true")
    arguments = parser.parse_args()
    svp.environment(arguments.program)

    def show(who, seconds, cpu, figures):
        print(f"  {who:24} {seconds:8.2f} s, {cpu:8.2f} s of cores; ln |b_1| {figures[0]:.4f}, potential {figures[1]:.5f}, slope {figures[2]:.5f}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        for case in arguments.cases:
            dimension, block = map(int, case.split(":"))
            for seed in range(arguments.lattices):
                start = start_of(arguments.program, folder, dimension, seed, arguments.start)
                print(f"d {dimension}, blocks of {block}, seed {seed}, {arguments.tours} tour(s) from blocks of {arguments.start}", flush=True)
                show("start", 0, 0, quality(IntegerMatrix.from_file(start)))
                if not arguments.without_fplll:
                    show("fplll", *by_fplll(start, block, arguments.tours))
                for threads in arguments.threads:
                    record, cpu, figures = by_slicepool(arguments.program, start, block, arguments.tours, ["--threads", str(threads), *arguments.options])
                    show(f"slicepool, {threads} thread(s)", sum(tour["seconds"] for tour in record["tours"]), cpu, figures)
                    last = [tour["seconds"] for tour in record["tours"] if tour["bkz_block_size"] == min(block, dimension)]
                    print(f"    of it tours of {block}: {sum(last):.2f} s; blocks {record['preprocessing_seconds']:.2f}, trees {record['search_seconds']:.2f}, "
                          f"devices {record['device_seconds']:.2f}, size reduction {record['size_reduction_seconds']:.2f}, LLL {record['lll_seconds']:.2f}; "
                          f"{record['nodes']:.3g} nodes", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
