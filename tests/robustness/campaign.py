#!/usr/bin/env python3
"""Attacks the slicepool command: hostile input, kills, pairs, damages, full disks, odd paths, faults.

    campaign.py --command build/slicepool                     # everything, in full
    campaign.py --command build/slicepool --share 0.05 kills  # a twentieth of one class
    campaign.py --command build/slicepool --case 17 kills     # one case again

Every case is seeded, so that a failure can be made again. The last line is `N passed, N failed`; the exit code is 1
when anything failed. `--table FILE` writes the table of the campaign as Markdown.
"""
import argparse
import importlib
import os
import platform
import subprocess
import sys

import support

CLASSES = ("command_lines", "configurations", "files", "kills", "signals", "pairs", "damages", "disks", "paths",
           "limits", "faults")


def machine():
    cpu = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            cpu = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), cpu)
    except OSError:
        pass
    return f"{cpu}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("classes", nargs="*", metavar="CLASS", help=f"of {', '.join(CLASSES)} (default all)")
    parser.add_argument("--command", default=os.environ.get("SLICEPOOL_COMMAND"), help="the slicepool program")
    parser.add_argument("--share", type=float, default=float(os.environ.get("SLICEPOOL_ROBUSTNESS_SHARE", "1")),
                        help="of the cases of each class, 0 to 1")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="cases at a time")
    parser.add_argument("--case", type=int, help="only this case")
    parser.add_argument("--table", help="file for the table")
    parser.add_argument("--sanitized", action="store_true", help="the program has a sanitizer: no limit of memory")
    arguments = parser.parse_args()
    if not arguments.command or not os.access(arguments.command, os.X_OK):
        parser.error(f"--command: got {arguments.command}; accepted: the slicepool program")
    for name in arguments.classes:
        if name not in CLASSES:
            parser.error(f"got {name}; accepted: {', '.join(CLASSES)}")

    version = subprocess.run([arguments.command, "--version"], capture_output=True, text=True, check=True)
    rows, passed, failed = [], 0, 0
    for name in arguments.classes or CLASSES:
        module = importlib.import_module(name)
        campaign = support.Campaign(name, arguments.command, arguments.seed, arguments.share, arguments.workers,
                                    arguments.sanitized)
        tried, skipped, failures, seconds = campaign.run(module, only=arguments.case)
        for index, text in failures:
            print(f"FAILED {name} --case {index} --seed {arguments.seed}: {text}", flush=True)
        left_out = "; ".join(f"{count} x {why}" for why, count in sorted(skipped.items()))
        print(f"{name}: {tried} tried, {len(failures)} failed, {seconds:.0f} s"
              f"{f' (skipped: {left_out})' if left_out else ''}", flush=True)
        rows.append((name, module.__doc__.splitlines()[0], tried, sum(skipped.values()), len(failures), seconds))
        passed += tried - len(failures)
        failed += len(failures)

    if arguments.table:
        with open(arguments.table, "w", encoding="utf-8") as file:
            file.write(f"{version.stdout.strip()}; {machine()}; seed {arguments.seed}, share {arguments.share:g}\n\n")
            file.write("| class | what | tried | skipped | failed | seconds |\n|---|---|---|---|---|---|\n")
            for row in rows:
                file.write("| {} | {} | {} | {} | {} | {:.0f} |\n".format(*row))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
