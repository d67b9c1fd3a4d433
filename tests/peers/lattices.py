#!/usr/bin/env python3
"""All vectors within a radius against fpylll's Enumeration, by exact norms: R^2 just below, at and above a norm."""
import re

import support


def basis_of(rng):
    """Reduced by LLL; entries of 10 to 45 bits, so that norms go beyond 2^53."""
    from fpylll import FPLLL, IntegerMatrix, LLL
    FPLLL.set_random_seed(rng.randrange(1 << 30))
    dimension = rng.randint(2, 18)
    bits = rng.choice([10, 20, 30, 45])
    kind = rng.choice(["uniform", "qary", "knapsack", "triangular"])
    if kind == "uniform":
        matrix = IntegerMatrix.random(dimension, "uniform", bits=bits)
    elif kind == "qary":
        matrix = IntegerMatrix.random(dimension, "qary", k=max(1, dimension // 2), bits=bits)
    elif kind == "knapsack":
        matrix = IntegerMatrix.random(dimension, "intrel", bits=bits)
    else:
        rows = [[rng.getrandbits(bits) if k < i else (1 << bits) + rng.getrandbits(8) if k == i else 0
                 for k in range(dimension)] for i in range(dimension)]
        matrix = IntegerMatrix.from_matrix(rows)
    LLL.reduction(matrix)
    return matrix


def upright(vector):
    """Of v and -v the one whose first entry that is not zero is positive."""
    lead = next(x for x in vector if x != 0)
    return tuple(vector if lead > 0 else [-x for x in vector])


def norm(vector):
    return sum(x * x for x in vector)


def within(matrix, bound):
    """All vectors of squared norm at most `bound`, one of each pair; None when there are too many."""
    from fpylll import GSO, Enumeration, EnumerationError, EvaluatorStrategy
    most = 3000
    gso = GSO.Mat(matrix, float_type="double")
    gso.update_gso()
    search = Enumeration(gso, nr_solutions=most, strategy=EvaluatorStrategy.BEST_N_SOLUTIONS)
    try:
        found = search.enumerate(0, matrix.nrows, float(bound) * (1 + 1e-6), 0)
    except EnumerationError:
        return set()
    if len(found) >= most:
        return None
    vectors = set()
    for _, coefficients in found:
        vector = [sum(round(c) * matrix[i, k] for i, c in enumerate(coefficients)) for k in range(matrix.ncols)]
        if norm(vector) <= bound:
            vectors.add(upright(vector))
    return vectors


def by_slicepool(slicepool, matrix, bound, rng):
    rows = "\n".join("[" + " ".join(str(x) for x in row) + "]" for row in matrix)
    slicepool.write("basis", f"[{rows}\n]\n")
    text = slicepool.run("lattice", "--basis", "basis", "--squared-radius", bound, "--fixed-radius", "--solutions", "all",
                         "--reduce", "none", "--output", "-", *rng.choice([[], ["--algorithm", "compacted"]]),
                         *support.modes(rng))
    vectors = [upright(list(map(int, re.findall(r"-?\d+", line)))) for line in text.splitlines()]
    support.require(len(vectors) == len(set(vectors)), "a vector twice")
    return set(vectors)


def main():
    arguments = support.start("fpylll")
    slicepool = support.Slicepool(arguments.command)
    compared = vectors = 0
    for case in range(support.scaled(40)):
        rng = support.generator(arguments.seed, case)
        matrix = basis_of(rng)
        shortest = min(norm(row) for row in matrix)
        most = shortest * 3 // 2
        reach = within(matrix, most + 1)
        if reach is None:
            continue
        chosen = rng.choice(sorted({norm(v) for v in reach if norm(v) <= most}))
        for bound in (chosen - 1, chosen, chosen + 1):
            expected = {v for v in reach if norm(v) <= bound}
            got = by_slicepool(slicepool, matrix, bound, rng)
            support.require(got == expected, f"case {case}, R^2 = {bound}: {len(got)} vectors, fpylll has {len(expected)}:"
                            f"\n{matrix}")
            compared += 1
            vectors += len(got)
    print(f"{compared} radii, {vectors} vectors: the same as those of fpylll")


main()
