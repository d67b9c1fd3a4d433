#!/usr/bin/env python3
"""`slicepool lattice --accept LIB.so`: the example of examples/accept finds its keys, and libraries that are none are refused."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["SLICEPOOL_SOURCE_DIR"])
COMMAND = os.environ["SLICEPOOL_COMMAND"]
COMPILER = shutil.which("cc") or shutil.which("gcc")
HEADER = "#include <slicepool/accept.h>\n"
VERSION = "int32_t slicepool_accept_version(void) { return SLICEPOOL_ACCEPT_VERSION; }\n"
FUNCTION = "int32_t slicepool_accept(const struct slicepool_candidate* c) "


def require(holds, what):
    if not holds:
        sys.exit(f"FAILED: {what}")


def compiled(text, target):
    done = subprocess.run([COMPILER, "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC", f"-I{SOURCE / 'include'}", "-x", "c", "-",
                           "-o", str(target)], input=text, text=True, capture_output=True)
    require(done.returncode == 0, done.stderr)
    return str(target)


def slicepool(*words, code=0, **environment):
    done = subprocess.run([COMMAND, "lattice", "--progress", "none", *words], text=True, capture_output=True, env={**os.environ, **environment})
    require(done.returncode == code, f"{words}: code {done.returncode}, not {code}: {done.stdout}{done.stderr}")
    return done.stdout if code == 0 else done.stderr


def keys_of_many_targets(folder):
    made = subprocess.run([sys.executable, SOURCE / "examples" / "accept" / "instance.py", folder, "20"], text=True, capture_output=True, check=True)
    radius, *keys = re.findall(r"\d+", made.stdout)
    library = compiled((SOURCE / "examples" / "accept" / "hidden_key.c").read_text(), folder / "hidden_key.so")
    batch = ("--basis", str(folder / "basis.txt"), "--batch", str(folder / "targets.jsonl"), "--squared-radius", radius, "--output", "-")
    environment = {"HIDDEN_KEYS": str(folder / "keys.txt")}
    candidates = [json.loads(line) for line in slicepool(*batch).splitlines()]
    require(sum(answer["count"] > 1 for answer in candidates) > 5, "targets whose bits alone do not tell the key")
    found = [json.loads(line) for line in slicepool(*batch, "--accept", library, **environment).splitlines()]
    for key, answer in zip(keys, found, strict=True):
        require(answer["count"] == 1 and answer["vectors"][0]["vector"][-1] == int(key), f"the key {key}: {answer}")
    targets = [json.loads(line)["target"] for line in (folder / "targets.jsonl").read_text().splitlines()]
    one = json.loads(slicepool("--basis", str(folder / "basis.txt"), "--target", "[" + " ".join(map(str, targets[0])) + "]", "--squared-radius", radius,
                               "--accept", library, "--first", "1", "--json", **environment))
    require(one["solutions"] == 1 and one["closest_vector"][-1] == int(keys[0]), f"one target: {one}")
    # An error of the library: there are no keys.
    refused = slicepool(*batch, "--accept", library, code=1, HIDDEN_KEYS="")
    require("returned the error -1" in refused, refused)


def short_vectors(folder):
    even = compiled(HEADER + VERSION + FUNCTION + "{ return c->length == 2 && c->vector[0] % 2 == 0; }", folder / "even.so")
    words = ("--basis", "[[1 0] [0 1]]", "--squared-radius", "4", "--accept", even, "--json")
    # Of (1 0) (0 1) (1 1) (1 -1) (2 0) (0 2), one of each pair.
    for mode in ("cpu", "emulated"):
        require(json.loads(slicepool(*words, "--mode", mode))["solutions"] == 3, "vectors with an even first element")
    os.chdir(folder)    # a name without a slash is one of this folder
    require(json.loads(slicepool("--basis", "[[1 0] [0 1]]", "--squared-radius", "4", "--accept", "even.so", "--json"))["solutions"] == 3, "a name")
    # Elements beyond 64 bits come as text, with exact norms.
    wide = compiled(HEADER + "#include <string.h>\n" + VERSION + FUNCTION + "{ return c->vector == 0 && c->length == 2 && c->target == 0 && "
                    'strcmp(c->text, "[0 100000000000000000000]") == 0 && strcmp(c->squared_norm, "10000000000000000000000000000000000000000") == 0; }',
                    folder / "wide.so")
    large = "1" + 20 * "0"
    found = json.loads(slicepool("--basis", f"[[{large} 0] [0 {large}]]", "--squared-radius", "1" + 40 * "0", "--accept", wide, "--json"))
    require(found["solutions"] == 1, f"a wide vector: {found}")


def refusals(folder):
    basis = ("--basis", "[[1 0] [0 1]]", "--squared-radius", "4")
    yes = compiled(HEADER + VERSION + FUNCTION + "{ (void)c; return 1; }", folder / "yes.so")
    old = compiled(HEADER + "int32_t slicepool_accept_version(void) { return 99; }\n" + FUNCTION + "{ (void)c; return 1; }", folder / "old.so")
    none = compiled(HEADER + VERSION, folder / "none.so")
    for library, reason in ((old, "version 99, not 1"), (none, "without slicepool_accept)"), (str(folder / "missing.so"), "missing.so"),
                            (str(folder / "basis.txt"), "basis.txt")):
        refused = slicepool(*basis, "--accept", library, code=2)
        require("accept: got" in refused and reason in refused and "slicepool/accept.h" in refused, refused)
    require("accept: got" in slicepool("--basis", "[[1 0] [0 1]]", "--accept", yes, code=2), "no radius")
    require("theta: got" in slicepool(*basis, "--theta", "--accept", yes, code=2), "theta")
    # In a batch lattices and targets have a test; one without a radius has an error.
    lines = folder / "lines.jsonl"
    lines.write_text('{"basis": [[1, 0], [0, 1]], "squared_radius": 4}\n{"basis": [[1]], "target": ["1/2"]}\n'
                     '{"basis": [[1]], "target": ["1/2"], "squared_radius": 1}\n')
    answers = [json.loads(line) for line in slicepool("--batch", str(lines), "--accept", yes, "--output", "-").splitlines()]
    require(answers[0]["count"] == 6 and "only with a radius" in answers[1]["error"] and answers[2]["count"] == 2, f"{answers}")
    # The first of each line, and of one without a radius there is none.
    answers = [json.loads(line) for line in slicepool("--batch", str(lines), "--first", "1", "--output", "-").splitlines()]
    require(answers[0]["count"] == 1 and answers[1]["error"].startswith("first: got 1") and answers[2]["count"] == 1, f"{answers}")


def replaced_libraries(folder):
    """A library that another one replaces is another test: what was begun with the one does not go on with the other."""
    texts = [HEADER + VERSION + FUNCTION + f"{{ return c->vector[0] % 2 == {remainder}; }}" for remainder in (0, 1)]
    even, odd = (compiled(text, folder / f"{name}.so") for text, name in zip(texts, ("even", "odd")))
    test = folder / "test.so"

    def use(library):
        shutil.copy(library, folder / "new.so")
        os.replace(folder / "new.so", test)

    basis = ("--basis", "[" + " ".join("[" + " ".join("3" if i == j else "0" for j in range(8)) + "]" for i in range(8)) + "]", "--squared-radius", "60")
    words = (*basis, "--accept", str(test), "--checkpoint", str(folder / "c"), "--threads", "1", "--cpu-budget", "10")
    counts = [json.loads(slicepool(*basis, "--accept", library, "--json"))["solutions"] for library in (even, odd)]
    require(counts[0] != counts[1], f"{counts}")
    use(even)
    slicepool(*words, "--step-limit", "100", code=5)
    use(odd)
    refused = slicepool(*words, "--resume", "auto", code=2)
    require("another" in refused, refused)
    use(even)
    require(json.loads(slicepool(*words, "--resume", "auto", "--json"))["solutions"] == counts[0], "the test that it began with")

    document = {"workload": "lattice", "basis": basis[1], "squared_radius": 60, "fixed_radius": True, "accept": str(test)}
    (folder / "run.json").write_text(json.dumps(document))

    def command(*words, code=0):
        done = subprocess.run([COMMAND, *words], text=True, capture_output=True, cwd=folder)
        require(done.returncode == code, f"{words}: code {done.returncode}, not {code}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    command("plan", "run.json", "--shards", "2", "--output", "plan.json")
    command("run", "plan.json", "--shard", "0")
    use(odd)
    refused = command("run", "plan.json", "--shard", "1", code=2)
    require("plan" in refused, refused)
    use(even)
    command("run", "plan.json", "--shard", "1")
    require(json.loads(command("merge", "plan.json", "--json"))["solutions"] == counts[0], "the shards of one test")

    # A process has one library of a name.
    with subprocess.Popen([COMMAND, "serve", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        server.stdout.readline()

        def reply(library):
            server.stdin.write(json.dumps({"id": 1, "run": {**document, "accept": library}}) + "\n")
            server.stdin.flush()
            answer = json.loads(server.stdout.readline())
            if answer["status"] == "done":
                server.stdout.readline()    # the record
            return answer

        require(reply(str(test))["count"] == counts[0], "even")
        use(odd)
        refused = reply(str(test))
        require(refused["error"]["field"] == "accept" and "has changed since" in refused["error"]["message"], f"{refused}")
        require(reply(odd)["count"] == counts[1], "odd, by its own name")
        use(even)
        require(reply(str(test))["count"] == counts[0], "even again")
        server.stdin.close()


def main():
    if COMPILER is None:
        print("no C compiler")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        keys_of_many_targets(folder)
        short_vectors(folder)
        refusals(folder)
        replaced_libraries(folder)


main()
