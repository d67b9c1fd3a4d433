#!/usr/bin/env python3
"""Every function that the GAP package serves against the original: value, order, error text, at threshold 0."""
import pathlib
import re

import gap_root

gap = gap_root.Gap()
cases = gap_root.scaled(40)
script = (pathlib.Path(__file__).parent / "compare.g").read_text()
print(f"seed {gap_root.SEED}")
out = gap.run(f"seed := {gap_root.SEED};; cases := {cases};;\n{script}")
print(out)
last = re.findall(r"^(\d+) passed, (\d+) failed$", out, re.M)
gap_root.require(last and int(last[-1][0]) > 0, "the comparison did not come to its end")
gap_root.require(last[-1][1] == "0", "values differ")
