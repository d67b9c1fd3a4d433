"""Command lines made from valid ones: hostile values, options doubled, lost, swapped, cut and invented

Whatever is asked, the program ends with an exit code that means something, an error that says something, and no
temporary files.
"""
import os
import re
import shutil

import jobs
import support

FULL = 10600

FACTORIZATIONS = ("--generators", "--element", "--sink", "--rank-range", "--sample", "--seed", "--rank-of", "--row-at",
                  "--algorithm", "--fingerprint", "--tabulated-dimension", "--no-modulo", "--dynamic-parallelism",
                  "--output", "--element-type", "--writing", "--shard-rows", "--compression-level", "--frame-size",
                  "--buffer-memory", "--writers", "--header")
ENGINE = ("--mode", "--threads", "--device", "--emulated-lanes", "--emulated-slowdown", "--emulated-fail-at",
          "--pool-order", "--pool-capacity", "--cpu-turn", "--cpu-budget", "--gpu-profile", "--gpu-turn",
          "--gpu-budget", "--block-size", "--gpu-granularity", "--device-lanes", "--memory-limit",
          "--device-memory-limit", "--checkpoint", "--checkpoint-interval", "--resume", "--time-limit", "--trace",
          "--progress", "--json")
OWN = {
    "factorizations": FACTORIZATIONS,
    "three-in-line": ("-n", "--size", "--symmetry", "--first", "--algorithm", "--shards", "--shard", "--solutions",
                      "--output", "--record"),
    "lattice": ("--basis", "--reduce", "--squared-radius", "--gh-factor", "--shortest", "--fixed-radius", "--pruning",
                "--solutions", "--first", "--algorithm", "--output"),
    "semigroup": ("--named", "--generators", "--algorithm", "--idempotents", "--contains", "--word-of",
                  "--max-elements", "--max-stage", "--base", "--fixed-base", "--check", "--elements", "--words",
                  "--right-cayley-graph", "--left-cayley-graph", "--rules"),
}
BASES = (
    "factorizations --generators 6,9,20 --element 60",
    "factorizations --generators 13,37,38,40 --element 900 --algorithm candidate --fingerprint",
    "factorizations --generators 13,37,38 --element 900 --algorithm dynamic --sink rows --output r.npy",
    "factorizations --generators 13,37,38 --element 900 --sink rows --output r.csv --header",
    "factorizations --generators 13,37,38 --element 900 --sink rows --output r.npy.zst --shard-rows 40",
    "factorizations --generators 13,37,38 --element 900 --sink lengths --rank-range 3:30 --json",
    "factorizations --generators 13,37,38 --element 900 --sample 5 --seed 7 --output s.npy",
    "factorizations --generators 6,9,20 --element 60 --rank-of 4,4,0",
    "factorizations --generators 6,9,20 --element 60 --row-at 2",
    "factorizations --generators 13,37,38 --element 900 --sink first:10 --mode emulated --emulated-lanes 64",
    "factorizations --generators 13,37,38 --element 900 --sink any:a1-2*a2>=3 --algorithm tabulated",
    "three-in-line -n 6 --output s.rle",
    "three-in-line -n 8 --symmetry c4 --solutions --json",
    "three-in-line -n 7 --shards 4 --shard 1 --record p.json",
    "three-in-line -n 7 --first 3 --checkpoint c.ckpt --resume auto",
    "lattice --basis e8.txt",
    "lattice --basis e8.txt --squared-radius 4 --solutions all --output v.npy",
    "lattice --basis bw16.txt --gh-factor 1.1 --fixed-radius --algorithm compacted --mode emulated",
    "semigroup --named full:3 --idempotents --words w.txt",
    "semigroup --generators maps.txt --elements e.npy --rules u.txt",
    "semigroup --named catalan:4 --contains 0,0,1,2 --word-of 3 --left-cayley-graph g.dot",
    "run run.json --set engine.threads=2",
    "run run.json --json",
    "sweep sweep.json --output out --repetitions 1",
    "sweep sweep.json --list",
    "merge p0.json p1.json --json",
    "verify m.manifest.json",
    "plan run.json --shards 2 --output plan.json",
    "run plan.json --shard 0",
    "status plan.json",
    "slurm plan.json --time 9",
    "recount plan.json --fraction 0.5 --mode cpu --seed 3",
    "run plan.json --shard all",
    "info",
    "completion bash",
    "man",
)
VALUES = ("", "-", "--", "0", "-1", "1", "2", "3", "7", "64", "4096", "1e400", "nan", "inf", "-0", "1.5", "1e3", "0x10",
          "+5", " 5", "５", "18446744073709551615", "18446744073709551616", "9223372036854775808",
          "9" * 400, "9" * 30000, "a" * 5000, "x", "auto", "all", "none", "cpu", "gpu", "hybrid", "emulated", "true",
          "null", "[]", "{}", "[[1 0][0 1]]", "[[", "[" * 48000, "]" * 100, "1,2,3", ",", "1,,2", "1:2", "5:1", ":",
          "3,0,5", "6,9,20", "first:3", "first:", "any:", "any:a1>=0", "all:" + "+".join(["a1"] * 9000) + ">=0",
          "any:a99>0", "any:((((((((a1", "lengths", "rows", "count", "bkz-10", "bkz-", "fplll:0.5", "fplll:2",
          "full:3", "full:", "full:99999999999999999999", "symmetric:4", "renner:2", "catalan:0", "CPU",
          "4GiB", "1KiB", "-1GiB", "1XB", "99999999999999GiB", ".", "..", "folder", "folder/", "e8.txt", "maps.txt",
          "run.json", "nothing.txt", "out.npy", "out.npy.zst", "out.csv", "out.rle", "out.svg", "out.json", "out.txt",
          "out.dot", "nowhere/out.npy", "x" * 300 + ".npy", "new\nline", "tab\there", "q'uote\"", "\u00e9\u4e2d",
          "\x01\x02", "%s%n", "$(id)", "a=b", "--json", "-n")


