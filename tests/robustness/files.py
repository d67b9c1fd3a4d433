"""Bases, generators, pruning files, records, manifests and matrices of wrong text: code 2, and what was wrong

Mutations of valid files by bytes, numbers, lines and brackets, and floods of them.
"""
import os
import shutil

import jobs
import support

FULL = 6000

NUMBERS = (b"0", b"-1", b"1", b"2", b"7", b"1.5", b"1e5", b"nan", b"2147483648", b"4294967296", b"9223372036854775808",
           b"18446744073709551616", b"9" * 400, b"9" * 30000, b"-" + b"9" * 310, b"0x1", b"+1", b"\xef\xbc\x91")


def prepare(campaign):
    """Records of shards and an output with a manifest, made once."""
    folder = os.path.join(campaign.folder, "made")
    os.mkdir(folder)
    with support.Context(campaign, -1) as context:
        for shard in ("0", "1"):
            outcome = context.run("three-in-line", "-n", "6", "--shards", "2", "--shard", shard, "--solutions",
                                  "--record", f"p{shard}.json", folder=folder)
            support.expect(outcome.code == 0, "a record", outcome)
        outcome = context.run("factorizations", "--generators", "13,37,38", "--element", "900", "--sink", "rows",
                              "--output", "r.npy", "--shard-rows", "30", folder=folder)
        support.expect(outcome.code == 0, "a manifest", outcome)
    shutil.copy(os.path.join(jobs.DATA, "lattices", "e8.txt"), folder)
    for name, text in (("maps.txt", b"2 3\n1 0 2\n0 0 1\n"), ("maps.json", b"[[1, 0, 2], [0, 0, 1]]"),
                       ("pruning.txt", b"1 1 1 0.9 0.8 0.7 0.6 0.5\n"), ("rows.txt", b"[ 2 1 ]\n[ 0 3 ]\n")):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(text)


TARGETS = (
    ("e8.txt", "lattice --basis e8.txt --time-limit 2", (0, 2, 4)),
    ("rows.txt", "lattice --basis rows.txt --time-limit 2", (0, 2, 4)),
    ("pruning.txt", "lattice --basis e8.txt --pruning pruning.txt --squared-radius 4 --time-limit 2", (0, 2)),
    ("maps.txt", "semigroup --generators maps.txt --max-elements 1000 --time-limit 2", (0, 2, 4)),
    ("maps.json", "semigroup --generators maps.json --max-elements 1000 --time-limit 2", (0, 2, 4)),
    ("p0.json", "merge p0.json p1.json --json", (2,)),
    ("r.manifest.json", "verify r.manifest.json", (1, 2)),
)


def mutate(random, data):
    kind = random.randrange(10)
    at = random.randrange(len(data) + 1)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + bytes([random.randrange(256)]) + data[at:]
    if kind == 2 and data:
        at = random.randrange(len(data))
        return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1:]
    if kind == 3:
        return data[:at] + random.choice(NUMBERS) + data[at:]
    if kind == 4:   # a number becomes another one
        digits = [i for i, byte in enumerate(data) if 48 <= byte <= 57]
        if digits:
            at = random.choice(digits)
            return data[:at] + random.choice(NUMBERS) + data[at + 1:]
    if kind == 5:
        lines = data.split(b"\n")
        lines.insert(random.randrange(len(lines) + 1), random.choice(lines))
        return b"\n".join(lines)
    if kind == 6:
        lines = data.split(b"\n")
        del lines[random.randrange(len(lines))]
        return b"\n".join(lines)
    if kind == 7:
        return data[:at] + random.choice((b"[", b"]", b"[[", b",", b"{", b"}", b'"', b"\x00", b"\n", b" ")) + data[at:]
    if kind == 8:
        return random.choice((b"", b"\x00" * 100, b"[" * 48000, b"[" * 200000 + b"]" * 200000, b"1 " * 50000, b"\n" * 999,
                              b"\xff" * 64, data * 30, data + b"\x00"))
    return data[:at] + data[at:at + random.randint(1, 20)] + data[at:]


def case(context, index):
    name, command, accepted = TARGETS[index % len(TARGETS)]
    made = os.path.join(context.campaign.folder, "made")
    shutil.copytree(made, context.folder, dirs_exist_ok=True)
    with open(context.path(name), "rb") as file:
        data = original = file.read()
    for _ in range(context.random.randint(1, 3)):
        data = mutate(context.random, data)
    with open(context.path(name), "wb") as file:
        file.write(data)
    outcome = context.run(*command.split())
    same = data == original or (name.endswith(".json") and _same_json(data, original))
    support.check_manners(outcome, (*accepted, 0) if same else accepted)


def _same_json(data, original):
    """Blanks and the order of keys mean nothing."""
    import json
    try:
        return json.loads(data, parse_float=str, parse_int=str) == json.loads(original, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        return False
