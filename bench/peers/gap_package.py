#!/usr/bin/env python3
"""GAP against GAP with the package slicepool: the table of docs/gap.md, from call to GAP list.

    bench/peers/gap_package.py --command build/slicepool [--gap build/gap] [--short]

Medians of five calls, of one where GAP takes more than ten seconds. GAP alone: its processor time, which others on the machine
lengthen little. With slicepool: the time that passes. Every call has a semigroup of its own,
since GAP keeps what it has computed of one. Values are compared. --short leaves out what takes GAP more than a second.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
S, BIG = "NumericalSemigroup(13, 37, 38, 40)", "NumericalSemigroup(100, 121, 142, 163, 284)"
ROWS = f"FactorizationsElementWRTNumericalSemigroup(2000, {S})"
# Name, the call in GAP, what is made before it, seconds that GAP takes (about).
CASES = [
    ("`FactorizationsIntegerWRTList(5000, [13, 37, 38, 40])`: 29,601 rows", "FactorizationsIntegerWRTList(5000, [13, 37, 38, 40])", "0", 1),
    ("`Factorizations(9000, S)`: 169,752 rows", "Factorizations(9000, x)", S, 8),
    ("`FactorizationsElementListWRTNumericalSemigroup([2001 .. 2100], S)`: 217,560 rows",
     "FactorizationsElementListWRTNumericalSemigroup([2001 .. 2100], x)", S, 2),
    ("`LengthsOfFactorizationsElementWRTNumericalSemigroup(5000, S)`", "LengthsOfFactorizationsElementWRTNumericalSemigroup(5000, x)", S, 0.5),
    ("`Elasticity(5000, S)`", "Elasticity(5000, x)", S, 0.5),
    ("`DeltaSet(5000, S)`", "DeltaSet(5000, x)", S, 0.5),
    ("`MaximumDegree(5000, S)`", "MaximumDegree(5000, x)", S, 0.5),
    ("`MaximalDenumerant(5000, S)`", "MaximalDenumerant(5000, x)", S, 1),
    ("`DeltaSetListUpToElementWRTNumericalSemigroup(3000, S)`", "DeltaSetListUpToElementWRTNumericalSemigroup(3000, x)", S, 0.2),
    ("`CatenaryDegree(1000, S)`: 274 rows", "CatenaryDegree(1000, x)", S, 0.5),
    ("`CatenaryDegree(2000, S)`: 2,003 rows", "CatenaryDegree(2000, x)", S, 50),
    ("`CatenaryDegreeOfSetOfFactorizations(Z(2000))`: 2,003 rows", "CatenaryDegreeOfSetOfFactorizations(x)", ROWS, 50),
    ("`MonotoneCatenaryDegreeOfSetOfFactorizations(Z(2000))`", "MonotoneCatenaryDegreeOfSetOfFactorizations(x)", ROWS, 1),
    ("`TameDegree(2000, S)`: 2,003 rows", "TameDegree(2000, x)", S, 0.3),
    ("`TameDegree(5000, S)`: 29,601 rows", "TameDegree(5000, x)", S, 30),
    ("`OmegaPrimality(1000, S)`", "OmegaPrimality(1000, x)", S, 0.2),
    ("`OmegaPrimality(big)`", "OmegaPrimality(x)", BIG, 15),
    ("`BettiElements(big)`", "BettiElements(x)", BIG, 0.1),
    ("`CatenaryDegree(big)`", "CatenaryDegree(x)", BIG, 0.3),
    ("`TameDegree(big)`", "TameDegree(x)", BIG, 0.6),
    ("`DeltaSet(big)`", "DeltaSet(x)", BIG, 1),
    ("`RestrictedPartitions(2000, [13, 37, 38, 40])`: 2,003 partitions", "RestrictedPartitions(2000, [13, 37, 38, 40])", "0", 0.1),
    ("`NrRestrictedPartitions(1000, [3, 5, 7, 11, 13, 17], 120)`", "NrRestrictedPartitions(1000, [3, 5, 7, 11, 13, 17], 120)", "0", 1),
]


def program(cases):
    text = ('SizeScreen([4096, 1000000]);; LoadPackage("numericalsgps", false);; LoadPackage("slicepool", false);;\n'
            'LoadPackage("io", false);; SlicepoolServer();;\n'
            'clock := function(used) local t;\n  if used then return NanosecondsSinceEpoch(); fi;\n'
            '  t := Runtimes(); return 10^6 * (t.user_time + t.system_time);\nend;;\n'
            'measure := function(name, make, call)\n  local x, begin, times, value, used, values;\n  values := [];\n'
            '  for used in [false, true] do\n    SlicepoolUse(used); times := [];\n'
            '    repeat\n      x := make(); GASMAN("collect"); begin := clock(used); value := call(x);\n'
            '      Add(times, clock(used) - begin);\n    until Length(times) = 5 or (times[1] > 10^10);\n'
            '    Add(values, value); Print(name, "|", used, "|", times, "\\n");\n  od;\n'
            '  if values[1] <> values[2] then Print("DIFFERS ", name, "\\n"); fi;\nend;;\n')
    for name, call, make, _ in cases:
        text += f'measure("{name}", {{}} -> {make}, x -> {call});\n'
    return text + "QUIT;\n"


def shown(seconds):
    return f"{seconds * 1e3:,.2f} ms" if seconds < 0.01 else f"{seconds * 1e3:,.0f} ms" if seconds < 10 else f"{seconds:,.1f} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", required=True, help="the slicepool command")
    parser.add_argument("--gap", default=SOURCE / "build" / "gap", help="where pip has put passagemath-gap")
    parser.add_argument("--short", action="store_true", help="only what takes GAP less than a second")
    arguments = parser.parse_args()
    folder = pathlib.Path(arguments.gap).resolve() / "gap"
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        (root / "pkg").mkdir()
        (root / "pkg" / "slicepool").symlink_to(SOURCE / "gap")
        (root / "bench.g").write_text(program([case for case in CASES if not arguments.short or case[3] < 1]))
        environment = dict(os.environ, SLICEPOOL=os.path.abspath(arguments.command))
        done = subprocess.run([folder / "gap", "-l", f"{folder};{root}", "-q", "-A", "-r", "--quitonbreak", root / "bench.g"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=environment)
    times = {}
    for line in done.stdout.splitlines():
        if "|" not in line:
            print(line)
            continue
        name, used, numbers = line.rsplit("|", 2)
        times.setdefault(name, {})[used] = statistics.median(int(n) for n in numbers.strip("[ ]").split(",")) / 1e9
    print("| function | GAP alone | with slicepool | times as fast |\n|---|---|---|---|")
    for name, found in times.items():
        ratio = found["false"] / found["true"]
        print(f"| {name} | {shown(found['false'])} | {shown(found['true'])} | {ratio:,.0f} |" if ratio >= 10 else
              f"| {name} | {shown(found['false'])} | {shown(found['true'])} | {ratio:.1f} |")


main()