def prepare_folder(folder):
    for name in ("lattices/e8.txt", "lattices/bw16.txt"):
        shutil.copy(os.path.join(jobs.DATA, name), folder)
    os.mkdir(os.path.join(folder, "folder"))
    texts = {
        "maps.txt": "2 3\n1 0 2\n0 0 1\n",
        "run.json": '{"workload": "factorizations", "generators": [6, 9, 20], "element": 60}',
        "sweep.json": '{"workload": "three_in_line", "parameters": {"size": [3, 4]}, "engine": {"mode": "cpu"}}',
        "p0.json": "{}", "p1.json": "[1]",
        "m.manifest.json": '{"format": "slicepool-rows"}',
    }
    for name, text in texts.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


def hostile(random, word):
    choice = random.randrange(5)
    if choice < 3 or not word:
        return random.choice(VALUES)
    at = random.randrange(len(word) + 1)
    if choice == 3:
        return word[:at] + random.choice("0123456789,:.-=[]{}aeE \t\n'\"\\") + word[at:]
    return word[:at] + word[at + 1:]


def mutate(random, words):
    kind = random.randrange(9)
    options = OWN.get(words[0], ()) + ENGINE
    at = random.randrange(1, len(words)) if len(words) > 1 else 0
    if kind <= 2:
        words[at] = hostile(random, words[at])
    elif kind == 3:
        words[at:at] = [random.choice(options), hostile(random, "")]
    elif kind == 4:
        words[at:at] = [f"{random.choice(options)}={hostile(random, '')}"]
    elif kind == 5:
        del words[at]
    elif kind == 6:
        words.insert(at, words[random.randrange(len(words))])
    elif kind == 7:
        other = random.randrange(len(words))
        words[at], words[other] = words[other], words[at]
    else:
        words[at:at] = random.choice(BASES).split()[1:3]
    return words or ["info"]


def relative(word):
    """Nothing outside the case's folder is named."""
    word = re.sub(r"(^|=)/+", r"\1", word)
    return word.replace("../", "").replace("..", ".")


def case(context, index):
    prepare_folder(context.folder)
    words = context.random.choice(BASES).split()
    for _ in range(context.random.randint(1, 4)):
        words = mutate(context.random, words)
    words = [relative(word) for word in words]
    if words[0] in OWN and not any(word.startswith("--time-limit") for word in words):
        words += ["--time-limit", "2"]
    outcome = context.run(*words)
    accepted = support.KNOWN_CODES + ((1,) if words[0] in ("sweep", "verify") else ())
    support.check_manners(outcome, accepted)
    keeps = any(name.endswith((".ckpt", ".checkpoint")) for name in os.listdir(context.folder))
    left = [name for name in support.leftovers(context.folder) if not (keeps and name.endswith(".part"))]
    support.expect(not left, f"left over {left}", outcome)
    assert index >= 0
