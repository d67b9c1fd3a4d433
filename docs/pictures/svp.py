#!/usr/bin/env python3
"""Draws docs/pictures/svp.svg: seconds to a shortest vector over the dimension, from the records in bench/results.

usage: docs/pictures/svp.py [FILE]     writes FILE, or svp.svg beside this script

A test compares the file in the repository with what this script makes of the records.
"""
import math
import pathlib
import re
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
RESULTS = HERE.parent.parent / "bench" / "results"
CORES = RESULTS / "2026-11-25-two-epyc-cores" / "svp.txt"
GPUS = RESULTS / "2026-11-25-two-nvidia-h100-32-xeon-cores" / "svp.txt"

# Albrecht, Ducas, Herold, Kirshanova, Postlethwaite, Stevens: The general sieve kernel and new records in lattice reduction,
# Eurocrypt 2019, figure 3a: average seconds of 60 runs on one thread of a Xeon E5-2650 v3, until the vector is found.
PUBLISHED_FPLLL = {60: 0.66, 66: 1.97, 70: 10.7, 76: 31.2, 80: 76, 84: 267, 86: 380, 88: 557, 90: 2613}
PUBLISHED_G6K = {60: 1.45, 66: 3.57, 70: 7.5, 76: 16.2, 80: 26, 84: 61, 86: 116, 88: 135, 90: 168, 94: 375, 98: 995, 100: 1964}

# Blocks of the trials of dimension d: what `--bkz` has to be for the records of the final choice.
BLOCKS = {80: 48, 90: 54}


def on_cores():
    """By dimension: seconds until found and until sure, and fplll's, of one thread, medians."""
    found, sure, fplll = {}, {}, {}
    pattern = re.compile(r"exact +d (\d+): slicepool 1 thread\(s\): found ([\d.]+) s, sure ([\d.]+) s;.* fplll: ([\d.]+) s")
    for match in map(pattern.match, CORES.read_text().splitlines()):
        if match:
            dimension = int(match[1])
            found[dimension], sure[dimension], fplll[dimension] = map(float, match.groups()[1:])
    return found, sure, fplll


def on_gpus():
    """By dimension: seconds until found and until sure, as a whole process, medians of the lattices."""
    runs = {dimension: [] for dimension in BLOCKS}
    pattern = re.compile(r"d (\d+) seed \d+ hybrid blocks of (\d+): ([\d.]+) s, found after ([\d.]+) s")
    for match in map(pattern.match, GPUS.read_text().splitlines()):
        if match and BLOCKS.get(int(match[1])) == int(match[2]):
            runs[int(match[1])].append((float(match[4]), float(match[3])))
    return tuple({d: statistics.median(run[which] for run in all_runs) for d, all_runs in runs.items()} for which in (0, 1))


def chart(series):
    width, height, left, right, top, bottom = 860, 470, 70, 330, 24, 52
    first, last, least, most = 50, 100, 0.1, 10000

    def place(dimension, seconds):
        x = left + (dimension - first) / (last - first) * (width - left - right)
        y = top + math.log(most / seconds) / math.log(most / least) * (height - top - bottom)
        return f"{x:.1f}", f"{y:.1f}"

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" aria-label="Seconds to a shortest vector over the dimension, for slicepool, fplll and G6K">',
        "  <style>text { font: 13px system-ui, sans-serif; fill: #1f2933 } .note { fill: #52606d; font-size: 12px }</style>",
        f'  <rect width="{width}" height="{height}" rx="8" fill="#f7f9fb"/>',
    ]
    for seconds, text in ((0.1, "0.1 s"), (1, "1 s"), (10, "10 s"), (100, "100 s"), (1000, "1000 s"), (10000, "10,000 s")):
        x, y = place(first, seconds)
        lines.append(f'  <line x1="{x}" y1="{y}" x2="{width - right}" y2="{y}" stroke="#d3dae0"/>')
        lines.append(f'  <text x="{left - 8}" y="{float(y) + 4:.1f}" text-anchor="end" class="note">{text}</text>')
    for dimension in range(first, last + 1, 10):
        x, y = place(dimension, least)
        lines.append(f'  <text x="{x}" y="{float(y) + 18:.1f}" text-anchor="middle" class="note">{dimension}</text>')
    lines.append(f'  <text x="{(left + width - right) / 2:.0f}" y="{height - 14}" text-anchor="middle" class="note">dimension</text>')
    for row, (name, note, colour, dashed, points) in enumerate(series):
        path = " ".join(",".join(place(d, s)) for d, s in sorted(points.items()))
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        lines.append(f'  <polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        for dimension, seconds in sorted(points.items()):
            x, y = place(dimension, seconds)
            lines.append(f'  <circle cx="{x}" cy="{y}" r="3.5" fill="{"#f7f9fb" if dashed else colour}" stroke="{colour}"/>')
        x, y = width - right + 24, top + 16 + 56 * row
        lines.append(f'  <line x1="{x}" y1="{y - 4}" x2="{x + 28}" y2="{y - 4}" stroke="{colour}" stroke-width="2"{dash}/>')
        lines.append(f'  <text x="{x + 36}" y="{y}" style="font-weight:600">{name}</text>')
        lines.append(f'  <text x="{x + 36}" y="{y + 17}" class="note">{note}</text>')
    lines.append("</svg>")
    return "\n".join(lines) + "\n"


def main():
    target = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "svp.svg"
    found, sure, fplll = on_cores()
    found_on_gpus, sure_on_gpus = on_gpus()
    target.write_text(chart([
        ("fplll, published", "one Xeon core of 2014, averages", "#9aa5b1", False, PUBLISHED_FPLLL),
        ("G6K, published", "one Xeon core of 2014, averages", "#6b4fa1", False, PUBLISHED_G6K),
        ("fplll", "one EPYC core, medians of 5", "#52606d", False, fplll),
        ("slicepool, found", "one EPYC core, medians of 5", "#2f7ed8", False, found),
        ("slicepool, sure (0.99)", "one EPYC core, medians of 5", "#2f7ed8", True, sure),
        ("slicepool, found", "two H100 and 32 cores, medians", "#c05621", False, found_on_gpus),
        ("slicepool, sure (0.99)", "two H100 and 32 cores, medians", "#c05621", True, sure_on_gpus),
    ]))


if __name__ == "__main__":
    main()
