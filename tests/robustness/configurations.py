"""JSON configurations and sweeps made from valid ones: values, keys, nesting, numbers, bytes

An unknown or doubled key is never accepted; nothing crashes, hangs or ends with an error in a library's words.
"""
import json
import os

import command_lines
import support

FULL = 9400

RUNS = (
    {"workload": "factorizations", "generators": [6, 9, 20], "element": 60, "sink": "lengths", "fingerprint": True,
     "engine": {"mode": "cpu", "threads": 2, "memory_limit": "1GiB", "checkpoint_interval_seconds": 5}},
    {"workload": "factorizations", "generators": [13, 37, 38], "element": 900, "sink": "rows",
     "output": {"path": "r.npy", "writing": "streamed", "shard_rows": 100, "element_type": "auto"}},
    {"workload": "factorizations", "generators": [6, 9, 20], "element": 60, "sample": 3, "seed": 5},
    {"workload": "factorizations", "generators": [6, 9, 20], "element": 60, "rank_range": [0, 3],
     "algorithm": "ranked", "tabulated_dimension": 2, "sink": "first:2"},
    {"workload": "three_in_line", "size": 6, "symmetry": "c2", "first": 3, "solutions": True,
     "output": {"path": "s.json"}, "engine": {"mode": "emulated", "emulated": {"lanes": 64, "fail_at_launch": 2}}},
    {"workload": "three_in_line", "size": 7, "shards": 3, "shard": 1, "record": "p.json", "trace": "t.json"},
    {"workload": "lattice", "basis": "[[3 1 0][1 4 1][0 1 5]]", "squared_radius": 20, "fixed_radius": True,
     "solutions": 4},
    {"workload": "lattice", "basis": "e8.txt", "gh_factor": 1.1, "pruning": "fplll:0.5", "reduction": "lll"},
    {"workload": "semigroup", "generators": [[1, 0, 2], [0, 0, 1]], "idempotents": True, "contains": [0, 0, 1],
     "word_of": 2, "output": {"words": "w.txt", "elements": "e.npy"}},
    {"workload": "semigroup", "named": "full:3", "algorithm": "words", "max_stage": 3},
)
SWEEPS = (
    {"workload": "factorizations", "parameters": {"algorithm": ["candidate", "tabulated"], "sink": "fingerprint"},
     "rows": [{"generators": [6, 9, 20], "element": 60, "expected_count": 5, "time_class": "small",
               "published": {"count": 5, "seconds": {"gap": 6}}}],
     "engine": {"mode": ["cpu", "emulated"], "threads": [1, 2]}, "zip": [["algorithm", "engine.threads"]],
     "measurement": {"warm_up": 0, "repetitions": 1, "time_limit_seconds": 5},
     "report": {"title": "t", "compare_with": "published.gap"}, "output": {"directory": "out"}},
    {"workload": "three_in_line", "parameters": {"size": [3, 4], "symmetry": ["none", "c4"]},
     "engine": {"mode": "cpu"}, "measurement": {"time_limit_seconds": 5}},
    {"workload": "lattice", "rows": [{"basis": "e8.txt", "squared_radius": 4, "fixed_radius": True}],
     "engine": {"mode": "cpu"}, "measurement": {"time_limit_seconds": 5}},
    {"workload": "semigroup", "parameters": {"named": ["full:3", "catalan:3"]}, "engine": {"mode": "cpu"},
     "measurement": {"time_limit_seconds": 5}},
)


class Raw(float):
    """A number that is written as it stands."""

    def __new__(cls, text):
        made = super().__new__(cls, 0)
        made.text = text
        return made

    def __repr__(self):
        return self.text


