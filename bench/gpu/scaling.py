#!/usr/bin/env python3
"""Compares runs on 1, 2, 4, .. GPUs of one host: seconds of the enumeration, and of the whole process in brackets.

    bench/gpu/scaling.py BUNDLE_FOLDER OUTPUT_FILE [--repetitions 3] [--modes gpu,hybrid] [--only NAME] [--warm]

Runs in a bundle (bench/gpu/bundle.sh). A run with fewer GPUs sees fewer (CUDA_VISIBLE_DEVICES). With --warm the runs are
those of one process after a warm-up, as a sweep or a session has them: without the start of the driver. Marks, by the seconds of one GPU:
at least 0.9 of the sum from 2 s, 0.7 from 0.3 s, and never slower than with fewer from 0.1 s. A mark that is missed is
printed. Ends with 1 when answers differ or a run fails, with 3 when a mark is missed.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from modes import EIGHT, answer, cases, factorizations, warm_records


def problems(bundle):
    """(name, configuration without engine): runs that take one H200 0.2 s to 20 s."""
    known = dict(cases(bundle, quick=False))
    found = [(name, known[name]) for name in ("three in line 14", "three in line 15", "lattice k60")]
    found.append(("three in line 16", {"workload": "three_in_line", "size": 16}))
    found.append(("candidate (8, 5000)", factorizations(EIGHT, 5000, algorithm="candidate")))
    found.append(("candidate (8, 5000), no modulo", factorizations(EIGHT, 5000, algorithm="candidate", modulo=False)))
    found.append(("ranked fingerprint (8, 6000)", factorizations(EIGHT, 6000, algorithm="ranked", sink="fingerprint")))
    return found


def visible_gpus():
    listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=True).stdout
    return len(listed.strip().splitlines())


def with_gpus(gpus):
    return {**os.environ, "CUDA_VISIBLE_DEVICES": ",".join(map(str, range(gpus)))}


def run_warm(program, document, mode, gpus, repetitions):
    """Records of the runs of one process, without seconds of the process."""
    records = warm_records(program, document, [mode], repetitions, with_gpus(gpus))
    if isinstance(records, str) or not records or any(record.get("seconds") is None for record in records):
        raise RuntimeError(str(records)[-300:])
    return [(record, None) for record in records]


def run_cold(program, document, mode, gpus, repetitions):
    """Records of processes of one run each, with their seconds."""
    samples = []
    for _ in range(repetitions):
        with tempfile.TemporaryDirectory() as folder:
            samples.append(run(program, document, mode, gpus, folder))
    return samples


def run(program, document, mode, gpus, folder):
    path = os.path.join(folder, "run.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({**document, "engine": {"mode": mode}}, file)
    environment = with_gpus(gpus)
    begin = time.monotonic()
    done = subprocess.run([program, "run", path, "--json"], capture_output=True, text=True, check=False, cwd=folder,
                          env=environment)
    whole = time.monotonic() - begin
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip()[-300:])
    return json.loads(done.stdout), whole


def verdict(alone, fewer, seconds, gpus):
    """What is missed by `gpus` GPUs that took `seconds`, where one took `alone` and half of them `fewer`; or nothing."""
    share = alone / (gpus * seconds)
    wanted = 0.9 if alone >= 2 else 0.7 if alone >= 0.3 else 0
    if share < wanted:
        return f"MISSED {wanted}"
    return "SLOWER than with fewer" if alone >= 0.1 and seconds > fewer else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bundle")
    parser.add_argument("output")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--modes", default="gpu,hybrid")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--warm", action="store_true", help="within one process, after a warm-up")
    options = parser.parse_args()
    bundle = os.path.abspath(options.bundle)
    program = os.path.join(bundle, "slicepool")
    counts = [n for n in (1, 2, 4, 8) if n <= visible_gpus()]
    wrong = missed = 0
    with open(options.output, "w", encoding="utf-8") as output:

        def say(text):
            print(text, flush=True)
            output.write(text + "\n")
            output.flush()

        say("seconds of the enumeration, median; in brackets " +
            ("" if options.warm else "the whole process, and ") + "the part of the sum of single GPUs")
        for name, document in problems(bundle):
            if options.only not in name:
                continue
            for mode in options.modes.split(","):
                times, answers, line = {}, [], f"  {name:30} {mode:7}"
                for gpus in counts:
                    try:
                        samples = (run_warm if options.warm else run_cold)(program, document, mode, gpus, options.repetitions)
                    except RuntimeError as error:
                        wrong += 1
                        say(f"{line} {gpus}: {error}")
                        break
                    answers += [answer(record) for record, _ in samples]
                    times[gpus] = statistics.median(record["seconds"] for record, _ in samples)
                    inside = [] if options.warm else [f"{statistics.median(seconds for _, seconds in samples):.2f}"]
                    inside += [] if gpus == 1 else [f"{times[1] / gpus / times[gpus]:.2f}"]
                    line += f"  {gpus}: {times[gpus]:.3f}" + (f" ({', '.join(inside)})" if inside else "")
                    said = verdict(times[1], times[gpus // 2], times[gpus], gpus) if gpus > 1 and mode == "gpu" else ""
                    missed += bool(said)
                    line += f" {said}" if said else ""
                say(line)
                if any(a != answers[0] for a in answers):
                    wrong += 1
                    say(f"  WRONG: {name}: {answers}")
        say(f"{missed} marks missed, {wrong} wrong answers or failed runs")
    return 1 if wrong else 3 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
