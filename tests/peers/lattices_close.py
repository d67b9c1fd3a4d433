#!/usr/bin/env python3
"""Lattices of dimension 2 to 60 against fpylll: short vectors by a basis, by a Gram matrix and in a batch, close vectors, and closest ones.

Radii are such that fpylll's tree has some million nodes at most. In large dimensions that needs lattices with a vector that is
shorter than in random ones, or targets that are near the lattice.
"""
import json
import math
import re

import support

MOST_NODES = 2e6
MOST_VECTORS = 3000


def planted(rng, dimension):
    """A q-ary lattice, and one row more: a vector of it plus a short error, as in an embedding of LWE."""
    from fpylll import FPLLL, IntegerMatrix
    FPLLL.set_random_seed(rng.randrange(1 << 30))
    d = dimension - 1
    q_ary = IntegerMatrix.random(d, "qary", k=max(1, d // 2), bits=10)
    rows = [[q_ary[i, j] for j in range(d)] + [0] for i in range(d)]
    row = [sum(c) for c in zip(*(rows[i] for i in rng.sample(range(d), min(d, 5))))]
    rows.append([x + rng.randint(-3, 3) for x in row[:-1]] + [3])
    return rows


def uniform(rng, dimension):
    from fpylll import FPLLL, IntegerMatrix
    FPLLL.set_random_seed(rng.randrange(1 << 30))
    matrix = IntegerMatrix.random(dimension, "uniform", bits=12)
    return [[matrix[i, j] for j in range(dimension)] for i in range(dimension)]


def reduced(rows):
    from fpylll import BKZ, IntegerMatrix, LLL
    matrix = IntegerMatrix.from_matrix(rows)
    LLL.reduction(matrix)
    if len(rows) > 20:
        BKZ.reduction(matrix, BKZ.Param(20))
    return matrix


def gso_of(matrix):
    from fpylll import GSO
    gso = GSO.Mat(matrix, float_type="double")
    gso.update_gso()
    return gso


def expected_nodes(gso, dimension, radius2):
    """By the Gaussian heuristic, of the half tree."""
    nodes, product = 0.0, 0.0
    for k in range(1, dimension + 1):
        product += math.log(gso.get_r(dimension - k, dimension - k)) / 2
        nodes += math.exp(k / 2 * math.log(math.pi * radius2) - math.lgamma(k / 2 + 1) - product) / 2
    return nodes


def norm(vector):
    return sum(x * x for x in vector)


def upright(vector):
    """Of v and -v the one whose first entry that is not zero is positive."""
    return tuple(vector if next(x for x in vector if x != 0) > 0 else [-x for x in vector])


def combination(coefficients, rows):
    return [sum(c * x for c, x in zip(coefficients, column)) for column in zip(*rows)]


def by_fpylll(matrix, radius2, target=None):
    """The vectors within, up to sign without a target. None: too many."""
    from fpylll import Enumeration, EnumerationError, EvaluatorStrategy
    gso = gso_of(matrix)
    rows = [list(row) for row in matrix]
    search = Enumeration(gso, nr_solutions=MOST_VECTORS, strategy=EvaluatorStrategy.BEST_N_SOLUTIONS)
    more = {} if target is None else {"target": gso.from_canonical(target)}
    try:
        found = search.enumerate(0, matrix.nrows, radius2 * (1 + 1e-6) + 1e-6, 0, **more)
    except EnumerationError:
        return set()
    if len(found) >= MOST_VECTORS:
        return None
    vectors = (combination([round(c) for c in coefficients], rows) for _, coefficients in found)
    if target is not None:
        return {tuple(v) for v in vectors if norm(x - t for x, t in zip(v, target)) <= radius2}
    return {upright(v) for v in vectors if any(v) and norm(v) <= radius2}


def text_of(rows):
    return "[" + "\n".join("[" + " ".join(map(str, row)) + "]" for row in rows) + "]\n"


def vectors_in(text):
    return [list(map(int, re.findall(r"-?\d+", line))) for line in text.splitlines()]


def short_vectors(slicepool, rng, dimension, lines):
    """By the rows as they were made, and by the Gram matrix of these. A line of a batch is appended."""
    rows = rng.choice([planted, uniform] if dimension <= 36 else [planted])(rng, dimension)
    matrix = reduced(rows)
    gso = gso_of(matrix)
    least = min(norm(row) for row in matrix)
    radius2 = next((least * n // 10 for n in (41, 25, 16, 12, 10) if expected_nodes(gso, dimension, least * n / 10) < MOST_NODES), None)
    expected = None if radius2 is None else by_fpylll(matrix, radius2)
    if expected is None:
        return 0
    common = ("--squared-radius", radius2, "--fixed-radius", "--solutions", "all", "--output", "-", *support.modes(rng))
    slicepool.write("basis", text_of(rows))
    got = vectors_in(slicepool.run("lattice", "--basis", "basis", *common))
    support.require({upright(v) for v in got} == expected and len(got) == len(expected),
                    f"d = {dimension}, R^2 = {radius2}: {len(got)} vectors, fpylll has {len(expected)}:\n{rows}")
    slicepool.write("gram", text_of([[sum(a * b for a, b in zip(v, w)) for w in rows] for v in rows]))
    got = [combination(x, rows) for x in vectors_in(slicepool.run("lattice", "--gram", "gram", *common))]
    support.require({upright(v) for v in got} == expected and len(got) == len(expected), f"by the Gram matrix of\n{rows}, R^2 = {radius2}")
    if expected and dimension <= 40:
        shortest = min(map(norm, expected))
        by_svp = slicepool.record("svp", "--gram", "gram", "--target", "exact")
        support.require(int(by_svp["squared_norm"]) == shortest, f"svp by the Gram matrix of\n{rows}: {by_svp['squared_norm']}, fpylll has {shortest}")
        support.require(norm(combination([int(x) for x in by_svp["vector"]], rows)) == shortest, f"svp: coefficients over\n{rows}")
    lines.append(({"basis": rows, "squared_radius": radius2}, expected))
    return len(expected)


def batch(slicepool, lines):
    slicepool.write("lattices", "".join(json.dumps(line) + "\n" for line, _ in lines))
    answers = slicepool.run("lattice", "--batch", "lattices", "--solutions", MOST_VECTORS, "--output", "-").splitlines()
    for (line, expected), answer in zip(lines, map(json.loads, answers), strict=True):
        got = {upright(found["vector"]) for found in answer.get("vectors", [])}
        support.require(answer["count"] == len(expected) and got == expected, f"a line of a batch: {line}\n{answer}")


def close_vectors(slicepool, rng, dimension):
    """A closest vector and, in small dimensions, all within a distance; by a basis, and in a batch of targets."""
    from fpylll import CVP
    rows = uniform(rng, dimension)
    matrix = reduced(rows)
    slicepool.write("basis", text_of(rows))
    length = math.isqrt(min(norm(row) for row in matrix))
    targets, expected = [], []
    for _ in range(3):
        if dimension <= 24:
            target = [rng.randint(-10**5, 10**5) for _ in range(dimension)]
        else:    # near the lattice
            near = combination([rng.randint(-9, 9) for _ in range(dimension)], matrix)
            most = max(1, length // (4 * math.isqrt(dimension)))
            target = [x + rng.randint(-most, most) for x in near]
        closest = CVP.closest_vector(matrix, target)
        expected.append(norm(int(x) - t for x, t in zip(closest, target)))
        targets.append(target)
        got = slicepool.record("lattice", "--basis", "basis", "--target", "[" + " ".join(map(str, target)) + "]")["squared_distance"]
        support.require(int(got) == expected[-1], f"d = {dimension}: distance {got}, fpylll has {expected[-1]}: {target} in\n{rows}")
    slicepool.write("targets", "".join(json.dumps({"target": target}) + "\n" for target in targets))
    answers = map(json.loads, slicepool.run("lattice", "--basis", "basis", "--batch", "targets", "--output", "-").splitlines())
    support.require([int(answer["squared_distance"]) for answer in answers] == expected, f"a batch of targets {targets} in\n{rows}")
    if dimension > 16:
        return
    radius2 = expected[0] + length * length // 2
    within = by_fpylll(matrix, radius2, targets[0])
    if within is None:
        return
    got = vectors_in(slicepool.run("lattice", "--basis", "basis", "--target", "[" + " ".join(map(str, targets[0])) + "]", "--squared-radius", radius2,
                                   "--solutions", "all", "--output", "-", *support.modes(rng)))
    support.require({tuple(v) for v in got} == within and len(got) == len(within), f"within {radius2} of {targets[0]} in\n{rows}")


def main():
    arguments = support.start("fpylll")
    slicepool = support.Slicepool(arguments.command)
    vectors, lines, compared = 0, [], 0
    cases = support.scaled(60)
    for case in range(cases):
        rng = support.generator(arguments.seed, case)
        dimension = 2 + case * 58 // max(1, cases - 1)
        vectors += short_vectors(slicepool, rng, dimension, lines)
        close_vectors(slicepool, rng, dimension)
        compared += 1
    batch(slicepool, lines)
    support.require(any(expected and len(line["basis"]) > 40 for line, expected in lines) or cases < 60, "no vector in a large dimension")
    print(f"{compared} lattices of dimension 2 to {dimension}, {len(lines)} radii, {vectors} short vectors: the same as those of fpylll")


main()
