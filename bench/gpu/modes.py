#!/usr/bin/env python3
"""Compares cpu, gpu, hybrid and auto on one machine: whole processes, which a user waits for, and enumerations within one
process whose GPU is ready, which a sweep or a session sees.

    bench/gpu/modes.py BUNDLE_FOLDER OUTPUT_FILE [--repetitions 5] [--quick] [--skip whole|warm]

Runs in a bundle (bench/gpu/bundle.sh). Marks: auto takes at most 1.15 times the best mode, hybrid at least 0.98 of the
better half. A mark that is missed is printed with its ratio. Ends with 1 when answers differ, with 3 when a mark is missed.
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

EIGHT = [13, 37, 38, 40, 41, 42, 43, 44]


def factorizations(generators, element, **more):
    return {"workload": "factorizations", "generators": generators, "element": element, **more}


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
        ("three in line 12", {"workload": "three_in_line", "size": 12}),
        ("three in line 13", {"workload": "three_in_line", "size": 13}),
        ("three in line 14", {"workload": "three_in_line", "size": 14}),
        ("lattice k45", lattice("k45")),
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


def whole(report, program, problems, repetitions, slow):
    """Whole processes: seconds, medians; a mode that needs over 8 s runs once, and cpu is left out where that takes minutes."""
    report.say("whole process, seconds, median (auto: and its ratio to the best of the other three)")
    ratios = []
    for name, document in problems:
        times, answers, said = {}, [], ""
        for mode in ("cpu", "gpu", "hybrid", "auto"):
            if mode == "cpu" and name in slow:
                continue
            samples = []
            for _ in range(repetitions):
                with tempfile.TemporaryDirectory() as folder:
                    record, seconds, error = run_process(program, document, mode, folder)
                if record is None:
                    said += f" {mode}: {error}"
                    break
                answers.append(answer(record))
                samples.append(seconds)
                if seconds > 8:
                    break
            if samples:
                times[mode] = statistics.median(samples)
        if "auto" in times and len(times) > 1:
            best = min(value for mode, value in times.items() if mode != "auto")
            ratio = times["auto"] / best
            ratios.append(ratio)
            mark = "" if ratio <= 1.15 else "  MISSED 1.15"
            report.missed += bool(mark)
            report.say(f"  {name:30} " + "  ".join(f"{m} {t:.3f}" for m, t in times.items()) + f"  ratio {ratio:.2f}{mark}{said}")
            report.check(name, answers)
        else:
            report.say(f"  {name:30} {times}{said}")
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        report.say(f"  geometric mean of the ratios {mean:.3f} (mark 1.05)")


def warm_records(program, document, modes, repetitions, environment=None):
    """Records of a sweep over `modes`, within one process and after a warm-up; or what it said instead."""
    sweep = {"workload": document["workload"], "engine": {"mode": modes},
             "rows": [{k: v for k, v in document.items() if k != "workload"}],
             "measurement": {"warm_up": 1, "repetitions": repetitions}}
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
            ratio = min(halves) / times["hybrid"]
            total = sum(1 / t for t in halves)
            mark = "" if ratio >= 0.98 or min(halves) < 0.005 else "  MISSED 0.98"
            report.missed += bool(mark)
            line += f"  {ratio:.2f}, {1 / times['hybrid'] / total:.2f}{mark}"
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
    problems = [case for case in cases(bundle, options.quick) if options.only in case[0]]
    slow = {"three in line 15", "lattice k60"}
    if options.skip != "whole":
        whole(report, program, problems, options.repetitions, slow)
    if options.skip != "warm":
        warm(report, program, problems, max(3, options.repetitions - 2), slow)
    report.say(f"{report.missed} marks missed, {report.wrong} wrong answers")
    return 1 if report.wrong else 3 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
