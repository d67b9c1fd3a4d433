#!/usr/bin/env python3
"""The package as GAP's own tools see it: its tests, its PackageInfo.g and its manual, loading in any order, gaplint."""
import pathlib
import re
import shutil
import subprocess
import sys

import gap_root
from gap_root import require

gap = gap_root.Gap()
passed = 0


def case(holds, what, text=""):
    global passed
    require(holds, f"{what}: {text[-3000:]}")
    passed += 1


# gap/tst, with numericalsgps.
done = subprocess.run(gap.arguments(str(gap_root.SOURCE / "gap" / "tst" / "testall.g")), stdin=subprocess.DEVNULL, text=True,
                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=gap.place.name, env=gap.environment)
print(done.stdout)
case(done.returncode == 0 and "#I  No errors detected while testing" in done.stdout, "gap/tst/testall.g", done.stdout)
case("numericalsgps is not there" not in done.stdout, "numericalsgps is not there")

# Extensions go by the order of loading.
for first, second in (("slicepool", "numericalsgps"), ("numericalsgps", "slicepool")):
    out = gap.run(f'LoadPackage("{first}", false);; LoadPackage("{second}", false);; SlicepoolThreshold := 0;;'
                  'Print(CatenaryDegree(60, NumericalSemigroup(6, 9, 20)), " ", SlicepoolCalls().CatenaryDegree.served, "\\n");')
    case(out.split() == ["7", "1"], f"{first}, then {second}", out)
out = gap.run('LoadPackage("slicepool", false);; NumSgpsUseSlicepool();')
case("the package numericalsgps is not loaded" in out, "NumSgpsUseSlicepool without numericalsgps", out)
out = gap.run('Print(LoadPackage("slicepool", false), "\\n");', SLICEPOOL="/nowhere/slicepool", PATH="/nowhere")
case("fail" in out, "loading without the program", out)
# What is no slicepool, and one that ends at once.
for program in ("/bin/cat", "/bin/false", "/bin/echo"):
    out = gap.run('LoadPackage("slicepool", false);; SlicepoolThreshold := 0;; Print(RestrictedPartitions(5, [2, 3]), "\\n", '
                  'RestrictedPartitions(5, [2, 3]), "\\n");', SLICEPOOL=program)
    case(out.count("[ [ 3, 2 ] ]") == 2 and out.count("GAP's own code runs") == 1, f"GAP's own code beside {program}", out)

# The manual: of a copy, as it is made in the folder.
copy = pathlib.Path(gap.place.name, "copy")
shutil.copytree(gap_root.SOURCE / "gap", copy, symlinks=False, ignore=shutil.ignore_patterns("doc"))
made = subprocess.run(gap.arguments("makedoc.g"), stdin=subprocess.DEVNULL, cwd=copy, text=True, env=gap.environment,
                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
chapters = sorted(path.name for path in (copy / "doc").glob("chap*_mj.html"))
case(len(chapters) >= 4 and not re.search(r"WARNING|Error", made.stdout), f"makedoc.g made {chapters}", made.stdout)
manual = "".join((copy / "doc" / name).read_text() for name in chapters)
for name in re.findall(r'Declare\w+\("(\w+)"', (copy / "lib" / "slicepool.gd").read_text()):
    case(name in manual, f"the manual does not have {name}")
(copy / "doc" / "manual.pdf").touch()    # needs LaTeX
out = gap.run(f'Print(ValidatePackageInfo("{copy}/PackageInfo.g"), "\\n");')
case(out.strip() == "true", "ValidatePackageInfo", out)

version = subprocess.run([gap.environment["SLICEPOOL"], "--version"], capture_output=True, text=True).stdout.split()[1]
case(f'"{version}"' in (copy / "PackageInfo.g").read_text(), f"PackageInfo.g is not of version {version}")

lint = subprocess.run([sys.executable, "-c", "import gaplint"], capture_output=True)
if lint.returncode == 0:
    files = sorted(str(path.relative_to(gap_root.SOURCE / "gap")) for suffix in ("g", "gd", "gi", "tst")
                   for path in (gap_root.SOURCE / "gap").rglob(f"*.{suffix}"))
    done = subprocess.run([sys.executable, "-c", "import gaplint; gaplint.main()", *files], cwd=gap_root.SOURCE / "gap",
                          capture_output=True, text=True)
    case(done.returncode == 0, "gaplint", done.stdout + done.stderr)
else:
    print("[left out] there is no gaplint")
print(f"{passed} passed, 0 failed")
