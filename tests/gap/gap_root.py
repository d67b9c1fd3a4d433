"""What the tests of the GAP package share: where GAP is, a GAP root with the package, skips.

GAP and numericalsgps come from wheels, which ./bootstrap test puts into build/gap ($SLICEPOOL_GAP). A test that does not find
them is skipped: one line with [skipped], exit code 77.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["SLICEPOOL_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE / "tests" / "peers"))
from support import fail, require, scaled, skip  # noqa: E402, F401  (what all tests against third parties share)

FOLDER = pathlib.Path(os.environ.get("SLICEPOOL_GAP", SOURCE / "build" / "gap")).resolve()
SEED = int(os.environ.get("SLICEPOOL_TEST_SEED", "20261125"))


class Gap:
    """A GAP that finds the package of this tree, as a user has it who put a link into a folder pkg."""

    def __init__(self, program=None):
        self.program = program or str(FOLDER / "gap" / "gap")
        if not os.access(self.program, os.X_OK):
            skip(f"there is no GAP in {FOLDER}: ./bootstrap test installs it by pip, where that can")
        self.place = tempfile.TemporaryDirectory()
        root = pathlib.Path(self.place.name, "root")
        (root / "pkg").mkdir(parents=True)
        (root / "pkg" / "slicepool").symlink_to(SOURCE / "gap")
        self.roots = f"{FOLDER / 'gap'};{root}" if program is None else f";{root}"
        self.environment = dict(os.environ, SLICEPOOL=os.environ["SLICEPOOL_COMMAND"], TERM="dumb")

    def arguments(self, *more):
        return [self.program, "-l", self.roots, "-q", "-A", "-r", *more]

    def run(self, commands, *more, **environment):
        """What GAP prints, standard error included; it ends at the first error, which is then among it."""
        path = pathlib.Path(self.place.name, "commands.g")
        path.write_text(f"SizeScreen([4096, 1000000]);;\n{commands}\nQUIT;\n")
        done = subprocess.run(self.arguments(*more, str(path)), stdin=subprocess.DEVNULL, cwd=self.place.name,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**self.environment, **environment})
        return done.stdout
