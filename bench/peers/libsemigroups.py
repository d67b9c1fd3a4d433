#!/usr/bin/env python3
"""libsemigroups' FroidurePin and `slicepool semigroup` on the same monoids, in turn, in one run.

    bench/peers/libsemigroups.py build/.../slicepool [--rows bihecke:5,renner:6] [--repetitions 5] [--threads 1,2]
                                 [--environment FOLDER] [--json FILE]

libsemigroups comes from its Python package, installed into a virtual environment (--environment, default
build/libsemigroups, or any that has it) if it is not there. Ends with status 3 and one line when it cannot be
installed, with status 1 when sizes or numbers of rules differ, and with 2 on bad arguments.

Every measurement is a process of its own. Of libsemigroups the time is from the construction of FroidurePin to the
end of run(), without the start of Python and without the making of the generators: CPU seconds and wall seconds. Of
slicepool it is the whole process (CPU seconds, wall seconds), less CPU seconds of one that explores a single element
(`net`), and `seconds` of its record, the rounds of the exploration alone, by the wall clock. Medians; `x` is
libsemigroups' CPU seconds over the net ones of slicepool with one thread. Rows of a millisecond mean nothing. Generators are made
here, in Python, independently of slicepool's own families. libsemigroups gets the identity as a further first
generator where `+id` says so; sizes and rules are compared after the same conversion as in docs/semigroup.md.
"""
import argparse
import itertools
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import venv

PACKAGE = "libsemigroups_pybind11"
# Row: name, whether libsemigroups gets the identity as a further first generator.
ROWS = {"bihecke:4": True, "bihecke:5": True, "bihecke:6": False, "renner:5": True, "renner:6": True,
        "renner:7": False, "full:5": False, "full:6": False, "full:7": False, "full:8": False,
        "symmetric:8": False, "symmetric:10": False, "order-preserving:8": False, "order-preserving:10": False,
        "catalan:8": False, "catalan:12": False}
# Without these: minutes, or more memory than most machines have (bihecke:6 12.5 GB, renner:7 more).
DEFAULT = [name for name in ROWS if name not in ("bihecke:6", "renner:7", "full:8")]


def swapped(v, i, wrong):
    v = list(v)
    if wrong(v[i], v[i + 1]):
        v[i], v[i + 1] = v[i + 1], v[i]
    return tuple(v)


def action(points, moves):
    numbers = {point: i for i, point in enumerate(points)}
    return [[numbers[move(point)] for point in points] for move in moves]


def bihecke(r):
    points = list(itertools.permutations(range(r)))
    signs = [lambda a, b: a < b, lambda a, b: a > b]
    return action(points, [lambda p, i=i, s=s: swapped(p, i, s) for s in signs for i in range(r - 1)])


def renner(r):
    points = [v for v in itertools.product(range(r + 1), repeat=r)
              if len({x for x in v if x}) == sum(1 for x in v if x)]
    moves = [lambda v: (0,) + v[1:]]
    moves += [lambda v, i=i: swapped(v, i, lambda a, b: a < b) for i in range(r - 1)]
    return action(points, moves)


def sending(n, start, end):
    return [end if i == start else i for i in range(n)]


def symmetric(n):
    return [[1, 0, *range(2, n)], [*range(1, n), 0]]


FAMILIES = {"bihecke": bihecke, "renner": renner, "symmetric": symmetric,
            "full": lambda n: symmetric(n) + [sending(n, 1, 0)],
            "catalan": lambda n: [list(range(n))] + [sending(n, i, i + 1) for i in range(n - 1)],
            "order-preserving": lambda n: ([list(range(n))] + [sending(n, i, i + 1) for i in range(n - 1)] +
                                           [sending(n, i + 1, i) for i in range(n - 1)])}


def generators_of(row):
    family, parameter = row.split(":")
    return FAMILIES[family](int(parameter))


