#!/usr/bin/env python3
"""Nodes that ranks visit for a shortest or closest vector with balls and without them, beside one process.

    bench/rank_balls.py PROGRAM OUTPUT_FILE --mpiexec MPIEXEC [--dimensions 48 52] [--count 3] [--ranks 1 2 4 8] [--lanes N]

The lattices and targets of gpu/one_vector.py. Without balls: the search is given the norm of the shortest row, or Babai's distance, as its
radius, which shrinks from there on. MPIEXEC is that of Open MPI. Each rank has one thread; ranks may be more than cores, since nodes are counted. With --lanes
each has an emulated device of so many lanes instead, which finds vectors as late as a GPU does. The table has the sums over
the lattices, of which some have no ball: their shortest row is in the first one. Ends with 1 when two runs differ in a norm.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "gpu"))
from lattice_runs import Table  # noqa: E402
from one_vector import write_instance  # noqa: E402


def workers(arguments):
    if arguments.lanes == 0:
        return ["--mode", "cpu"]
    return ["--mode", "emulated", "--emulated-alone", "--emulated-lanes", str(arguments.lanes)]


def record_of(arguments, ranks, flags):
    """Of one process where `ranks` is 0."""
    launch = [arguments.mpiexec, "--oversubscribe", "--bind-to", "none", "-n", str(ranks)] if ranks else []
    command = [*launch, arguments.program, "lattice", *flags, "--threads", "1", "--json", "--progress", "none", *workers(arguments),
               *(["--cluster", "mpi"] if ranks else [])]
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **allowed})
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr[-500:]}")
    return json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("output_file")
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--dimensions", nargs="+", type=int, default=[48, 52])
    parser.add_argument("--count", type=int, default=3)
    parser.add_argument("--ranks", nargs="+", type=int, default=[1, 2, 4, 8])
    parser.add_argument("--lanes", type=int, default=0)
    arguments = parser.parse_args()
    table = Table(f"slicepool lattice --basis B --reduce bkz-20 [--target T] --threads 1 {' '.join(workers(arguments))} on ranks: nodes for {arguments.count} lattices together")
    same = True
    with tempfile.TemporaryDirectory() as folder:
        for d in arguments.dimensions:
            instances = [write_instance(folder, d, k) for k in range(arguments.count)]
            for what in ("shortest", "closest"):
                nodes = {}
                for instance in instances:
                    single = record_of(arguments, 0, instance[what])
                    radius = ["--squared-radius", str(single["squared_radius"])]
                    name = "squared_distance" if what == "closest" else "shortest_squared_norm"
                    norms = {single[name]}
                    for ranks in [0, *arguments.ranks]:
                        for balls, extra in (("with", []), ("without", radius)):
                            record = record_of(arguments, ranks, [*instance[what], *extra])
                            nodes.setdefault((ranks, balls), []).append(record["nodes"])
                            norms.add(record[name])
                    same = same and len(norms) == 1
                for ranks in [0, *arguments.ranks]:
                    of = {balls: sum(nodes[ranks, balls]) for balls in ("with", "without")}
                    who = f"{ranks} rank{'s' if ranks > 1 else ''}" if ranks else "one process"
                    table.add(f"d = {d} {what}, {who}: {of['without']:.3g} nodes without balls, {of['with']:.3g} with ({of['with'] / of['without']:.2f} of them)")
    return table.finish(arguments.output_file, "norms", same)


if __name__ == "__main__":
    sys.exit(main())
