#!/usr/bin/env python3
"""The package in the GAP of the machine, such as Debian's 4.12, where there is one with the package io."""
import shutil

import gap_root

program = shutil.which("gap")
if program is None:
    gap_root.skip("there is no gap on the PATH")
gap = gap_root.Gap(program)
out = gap.run('Print("<", GAPInfo.Version, " ", LoadPackage("io", false), ">\\n");')
if "true>" not in out:
    gap_root.skip(f"the gap on the PATH does not load the package io: {out.strip()}")
print(out)
out = gap.run("""Print(LoadPackage("slicepool", false), "\\n");
old := SLICEPOOL.served.RestrictedPartitions.original;; SlicepoolThreshold := 0;; SlicepoolCalls(true);;
cases := [[10, [1, 2, 5]], [10, [5, 1, 2]], [100, [3, 7, 11]], [7, [2, 4]], [500, [13, 37, 38, 40]]];;
Print(ForAll(cases, c -> CallFuncList(RestrictedPartitions, c) = CallFuncList(old, c)), "\\n");
Print(SlicepoolCalls().RestrictedPartitions.served, "\\n");
SlicepoolUse(false);; Print(IsIdenticalObj(RestrictedPartitions, old), "\\n");""")
print(out)
gap_root.require(out.split() == ["true", "true", "5", "true"], "other values")
print("4 passed, 0 failed")
