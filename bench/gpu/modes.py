#!/usr/bin/env python3
"""Compares cpu, gpu, hybrid and auto on one machine: whole processes, which a user waits for, and enumerations within one
process whose GPU is ready, which a sweep or a session sees.

    bench/gpu/modes.py BUNDLE_FOLDER OUTPUT_FILE [--repetitions 5] [--quick] [--skip whole|warm]

Runs in a bundle (bench/gpu/bundle.sh). A mark that is missed is printed with its figure. Marks of whole processes:

- auto: at most 1.15 times the best of the other modes, 1.05 as geometric mean;
- auto and hybrid, where mode cpu is over before a GPU is there: at most 10 ms more than mode cpu;
- gpu: beside its enumeration at most the floor and 0.1 s, 0.3 s with several GPUs. The floor is a bare program: it starts the
  driver, makes a context on each GPU and leaves.

Marks within one process: hybrid from 5 ms up at least 0.98 of the better half; at least 0.90 of the sum of both rates where the
GPU alone takes 0.1 s, 0.95 from 1 s. Ends with 1 when answers differ, with 3 when a mark is missed.
"""
import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

EIGHT = [13, 37, 38, 40, 41, 42, 43, 44]
QARY_NAME, QARY_MODULUS, QARY_BLOCK, QARY_RADIUS = "lattice q-ary 52", 1048573, 30, 3500000  # a prime of 20 bits
SHORT = 0.2  # seconds of mode cpu, whole process: no GPU is there before
SHORT_REPETITIONS = 15
LONG = 8  # seconds of a whole process, after which one will do


def factorizations(generators, element, **more):
    return {"workload": "factorizations", "generators": generators, "element": element, **more}


def qary_rows(dimension, modulus, seed):
    """Rows of a random q-ary lattice, half of them multiples of the modulus."""
    numbers = random.Random(seed)
    half = dimension // 2
    rows = [[int(i == j) for j in range(half)] + [numbers.randrange(modulus) for _ in range(dimension - half)] for i in range(half)]
    return rows + [[modulus * (j == i) for j in range(dimension)] for i in range(half, dimension)]


