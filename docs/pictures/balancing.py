#!/usr/bin/env python3
"""Draws the pictures of docs/balancing.md: where the time of a run went, before a rule and with it, from reduced traces in
bench/results.

A row is a GPU, with what its driver waited for, or all CPU workers together, as the part of them that takes steps. A test
compares the files in the repository with what this script makes of the records.
"""
import argparse
import gzip
import json
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
RESULTS = HERE.parent.parent / "bench" / "results"
SIMULATED = RESULTS / "2026-11-28-simulated-machines"
PICTURES = {
    "balancing-two-gpus.svg": (
        "Lattice k60 on two GPUs: a part put aside, and parcels",
        [("before", RESULTS / "2026-11-23-two-nvidia-h200-32-xeon-cores" / "trace-k60-two-gpus-before.json"),
         ("now", RESULTS / "2026-11-23-two-nvidia-h200-32-xeon-cores" / "trace-k60-two-gpus.json")]),
    "balancing-its-part.svg": (
        "Three in line, n = 14, auto: a GPU joins a search of 32 cores",
        [("before", RESULTS / "2026-11-23-two-nvidia-h200-32-xeon-cores" / "trace-n14-auto-before.json"),
         ("now", RESULTS / "2026-11-23-two-nvidia-h200-32-xeon-cores" / "trace-n14-auto.json")]),
    "balancing-start.svg": (
        "Simulated: 16 cores, a driver of 0.25 s, two contexts of 0.13 s, one after the other",
        [("all wait for all devices", SIMULATED / "start-before.json"), ("now", SIMULATED / "start.json")]),
    "balancing-shares.svg": (
        "Simulated: a tree of unknown size on four GPUs that come one after the other",
        [("half of a batch for one idle GPU", SIMULATED / "shares-before.json"), ("now", SIMULATED / "shares.json")]),
    "balancing-hand-over.svg": (
        "Simulated: the end of a tree on 16 cores and a GPU with 16,384 slow lanes",
        [("no hand-over", SIMULATED / "hand-over-before.json"), ("now", SIMULATED / "hand-over.json")]),
}
COLOURS = {"launch": "#2f7ed8", "commit": "#c05621", "give": "#d69e2e", "upload": "#805ad5"}
WORDS = {"launch": "launches", "commit": "commits", "give": "gives", "upload": "takes"}
CPU_COLOUR = "#9aa5b1"
BINS = 400
LEFT, WIDTH, ROW, GAP = 96, 720, 34, 10


def spans_of(events):
    """{worker: [(kind, begin in ms, milliseconds)]} of Chrome trace events."""
    names = {e["tid"]: e["args"]["name"] for e in events if e.get("ph") == "M" and e["name"] == "thread_name"}
    spans, begun = {}, {}
    for event in events:
        key = (event.get("id"), event.get("tid"), event.get("name"))
        if event.get("ph") == "b":
            begun[key] = event["ts"]
        elif event.get("ph") in ("X", "e"):
            begin = event["ts"] if event["ph"] == "X" else begun.pop(key)
            length = event["dur"] if event["ph"] == "X" else event["ts"] - begin
            worker = names.get(event["tid"], str(event["tid"]))
            spans.setdefault(worker, []).append((event["name"], begin / 1e3, length / 1e3))
    return spans


def joined(spans):
    """Spans of one kind without gaps above 0.2 ms between them, so that pictures stay small."""
    found = []
    for begin, length in sorted((begin, length) for _, begin, length in spans):
        if found and begin <= found[-1][1] + 0.2:
            found[-1][1] = max(found[-1][1], begin + length)
        else:
            found.append([begin, begin + length])
    return [[round(begin, 2), round(end, 2)] for begin, end in found]


def reduce(trace, path):
    opened = gzip.open(trace, "rt") if trace.endswith(".gz") else open(trace, encoding="utf-8")
    with opened as file:
        spans = spans_of(json.load(file)["traceEvents"])
    end = max(begin + length for each in spans.values() for _, begin, length in each)
    cpu = [0.0] * BINS
    workers = [worker for worker in spans if worker.startswith("cpu")]
    for worker in workers:
        for kind, begin, length in spans[worker]:
            if kind != "turn":
                continue
            first, last = begin / end * BINS, (begin + length) / end * BINS
            for at in range(int(first), min(BINS, int(last) + 1)):
                cpu[at] += max(0.0, min(last, at + 1) - max(first, at)) / len(workers)
    gpus = {worker: {kind: joined([s for s in spans[worker] if s[0] == kind]) for kind in COLOURS}
            for worker in sorted(spans) if worker.startswith("gpu")}
    record = {"milliseconds": round(end, 2), "cpu_workers": len(workers), "cpu_busy": [round(x, 3) for x in cpu], "gpus": gpus}
    pathlib.Path(path).write_text(json.dumps(record) + "\n")


