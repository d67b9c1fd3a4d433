#!/usr/bin/env python3
"""Draws docs/pictures/svp.svg: seconds to a shortest vector over the dimension, from the figures below.

A test compares the file in the repository with what this script draws.
"""
import argparse
import math
import pathlib

HERE = pathlib.Path(__file__).resolve().parent

# Seconds by dimension. All are of lattices of the kind of the SVP challenge.

# Albrecht, Ducas, Herold, Kirshanova, Postlethwaite, Stevens: The general sieve kernel and new records in lattice reduction,
# Eurocrypt 2019, figure 3a: average seconds of 60 runs on one thread of a Xeon E5-2650 v3, until the vector is found.
PUBLISHED_FPLLL = {60: 0.66, 66: 1.97, 70: 10.7, 76: 31.2, 80: 76, 84: 267, 86: 380, 88: 557, 90: 2613}
PUBLISHED_G6K = {60: 1.45, 66: 3.57, 70: 7.5, 76: 16.2, 80: 26, 84: 61, 86: 116, 88: 135, 90: 168, 94: 375, 98: 995, 100: 1964}

# bench/results/2026-11-25-two-epyc-cores/svp.txt, one thread, medians of five lattices.
CORE_FPLLL = {50: 0.62, 60: 1.16, 70: 7.62}
CORE_FOUND = {50: 0.17, 60: 0.42, 70: 2.82}
CORE_SURE = {50: 0.33, 60: 1.05, 70: 7.51}

# bench/results/2026-11-29-one-nvidia-h200-16-xeon-cores/svp.txt, `after` and `last`: medians of 21 runs (80) of five lattices, and of
# two lattices (90); the first of two lattices of dimension 100.
GPU_FOUND = {80: 1.21, 90: 4.38, 100: 175}
GPU_SURE = {80: 2.14, 90: 13.6, 100: 283}


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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=pathlib.Path, default=HERE / "svp.svg", help="svp.svg beside this script if it is left out")
    target = parser.parse_args().file
    target.write_text(chart([
        ("fplll, published", "one Xeon core of 2014, averages", "#9aa5b1", False, PUBLISHED_FPLLL),
        ("G6K, published", "one Xeon core of 2014, averages", "#6b4fa1", False, PUBLISHED_G6K),
        ("fplll", "one EPYC core, medians of 5", "#52606d", False, CORE_FPLLL),
        ("slicepool, found", "one EPYC core, medians of 5", "#2f7ed8", False, CORE_FOUND),
        ("slicepool, sure (0.99)", "one EPYC core, medians of 5", "#2f7ed8", True, CORE_SURE),
        ("slicepool, found", "one H200 and 16 cores, medians", "#c05621", False, GPU_FOUND),
        ("slicepool, sure (0.99)", "one H200 and 16 cores, medians", "#c05621", True, GPU_SURE),
    ]))


if __name__ == "__main__":
    main()
