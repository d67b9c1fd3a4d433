#!/usr/bin/env python3
"""What the second run of a session costs beside its problem.

    bench/gpu/sessions.py PROGRAM OUTPUT_FILE [--modes gpu hybrid] [--repetitions 15]      (modes cpu and emulated need no GPU)

Each case is a sweep of its own process, whose points share the session of the process. Set-up and tear-down are the wall time of a
run without its search, and without the tables and the first slices of its problem, which another problem would not have. The first run of a process, with driver and
context, is beside the median of the others. Mark: 0.3 ms for these. Ends with 1 when answers differ,
with 3 when a mark is missed.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

MARK = 0.3e-3
EIGHT = [13, 37, 38, 40, 41, 42, 43, 44]
CASES = [
    ("three in line 8", "three_in_line", {"size": 8}),
    ("three in line 11", "three_in_line", {"size": 11}),
    ("candidate (8, 1500)", "factorizations", {"generators": EIGHT, "element": 1500, "algorithm": "candidate"}),
    ("ranked fingerprint (8, 3000)", "factorizations", {"generators": EIGHT, "element": 3000, "algorithm": "ranked", "sink": "fingerprint"}),
    ("ranked lengths (8, 3000)", "factorizations", {"generators": EIGHT, "element": 3000, "algorithm": "ranked", "sink": "lengths"}),
    ("rows (9, 1500)", "factorizations", {"generators": [*EIGHT, 45], "element": 1500, "algorithm": "ranked", "sink": "rows"}),
    ("numerical semigroups 20", "numerical_semigroups", {"genus": 20}),
    ("lattice of two rows", "lattice", {"basis": "[[1 3] [3 -2]]"}),
]


def records(program, workload, row, mode, repetitions):
    sweep = {"workload": workload, "engine": {"mode": [mode]}, "rows": [row], "measurement": {"warm_up": 0, "repetitions": repetitions}}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "sweep.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(sweep, file)
        done = subprocess.run([program, "sweep", path, "--output", os.path.join(folder, "out"), "--json"], capture_output=True, text=True, check=False)
        try:
            with open(os.path.join(folder, "out", "results.jsonl"), encoding="utf-8") as file:
                lines = [json.loads(line) for line in file]
        except OSError:
            return [], done.stderr.strip()[-300:]
    found = [line.get("record", line) for line in lines]
    return [record for record in found if record.get("status") == "done"], "; ".join(record.get("reason", "") for record in found)


def prepared(record):
    return record["phases"]["tables"] + record["phases"]["cutting"]


def rest(record):
    return record["wall_seconds"] - record["phases"]["search"] - prepared(record)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("output")
    parser.add_argument("--modes", nargs="+", default=["gpu", "hybrid"])
    parser.add_argument("--repetitions", type=int, default=15)
    options = parser.parse_args()
    wrong = missed = 0
    with open(options.output, "w", encoding="utf-8") as output:

        def say(text):
            print(text, flush=True)
            output.write(text + "\n")

        say("milliseconds: set-up and tear-down of the first run of a process; of the others the median and quartiles; their search; their tables and first slices")
        for name, workload, row in CASES:
            for mode in options.modes:
                runs, reason = records(os.path.abspath(options.program), workload, row, mode, options.repetitions)
                if len(runs) < 3:
                    say(f"  {name:30} {mode:7} no figures: {reason}")
                    continue
                answers = {json.dumps([record.get(key) for key in ("count", "nodes", "fingerprint")]) for record in runs}
                if len(answers) != 1:
                    wrong += 1
                    say(f"  WRONG: {name}, {mode}: {answers}")
                low, middle, high = statistics.quantiles([rest(record) for record in runs[1:]], n=4)
                search = statistics.median(record["phases"]["search"] for record in runs[1:])
                tables = statistics.median(map(prepared, runs[1:]))
                mark = "" if middle < MARK else f"  MISSED {MARK * 1e3:g}"
                missed += bool(mark)
                say(f"  {name:30} {mode:7} {rest(runs[0]) * 1e3:8.2f}  {middle * 1e3:6.3f} ({low * 1e3:.3f} to {high * 1e3:.3f})"
                    f"  {search * 1e3:8.3f} {tables * 1e3:8.3f}{mark}")
        say(f"{missed} marks missed, {wrong} wrong answers")
    return 1 if wrong else 3 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