def hostile(random):
    return random.choice((
        None, True, False, 0, 1, -1, 2, 64, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**200, -2**63,
        -2**64, 1.5, 1e300, -0.0, "", "x", "60", " 60", "nan", "9" * 400, "9" * 30000, "a" * 5000, "\u0000", "\ud7ff",
        "\n", "cpu", "CPU", "auto", "all", "any:" + "(" * 5000, [], {}, [[]], [None], [1, [2]], {"a": 1}, [1] * 70,
        {"path": "x.npy"}, Raw("1e400"), Raw("-1e400"), Raw("9" * 400), Raw("1e5"), Raw("60.0"), Raw("-0"),
        Raw("[" * 40 + "]" * 40), Raw("[" * 48000 + "]" * 48000), Raw('{"a":' * 20000 + "1" + "}" * 20000)))


def places(node, found=None):
    """Every (container, key) of a document."""
    found = [] if found is None else found
    for key in (list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()):
        found.append((node, key))
        places(node[key], found)
    return found


def written(node):
    """JSON with numbers as they stand."""
    if isinstance(node, Raw):
        return node.text
    if isinstance(node, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {written(value)}" for key, value in node.items()) + "}"
    if isinstance(node, list):
        return "[" + ", ".join(map(written, node)) + "]"
    return json.dumps(node)


def case(context, index):
    random = context.random
    command_lines.prepare_folder(context.folder)
    sweep = index % 3 == 2
    document = json.loads(json.dumps(random.choice(SWEEPS if sweep else RUNS)))
    wrong = None
    kind = random.randrange(8)
    if kind <= 3:
        for _ in range(random.randint(1, 3)):
            container, key = random.choice(places(document))
            container[key] = hostile(random)
    elif kind == 4:
        objects = [document] + [node[key] for node, key in places(document) if isinstance(node[key], dict)]
        chosen = random.choice(objects)
        if chosen:
            key = random.choice(list(chosen))
            if random.random() < 0.5:
                chosen[key + random.choice(("x", "_", "es2"))] = chosen.pop(key)
                wrong = "an unknown key" if not _free(document, chosen) else None
            else:
                del chosen[key]
    text = written(document)
    if kind == 5:
        key = random.choice(list(document))
        text = "{" + f"{json.dumps(key)}: {written(document[key])}, " + text[1:]
        wrong = "a doubled key"
    data = text.encode("utf-8", "surrogatepass")
    if kind == 6:
        at = random.randrange(len(data))
        data = random.choice((data[:at], data[:at] + bytes([random.randrange(256)]) + data[at:],
                              data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1:]))
    elif kind == 7:
        depth = random.choice((10, 500, 5000, 48000, 200000))
        data = random.choice((b"[" * depth + b"]" * depth, b'{"a":' * depth + b"1" + b"}" * depth, b"[" * depth,
                              b"\xff\xfe" + data, b"\x00", b"", b"9" * depth, b'"' + b"a" * depth + b'"',
                              data + data, data.replace(b":", b"=", 1), data.replace(b",", b",,", 1)))
    data = data.replace(b"/", b"_").replace(b"..", b".")
    with open(context.path("c.json"), "wb") as file:
        file.write(data)
    if sweep:
        more = ["--list"] if random.random() < 0.5 else ["--output", "out"]
        outcome = context.run("sweep", "c.json", *more)
    else:
        more = [] if b"time_limit" in data else ["--set", "time_limit_seconds=2"]
        outcome = context.run("run", "c.json", *more)
    support.check_manners(outcome, support.KNOWN_CODES + ((1,) if sweep and "--list" not in more else ()))
    if wrong:
        support.expect(outcome.code == 2, f"{wrong} is accepted", outcome)
    keeps = any(name.endswith(".checkpoint") for name in os.listdir(context.folder))
    left = [name for name in support.leftovers(context.folder) if not (keeps and name.endswith(".part"))]
    support.expect(not left, f"left over {left}", outcome)


def _free(document, chosen):
    """Whether an object's keys are the user's: names of figures."""
    for node, key in places(document):
        if node[key] is chosen:
            return key == "seconds"
    return False
