"""What the comparisons with third parties share: their Python environment, skips, seeded cases, the command.

A peer is installed by setup.py into a virtual environment of the build tree. A test that does not find its peer there
is skipped: one line with [skipped], exit code 77.
"""
import argparse
import importlib
import json
import os
import random
import subprocess
import sys
import tempfile

SKIPPED = 77


def skip(why):
    print(f"[skipped] {why}")
    sys.exit(SKIPPED)


def python_of(environment):
    return os.path.join(environment, "bin", "python")


def start(package):
    """Arguments of a test, executed by the environment's Python, in which `package` can be imported."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", required=True, help="the slicepool command")
    parser.add_argument("--environment", required=True, help="the virtual environment that setup.py made")
    parser.add_argument("--seed", type=int, default=20261122)
    arguments = parser.parse_args()
    python = python_of(arguments.environment)
    if not os.path.exists(python):
        skip(f"there is no environment {arguments.environment}")
    if os.path.realpath(sys.prefix) != os.path.realpath(arguments.environment):
        os.execv(python, [python, *sys.argv])
    try:
        importlib.import_module(package)
    except ImportError as error:
        skip(f"{package} is not installed: {error}")
    print(f"seed {arguments.seed}")
    return arguments


def scaled(cases):
    scale = float(os.environ.get("SLICEPOOL_TEST_SCALE", "1"))
    return max(1, int(cases * min(1.0, scale)))


class Slicepool:
    """The command, in a folder of its own."""

    def __init__(self, command):
        self.command = os.path.abspath(command)
        self.folder = tempfile.TemporaryDirectory()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def run(self, *arguments):
        done = subprocess.run([self.command, *map(str, arguments), "--progress", "none"], cwd=self.folder.name,
                              capture_output=True, text=True)
        if done.returncode != 0:
            fail(f"{' '.join(map(str, arguments))}: exit code {done.returncode}: {done.stderr}")
        return done.stdout

    def record(self, *arguments):
        return json.loads(self.run(*arguments, "--json"))


def fail(what):
    print(f"failed: {what}")
    sys.exit(1)


def require(holds, what):
    if not holds:
        fail(what)


def gap(commands):
    """What GAP prints; it ends at the first error."""
    folder = next((os.path.join(p, "gap") for p in sys.path if os.path.exists(os.path.join(p, "gap", "gap"))), None)
    if folder is None:
        skip("GAP is not installed")
    return subprocess.run([os.path.join(folder, "gap"), "-q", "-A", "-r", "-l", folder, "--quitonbreak"],
                          input=f"SizeScreen([4096, 1000000]);;\n{commands}QUIT;\n", capture_output=True, text=True).stdout


def modes(rng):
    """Who works, picked at random."""
    return rng.choice([["--mode", "cpu", "--threads", "1"], ["--mode", "cpu", "--threads", "2"],
                       ["--mode", "emulated", "--emulated-lanes", "32"]])


def generator(seed, case):
    return random.Random(f"{seed} {case}")
