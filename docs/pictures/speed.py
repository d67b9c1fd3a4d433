#!/usr/bin/env python3
"""Draws docs/pictures/speed.svg, the chart of the README, from the records in bench/results.

Each bar is how many times as fast a mode was as the 16 cores of the same machine; the label has the seconds. A test
compares the file in the repository with what this script makes of the records.
"""
import argparse
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
#: Its first run of bench/gpu/modes.py has all modes of all searches on one machine.
RECORD = HERE.parent.parent / "bench" / "results" / "2026-11-30-one-nvidia-h200-16-xeon-cores" / "modes.txt"

MODES = (("cpu", "16 cores", "#9aa5b1"), ("gpu", "one GPU", "#2f7ed8"), ("hybrid", "both", "#c05621"))


def within_a_process(search):
    """Median seconds by mode of one search, without the start of the process and of the GPU."""
    first = RECORD.read_text().split("\n# ")[0]
    line = next(line for line in first[first.index("within one process"):].splitlines() if line.strip().startswith(search + "  "))
    return {mode: float(seconds) for mode, seconds in re.findall(r"(cpu|gpu|hybrid) ([0-9.]+)", line)}


def shown(seconds):
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"


def chart(problems):
    width, left, scale, top, bar = 860, 288, 8.6, 52, 17
    group = len(MODES) * bar + 20
    height = top + len(problems) * group + 26
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" aria-label="Speed of one GPU, and of GPU and CPU together, relative to 16 CPU cores">',
        "  <style>text { font: 13px system-ui, sans-serif; fill: #1f2933 } .note { fill: #52606d; font-size: 12px }</style>",
        f'  <rect width="{width}" height="{height}" rx="8" fill="#f7f9fb"/>',
    ]
    x = left
    for _mode, name, colour in MODES:
        lines.append(f'  <rect x="{x}" y="18" width="12" height="12" fill="{colour}"/><text x="{x + 18}" y="29">{name}</text>')
        x += 110
    for index, (title, note, seconds) in enumerate(problems):
        y = top + index * group
        lines.append(f'  <text x="{left - 12}" y="{y + 20}" text-anchor="end" style="font-weight:600">{title}</text>')
        lines.append(f'  <text x="{left - 12}" y="{y + 38}" text-anchor="end" class="note">{note}</text>')
        for row, (mode, _name, colour) in enumerate(MODES):
            factor = seconds["cpu"] / seconds[mode]
            length, above = scale * factor, y + row * bar
            lines.append(f'  <rect x="{left}" y="{above}" width="{length:.1f}" height="{bar - 3}" fill="{colour}"/>')
            label = shown(seconds[mode]) + ("" if mode == "cpu" else f", {factor:.1f} x")
            lines.append(f'  <text x="{left + length + 6:.1f}" y="{above + 12}" class="note">{label}</text>')
    lines.append(f'  <text x="{left}" y="{height - 12}" class="note">Longer is faster; 1 is the speed of 16 Xeon cores. '
                 "GPU: NVIDIA H200. Medians.</text>")
    lines.append("</svg>")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=pathlib.Path, default=HERE / "speed.svg", help="speed.svg beside this script if it is left out")
    target = parser.parse_args().file
    target.write_text(chart([
        ("Factorizations, counting", "39.6 G candidates, d = 8, n = 3600", within_a_process("candidate (8, 3600)")),
        ("No three in line, n = 14", "421 M boards", within_a_process("three in line 14")),
        ("Lattice of dimension 55", "839 M nodes, k55", within_a_process("lattice k55")),
        ("Full transformation monoid", "823,543 elements, full:7", within_a_process("full:7")),
    ]))


if __name__ == "__main__":
    main()
