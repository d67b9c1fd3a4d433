"""Shared parts of the robustness campaign: running the command, seeds, counting, the table.

A *class* of attacks is a module with FULL (its number of cases in a full campaign) and case(context, index), which
makes one attack and raises Failure when the program did not hold. Case `index` of a class is the same in every
campaign with the same seed, whatever share of the cases is run and in whatever order.
"""
import concurrent.futures
import hashlib
import json
import os
import random
import shutil
import signal
import stat
import subprocess
import tempfile
import time

# Long enough for a loaded machine: it tells a hang from a slow answer, nothing else.
HANG_SECONDS = 300
ADDRESS_SPACE_KIB = 12 << 20


class Failure(Exception):
    """The program did not hold: what happened, and the command that shows it."""


class Skipped(Exception):
    """The case cannot be made on this machine; the table counts it apart."""


class Outcome:
    def __init__(self, argv, code, out, err):
        self.argv, self.code, self.out, self.err = argv, code, out, err

    def json(self):
        return json.loads(self.out)


def shown(argv, limit=60):
    """A command for people: long arguments are cut."""
    def one(word):
        text = word if len(word) <= limit else f"{word[:20]}..({len(word)} characters)"
        return text if text and all(c.isalnum() or c in "-_=.,:/+" for c in text) else repr(text)
    return " ".join(one(word) for word in argv)


