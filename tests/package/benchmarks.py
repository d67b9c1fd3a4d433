#!/usr/bin/env python3
"""The marks of bench/gpu/modes.py and scaling.py, and what it makes of records: without a GPU, and with a program that only says figures.

Run by CTest with SLICEPOOL_SOURCE_DIR.
"""
import contextlib
import io
import json
import os
import pathlib
import stat
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["SLICEPOOL_SOURCE_DIR"])
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "bench" / "gpu"))
import modes  # noqa: E402
import scaling  # noqa: E402

# Says the figures of a sweep that the file beside it has for each mode.
PROGRAM = """#!{python}
import json, pathlib, sys
here = pathlib.Path(__file__).parent
if sys.argv[1] == "reduce":
    sys.exit(2)
sweep = json.loads(pathlib.Path(sys.argv[2]).read_text())
folder = pathlib.Path(sys.argv[sys.argv.index("--output") + 1])
folder.mkdir()
figures = json.loads((here / "figures.json").read_text())
with open(folder / "results.jsonl", "w") as file:
    for mode in sweep["engine"]["mode"]:
        file.write(json.dumps({{"record": {{"mode": mode, "count": figures["count"][mode], "seconds": figures["seconds"][mode]}}}}) + "\\n")
"""


def test_auto():
    assert modes.missed_by_auto({"cpu": 1, "gpu": 2, "hybrid": 3, "auto": 1.15}) == []
    assert modes.missed_by_auto({"cpu": 1, "gpu": 2, "hybrid": 3, "auto": 1.16}) == ["auto 1.15"]
    assert modes.missed_by_auto({"gpu": 2, "hybrid": 3, "auto": 2}) == []


def test_short_runs():
    assert modes.missed_by_short({"cpu": 0.03, "hybrid": 0.04, "auto": 0.04}) == []
    assert modes.missed_by_short({"cpu": 0.03, "hybrid": 0.0411, "auto": 0.03}) == ["hybrid cpu + 10 ms (+11)"]
    assert modes.missed_by_short({"cpu": 0.03, "hybrid": 0.03, "auto": 0.05}) == ["auto cpu + 10 ms (+20)"]
    assert modes.missed_by_short({"cpu": 0.2, "hybrid": 0.5, "auto": 0.5}) == []  # a GPU may be there
    assert modes.missed_by_short({"hybrid": 0.5, "auto": 0.5}) == []


def test_gpu_process():
    assert modes.missed_by_gpu(0.39, 0.3, 1) == []
    assert modes.missed_by_gpu(0.41, 0.3, 1) == ["gpu floor + 0.1 s (0.410 beside the enumeration)"]
    assert modes.missed_by_gpu(0.59, 0.3, 8) == []
    assert modes.missed_by_gpu(0.61, 0.3, 8) == ["gpu floor + 0.3 s (0.610 beside the enumeration)"]


def test_several_gpus():
    assert scaling.verdict(2, 2, 1.11, 2) == ""
    assert scaling.verdict(2, 2, 1.12, 2) == "MISSED 0.9"
    assert scaling.verdict(0.3, 0.3, 0.21, 2) == ""
    assert scaling.verdict(0.3, 0.2, 0.11, 4) == "MISSED 0.7"
    assert scaling.verdict(0.29, 0.29, 0.28, 2) == ""
    assert scaling.verdict(0.1, 0.1, 0.11, 2) == "SLOWER than with fewer"
    assert scaling.verdict(0.09, 0.09, 0.2, 2) == ""


def test_turns():
    """Short runs are many, long ones few, and a mode that fails is asked once; the others take turns."""
    seconds = {"cpu": 0.03, "gpu": 0.4, "hybrid": 9, "auto": 0.05}
    said = []

    def run_process(_program, _document, mode, _folder):
        said.append(mode)
        return ({"count": 1} if mode != "auto" else None), seconds[mode], ""

    original, modes.run_process = modes.run_process, run_process
    try:
        runs = modes.interleaved("slicepool", {}, list(seconds), 3)
    finally:
        modes.run_process = original
    assert said[:6] == ["cpu", "gpu", "hybrid", "auto", "cpu", "gpu"]
    assert {mode: len(done) for mode, done in runs.items()} == {"cpu": modes.SHORT_REPETITIONS, "gpu": 3, "hybrid": 1, "auto": 1}


