#!/usr/bin/env python3
"""What calls of the Python package cost, beside the command: the table of docs/python.md.

    PYTHONPATH=build/release/python python bench/python/calls.py --command build/release/bin/slicepool

Prints the median of the repetitions and their spread (first and third quartile).
"""
from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import slicepool as sp

ROWS = ([13, 37, 38, 40, 41, 42, 43, 44, 45], 1500)    # 13.9 million rows of 9 bytes


def seconds(call: Callable[[], Any], repetitions: int) -> list[float]:
    times = []
    for _ in range(repetitions):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return times


def show(what: str, times: list[float]) -> None:
    low, middle, high = statistics.quantiles(times, n=4)
    unit, scale = ("us", 1e6) if middle < 1e-3 else ("ms", 1e3)
    print(f"| {what} | {middle * scale:.3g} {unit} | {low * scale:.3g} to {high * scale:.3g} |")


def interrupts(repetitions: int) -> list[float]:
    """From a signal to the exception, at different moments of a long search."""
    times: list[float] = []
    for repetition in range(repetitions):
        sent = [0.0]

        def send() -> None:
            sent[0] = time.perf_counter()
            os.kill(os.getpid(), signal.SIGINT)

        threading.Timer(0.2 + 0.007 * repetition, send).start()
        try:
            sp.no_three_in_line(18, solutions=False)
        except sp.Interrupted:
            times.append(time.perf_counter() - sent[0])
    return times


def command_rows(command: str) -> float:
    """The enumeration alone, rows kept in memory, as the command measures it."""
    arguments = [command, "factorizations", "--generators", ",".join(map(str, ROWS[0])), "--element", str(ROWS[1]), "--sink", "rows", "--json"]
    return float(json.loads(subprocess.run(arguments, capture_output=True, check=True).stdout)["seconds"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", help="the command, to compare with")
    command = parser.parse_args().command
    F = sp.Factorizations([6, 9, 20], 60)
    print("| | median | quartiles |\n|---|---|---|")
    show("count of a new small set", seconds(lambda: sp.Factorizations([6, 9, 20], 60).count, 1000))
    show("`F[2]`, table known", seconds(lambda: F[2], 1000))
    show("`F.index(row)`, table known", seconds(lambda: F.index((4, 4, 0)), 1000))
    show("a small run through the pool (`F.to_numpy()`)", seconds(lambda: F.to_numpy(threads=1), 1000))
    show("Ctrl-C to `Interrupted`", interrupts(15))
    large = sp.Factorizations(*ROWS)
    out = np.zeros((len(large), len(ROWS[0])), dtype=np.uint8)
    show(f"{len(large)} rows, new array", seconds(large.to_numpy, 9))
    if command is not None:
        show("the same, the command's enumeration", [command_rows(command) for _ in range(9)])
    show("the same, into a given array", seconds(lambda: large.to_numpy(out=out), 9))


if __name__ == "__main__":
    main()
