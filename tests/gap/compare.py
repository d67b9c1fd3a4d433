#!/usr/bin/env python3
"""Every function that the GAP package serves against the original: value, order, error text, at threshold 0."""
import pathlib
import re

import support

gap = support.Gap()
cases = support.scaled(40)
script = (pathlib.Path(__file__).parent / "compare.g").read_text()
print(f"seed {support.SEED}")
out = gap.run(f"seed := {support.SEED};; cases := {cases};;\n{script}")
print(out)
last = re.findall(r"^(\d+) passed, (\d+) failed$", out, re.M)
support.require(last and int(last[-1][0]) > 0, "the comparison did not come to its end")
support.require(last[-1][1] == "0", "values differ")
