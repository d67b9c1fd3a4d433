#!/usr/bin/env python3
"""`slicepool serve --stdio` as another program sees it: handshake, replies, rows to the byte, bad lines, cancels, signals, ends.

Nothing here depends on time: what has to be under way is known by the checkpoint that it writes. Run by CTest with
SLICEPOOL_COMMAND; the case gpu, which needs one, only where it is named.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

COMMAND = os.environ["SLICEPOOL_COMMAND"]
HANG_SECONDS = 120    # tells a hang from a slow machine, nothing else
COUNT = {"workload": "factorizations", "generators": [6, 9, 20], "element": 60}
ENDLESS = {"workload": "factorizations", "generators": list(range(1001, 1033)), "element": 2 ** 40, "algorithm": "candidate",
           "engine": {"mode": "cpu", "threads": 1, "checkpoint_interval_seconds": 0.001}}


def require(holds, what):
    if not holds:
        raise AssertionError(what)


class Server:
    """A child, and the replies that it gives."""

    def __init__(self, folder=None):
        self.child = subprocess.Popen([COMMAND, "serve", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, cwd=folder)
        self.watch = threading.Timer(HANG_SECONDS, self.child.kill)    # then reads end, and what they wanted is missing
        self.watch.start()
        self.hello = json.loads(self.child.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.watch.cancel()
        self.child.kill()
        self.child.wait()
        for pipe in (self.child.stdin, self.child.stdout, self.child.stderr):
            try:
                pipe.close()
            except BrokenPipeError:    # what was written last was not read
                pass

    def send(self, line):
        self.child.stdin.write((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n")
        self.child.stdin.flush()

    def reply(self):
        """The line, and the bytes that follow it."""
        line = self.child.stdout.readline()
        require(line.endswith(b"\n"), f"no reply: {line} {self.child.stderr.read().decode() if not line else ''}")
        head = json.loads(line)
        content = self.child.stdout.read(head["bytes"])
        require(len(content) == head["bytes"], f"{len(content)} bytes of {head['bytes']}")
        return head, content

    def ask(self, line):
        self.send(line)
        return self.reply()

    def end(self):
        """Closes the input; the code with which the child ends."""
        self.child.stdin.close()
        return self.child.wait()


def under_way(path):
    """Waits for a checkpoint: the run takes steps."""
    end = time.monotonic() + HANG_SECONDS
    while not os.path.exists(path):
        require(time.monotonic() < end, f"{path} did not come")
        time.sleep(0.005)


def until_taken(pid):
    """Waits until no signal to the process is pending."""
    end = time.monotonic() + HANG_SECONDS
    while not re.search(r"^ShdPnd:\s*0+$", pathlib.Path(f"/proc/{pid}/status").read_text(), re.M):
        require(time.monotonic() < end, "the signal was not taken")
        time.sleep(0.005)


def npy_bytes(path):
    data = pathlib.Path(path).read_bytes()
    return data[10 + int.from_bytes(data[8:10], "little"):]


def handshake(folder):
    with Server() as server:
        version = subprocess.run([COMMAND, "--version"], capture_output=True, text=True).stdout.split()[1]
        require(server.hello["protocol"] == 1 and server.hello["slicepool"] == version, server.hello)
        require("factorizations" in server.hello["workloads"], server.hello)
        require(server.end() == 0, "the end of input is no failure")


def replies(folder):
    with Server() as server:
        head, content = server.ask({"id": 7, "run": COUNT})
        record = json.loads(content)
        require((head["id"], head["status"], head["count"], head["error"]) == (7, "done", 5, None), head)
        require(record["count"] == 5 and record["workers"] is not None and "seconds" in record, record)
        head, content = server.ask({"id": 8, "run": COUNT, "reply": "answers"})
        require(json.loads(content)["count"] == 5 and "seconds" not in json.loads(content), content)
        head, content = server.ask({"id": 0, "run": dict(COUNT, sink="rows"), "reply": "rows"})
        require((head["dtype"], head["rows"], head["columns"]) == ("|u1", 5, 3), head)
        require(content == bytes([10, 0, 0, 7, 2, 0, 4, 4, 0, 1, 6, 0, 0, 0, 3]), content)
        head, content = server.ask({"id": 1, "run": dict(COUNT, element=7, sink="rows"), "reply": "rows"})
        require((head["rows"], head["columns"], content) == (0, 3, b""), head)
        for workload, members in (("invariants", {"generators": [6, 9, 20], "invariants": "frobenius"}),
                                  ("three_in_line", {"size": 6}), ("semigroup", {"named": "catalan:4"})):
            head, content = server.ask({"id": 2, "run": {"workload": workload, **members}, "reply": "answers"})
            require(head["status"] == "done" and content, head)
        head, content = server.ask({"id": 3, "run": {"workload": "invariants", "factorizations": [[10, 0, 0], [0, 0, 3], [1, 6, 0]],
                                                     "invariants": ["catenary_degree", "r_classes"]}, "reply": "answers"})
        require(json.loads(content)["invariants"] == {"r_classes": 2, "catenary_degree": 9}, content)
        # An output is a file, and written as it always is.
        head, content = server.ask({"id": 4, "run": dict(COUNT, sink="rows", output={"path": str(folder / "r.csv")})})
        require(head["status"] == "done" and (folder / "r.csv").read_text().startswith("10,0,0\n"), head)
        require(server.end() == 0, "an error at the end")
        require(server.child.stderr.read() == b"", "something on standard error")


def large_rows(folder):
    run = {"workload": "factorizations", "generators": [13, 37, 38, 40], "element": 9000, "sink": "rows"}
    subprocess.run([COMMAND, "factorizations", "--generators", "13,37,38,40", "--element", "9000", "--sink", "rows", "--output",
                    folder / "rows.npy", "--progress", "none"], check=True, capture_output=True)
    expected = npy_bytes(folder / "rows.npy")
    with Server() as server:
        for mode in ("cpu", "emulated"):
            head, content = server.ask({"id": 1, "run": dict(run, engine={"mode": mode}), "reply": "rows"})
            require((head["rows"], head["columns"], head["dtype"], head["bytes"]) == (169752, 4, "<u2", len(expected)), head)
            require(content == expected, f"other bytes in mode {mode}")


# Of each workload a search that a device takes part in; what its record has that no mode may change.
SEARCHES = [({"workload": "factorizations", "generators": [13, 37, 38, 40, 41], "element": 2000, "sink": "fingerprint"},
             ["count", "fingerprint"]),
            ({"workload": "factorizations", "generators": [13, 37, 38, 40], "element": 5000, "algorithm": "candidate"}, ["count"]),
            ({"workload": "three_in_line", "size": 9}, ["count", "total", "fingerprint"]),
            ({"workload": "lattice", "basis": "[[1 0 0 0 0] [0 1 0 0 0] [0 0 1 0 0] [0 0 0 1 0] [0 0 0 0 1]]", "squared_radius": 40,
              "fixed_radius": True}, ["count", "nodes", "fingerprint"]),
            ({"workload": "semigroup", "named": "full:5"}, ["count"]),
            ({"workload": "numerical_semigroups", "genus": 20}, ["count"]),
            ({"workload": "invariants", "generators": [13, 37, 38, 40], "element": 1000, "invariants": "catenary_degree"}, ["invariants"]),
            ({"workload": "integer_points", "matrix": [[1, 2, 3, 4]], "right_side": [60], "algorithm": "walk"}, ["count"])]


def in_modes(folder, modes):
    """Answers, rows, cancels and refusals in these modes, again and again in one server, against those by the CPU."""
    rows = {"workload": "factorizations", "generators": [13, 37, 38, 40], "element": 5000, "sink": "rows"}
    with Server() as server:
        def answers(run, mode):
            head, content = server.ask({"id": 1, "run": dict(run, engine={"mode": mode})})
            require(head["status"] == "done", f"{run} in mode {mode}: {head}")
            return json.loads(content)

        expected_rows = server.ask({"id": 1, "run": dict(rows, engine={"mode": "cpu"}), "reply": "rows"})[1]
        for run, members in SEARCHES:
            expected = answers(run, "cpu")
            for mode in modes * 2:
                record = answers(run, mode)
                for member in members:
                    require(record[member] == expected[member], f"{run} in mode {mode}: {member} is {record[member]}")
        for mode in modes * 2:
            head, content = server.ask({"id": 1, "run": dict(rows, engine={"mode": mode}), "reply": "rows"})
            require(content == expected_rows, f"other rows in mode {mode}: {head}")
            path = folder / f"{mode}.ckpt"
            endless = dict(ENDLESS, engine={"mode": mode, "checkpoint_interval_seconds": 0.001}, checkpoint=str(path))
            server.send({"id": 2, "run": endless})
            under_way(path)
            server.send({"cancel": 2})
            require(server.reply()[0]["status"] == "cancelled", f"a run in mode {mode} goes on")
            path.unlink()
            if mode == "gpu":
                head, _ = server.ask({"id": 3, "run": dict(COUNT, algorithm="candidate", engine={"mode": mode, "device": 99})})
                require(head["status"] == "failed" and head["error"]["code"] == 3, head)
        require(server.end() == 0, "an error at the end")


def emulated(folder):
    in_modes(folder, ["emulated"])


def gpu(folder):
    in_modes(folder, ["gpu", "hybrid", "auto"])


def bad_lines(folder):
    good = {"id": 5, "run": COUNT, "reply": "answers"}
    cases = [(b"{", None, "line"), (b"[1]", None, "line"), (b"\xff\xfe", None, "line"), (b"nothing", None, "line"),
             (b'{"id":1,"id":2,"run":{}}', None, "line"), ({"run": COUNT}, None, "id"), ({"id": -1, "run": COUNT}, None, "id"),
             ({"id": "7", "run": COUNT}, None, "id"), ({"id": 2 ** 60, "run": COUNT}, None, "id"), ({"id": 6}, 6, "run"),
             ({"id": 6, "run": 3}, 6, "run"), ({"id": 6, "run": COUNT, "reply": "text"}, 6, "reply"),
             ({"id": 6, "run": COUNT, "replay": "rows"}, 6, "replay"), ({"cancel": "x"}, None, "cancel"),
             ({"cancel": 1, "id": 1}, 1, "id"), ({"id": 6, "run": {}}, 6, "workload"),
             ({"id": 6, "run": dict(COUNT, element=-1)}, 6, "element"),
             ({"id": 6, "run": dict(COUNT, engine={"mode": "fast"})}, 6, "engine.mode"),
             ({"id": 6, "run": COUNT, "reply": "rows"}, 6, "reply"),
             ({"id": 6, "run": {"workload": "three_in_line", "size": 4}, "reply": "rows"}, 6, "reply"),
             ({"id": 6, "run": dict(COUNT, sink="rows", output={"path": "-"})}, 6, "output.path"),
             ({"id": 6, "run": {"workload": "reduce", "basis": "[[2 1] [1 2]]", "output": {"transformation": "-"}}}, 6, "output.transformation"),
             ({"id": 6, "run": {"workload": "lattice", "batch": "-", "output": {"path": "answers.jsonl"}}}, 6, "batch")]
    with Server() as server:
        for line, number, field in cases:
            head, content = server.ask(line)
            require(head["status"] == "failed" and head["id"] == number and content == b"", f"{line}: {head}")
            require(head["error"]["code"] == 2 and head["error"]["field"] == field, f"{line}: {head}")
            require(field in head["error"]["message"] and "accepted" in head["error"]["message"], f"{line}: {head}")
            head, _ = server.ask(good)
            require(head["id"] == 5 and head["count"] == 5, f"after {line}: {head}")
        server.send(b"  ")    # a blank line is none
        server.send(b"x" * ((64 << 20) + 1))
        head, _ = server.reply()
        require(head["id"] is None and "67108864 bytes" in head["error"]["message"], head)
        require(server.ask(good)[0]["count"] == 5, "after a long line")
        head, _ = server.ask({"id": 6, "run": dict(COUNT, generators=[13, 37, 38, 40], element=9000, sink="rows",
                                                   engine={"memory_limit": "1MiB"}), "reply": "rows"})
        require(head["error"]["code"] == 4 and head["error"]["field"] is None, head)
        server.child.stdin.write(json.dumps(good).encode())    # the last line needs no end
        server.child.stdin.close()
        require(server.reply()[0]["count"] == 5 and server.child.wait() == 0, "the last line")


def cancels(folder):
    with Server() as server:
        for end in ("cancel", "SIGINT"):
            path = str(folder / f"{end}.ckpt")
            server.send({"id": 1, "run": dict(ENDLESS, checkpoint=path)})
            server.send({"id": 2, "run": ENDLESS})
            server.send({"id": 3, "run": COUNT, "reply": "answers"})
            server.send({"cancel": 2})
            server.send({"cancel": 99})    # there is none
            under_way(path)
            if end == "cancel":
                server.send({"cancel": 1})
            else:
                server.child.send_signal(signal.SIGINT)
            head, content = server.reply()
            require((head["id"], head["status"]) == (1, "cancelled"), head)
            require(json.loads(content)["status"] == "stopped" and json.loads(content)["steps"] > 0, content)
            head, _ = server.reply()
            require((head["id"], head["status"], head["bytes"]) == (2, "cancelled", 0), head)
            head, _ = server.reply()
            require((head["id"], head["count"]) == (3, 5), head)
        server.child.send_signal(signal.SIGINT)    # nothing runs
        until_taken(server.child.pid)
        require(server.ask({"id": 1, "run": COUNT})[0]["count"] == 5, "after a SIGINT while nothing ran")
        head, content = server.ask({"id": 1, "run": dict(ENDLESS, time_limit_seconds=0.01)})
        require(head["status"] == "stopped" and head["error"] is None, head)
        # It goes on from what it saved.
        head, _ = server.ask({"id": 1, "run": dict(ENDLESS, resume=str(folder / "cancel.ckpt"), time_limit_seconds=0.01)})
        require(head["status"] == "stopped", head)


def same_id(folder):
    with Server() as server:
        server.send({"id": 1, "run": dict(ENDLESS, checkpoint=str(folder / "same.ckpt"))})
        under_way(folder / "same.ckpt")
        server.send({"id": 1, "run": COUNT})
        server.send({"cancel": 1})
        require(server.reply()[0]["status"] == "cancelled", "the first one")
        head, _ = server.reply()
        require(head["id"] is None and head["error"]["field"] == "id", head)


def many(folder):
    """More requests than wait in the server, sent by a client that reads late."""
    with Server() as server:
        number = 5000

        def send():
            for i in range(number):
                server.send({"id": i, "run": dict(COUNT, element=i % 100), "reply": "answers"})
        thread = threading.Thread(target=send)
        thread.start()
        counts = [server.reply()[0] for _ in range(number)]
        thread.join()
        require([head["id"] for head in counts] == list(range(number)), "another order")
        require(all(head["count"] == counts[head["id"] % 100]["count"] for head in counts), "other counts")


def full(folder):
    """While a run goes on and all places of the queue are taken, further requests wait in the pipe; none is refused or lost."""
    with Server() as server:
        path = str(folder / "full.ckpt")
        server.send({"id": 0, "run": dict(ENDLESS, checkpoint=path)})
        under_way(path)
        number = 2000

        def send():
            for i in range(1, number):
                server.send({"id": i, "run": dict(COUNT, element=i % 100), "reply": "answers"})
        thread = threading.Thread(target=send)
        thread.start()
        server.child.send_signal(signal.SIGINT)    # heard, however many wait
        head, _ = server.reply()
        require((head["id"], head["status"]) == (0, "cancelled"), head)
        heads = [server.reply()[0] for _ in range(1, number)]
        thread.join()
        require([head["id"] for head in heads] == list(range(1, number)), "another order")
        require(all(head["status"] == "done" for head in heads), "one was refused")


def affine_rows(folder):
    """Integer points as rows: in ascending order, of the narrowest type; signed ones are not kept."""
    with Server() as server:
        for entry, dtype in ((1, "|u1"), (300, "<u2"), (70000, "<u4"), (2 ** 33, "<u8")):
            run = {"workload": "integer_points", "matrix": [[1, 1, 0], [0, 0, 1]], "right_side": [2, entry], "sink": "list"}
            head, content = server.ask({"id": entry, "run": run, "reply": "rows"})
            require((head["dtype"], head["rows"], head["columns"]) == (dtype, 3, 3), head)
            width = head["bytes"] // 9
            values = [int.from_bytes(content[i:i + width], "little") for i in range(0, len(content), width)]
            require(values == [0, 2, entry, 1, 1, entry, 2, 0, entry], values)
        head, content = server.ask({"id": 1, "run": dict(run, right_side=[-1, 1]), "reply": "rows"})
        require((head["status"], head["rows"], content) == ("done", 0, b""), head)
        for more in ({"lower": -1}, {"sink": "count"}):
            head, _ = server.ask({"id": 2, "run": dict(run, **more), "reply": "rows"})
            require(head["status"] == "failed" and head["error"]["field"] == "reply", head)


def ends(folder):
    with Server() as server:    # SIGTERM: all is cancelled, and answered
        path = str(folder / "term.ckpt")
        server.send({"id": 1, "run": dict(ENDLESS, checkpoint=path)})
        server.send({"id": 2, "run": COUNT})
        under_way(path)
        server.child.send_signal(signal.SIGTERM)
        require([server.reply()[0]["status"] for _ in range(2)] == ["cancelled"] * 2, "SIGTERM")
        require(server.child.wait() == 0, "the code after SIGTERM")
    with Server() as server:    # the client has gone: no run goes on without one
        path = str(folder / "gone.ckpt")
        server.send({"id": 1, "run": dict(ENDLESS, checkpoint=path)})
        under_way(path)
        server.child.stdin.close()
        server.child.stdout.close()
        require(server.child.wait() == 1, "the code without a reader")
        require(b"the reader of the replies is gone" in server.child.stderr.read(), "no word about it")
    with Server() as server:    # the end of input, with requests that wait
        for i in range(3):
            server.send({"id": i, "run": COUNT})
        server.child.stdin.close()
        require([server.reply()[0]["id"] for _ in range(3)] == [0, 1, 2] and server.child.wait() == 0, "the end of input")
    with Server() as server:    # killed: what a client sees
        server.child.kill()
        require(server.child.stdout.read() == b"" and server.child.wait() == -signal.SIGKILL, "killed")


def devices(folder):
    """Neither the input nor the output of the protocol is reached by the names of devices."""
    with Server() as server:
        head, _ = server.ask({"id": 1, "run": {"workload": "invariants", "generators": [6, 9, 20], "elements": "/dev/stdin"}})
        require(head["error"]["field"] == "elements", head)
        head, content = server.ask({"id": 2, "run": dict(COUNT, sink="rows", output={"path": "/dev/stdout"})})
        require(head["id"] == 2, head)
        require(server.ask({"id": 3, "run": COUNT})[0]["id"] == 3, "after /dev/stdout")


def options(folder):
    result = subprocess.run([COMMAND, "serve"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    require(result.returncode == 2 and "--stdio" in result.stderr and not result.stdout, result)


def why_no_gpu():
    return json.loads(subprocess.run([COMMAND, "info", "--json"], capture_output=True, text=True, check=True).stdout)["gpu_reason"]


CASES = [handshake, replies, large_rows, emulated, bad_lines, cancels, same_id, many, full, affine_rows, ends, devices, options]


def main():
    failed = 0
    chosen = sys.argv[1:]
    cases = [case for case in [*CASES, gpu] if case.__name__ in chosen] if chosen else CASES
    if gpu in cases and why_no_gpu() is not None and os.environ.get("SLICEPOOL_REQUIRE_GPU") != "1":
        print(f"[skipped] no usable GPU: {why_no_gpu()}")
        return 77
    for case in cases:
        with tempfile.TemporaryDirectory() as name:
            try:
                case(pathlib.Path(name))
            except Exception:
                failed += 1
                print(f"FAILED {case.__name__}\n{traceback.format_exc()}", flush=True)
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
