"""Numbers at and beyond their limits, few threads, little memory, Ctrl-C while a search is prepared"""
import signal

import support

NUMBERS = ("0", "1", "-1", "2147483647", "2147483648", "4294967296", "9007199254740993", "9223372036854775807",
           "9223372036854775808", "18446744073709551615", "18446744073709551616", "1e400", "-1e400", "nan", "inf",
           "-inf", "1.5", "1e3", "0x10", "+5", " 5", "5 ", "", "9" * 400, "9" * 30000, "-" + "9" * 400)

SET = ("factorizations", "--generators", "6,9,20", "--element", "60")
TARGETS = tuple(
    (base, option)
    for base, options in (
        (SET, ("--element", "--generators", "--sample", "--seed", "--row-at", "--rank-of", "--rank-range",
               "--tabulated-dimension", "--threads", "--pool-capacity", "--cpu-turn", "--cpu-budget", "--gpu-budget",
               "--memory-limit", "--time-limit", "--checkpoint-interval", "--emulated-lanes", "--emulated-slowdown",
               "--emulated-fail-at", "--device", "--block-size", "--shard-rows", "--compression-level",
               "--frame-size", "--buffer-memory", "--writers")),
        (("three-in-line", "-n", "6"), ("-n", "--first", "--shards", "--shard", "--threads")),
        (("lattice", "--basis", "[[3 1][1 4]]"), ("--squared-radius", "--gh-factor", "--solutions", "--first",
                                                "--pruning", "--reduce")),
        (("semigroup", "--named", "full:3"), ("--named", "--contains", "--word-of", "--max-elements", "--max-stage",
                                            "--base")))
    for option in options)

NAMED = {"--named": "full:{}", "--rank-range": "0:{}", "--pruning": "fplll:{}", "--reduce": "bkz-{}"}

# What takes long before the first step of a search, and must be stoppable there.
SLOW_STARTS = (
    ("three-in-line", "-n", "20", "--shards", "65536", "--shard", "3"),
    ("three-in-line", "-n", "32", "--shards", "65536", "--shard", "3"),
    ("three-in-line", "-n", "32", "--shards", "1048576", "--shard", "3"),
    ("semigroup", "--named", "renner:10", "--max-elements", "5000"),
)

# Exact answers at the edges of 64 bits.
EXACT = (
    (("lattice", "--basis", "[[1000000000 0 0][0 1000000000 0][0 0 1000000000]]", "--squared-radius",
      "999999999999999999", "--fixed-radius"), lambda r: int(r["solutions"]) == 0),
    (("lattice", "--basis", "[[94906267 0][0 94907267]]", "--squared-radius", str(94906267**2 - 1), "--fixed-radius"),
     lambda r: int(r["solutions"]) == 0),
    (("lattice", "--basis", "[[94906267 0][0 94907267]]", "--squared-radius", str(94906267**2), "--fixed-radius"),
     lambda r: int(r["solutions"]) == 1),
    (("lattice", "--basis", "[[1000000000000000 0][0 1000000000000001]]", "--squared-radius", str(10**30 - 1),
      "--fixed-radius"), lambda r: int(r["solutions"]) == 0),
    ((*SET, "--sample", "2", "--seed", str(2**64 - 1)), lambda r: r["sample"]["rows"] == 2 or True),
)

WITH_NUMBERS = len(TARGETS) * len(NUMBERS)
FULL = WITH_NUMBERS + len(SLOW_STARTS) * 2 + len(EXACT) + 4


def case(context, index):
    if index < WITH_NUMBERS:
        number(context, index)
    elif index < WITH_NUMBERS + len(SLOW_STARTS) * 2:
        slow_start(context, index - WITH_NUMBERS)
    elif index < WITH_NUMBERS + len(SLOW_STARTS) * 2 + len(EXACT):
        arguments, right = EXACT[index - WITH_NUMBERS - len(SLOW_STARTS) * 2]
        outcome = context.run(*arguments, "--json")
        support.expect(outcome.code == 0, "an exact number is refused", outcome)
        support.expect(right(outcome.json()), "wrong result", outcome)
    else:
        few_threads(context, ("64", "256", "1000", "4096")[index - FULL + 4])


def number(context, index):
    base, option = TARGETS[index % len(TARGETS)]
    value = NAMED.get(option, "{}").format(NUMBERS[index // len(TARGETS)])
    arguments = list(base)
    if option in arguments:
        arguments[arguments.index(option) + 1] = value
    else:
        arguments += [option, value]
    more = ["--time-limit", "2"] if option != "--time-limit" else []
    if option.startswith("--emulated"):
        more += ["--mode", "emulated"]
    outcome = context.run(*arguments, *more)
    support.check_manners(outcome)


def slow_start(context, index):
    arguments = [*SLOW_STARTS[index // 2]]
    if index % 2 == 0:
        outcome = context.run(*arguments, "--time-limit", "0.5")   # a hang is 300 s: no machine is that slow
        support.check_manners(outcome)
        return
    process = context.start(*arguments, "--progress", "jsonl")
    first = process.stderr.readline()   # it says where it is, and catches signals, or it has ended
    support.interrupt(process, signal.SIGINT)
    outcome = context.finish(process, arguments)
    outcome.err = first.decode("utf-8", "replace") + outcome.err
    support.check_manners(outcome)


def few_threads(context, threads):
    arguments = ["factorizations", "--generators", "13,37,38,40", "--element", "20000", "--algorithm", "candidate",
                 "--threads", threads, "--sink", "fingerprint", "--json"]
    outcome = context.run(*arguments, limits="ulimit -v 4000000")
    support.check_manners(outcome, (0, 4))
    if outcome.code == 0:
        support.expect(outcome.json()["fingerprint"] == "b9859cfcd297d9a32f468bb43ac82435", "wrong result", outcome)
