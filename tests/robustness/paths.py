"""Every option that names a file with every kind of path: nothing is replaced, deleted or followed by accident

A device node, a FIFO, a socket, a folder stays what it is; what a link at FILE.part, FILE.tmp or FILE.lock points to
keeps its bytes; bad paths are code 2 before any work.
"""
import os
import socket
import stat
import threading

import support

SET = "factorizations --generators 13,37,38 --element 2000"
THREE = "three-in-line -n 6"
LATTICE = ["lattice", "--basis", "[[3 1 0][1 4 1][0 1 5]]"]
OPTIONS = (   # command, option, suffix, whether it is text that may be written in place
    (f"{SET} --sink rows".split(), "--output", ".npy", False),
    (f"{SET} --sink rows --writing streamed".split(), "--output", ".npy", False),
    (f"{SET} --sink rows".split(), "--output", ".npy.zst", False),
    (f"{SET} --sink rows".split(), "--output", ".csv", True),
    (f"{SET} --algorithm candidate".split(), "--checkpoint", "", False),
    (f"{SET} --algorithm candidate".split(), "--trace", ".json", True),
    (SET.split(), "--trace", "", True),
    (THREE.split(), "--checkpoint", "", False),
    (THREE.split(), "--record", "", True),
    (THREE.split(), "--output", ".rle", True),
    (THREE.split(), "--output", ".svg", True),
    (THREE.split(), "--output", ".json", True),
    (THREE.split(), "--output", ".txt", True),
    (LATTICE, "--checkpoint", "", False),
    ([*LATTICE, "--solutions", "all", "--squared-radius", "20"], "--output", ".npy", False),
    ([*LATTICE, "--solutions", "all", "--squared-radius", "20"], "--output", ".txt", True),
    ("semigroup --named full:4".split(), "--elements", ".npy", False),
    ("semigroup --named full:4".split(), "--words", "", True),
    ("semigroup --named full:4".split(), "--rules", "", True),
    ("semigroup --named full:4".split(), "--right-cayley-graph", ".csv", True),
    ("semigroup --named full:4".split(), "--left-cayley-graph", ".dot", True),
    ("semigroup --named full:4".split(), "--checkpoint", "", False),
    ("semigroup --named full:4".split(), "--resume", "", False),
    (THREE.split(), "--resume", "", False),
)
KINDS = ("new", "file", "folder", "folder/", "missing folder", "long name", "empty", "link to file", "dangling link",
         "loop of links", "link to folder", "fifo", "socket", "null", "full", "link at .part", "link at .tmp",
         "link at .lock", "folder at .part", "odd name")
FULL = len(OPTIONS) * len(KINDS)
OLD = b"an older result that is worth keeping\n"


def make(context, kind, name):
    """Makes the path; returns how the command names it."""
    path = context.path(name)
    if kind == "file":
        write(path)
    elif kind in ("folder", "folder/"):
        os.mkdir(path)
        write(os.path.join(path, "inside"))
        return name + ("/" if kind == "folder/" else "")
    elif kind == "missing folder":
        return os.path.join("nowhere", name)
    elif kind == "long name":
        return "x" * 300 + name
    elif kind == "empty":
        return ""
    elif kind == "link to file":
        write(context.path("target"))
        os.symlink("target", path)
    elif kind == "dangling link":
        os.symlink("not there", path)
    elif kind == "loop of links":
        os.symlink(name, path)
    elif kind == "link to folder":
        os.mkdir(context.path("inner"))
        os.symlink("inner", path)
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "socket":
        maker = socket.socket(socket.AF_UNIX)
        maker.bind(path)
        maker.close()
    elif kind in ("null", "full"):
        if os.geteuid() != 0:
            raise support.Skipped("device nodes need root")
        try:
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3 if kind == "null" else 7))
        except OSError as error:
            raise support.Skipped(f"device nodes cannot be made here: {error.strerror}") from error
    elif kind.startswith("link at"):
        write(context.path("victim"))
        os.symlink("victim", path + kind[len("link at "):])
    elif kind == "folder at .part":
        os.mkdir(path + ".part")
    elif kind == "odd name":
        return "a b'\"\\\n\u00e9" + name
    return name


def write(path):
    with open(path, "wb") as file:
        file.write(OLD)


class Reader(threading.Thread):
    """Reads a FIFO to its end, so that a writer is not blocked for ever."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self.data = b""
        self.over = threading.Event()

    def run(self):
        while not self.over.is_set():
            try:
                piece = os.read(self.descriptor, 65536)
            except BlockingIOError:
                piece = b""
            self.data += piece
            if not piece:
                self.over.wait(0.01)
        os.close(self.descriptor)


def case(context, index):
    command, option, suffix, text = OPTIONS[index % len(OPTIONS)]
    kind = KINDS[index // len(OPTIONS)]
    name = make(context, kind, "out" + suffix)
    before = support.snapshot(context.folder)
    reader = None
    if kind == "fifo":
        reader = Reader(context.path(name))
        reader.start()
    try:
        outcome = context.run(*command, option, name)
    finally:
        if reader:
            reader.over.set()
            reader.join()
    accepted = (0, 2, 4) if kind == "full" else (0, 2)
    support.check_manners(outcome, accepted)
    after = support.snapshot(context.folder)
    what = f"{option} with {kind}"
    for path, (form, content) in before.items():
        now = after.get(path)
        support.expect(now is not None, f"{what}: {path} is gone", outcome)
        support.expect(now[0] == form, f"{what}: {path} is no longer what it was", outcome)
        if stat.S_ISLNK(form) or path in ("victim", os.path.join("out" + suffix, "inside")):
            support.expect(now[1] == content, f"{what}: {path} has changed", outcome)
        if stat.S_ISREG(form) and outcome.code != 0:
            support.expect(now[1] == content, f"{what}: {path} has changed although the run was refused", outcome)
    support.expect(not [n for n in support.leftovers(context.folder) if n not in before],
                   f"{what}: left over {support.leftovers(context.folder)}", outcome)
    in_place = text and kind in ("fifo", "null")
    if kind in ("folder", "folder/", "missing folder", "long name", "empty", "loop of links", "link to folder",
                "socket") or (kind in ("fifo", "null", "full") and not text):
        support.expect(outcome.code == 2, f"{what}: not refused", outcome)
    if kind in ("new", "odd name", "link at .tmp") and option != "--resume":
        support.expect(outcome.code in (0, 2) if kind == "link at .tmp" else outcome.code == 0, f"{what}: refused",
                       outcome)
    if in_place and option != "--resume":
        support.expect(outcome.code == 0, f"{what}: text is not written in place", outcome)
