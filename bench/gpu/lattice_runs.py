"""Whole processes of `slicepool lattice`, timed, and the tables that are made of them. Used by many_lattices.py, many_targets.py and
one_vector.py."""
import json
import subprocess
import sys
import time


def timed(program, flags, mode):
    """Seconds of a process and its record. Ends this one where that fails."""
    begin = time.monotonic()
    done = subprocess.run([program, "lattice", *flags, "--mode", mode, "--json", "--progress", "none"], capture_output=True, text=True, check=False)
    seconds = time.monotonic() - begin
    if done.returncode != 0:
        sys.exit(f"{program}: {done.stderr[-500:]}")
    return seconds, json.loads(done.stdout)


class Table:
    """Lines that are printed as they come, and written at the end."""

    def __init__(self, title):
        self.lines = ["# " + title]

    def add(self, line):
        self.lines.append(line)
        print(line, flush=True)

    def finish(self, path, what, same):
        """The exit code: 1 where two runs differ in `what`."""
        self.add(f"{what}: {'the same in every run' if same else 'they differ'}")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(self.lines) + "\n")
        return 0 if same else 1
