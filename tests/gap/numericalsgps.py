#!/usr/bin/env python3
"""numericalsgps' own tests, with every call asked that can be (threshold 0) and at the default threshold."""
import re

import gap_root

gap = gap_root.Gap()
passed = 0
for threshold in (0, 2000):
    out = gap.run(f"""LoadPackage("numericalsgps", false);; LoadPackage("slicepool", false);; SlicepoolThreshold := {threshold};;
ok := Test(Filename(DirectoriesPackageLibrary("numericalsgps", "tst"), "testall.tst"), rec(compareFunction := "uptowhitespace"));;
calls := SlicepoolCalls();; sum := 0;;
for name in RecNames(calls) do
  Print("  ", name, ": ", calls.(name).served, " of ", calls.(name).served + calls.(name).native, " calls reached slicepool\\n");
  sum := sum + calls.(name).served;
od;
Print("testall.tst ", ok, ", served ", sum, "\\n");""")
    print(f"SlicepoolThreshold := {threshold}\n{out}")
    end = re.search(r"^testall.tst (\w+), served (\d+)$", out, re.M)
    gap_root.require(end is not None, "the tests did not come to their end")
    gap_root.require(end[1] == "true", "tests of numericalsgps fail")
    gap_root.require(threshold != 0 or int(end[2]) > 1000, "hardly any call reached slicepool")
    passed += 1
print(f"{passed} passed, 0 failed")