def test_hybrid():
    def missed(cpu, gpu, part):
        """By a hybrid run at `part` of the sum of both rates."""
        return modes.missed_by_hybrid({"cpu": cpu, "gpu": gpu, "hybrid": 1 / (part * (1 / cpu + 1 / gpu))})

    assert missed(10, 1, 0.951) == []
    assert missed(10, 1, 0.949) == ["0.95 of the sum"]
    assert missed(10, 0.99, 0.949) == []
    assert missed(1, 0.1, 0.899) == ["0.90 of the sum"]
    assert missed(0.5, 0.099, 0.899) == []  # too short for a mark of the sum
    assert missed(100, 0.05, 0.97) == ["0.98 of the better half"]
    assert missed(100, 0.05, 0.99) == []
    assert missed(1, 0.004, 0.5) == []  # too short for a mark
    assert modes.missed_by_hybrid({"gpu": 2, "hybrid": 2.1}) == ["0.98 of the better half"]
    assert modes.missed_by_hybrid({"cpu": 2, "gpu": 2}) == []


def test_floor():
    floor, gpus = modes.measured_floor(1, "print(3)")
    assert floor >= 0 and gpus == 3
    assert modes.measured_floor(1, "import sys; sys.exit(100)") is None


def test_cases():
    named = dict(modes.cases(SOURCE, quick=False))
    for name in ("rows (10, 1300)", "lattice gm50", "lattice k55", "three in line 15", "lattice k60"):
        assert name in named, name
    for document in named.values():
        if "basis" in document:
            assert os.path.exists(document["basis"]), document


def test_qary_basis():
    rows = modes.qary_rows(6, 101, 1)
    assert rows == modes.qary_rows(6, 101, 1) != modes.qary_rows(6, 101, 2)
    assert [row[:3] for row in rows[:3]] == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert rows[3:] == [[0, 0, 0, 101, 0, 0], [0, 0, 0, 0, 101, 0], [0, 0, 0, 0, 0, 101]]


def within_one_process(figures, slow=()):
    """(what it says of a case with these figures, marks missed, wrong answers)."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "slicepool")
        program.write_text(PROGRAM.format(python=sys.executable))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        pathlib.Path(folder, "figures.json").write_text(json.dumps(figures))
        assert modes.qary_lattice(str(program), folder) == []  # a program without fplll
        report = modes.Report(os.path.join(folder, "report.txt"))
        with contextlib.redirect_stdout(io.StringIO()):
            modes.warm(report, str(program), [("a case", {"workload": "three_in_line", "size": 8})], 3, slow)
        return pathlib.Path(folder, "report.txt").read_text().splitlines()[1], report.missed, report.wrong


def test_within_one_process():
    same = {"cpu": 7, "gpu": 7, "hybrid": 7}
    good = {"seconds": {"cpu": 2, "gpu": 0.5, "hybrid": 0.41}, "count": same}
    assert within_one_process(good) == (f"  {'a case':30} cpu 2.0000  gpu 0.5000  hybrid 0.4100  1.22, 0.98", 0, 0)
    assert within_one_process(good, {"a case"})[0].endswith("cpu 2.0000  gpu 0.5000  hybrid 0.4100  1.22, 0.98")
    bad = {"seconds": {"cpu": 2, "gpu": 0.5, "hybrid": 0.55}, "count": same}
    line, missed, wrong = within_one_process(bad)
    assert line.endswith("0.91, 0.73  MISSED 0.98 of the better half  MISSED 0.90 of the sum"), line
    assert (missed, wrong) == (2, 0)
    assert within_one_process({**good, "count": {**same, "gpu": 8}})[2] == 1


def main():
    tests = [value for name, value in sorted(globals().items()) if name.startswith("test_")]
    for test in tests:
        test()
    print(f"{len(tests)} tests passed")


if __name__ == "__main__":
    main()
