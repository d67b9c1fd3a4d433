#!/usr/bin/env python3
"""How long a shortest vector, or one of 1.05 Gaussian heuristics, takes: whole processes, in several modes.

    bench/gpu/svp.py PROGRAM OUTPUT_FILE [--dimensions 70 80 90] [--lattices 5] [--modes hybrid cpu] [--targets exact gh:1.05]
                     [--limit 600] [--total 3600] [--options "--bkz 55"]

PROGRAM is a built slicepool or that of a bundle (bench/gpu/bundle.sh). The lattices are of the kind of the SVP challenge (one dense
column modulo a prime of 10 d bits), made here by a seed: the bases are the same on every machine. Every vector is checked here:
that it is in the lattice, and its norm. `--limit` is the time of one run, `--total` that of all; what does not fit is left out and
said so. OUTPUT_FILE has a line of JSON a run, and the table of medians at its end is printed. Seconds are those of the process;
`found` is when the answer was known, after which the run makes sure of it. Ends with 1 when a vector is wrong, or when two
runs that were to find a shortest vector differ in its norm.
"""
import argparse
import json
import os
import random
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


def is_prime(n):
    s, t = 0, n - 1
    while t % 2 == 0:
        s, t = s + 1, t // 2
    for a in WITNESSES:
        x = pow(a, t, n)
        if x in (1, n - 1):
            continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


def challenge(dimension, seed):
    """The prime, and the entries of the dense column below it."""
    draws = random.Random(f"svp {dimension} {seed}")
    prime = draws.getrandbits(10 * dimension) | 1 << (10 * dimension - 1) | 1
    while not is_prime(prime):
        prime += 2
    return prime, [draws.randrange(prime) for _ in range(dimension - 1)]


def basis_text(prime, column):
    d = len(column) + 1
    rows = [[prime] + [0] * (d - 1)]
    rows += [[a] + [int(j == i) for j in range(d - 1)] for i, a in enumerate(column)]
    return "[" + "\n".join("[" + " ".join(map(str, row)) + "]" for row in rows) + "]\n"


def is_right(prime, column, record):
    vector = [int(x) for x in record["vector"]]
    inside = (vector[0] - sum(a * x for a, x in zip(column, vector[1:]))) % prime == 0
    return inside and any(vector) and sum(x * x for x in vector) == int(record["squared_norm"])


def run(program, basis, target, mode, seconds, options):
    words = [program, "svp", "--basis", basis, "--target", target, "--mode", mode, "--json", "--progress", "none",
             "--time-limit", f"{seconds:.0f}", *options]
    begin = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    wall = time.monotonic() - begin
    try:
        return json.loads(done.stdout), wall, ""
    except ValueError:
        return None, wall, done.stderr.strip()[-300:]


def environment(program):
    """fplll's strategies travel with a bundle."""
    strategies = os.path.join(os.path.dirname(os.path.abspath(program)), "share", "fplll", "default.json")
    if os.path.exists(strategies):
        os.environ.setdefault("SLICEPOOL_FPLLL_STRATEGIES", strategies)


def summary(lines):
    groups = {}
    for line in lines:
        groups.setdefault((line["target"], line["dimension"], line["mode"]), []).append(line)
    print(f"{'target':9} {'d':>3} {'mode':7} {'runs':>4} {'stopped':>7} {'seconds':>9} {'slowest':>9} {'found':>8} {'trials':>7} {'nodes':>9} "
          f"{'reduction':>9} {'search':>8} {'gpu busy':>8} {'|v|/GH':>7}")
    for (target, dimension, mode), group in sorted(groups.items()):
        def median(key, of=None):
            return statistics.median(line[key] if of is None else float(line["record"][of]) for line in group)
        stopped = sum(line["record"]["status"] != "done" for line in group)
        print(f"{target:9} {dimension:3} {mode:7} {len(group):4} {stopped:7} {median('seconds'):9.3f} {max(line['seconds'] for line in group):9.3f} "
              f"{median('', 'found_seconds'):8.3f} {median('', 'trials'):7.0f} {median('', 'nodes'):9.3g} {median('', 'reduction_seconds'):9.2f} "
              f"{median('', 'search_seconds'):8.2f} {median('', 'device_busy_share'):8.2f} {median('', 'gh_ratio'):7.4f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("output")
    parser.add_argument("--dimensions", type=int, nargs="+", default=[70, 80, 90])
    parser.add_argument("--lattices", type=int, default=5)
    parser.add_argument("--modes", nargs="+", default=["hybrid", "cpu"])
    parser.add_argument("--targets", nargs="+", default=["exact", "gh:1.05"])
    parser.add_argument("--limit", type=float, default=600)
    parser.add_argument("--total", type=float, default=3600)
    parser.add_argument("--options", default="--proof-limit 0", help="more options of slicepool svp")
    arguments = parser.parse_args()
    environment(arguments.program)
    begin = time.monotonic()
    wrong, left_out, lines, norms = 0, 0, [], {}
    with open(arguments.output, "w", encoding="utf-8") as output, tempfile.TemporaryDirectory() as folder:
        for dimension in arguments.dimensions:
            for mode in arguments.modes:
                for target in arguments.targets:
                    for seed in range(arguments.lattices):
                        left = arguments.total - (time.monotonic() - begin)
                        if left < 1:
                            left_out += 1
                            continue
                        prime, column = challenge(dimension, seed)
                        path = os.path.join(folder, f"{dimension}-{seed}.txt")
                        with open(path, "w", encoding="utf-8") as file:
                            file.write(basis_text(prime, column))
                        limit = max(1, min(arguments.limit, left))
                        record, seconds, error = run(arguments.program, path, target, mode, limit, shlex.split(arguments.options))
                        if record is None:
                            print(f"d {dimension} seed {seed} {mode} {target}: {error}", flush=True)
                            wrong += 1
                            continue
                        if not is_right(prime, column, record):
                            print(f"WRONG: d {dimension} seed {seed} {mode} {target}: not a vector of the lattice with this norm", flush=True)
                            wrong += 1
                        if target == "exact" and record["status"] == "done":
                            norms.setdefault((dimension, seed), set()).add(record["squared_norm"])
                        line = {"dimension": dimension, "seed": seed, "mode": mode, "target": target, "seconds": seconds, "record": record}
                        output.write(json.dumps(line) + "\n")
                        output.flush()
                        lines.append(line)
                        print(f"d {dimension} seed {seed} {mode} {target}: {seconds:.2f} s, found after {record['found_seconds']:.2f} s, "
                              f"{record['status']}, {record['gh_ratio']:.4f} GH, {record['trials']} trials", flush=True)
    for (dimension, seed), found in norms.items():
        if len(found) > 1:
            print(f"d {dimension} seed {seed}: runs differ in the shortest norm: {sorted(found)}")
            wrong += 1
    summary(lines)
    if left_out:
        print(f"{left_out} runs were left out: --total {arguments.total:.0f} s were over")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
