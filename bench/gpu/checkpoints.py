#!/usr/bin/env python3
"""What checkpoints of GPU runs cost: their size, the time to write and to resume, what an interval costs a run, and
whether a run that is stopped or killed again and again ends.

    bench/gpu/checkpoints.py BUNDLE_FOLDER OUTPUT_FILE [--mode gpu] [--quick]

Runs in a bundle (bench/gpu/bundle.sh); writes one table. Every run's result is compared with that of an undisturbed
one; the exit code is 1 when any differs.
"""
import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time

wrong = []


def command(arguments):
    return [options.program, *arguments, "--mode", options.mode, "--json"]


def run(arguments, folder):
    """(record or None, exit code, seconds of the process, what it said)."""
    begin = time.monotonic()
    done = subprocess.run(command(arguments), cwd=folder, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - begin
    record = json.loads(done.stdout) if done.stdout.startswith("{") else None
    return record, done.returncode, seconds, done.stderr.strip()


def answer(record):
    return {key: record.get(key) for key in ("count", "size", "nodes", "fingerprint") if record.get(key) is not None}


def compare(name, record, right):
    if record is None or answer(record) != right:
        wrong.append(name)
        say(f"  WRONG in {name}: {answer(record) if record else None} instead of {right}")


def say(text):
    print(text, flush=True)
    with open(options.output, "a", encoding="utf-8") as file:
        file.write(text + "\n")


def size(folder, name="c.ckpt"):
    return sum(os.path.getsize(os.path.join(folder, n)) for n in os.listdir(folder) if n.startswith(name))


def stop_and_resume(name, arguments, limit, right):
    """Stopped by a limit: size of the checkpoint; what stopping and resuming took beside the search."""
    after = " ".join(limit)
    with tempfile.TemporaryDirectory() as folder:
        saving = ["--checkpoint", "c.ckpt"]
        first, code, seconds, said = run([*arguments, *saving, *limit], folder)
        if code != 5:
            say(f"{name}: not stopped by {after} (code {code}; {said[-200:]})")
            return
        mib = size(folder) / 2**20
        record, code, resumed, said = run([*arguments, *saving, "--resume", "c.ckpt"], folder)
        compare(f"{name}, resumed", record, right)
        phases = {key: value for key, value in (first or {}).items() if key in ("phases", "settings")}
        say(f"{name}: stopped by {after}, checkpoint {mib:.1f} MiB; process {seconds:.2f} s; resumed and finished in "
            f"{resumed:.2f} s; {json.dumps(phases)[:600]}")


def interval(name, arguments, every, right, repetitions):
    """The same search without and with a checkpoint every so often."""
    plain, saved, checkpoints, details = [], [], [], {}
    for _ in range(repetitions):
        with tempfile.TemporaryDirectory() as folder:
            record, _, _, _ = run(arguments, folder)
            compare(name, record, right)
            plain.append(record["seconds"] if record else float("nan"))
            record, _, _, said = run([*arguments, "--checkpoint", "c.ckpt", "--checkpoint-interval", str(every)], folder)
            compare(f"{name}, every {every} s", record, right)
            if record:
                saved.append(record["seconds"])
                checkpoints.append(record.get("settings", {}).get("checkpoints"))
                details = {"settings": record.get("settings"), "warnings": record.get("warnings")}
    if saved:
        a, b = statistics.median(plain), statistics.median(saved)
        say(f"{name}: {a:.3f} s without, {b:.3f} s with a checkpoint every {every} s ({100 * (b / a - 1):+.1f} %), "
            f"checkpoints {checkpoints}; {json.dumps(details)[:700]}")


def loop(name, arguments, limit, right, most):
    """A limit and --resume auto again and again."""
    with tempfile.TemporaryDirectory() as folder:
        begin, times, steps = time.monotonic(), 0, []
        while times < most:
            times += 1
            record, code, _, said = run([*arguments, "--checkpoint", "c.ckpt", "--resume", "auto", *limit], folder)
            steps.append(record.get("steps") if record else None)
            if code != 5:
                break
        ended = code == 0
        if ended:
            compare(f"{name}, loop of {limit}", record, right)
        else:
            wrong.append(f"{name} never ends")
        say(f"{name}: {' '.join(limit)} --resume auto: {'ended' if ended else f'NOT ENDED (code {code}: {said[-200:]})'} "
            f"after {times} runs, {time.monotonic() - begin:.1f} s; steps {steps[:3]} .. {steps[-2:]}")


def kills(name, arguments, every, right, most):
    """kill -9 every so many seconds, with a checkpoint every 0.1 s."""
    with tempfile.TemporaryDirectory() as folder:
        begin, times, code = time.monotonic(), 0, None
        full = command([*arguments, "--checkpoint", "c.ckpt", "--resume", "auto", "--checkpoint-interval", "0.1"])
        while times < most:
            times += 1
            process = subprocess.Popen(full, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            try:
                out, _ = process.communicate(timeout=every)
                code = process.returncode
                break
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                out, _ = process.communicate()
        if code == 0:
            compare(f"{name}, killed", json.loads(out), right)
        else:
            wrong.append(f"{name} never ends under kills")
        say(f"{name}: kill -9 every {every} s: {'ended' if code == 0 else f'NOT ENDED (code {code})'} after {times} runs, "
            f"{time.monotonic() - begin:.1f} s")


def main():
    data = os.path.join(options.bundle, "tests", "data", "lattices")
    with open(os.path.join(data, "expected.json"), encoding="utf-8") as file:
        k60 = next(i for i in json.load(file)["instances"] if i["id"] == "k60")
    searches = {
        "three in line 14": ["three-in-line", "-n", "14"],
        "three in line 15": ["three-in-line", "-n", "15"],
        "three in line 16": ["three-in-line", "-n", "16"],
        "lattice k60": ["lattice", "--basis", os.path.join(data, k60["basis"]), "--squared-radius",
                        str(k60["squared_radius"]), "--fixed-radius", "--solutions", "0"],
        "full:9": ["semigroup", "--named", "full:9"],
        "renner:10": ["semigroup", "--named", "renner:10"],
    }
    right = {}
    for name, arguments in searches.items():
        if options.quick and name in ("three in line 16", "renner:10"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            record, code, seconds, said = run(arguments, folder)
        if record is None:
            say(f"{name}: code {code}: {said[-300:]}")
            wrong.append(name)
            continue
        right[name] = answer(record)
        say(f"{name}: undisturbed {record['seconds']:.3f} s, process {seconds:.2f} s: {right[name]}")

    for name, limit in (("three in line 15", ["--time-limit", "1"]), ("lattice k60", ["--time-limit", "0.3"]),
                        ("full:9", ["--step-limit", "300000000"]), ("renner:10", ["--step-limit", "300000000"])):
        if name in right:
            stop_and_resume(name, searches[name], limit, right[name])
    for name, every, times in (("three in line 15", 0.5, 3), ("three in line 15", 2, 3), ("lattice k60", 0.2, 3),
                               ("three in line 16", 5, 1), ("three in line 16", 2, 1)):
        if name in right:
            interval(name, searches[name], every, right[name], times)
    for name, limit in (("three in line 15", ["--time-limit", "0.8"]), ("three in line 14", ["--time-limit", "0.01"]),
                        ("lattice k60", ["--time-limit", "0.05"]), ("full:9", ["--step-limit", "1"])):
        if name in right:
            loop(name, searches[name], limit, right[name], 60)
    for name, every in (("three in line 15", 1), ("lattice k60", 1.2)):
        if name in right:
            kills(name, searches[name], every, right[name], 40)
    say(f"{'all results right' if not wrong else 'WRONG: ' + ', '.join(wrong)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundle")
    parser.add_argument("output")
    parser.add_argument("--mode", default="gpu")
    parser.add_argument("--quick", action="store_true", help="without what takes longest")
    options = parser.parse_args()
    options.bundle = os.path.abspath(options.bundle)
    options.output = os.path.abspath(options.output)
    options.program = os.path.join(options.bundle, "slicepool")
    sys.exit(main())
