#!/usr/bin/env python3
"""All numerical semigroups of a genus, and of a Frobenius number, against the package numericalsgps of GAP: sets of
generators, and the numbers of each semigroup."""
import collections

import support

LARGEST = 18     # genus: 13467 semigroups
NUMBERS = ("embedding-dimension", "type", "frobenius", "wilf", "eliahou")


def printed(semigroups, tail=""):
    """GAP's text of one line a semigroup: its generators, a colon, numbers."""
    return (f'for s in {semigroups} do for x in MinimalGenerators(s) do Print(x, " "); od; Print(":"); {tail} '
            'Print("\\n"); od; Print("end\\n");\n')


def ask(questions):
    """An answer a question: pairs of generators and numbers."""
    text = support.gap('if LoadPackage("numericalsgps") <> true then Print("missing\\n"); fi;\n' + "".join(questions))
    if "missing" in text or "end" not in text:
        support.skip("numericalsgps is not installed")
    answers, rows = [], []
    for line in text.splitlines():
        if line.strip() == "end":
            answers.append(rows)
            rows = []
        elif ":" in line:
            generators, numbers = line.split(":")
            rows.append((tuple(map(int, generators.split())), tuple(map(int, numbers.split()))))
    support.require(len(answers) == len(questions), f"GAP answered {len(answers)} of {len(questions)}: {text[-200:]}")
    return answers


def rows_of(slicepool, *arguments):
    text = slicepool.run("numerical-semigroups", *arguments, "--exactly", "--output", "-")
    return [tuple(map(int, line.split())) for line in text.splitlines()]


def require_same(rows, peer, what):
    support.require(len(rows) == len(peer) and set(rows) == {generators for generators, _ in peer},
                    f"{what}: {len(rows)} semigroups, and GAP has {len(peer)}, or they are others")


arguments = support.start("os")
rng = support.generator(arguments.seed, 0)
slicepool = support.Slicepool(arguments.command)
genera = [g for g in range(1, LARGEST + 1) if support.scaled(LARGEST) >= g]
frobenius = list(range(1, 15))
numbers = ('Print(EmbeddingDimension(s), " ", Type(s), " ", FrobeniusNumber(s), " ", WilfNumber(s), " ", EliahouNumber(s));')
of_genus = ask([printed(f"NumericalSemigroupsWithGenus({g})", numbers if g <= 12 else "") for g in genera])
of_frobenius = ask([printed(f"NumericalSemigroupsWithFrobeniusNumber({f})") for f in frobenius])

compared = 0
for genus, peer in zip(genera, of_genus):
    require_same(rows_of(slicepool, "-g", genus, *support.modes(rng)), peer, f"genus {genus}")
    compared += len(peer)
    if genus > 12:
        continue
    for at, name in enumerate(NUMBERS):
        for value, number in collections.Counter(row[1][at] for row in peer).items():
            condition = f"{name.replace('embedding-', '')} = {value}"
            counts = slicepool.record("numerical-semigroups", "-g", genus, "--where", condition, *support.modes(rng))
            support.require(counts["count"] == number, f"genus {genus}, {condition}: {counts['count']}, and GAP has {number}")
for number, peer in zip(frobenius, of_frobenius):
    require_same(rows_of(slicepool, "--frobenius", number, *support.modes(rng)), peer, f"Frobenius number {number}")
    compared += len(peer)
print(f"{compared} semigroups to genus {genera[-1]} and Frobenius number {frobenius[-1]}: the same as those of GAP")
