#!/usr/bin/env python3
"""Semigroups against FroidurePin of libsemigroups: elements in order, words, both Cayley graphs, idempotents, rules.

slicepool explores the monoid: the identity is element 0, the empty word. libsemigroups' elements without the identity
come in the same order. The rules are the same pairs of words where the identity is no product of generators;
otherwise they are counted with the identity as a further first generator, which makes 2 g + 1 more of them.
"""
import csv

import support


def generators_of(rng):
    points = rng.randint(3, 8)
    count = rng.randint(2, 4)
    kind = rng.random()
    found = []
    while len(found) < count:
        if kind < 0.5:
            images = [rng.randrange(points) for _ in range(points)]
        elif kind < 0.8:  # order-preserving, or with few images: larger semigroups of little rank
            images = sorted(rng.randrange(points) for _ in range(points))
        else:
            images = rng.sample(range(points), points)
            if found:
                images[rng.randrange(points)] = images[0]
        if images != list(range(points)) and images not in found:
            found.append(images)
    return found


def words_of(text):
    return [tuple(map(int, line.split())) for line in text.split("\n")[:-1]]


def rules_of(text):
    return {tuple(tuple(map(int, side.split())) for side in line.split("=")) for line in text.splitlines()}


def rows_of(slicepool, name):
    return [[int(x) for x in row[1:]] for row in csv.reader(slicepool.read(name).splitlines()[1:])]


def compare(generators, slicepool, rng):
    import libsemigroups_pybind11 as ls
    points = len(generators[0])
    identity = tuple(range(points))
    peer = ls.FroidurePin([ls.Transf(g) for g in generators])
    if peer.size() > 40000:
        return 0
    theirs = [tuple(element.images()) for element in (peer[i] for i in range(peer.size()))]
    text = "".join(" ".join(map(str, g)) + "\n" for g in generators)
    slicepool.write("maps", f"{len(generators)} {points}\n{text}")
    record = slicepool.record("semigroup", "--generators", "maps", "--idempotents", "--words", "words", "--rules", "rules",
                              "--right-cayley-graph", "right.csv", "--left-cayley-graph", "left.csv", "--algorithm",
                              rng.choice(["fingerprint", "froidure-pin"] + (["words"] if len(theirs) < 500 else [])),
                              *support.modes(rng))
    what = f"generators {generators}"
    words = words_of(slicepool.read("words"))
    elements = []
    for word in words:
        images = identity
        for letter in word:
            images = tuple(generators[letter][i] for i in images)
        elements.append(images)
    support.require(elements == [identity] + [e for e in theirs if e != identity], f"{what}: other elements or another order")
    numbers = {element: x for x, element in enumerate(elements)}
    back = [numbers[e] for e in theirs]
    support.require(int(record["size"]) == len(elements), f"{what}: size {record['size']}, elements {len(elements)}")
    right, left = rows_of(slicepool, "right.csv"), rows_of(slicepool, "left.csv")
    theirRight, theirLeft = peer.right_cayley_graph(), peer.left_cayley_graph()
    for i, x in enumerate(back):
        if x != 0:
            support.require(words[x] == tuple(ls.froidure_pin.minimal_factorisation(peer, i)), f"{what}: word of {x}")
        for g in range(len(generators)):
            support.require(right[x][g] == back[theirRight.target(i, g)], f"{what}: right graph at {x}, {g}")
            support.require(left[x][g] == back[theirLeft.target(i, g)], f"{what}: left graph at {x}, {g}")
    without = identity not in theirs
    support.require(int(record["idempotents"]) == peer.number_of_idempotents() + int(without), f"{what}: idempotents")
    if without:
        expected = {(tuple(a), tuple(b)) for a, b in ls.froidure_pin.rules(peer)}
        expected = {max(rule, tuple(reversed(rule)), key=lambda r: (len(r[0]), r[0])) for rule in expected}
        support.require(rules_of(slicepool.read("rules")) == expected, f"{what}: rules")
    monoid = ls.FroidurePin([ls.Transf(list(identity))] + [ls.Transf(g) for g in generators])
    support.require(int(record["rules"]) == monoid.number_of_rules() - (2 * len(generators) + 1), f"{what}: number of rules")
    return len(elements)


def main():
    arguments = support.start("libsemigroups_pybind11")
    import libsemigroups_pybind11 as ls
    guard = ls.ReportGuard(False)
    slicepool = support.Slicepool(arguments.command)
    compared = elements = 0
    for case in range(support.scaled(60)):
        rng = support.generator(arguments.seed, case)
        size = compare(generators_of(rng), slicepool, rng)
        compared += int(size > 0)
        elements += size
    del guard
    print(f"{compared} semigroups, {elements} elements: the same as those of libsemigroups")


main()
