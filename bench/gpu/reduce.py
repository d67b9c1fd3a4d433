#!/usr/bin/env python3
"""How long tours of block reduction take: whole processes, in several modes and with several numbers of threads.

    bench/gpu/reduce.py PROGRAM OUTPUT_FILE [--cases 140:60 180:80] [--lattices 1] [--modes cpu hybrid] [--threads 1 4 16 0] [--tours 1]
                        [--start 50] [--limit 900] [--total 3600] [--options "--trials 8"]

PROGRAM is a built slicepool or that of a bundle (bench/gpu/bundle.sh). The lattices are those of bench/gpu/svp.py. Each is first reduced by
two tours with blocks of --start; a case is then DIMENSION:BLOCK tours from there. `--threads 0` is all cores. Every basis is checked here: its rows
are in the lattice, and its determinant is the lattice's. `--limit` is the time of one run, `--total` that of all; what does not fit is left
out and said so. OUTPUT_FILE has a line of JSON a run. Seconds are those of the tours with the block size of the case. Runs in mode
cpu must end with the same basis for any number of threads. Ends with 1 when a basis is wrong or they differ.
"""
import argparse
import hashlib
import json
import math
import os
import shlex
import subprocess
import sys
import tempfile
import time

import svp


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return [[int(x) for x in line.strip("[]\n ").split()] for line in file if line.strip("[]\n ")]


def is_right(prime, column, path, record):
    rows = rows_of(path)
    inside = all((row[0] - sum(a * x for a, x in zip(column, row[1:]))) % prime == 0 for row in rows)
    volume = sum(record["log2_norms"])
    return inside and len(rows) == len(column) + 1 and abs(volume - math.log2(prime)) < 1e-6 * volume


def run(program, basis, output, block, tours, options, limit):
    words = [program, "reduce", "--basis", basis, "--output", output, "--bkz", str(block), "--tours", str(tours), "--json", "--progress", "none",
             "--time-limit", f"{limit:.0f}", *options]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout), ""
    except ValueError:
        return None, done.stderr.strip()[-300:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("output")
    parser.add_argument("--cases", nargs="+", default=["140:60", "180:80"])
    parser.add_argument("--lattices", type=int, default=1)
    parser.add_argument("--modes", nargs="+", default=["cpu", "hybrid"])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 4, 16, 0])
    parser.add_argument("--tours", type=int, default=1)
    parser.add_argument("--start", type=int, default=50)
    parser.add_argument("--limit", type=float, default=900)
    parser.add_argument("--total", type=float, default=3600)
    parser.add_argument("--options", default="", help="more options of slicepool reduce")
    arguments = parser.parse_args()
    svp.environment(arguments.program)
    begin = time.monotonic()
    wrong, left_out, bases = 0, 0, {}
    with open(arguments.output, "w", encoding="utf-8") as output, tempfile.TemporaryDirectory() as folder:
        for case in arguments.cases:
            dimension, block = map(int, case.split(":"))
            for seed in range(arguments.lattices):
                prime, column = svp.challenge(dimension, seed)
                given, start, reduced = (os.path.join(folder, name) for name in ("given.txt", "start.txt", "reduced.txt"))
                with open(given, "w", encoding="utf-8") as file:
                    file.write(svp.basis_text(prime, column))
                record, error = run(arguments.program, given, start, arguments.start, 2, ["--mode", "cpu"], arguments.limit)
                if record is None:
                    print(f"d {dimension} seed {seed}: {error}", flush=True)
                    wrong += 1
                    continue
                print(f"d {dimension} seed {seed}: LLL {record['lll_seconds']:.2f} s, tours to blocks of {arguments.start} {record['seconds']:.2f} s; "
                      f"root Hermite factor {record['hermite_factor']:.5f}, slope {record['slope']:.5f}", flush=True)
                for mode in arguments.modes:
                    for threads in arguments.threads:
                        left = arguments.total - (time.monotonic() - begin)
                        if left < 1:
                            left_out += 1
                            continue
                        options = ["--mode", mode, *(["--threads", str(threads)] if threads else []), *shlex.split(arguments.options)]
                        record, error = run(arguments.program, start, reduced, block, arguments.tours, options, max(1, min(arguments.limit, left)))
                        if record is None:
                            print(f"  {mode} {threads}: {error}", flush=True)
                            wrong += 1
                            continue
                        if not is_right(prime, column, reduced, record):
                            print(f"WRONG: {mode} {threads}: not a basis of the lattice", flush=True)
                            wrong += 1
                        last = [tour["seconds"] for tour in record["tours"] if tour["bkz_block_size"] == min(block, dimension)]
                        if mode == "cpu" and record["status"] == "done":
                            with open(reduced, "rb") as file:
                                bases.setdefault((case, seed), set()).add(hashlib.sha256(file.read()).hexdigest())
                        output.write(json.dumps({"case": case, "seed": seed, "mode": mode, "threads": threads, "record": record}) + "\n")
                        output.flush()
                        print(f"  blocks of {block}, {mode}, threads {threads or 'all'}: {sum(last):.2f} s for {len(last)} tour(s), {record['status']}; "
                              f"root Hermite factor {record['hermite_factor']:.5f}, slope {record['slope']:.5f}, potential "
                              f"{record['log_potential'] / dimension ** 2:.5f}; of all tours blocks {record['preprocessing_seconds']:.2f}, trees "
                              f"{record['search_seconds']:.2f}, devices {record['device_seconds']:.2f}, size reduction {record['size_reduction_seconds']:.2f} s; "
                              f"{record['nodes']:.3g} nodes", flush=True)
    for (case, seed), found in bases.items():
        if len(found) > 1:
            print(f"{case} seed {seed}: runs on cores differ in their basis")
            wrong += 1
    if left_out:
        print(f"{left_out} runs were left out: --total {arguments.total:.0f} s were over")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
