"""The command `slicepool`: `python -m slicepool` and the console script of the wheel."""
from __future__ import annotations

import os
import sys

from . import _slicepool


def main() -> None:
    """Executes the command line and ends the process with the command's exit code."""
    code = _slicepool.command(["slicepool", *sys.argv[1:]])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)    # as the command does: nothing waits for a driver that takes long to leave


if __name__ == "__main__":
    main()