def shown(milliseconds):
    return f"{milliseconds / 1e3:.2f} s" if milliseconds >= 100 else f"{milliseconds:.1f} ms"


def draw(title, parts):
    records = [(label, json.loads(path.read_text())) for label, path in parts]
    longest = max(record["milliseconds"] for _, record in records)
    rows = []
    y = 70

    def x_of(milliseconds):
        return LEFT + milliseconds / longest * WIDTH

    for label, record in records:
        rows.append(f'<text x="{LEFT}" y="{y}" class="head">{label}: {shown(record["milliseconds"])}</text>')
        y += 8
        if record["cpu_workers"]:
            rows.append(f'<text x="{LEFT - 10}" y="{y + 22}" text-anchor="end">CPU</text>')
            rows.append(f'<rect x="{LEFT}" y="{y}" width="{x_of(record["milliseconds"]) - LEFT:.1f}" height="{ROW}" fill="#ffffff"/>')
            width = record["milliseconds"] / BINS
            points = "".join(f"L{x_of(i * width):.1f} {y + ROW * (1 - busy):.1f}L{x_of((i + 1) * width):.1f} {y + ROW * (1 - busy):.1f}"
                             for i, busy in enumerate(record["cpu_busy"]))
            rows.append(f'<path d="M{LEFT} {y + ROW}{points}L{x_of(record["milliseconds"]):.1f} {y + ROW}Z" fill="{CPU_COLOUR}"/>')
            y += ROW + GAP
        for gpu, kinds in record["gpus"].items():
            rows.append(f'<text x="{LEFT - 10}" y="{y + 22}" text-anchor="end">{gpu.upper().replace("GPU", "GPU ")}</text>')
            rows.append(f'<rect x="{LEFT}" y="{y}" width="{x_of(record["milliseconds"]) - LEFT:.1f}" height="{ROW}" fill="#ffffff"/>')
            for kind, colour in COLOURS.items():
                for begin, end in kinds[kind]:
                    rows.append(f'<rect x="{x_of(begin):.1f}" y="{y}" width="{max(0.4, x_of(end) - x_of(begin)):.1f}" height="{ROW}" '
                                f'fill="{colour}"/>')
            y += ROW + GAP
        y += 26
    legend = "".join(f'<rect x="{LEFT + 112 * i}" y="40" width="12" height="12" fill="{colour}"/>'
                     f'<text x="{LEFT + 112 * i + 18}" y="51" class="note">{WORDS[kind]}</text>\n  '
                     for i, (kind, colour) in enumerate(COLOURS.items()))
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 {y}" width="860" height="{y}" role="img" aria-label="{title}">\n'
            '  <style>text { font: 13px system-ui, sans-serif; fill: #1f2933 } .note { fill: #52606d; font-size: 12px } '
            '.head { font-weight: 600 }</style>\n'
            f'  <rect width="860" height="{y}" rx="8" fill="#f7f9fb"/>\n'
            f'  <text x="{LEFT}" y="28" class="head">{title}</text>\n  {legend}')
    return head + "\n  ".join(rows) + "\n</svg>\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=HERE,
                        help="for balancing-*.svg; beside this script if it is left out")
    parser.add_argument("--reduce", nargs=2, metavar=("TRACE", "FILE"),
                        help="draw nothing, and make such a record of a trace (`--trace`, also gzipped)")
    arguments = parser.parse_args()
    if arguments.reduce:
        return reduce(*arguments.reduce)
    if not arguments.folder.is_dir():
        parser.error(f"FOLDER: {arguments.folder} is no folder; accepted: a folder that is there")
    for name, (title, parts) in PICTURES.items():
        (arguments.folder / name).write_text(draw(title, parts))


if __name__ == "__main__":
    main()