def qary_lattice(program, folder):
    """The search of a q-ary lattice of dimension 52 below QARY_RADIUS, on a basis that the program itself reduces; the same one on
    every machine (185,495,259 nodes). Nothing where it cannot, for want of fplll."""
    given, reduced = os.path.join(folder, "qary52-given.txt"), os.path.join(folder, "qary52.txt")
    with open(given, "w", encoding="utf-8") as file:
        file.write("[" + "\n".join("[" + " ".join(map(str, row)) + "]" for row in qary_rows(52, QARY_MODULUS, 52)) + "]\n")
    strategies = os.path.join(os.path.dirname(program), "share", "fplll", "default.json")
    environment = dict(os.environ)
    if os.path.exists(strategies):
        environment.setdefault("SLICEPOOL_FPLLL_STRATEGIES", strategies)
    done = subprocess.run([program, "reduce", "--basis", given, "--bkz", str(QARY_BLOCK), "--output", reduced, "--mode", "cpu"],
                          capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        return []
    return [(QARY_NAME, {"workload": "lattice", "basis": reduced, "fixed_radius": True, "squared_radius": QARY_RADIUS,
                                  "reduction": "none"})]


def cases(bundle, quick):
    """(name, configuration without engine). The problems of the two tables of docs/performance.md on modes."""
    lattices = {i["id"]: i for i in json.load(open(f"{bundle}/tests/data/lattices/expected.json"))["instances"]}

    def lattice(name):
        instance = lattices[name]
        found = {"workload": "lattice", "basis": f"{bundle}/tests/data/lattices/{instance['basis']}", "fixed_radius": True,
                 "squared_radius": instance["squared_radius"], "reduction": "none"}
        return found

    found = [
        ("candidate (8, 1500)", factorizations(EIGHT, 1500, algorithm="candidate")),
        ("candidate (8, 2000)", factorizations(EIGHT, 2000, algorithm="candidate")),
        ("candidate (8, 3600)", factorizations(EIGHT, 3600, algorithm="candidate")),
        ("ranked fingerprint (8, 3000)", factorizations(EIGHT, 3000, algorithm="ranked", sink="fingerprint")),
        ("ranked lengths (8, 3000)", factorizations(EIGHT, 3000, algorithm="ranked", sink="lengths")),
        ("rows (9, 1500)", factorizations([*EIGHT, 45], 1500, algorithm="ranked", sink="rows")),
        ("rows (10, 1300)", factorizations([*EIGHT, 45, 46], 1300, algorithm="ranked", sink="rows")),
        ("three in line 12", {"workload": "three_in_line", "size": 12}),
        ("three in line 13", {"workload": "three_in_line", "size": 13}),
        ("three in line 14", {"workload": "three_in_line", "size": 14}),
        ("lattice k45", lattice("k45")),
        ("lattice gm50", lattice("gm50")),
        ("lattice k50", lattice("k50")),
        ("lattice k55", lattice("k55")),
        ("bihecke:5", {"workload": "semigroup", "named": "bihecke:5"}),
        ("full:7", {"workload": "semigroup", "named": "full:7"}),
    ]
    if not quick:
        found += [("three in line 15", {"workload": "three_in_line", "size": 15}), ("lattice k60", lattice("k60"))]
    return found


def answer(record):
    return {key: record.get(key) for key in ("count", "size", "nodes", "fingerprint") if record.get(key) is not None}


class Report:
    def __init__(self, path):
        self.path = path
        self.wrong = 0
        self.missed = 0
        open(path, "w", encoding="utf-8").close()

    def say(self, text):
        print(text, flush=True)
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(text + "\n")

    def check(self, name, answers):
        if any(a != answers[0] for a in answers):
            self.wrong += 1
            self.say(f"  WRONG: {name}: {answers}")


def run_process(program, document, mode, folder):
    document = {**document, "engine": {"mode": mode}}
    path = os.path.join(folder, "run.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file)
    begin = time.monotonic()
    done = subprocess.run([program, "run", path, "--json"], capture_output=True, text=True, check=False, cwd=folder)
    seconds = time.monotonic() - begin
    if done.returncode != 0:
        return None, seconds, done.stderr.strip()[-200:]
    return json.loads(done.stdout), seconds, ""


# ---- marks: what is missed, or nothing ----------------------------------------------------------------------------------------------


def missed_by_auto(times):
    """`times`: seconds of whole processes by mode."""
    best = min(value for mode, value in times.items() if mode != "auto")
    return ["auto 1.15"] if times["auto"] > 1.15 * best else []


def missed_by_short(times):
    """A run that mode cpu ends before a GPU could be there costs hybrid and auto at most 10 ms more."""
    if "cpu" not in times or times["cpu"] >= SHORT:
        return []
    return [f"{mode} cpu + 10 ms (+{1e3 * (times[mode] - times['cpu']):.0f})" for mode in ("hybrid", "auto")
            if mode in times and times[mode] > times["cpu"] + 0.010]


def missed_by_gpu(beside, floor, gpus):
    """`beside`: seconds of a process of mode gpu beside its enumeration."""
    most = floor + (0.1 if gpus < 2 else 0.3)
    return [f"gpu floor + {most - floor:.1f} s ({beside:.3f} beside the enumeration)"] if beside > most else []


def missed_by_hybrid(times):
    """`times`: seconds of enumerations within one process, by mode."""
    if "hybrid" not in times or "gpu" not in times:
        return []
    halves = [times[mode] for mode in ("cpu", "gpu") if mode in times]
    missed = []
    if min(halves) >= 0.005 and min(halves) / times["hybrid"] < 0.98:
        missed.append("0.98 of the better half")
    if len(halves) < 2:
        return missed
    wanted = 0.95 if times["gpu"] >= 1 else 0.90 if times["gpu"] >= 0.1 else 0
    if 1 / times["hybrid"] / sum(1 / half for half in halves) < wanted:
        missed.append(f"{wanted:.2f} of the sum")
    return missed


# ---- measurements -------------------------------------------------------------------------------------------------------------------

# Errors of a driver end it with their number.
BARE = """
import ctypes, sys
cuda = ctypes.CDLL("libcuda.so.1")
count, device, context = ctypes.c_int(), ctypes.c_int(), ctypes.c_void_p()
status = cuda.cuInit(0) or cuda.cuDeviceGetCount(ctypes.byref(count))
for index in range(count.value):
    status = status or cuda.cuDeviceGet(ctypes.byref(device), index) or cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
print(count.value)
sys.exit(status)
"""


def measured_floor(repetitions, bare=BARE):
    """(seconds of a process that starts the driver, makes a context on each GPU and leaves; number of GPUs), or None. The start of
    the interpreter is taken off."""
    def seconds(code):
        samples, said = [], ""
        for _ in range(repetitions):
            begin = time.monotonic()
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
            samples.append(time.monotonic() - begin)
            if done.returncode != 0:
                return None, done.stderr
            said = done.stdout
        return statistics.median(samples), said

    whole_process, gpus = seconds(bare)
    interpreter, _ = seconds("import ctypes, sys")
    return None if whole_process is None else (max(0.0, whole_process - interpreter), int(gpus))


def interleaved(program, document, modes, repetitions):
    """Records, seconds and errors of whole processes: {mode: [(record, seconds, error)]}. The modes take turns, so that a machine that
    gets slower does so for all. A mode that needs over LONG seconds runs once, one that takes less than SHORT runs SHORT_REPETITIONS
    times at least: the median of so few milliseconds is worth nothing else."""
    runs = {mode: [] for mode in modes}
    wanted = dict.fromkeys(modes, repetitions)
    while any(len(runs[mode]) < wanted[mode] for mode in modes):
        for mode in modes:
            if len(runs[mode]) >= wanted[mode]:
                continue
            with tempfile.TemporaryDirectory() as folder:
                record, seconds, error = run_process(program, document, mode, folder)
            runs[mode].append((record, seconds, error))
            if record is None or seconds > LONG:
                wanted[mode] = 0
            elif seconds < SHORT and len(runs[mode]) == 1:
                wanted[mode] = max(repetitions, SHORT_REPETITIONS)
    return runs


def whole(report, program, problems, repetitions, slow, floor):
    """Whole processes: seconds, medians; cpu is left out where that takes minutes."""
    report.say("whole process, seconds, median (auto: and its ratio to the best of the other three)")
    if floor is None:
        report.say("  the floor of mode gpu is unknown: a bare program does not start the driver")
    else:
        report.say(f"  floor of mode gpu, by a bare program: {floor[0]:.3f} s, {floor[1]} GPUs")
    ratios = []
    for name, document in problems:
        times, answers, said, beside = {}, [], "", None
        modes = [mode for mode in ("cpu", "gpu", "hybrid", "auto") if mode != "cpu" or name not in slow]
        for mode, runs in interleaved(program, document, modes, repetitions).items():
            said += "".join(f" {mode}: {error}" for record, _, error in runs if record is None)
            done = [(record, seconds) for record, seconds, _ in runs if record is not None]
            answers += [answer(record) for record, _ in done]
            if done:
                times[mode] = statistics.median(seconds for _, seconds in done)
                if mode == "gpu":
                    beside = statistics.median(seconds - record["seconds"] for record, seconds in done)
        missed = []
        if "auto" in times and len(times) > 1:
            ratios.append(times["auto"] / min(value for mode, value in times.items() if mode != "auto"))
            missed += missed_by_auto(times) + missed_by_short(times)
            said = f"  ratio {ratios[-1]:.2f}{said}"
        if beside is not None and floor is not None:
            missed += missed_by_gpu(beside, *floor)
        report.missed += len(missed)
        report.say(f"  {name:30} " + "  ".join(f"{m} {t:.3f}" for m, t in times.items()) + said +
                   "".join(f"  MISSED {mark}" for mark in missed))
        if answers:
            report.check(name, answers)
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        report.missed += mean > 1.05
        report.say(f"  geometric mean of the ratios {mean:.3f} (mark 1.05)" + ("  MISSED" if mean > 1.05 else ""))


def warm_records(program, document, modes, repetitions, environment=None, warm_up=1):
    """Records of a sweep over `modes`, within one process and after a warm-up; or what it said instead."""
    sweep = {"workload": document["workload"], "engine": {"mode": modes},
             "rows": [{k: v for k, v in document.items() if k != "workload"}],
             "measurement": {"warm_up": warm_up, "repetitions": repetitions}}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "sweep.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(sweep, file)
        done = subprocess.run([program, "sweep", path, "--output", os.path.join(folder, "out"), "--json"],
                              capture_output=True, text=True, check=False, env=environment)
        try:
            with open(os.path.join(folder, "out", "results.jsonl"), encoding="utf-8") as file:
                records = [json.loads(line) for line in file]
        except OSError:
            return done.stderr.strip()[-300:]
    return [record.get("record", record) for record in records]


def warm(report, program, problems, repetitions, slow):
    """Within one process, after a warm-up: seconds of the enumeration."""
    report.say("within one process, seconds of the enumeration, median (hybrid: better half / hybrid, rate / sum of rates)")
    for name, document in problems:
        modes = ["gpu", "hybrid"] if name in slow else ["cpu", "gpu", "hybrid"]
        records = warm_records(program, document, modes, repetitions)
        if name in slow and not isinstance(records, str):  # once: it takes up to a minute, so that a warm-up would change nothing
            alone = warm_records(program, document, ["cpu"], 1, warm_up=0)
            records, modes = records + ([] if isinstance(alone, str) else alone), ["cpu", *modes]
        if isinstance(records, str):
            report.say(f"  {name}: {records}")
            continue
        times, answers = {}, []
        for record in records:
            mode = record.get("mode") or record.get("engine", {}).get("mode")
            if record.get("seconds") is None or mode not in modes:
                continue
            times.setdefault(mode, []).append(record["seconds"])
            answers.append(answer(record))
        times = {mode: statistics.median(values) for mode, values in times.items()}
        line = f"  {name:30} " + "  ".join(f"{m} {times[m]:.4f}" for m in modes if m in times)
        if "hybrid" in times and "gpu" in times:
            halves = [times[m] for m in ("cpu", "gpu") if m in times]
            line += f"  {min(halves) / times['hybrid']:.2f}, {1 / times['hybrid'] / sum(1 / t for t in halves):.2f}"
            missed = missed_by_hybrid(times)
            report.missed += len(missed)
            line += "".join(f"  MISSED {mark}" for mark in missed)
        report.say(line)
        if answers:
            report.check(name, answers)
        elif records:
            report.say(f"  no figures: {json.dumps(records[0])[:300]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bundle")
    parser.add_argument("output")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--skip", choices=["whole", "warm"])
    parser.add_argument("--only", default="", help="cases whose name contains this")
    options = parser.parse_args()
    bundle = os.path.abspath(options.bundle)
    program = os.path.join(bundle, "slicepool")
    report = Report(options.output)
    slow = {"three in line 15", "lattice k60"}
    with tempfile.TemporaryDirectory() as folder:
        known = cases(bundle, options.quick)
        known += qary_lattice(program, folder) if options.only in QARY_NAME else []
        problems = [case for case in known if options.only in case[0]]
        if options.skip != "whole":
            floor = measured_floor(options.repetitions)
            whole(report, program, problems, options.repetitions, slow, floor)
        if options.skip != "warm":
            warm(report, program, problems, max(3, options.repetitions - 2), slow)
    report.say(f"{report.missed} marks missed, {report.wrong} wrong answers")
    return 1 if report.wrong else 3 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