def measure_libsemigroups(row):
    """In a process of its own, by the environment's Python: one JSON line."""
    import libsemigroups_pybind11 as libsemigroups
    libsemigroups.ReportGuard(False)
    images = generators_of(row)
    if ROWS[row]:
        images.insert(0, list(range(len(images[0]))))
    maps = [libsemigroups.Transf(list(image)) for image in images]
    identity = libsemigroups.Transf(list(range(len(images[0]))))
    wall, cpu = time.perf_counter(), time.process_time()
    semigroup = libsemigroups.FroidurePin(maps)
    semigroup.run()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(json.dumps({"cpu": cpu, "wall": wall, "rules": semigroup.number_of_rules(),
                      "size": semigroup.size() + (0 if semigroup.contains(identity) else 1),
                      "bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))


def rules_with_empty_word(row, rules):
    """From libsemigroups' count to that with the identity as the empty word (docs/semigroup.md)."""
    family = row.split(":")[0]
    generators = len(generators_of(row))
    if ROWS[row]:
        return rules - (2 * generators + 1)
    if family in ("catalan", "order-preserving"):  # the identity is a generator, in slicepool too
        return rules - 2 * (generators - 1)
    return rules - {"symmetric": 2, "full": 3}.get(family, 0)  # the identity is the word 00


def run(command):
    """Standard output, CPU seconds, wall seconds and peak bytes of a process."""
    wall = time.perf_counter()
    with tempfile.TemporaryFile("w+") as log, \
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as process:
        text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - wall
        if process.returncode != 0:
            log.seek(0)
            sys.exit(f"libsemigroups.py: error: {' '.join(command)} ended with {process.returncode}: {log.read()}")
    return text, usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024


def measure_slicepool(slicepool, row, threads):
    text, cpu, wall, peak = run([slicepool, "semigroup", "--named", row, "--mode", "cpu", "--threads", str(threads),
                                 "--json"])
    record = json.loads(text)
    start = run([slicepool, "semigroup", "--named", "full:1", "--mode", "cpu", "--threads", str(threads), "--json"])[1]
    return {"cpu": cpu, "net": max(cpu - start, 1e-4), "wall": wall, "seconds": record["seconds"], "bytes": peak, "size": int(record["size"]),
            "rules": int(record["rules"])}


def python_with_libsemigroups(folder):
    """The interpreter of an environment in which libsemigroups is, after an attempt to put it there."""
    python = os.path.join(folder, "bin", "python")

    def there():
        probe = [python, "-c", f"import {PACKAGE}"]
        return os.path.exists(python) and subprocess.run(probe, capture_output=True, check=False).returncode == 0

    if there():
        return python
    try:
        venv.create(folder, with_pip=True)
        install = subprocess.run([python, "-m", "pip", "install", "--quiet", PACKAGE], capture_output=True, text=True,
                                 timeout=600, check=False)
        reason = (install.stderr.strip().splitlines() or ["pip failed without a word"])[-1]
    except (OSError, subprocess.SubprocessError) as error:
        reason = str(error)
    if there():
        return python
    print(f"libsemigroups.py: {PACKAGE} cannot be installed here: {reason}", file=sys.stderr)
    sys.exit(3)


def median(runs, key):
    return statistics.median(run[key] for run in runs)


def measure_row(options, python, row):
    """Everything about one row, in turn within each repetition after one that is not recorded."""
    theirs, ours = [], {threads: [] for threads in options.threads}
    for repetition in range(options.repetitions + (1 if options.repetitions > 1 else 0)):
        text = run([python, os.path.abspath(__file__), "--measure", row])[0]
        found = {threads: measure_slicepool(options.slicepool, row, threads) for threads in options.threads}
        if repetition == 0 and options.repetitions > 1:
            continue
        theirs.append(json.loads(text))
        for threads, measured in found.items():
            ours[threads].append(measured)
    wanted = (theirs[0]["size"], rules_with_empty_word(row, theirs[0]["rules"]))
    agree = all((r["size"], r["rules"]) == wanted for runs in ours.values() for r in runs)
    return {"row": row, "id": ROWS[row], "size": wanted[0], "rules": wanted[1], "agree": agree,
            "libsemigroups": theirs, "slicepool": ours}


def print_row(result):
    theirs = result["libsemigroups"]
    for threads, ours in result["slicepool"].items():
        name = result["row"] + (" +id" if result["id"] else "")
        verdict = "" if result["agree"] else "  SIZES OR RULES DIFFER"
        factor = f"{median(theirs, 'cpu') / median(ours, 'net'):.1f}" if threads == 1 else "-"
        print(f"{name:22}{result['size']:>10}{result['rules']:>9}  {median(theirs, 'cpu'):9.3f}"
              f"{median(theirs, 'wall'):9.3f}{median(theirs, 'bytes') / 1e6:8.0f}  {threads:>4}{median(ours, 'cpu'):9.3f}"
              f"{median(ours, 'net'):9.3f}{median(ours, 'wall'):9.3f}{median(ours, 'seconds'):9.3f}{median(ours, 'bytes') / 1e6:8.0f}"
              f"  {factor:>6}{verdict}", flush=True)


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("slicepool", help="the slicepool command")
    parser.add_argument("--rows", default=",".join(DEFAULT), help="of " + ", ".join(ROWS))
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--threads", default="1", help="of slicepool, separated by commas")
    parser.add_argument("--environment", default="build/libsemigroups")
    parser.add_argument("--json", help="file for all measurements")
    options = parser.parse_args(arguments)
    options.rows = options.rows.split(",")
    for row in options.rows:
        if row not in ROWS:
            parser.error(f"--rows: got {row!r}; accepted: {', '.join(ROWS)}")
    try:
        options.threads = [int(text) for text in options.threads.split(",")]
    except ValueError:
        parser.error(f"--threads: got {options.threads!r}; accepted: numbers separated by commas")
    if options.repetitions < 1 or min(options.threads) < 1:
        parser.error("--repetitions and --threads: accepted are numbers from 1")
    if not os.access(options.slicepool, os.X_OK):
        parser.error(f"slicepool: got {options.slicepool!r}; accepted: the built command")
    return options


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--measure":
        measure_libsemigroups(sys.argv[2])
        return 0
    options = parse(sys.argv[1:])
    python = python_with_libsemigroups(options.environment)
    print(f"{'':41}  {'libsemigroups':>26}  {'slicepool':>48}")
    print(f"{'monoid':22}{'size':>10}{'rules':>9}  {'cpu s':>9}{'wall s':>9}{'MB':>8}  {'thr.':>4}{'cpu s':>9}"
          f"{'net s':>9}{'wall s':>9}{'rounds s':>9}{'MB':>8}  {'x':>6}")
    results = []
    for row in options.rows:
        results.append(measure_row(options, python, row))
        print_row(results[-1])
        if options.json:
            with open(options.json, "w", encoding="utf-8") as file:
                json.dump(results, file, indent=1)
    return 0 if all(result["agree"] for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