class Context:
    """What a case needs: the program, its own random numbers and its own empty folder."""

    def __init__(self, campaign, index):
        self.campaign = campaign
        self.index = index
        self.random = random.Random(f"{campaign.seed}/{campaign.name}/{index}")
        self.folder = None

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix=f"{self.campaign.name}-", dir=self.campaign.folder)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, *arguments, limits="", folder=None, stdout=subprocess.PIPE):
        """Starts the command in the case's folder. `limits`: shell text such as 'ulimit -f 100'."""
        argv = [self.campaign.command, *[str(a) for a in arguments]]
        guard = "" if self.campaign.sanitized else f"ulimit -v {ADDRESS_SPACE_KIB}; "
        shell = f'ulimit -c 0; {guard}{limits}{";" if limits else ""} exec "$@"'
        try:
            return subprocess.Popen(["/bin/bash", "-c", shell, "bash", *argv], cwd=folder or self.folder,
                                    stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
                                    env=self.campaign.environment)
        except (OSError, ValueError) as error:   # too long for the system, or a NUL: no program ever sees it
            raise Skipped(str(error)) from error

    def finish(self, process, arguments):
        argv = ["slicepool", *[str(a) for a in arguments]]
        try:
            out, err = process.communicate(timeout=HANG_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failure(f"no end after {HANG_SECONDS} s: {shown(argv)}") from None
        out = "" if out is None else out.decode("utf-8", "replace")
        return Outcome(argv, process.returncode, out, err.decode("utf-8", "replace"))

    def run(self, *arguments, limits="", folder=None):
        return self.finish(self.start(*arguments, limits=limits, folder=folder), arguments)


def expect(condition, what, outcome):
    if not condition:
        error = outcome.err.strip().replace("\n", " | ")
        raise Failure(f"{what}: code {outcome.code}: {shown(outcome.argv)}  [{error[:300]}]")


KNOWN_CODES = (0, 2, 3, 4, 5)


def check_manners(outcome, accepted=KNOWN_CODES):
    """What holds for every input: an exit code with a meaning, and an error that a person can read."""
    stopped = outcome.code == 1 and "stopped by" in outcome.err
    expect(outcome.code >= 0 and outcome.code < 128, "died by a signal", outcome)
    expect(outcome.code in accepted or stopped, "exit code without a meaning for this input", outcome)
    if outcome.code in (2, 3, 4):
        errors = [line for line in outcome.err.splitlines() if line.startswith("slicepool: error:")]
        expect(len(errors) >= 1, "no error line", outcome)
        for line in errors:
            text = line[len("slicepool: error:"):].strip()
            expect(len(text) > 10, "an error that says nothing", outcome)
            expect(len(text) < 4000, "an error of thousands of characters", outcome)
            for raw in ("json.exception", "basic_filebuf", "std::", "terminate called"):
                expect(raw not in text, "an error in a library's words", outcome)


def leftovers(folder, allowed=()):
    """Names of temporary files that a finished command left over."""
    found = []
    for root, _, names in os.walk(folder):
        for name in names:
            if name.endswith((".tmp", ".part", ".lock")) and name not in allowed:
                found.append(os.path.relpath(os.path.join(root, name), folder))
    return sorted(found)


def fingerprint(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def rows_fingerprint(path):
    """Of a .npy or a text whose rows are in no particular order."""
    with open(path, "rb") as file:
        content = file.read()
    if not path.endswith(".npy"):
        return hashlib.sha256(b"\n".join(sorted(content.split(b"\n")))).hexdigest()
    length = 10 + int.from_bytes(content[8:10], "little")
    shape = content[10:length].split(b"'shape': (")[1].split(b")")[0].split(b",")
    rows = max(1, int(shape[0]))
    size = (len(content) - length) // rows
    body = sorted(content[at:at + size] for at in range(length, len(content), size or 1))
    return hashlib.sha256(content[:length] + b"".join(body)).hexdigest()


def snapshot(folder):
    """Name -> kind and content of everything in a folder, without following links."""
    seen = {}
    for root, folders, names in os.walk(folder):
        for name in folders + names:
            path = os.path.join(root, name)
            mode = os.lstat(path).st_mode
            content = None
            if stat.S_ISREG(mode):
                content = fingerprint(path)
            elif stat.S_ISLNK(mode):
                content = os.readlink(path)
            seen[os.path.relpath(path, folder)] = (stat.S_IFMT(mode), content)
    return seen


# What must be the same in every mode, under every kill, fault and resume.
STABLE_KEYS = ("count", "fingerprint", "nodes", "total", "classes", "size", "rules", "idempotents", "lengths",
               "delta_set", "minimum_length", "maximum_length", "coordinate_maxima", "predicate_holds",
               "shortest_squared_norm", "stages", "solutions")


def stable(record):
    return {key: record[key] for key in STABLE_KEYS if key in record}


class Campaign:
    """One class of attacks over a share of its cases."""

    def __init__(self, name, command, seed=1, share=1.0, workers=1, sanitized=False):
        self.name = name
        self.command = os.path.abspath(command)
        self.seed = seed
        self.share = share
        self.workers = workers
        self.sanitized = sanitized
        self.folder = None
        self.environment = dict(os.environ, LC_ALL="C.UTF-8", TERM="dumb")
        self.references = {}

    def run(self, module, only=None):
        """Runs the cases; returns (tried, skipped, failures, seconds)."""
        count = max(1, round(module.FULL * self.share))
        # Drawn from the whole class, so that every kind of case has its share.
        drawn = random.Random(f"{self.seed}/{self.name}").sample(range(module.FULL), min(count, module.FULL))
        indices = [only] if only is not None else sorted(drawn)
        begin = time.monotonic()
        failures, skipped, tried = [], {}, 0
        with tempfile.TemporaryDirectory(prefix="slicepool-robustness-") as self.folder:
            if hasattr(module, "prepare"):
                module.prepare(self)
            with concurrent.futures.ThreadPoolExecutor(self.workers) as pool:
                for index, result in zip(indices, pool.map(lambda i: self.one(module, i), indices)):
                    if isinstance(result, Skipped):
                        skipped[str(result)] = skipped.get(str(result), 0) + 1
                        continue
                    tried += 1
                    if result is not None:
                        failures.append((index, str(result)))
        return tried, skipped, failures, time.monotonic() - begin

    def one(self, module, index):
        with Context(self, index) as context:
            try:
                module.case(context, index)
            except (Failure, Skipped) as result:
                return result
            return None


def interrupt(process, number=signal.SIGINT):
    try:
        process.send_signal(number)
    except ProcessLookupError:
        pass


def wait_for(condition, process):
    """Waits until `condition()` is true or the process has ended. True: the condition came first."""
    deadline = time.monotonic() + HANG_SECONDS
    while time.monotonic() < deadline:
        if condition():
            return True
        if process.poll() is not None:
            return condition()
        time.sleep(0.001)
    return False
