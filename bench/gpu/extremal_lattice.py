#!/usr/bin/env python3
"""The kissing number of an extremal even unimodular lattice of dimension 48: from a code to a count that a modular form predicts.

    bench/gpu/extremal_lattice.py prove [--code quadratic-residue]                  what the construction rests on, half a minute
    bench/gpu/extremal_lattice.py reduce PROGRAM BASIS [--code quadratic-residue] [--seeds 8] [--steps 200] [--bkz 30]
                                  [--threads 1]
    bench/gpu/extremal_lattice.py measure PROGRAM OUTPUT_FILE [--basis tests/data/lattices/p48p.txt] [--norm 6] [--modes gpu hybrid]
                                  [--count] [--half] [--options "--threads 16"]

PROGRAM is a built slicepool or that of a bundle (bench/gpu/bundle.sh). Nothing but Python's library is imported.

The lattice (Conway and Sloane, Sphere Packings, Lattices and Groups, chapter 7): C is a self-dual ternary code of length 48 with minimum
weight 15 that has the word of 48 ones. A is the unimodular lattice of all x / sqrt 3, where x mod 3 lies in C. Norms of A are even where the
sum of x is even; these vectors are a sublattice of index 2. P48 is that sublattice and one of the two cosets (3/2, .., 3/2) + x of it: the one with an
odd sum of x, where the words of weight 48 have an even number of ones. C is the extended quadratic residue code (P48q) or the symmetry code of Pless
(P48p). Coordinates are multiplied by 2 sqrt 3 here, so that they are integers: the squared norm of a row is 12 times its norm, and 72 is the minimum.

`prove` shows that C is self-dual, has no word of a weight below 15 (every such word has at most 6 elements other than zero in one of two
information sets, and all combinations of that many rows are made), and what the words of weight 48 are. Then P48 has no vector of norm 2 or 4.
`reduce` writes the reduced basis with the fewest expected nodes that several seeds and a local search find. `measure` checks that the basis spans P48q or P48p, counts
the vectors of each norm by `slicepool lattice --theta`, compares them with the extremal modular form of weight 24, which is computed here, and
writes times. `--half` counts those at distances from half a shortest vector instead: the search is some 20 times shorter. Ends with 1 where a
number is wrong.
"""
import argparse
import json
import math
import os
import random
import shlex
import subprocess
import sys
import tempfile
import time
from fractions import Fraction

D = 48
SCALE = 12                  # squared norms of rows are 12 times those of the lattice
CODES = ("quadratic-residue", "pless")
TREE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


# --- codes ---------------------------------------------------------------------------------------------------------------------------

def residue(a, p):
    """The Legendre symbol."""
    return 0 if a % p == 0 else 1 if pow(a, (p - 1) // 2, p) == 1 else -1


def code_rows(name):
    """Rows that span the code, of elements -1, 0, 1."""
    if name == "pless":     # Pless 1972: a unit matrix beside the conference matrix of Paley
        square = [[0] + [1] * 23] + [[-1] + [residue(j - i, 23) for j in range(23)] for i in range(23)]
        return [[int(i == j) for j in range(24)] + row for i, row in enumerate(square)]
    # The Hadamard matrix of Paley: a row of ones, and the shifts of residues less others, which are a cyclic code of length 47.
    return [[1] * D] + [[-1] + [1 if i == j else residue(j - i, 47) for j in range(47)] for i in range(47)]


def systematic(rows):
    """Independent rows with a unit matrix in front, which are unique."""
    rows, rank = [[x % 3 for x in row] for row in rows], 0
    for column in range(D // 2):
        pivot = next(i for i in range(rank, len(rows)) if rows[i][column])
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        rows[rank] = [x * rows[rank][column] % 3 for x in rows[rank]]
        for i, row in enumerate(rows):
            if i != rank and row[column]:
                rows[i] = [(x - row[column] * y) % 3 for x, y in zip(row, rows[rank])]
        rank += 1
    assert not any(map(any, rows[rank:])), "more than 24 independent rows"
    return [[x - 3 * (x == 2) for x in row] for row in rows[:rank]]


def packed(word):
    """Where a word is 1, and where it is -1."""
    return sum(1 << i for i, x in enumerate(word) if x == 1), sum(1 << i for i, x in enumerate(word) if x == -1)


def sum_of(v, w):
    a, b, c, e = *v, *w
    t = (a | e) ^ (b | c)
    return (b | e) ^ t, (a | c) ^ t


def lightest(generator, most):
    """The least weight of combinations of 1 to `most` rows, up to sign, and how many they are."""
    rows = [packed(row) for row in generator]
    signed = [(row, row[::-1]) for row in rows]
    least, made = D, 0

    def extend(word, first, left):
        nonlocal least, made
        for i in range(first, len(rows)):
            for row in signed[i]:
                a, b = sum_of(word, row)
                made += 1
                weight = (a | b).bit_count()
                if weight < least:
                    least = weight
                if left > 1:
                    extend((a, b), i + 1, left - 1)

    for i, row in enumerate(rows):
        made += 1
        least = min(least, (row[0] | row[1]).bit_count())
        extend(row, i + 1, most - 1)
    return least, made


def full_words(generator):
    """The words of weight 48 up to sign: 2^23 sums of all rows, in the order of a Gray code."""
    rows = [packed(row) for row in generator]
    everywhere = (1 << D) - 1
    word = rows[0]
    for row in rows[1:]:
        word = sum_of(word, row)
    added = [True] * len(rows)
    found = [word] if word[0] | word[1] == everywhere else []
    for step in range(1, 1 << (len(rows) - 1)):
        i = (step & -step).bit_length()                     # 1 .. 23: row 0 keeps its sign
        word = sum_of(word, rows[i] if added[i] else rows[i][::-1])    # x + x = -x: from a sum with x to one with -x, and back
        added[i] = not added[i]
        if word[0] | word[1] == everywhere:
            found.append(word)
    return found


def prove(name):
    generator = systematic(code_rows(name))
    check = [[int(i == j) for j in range(24)] for i in range(24)]
    other = [[-generator[j][24 + i] for j in range(24)] + check[i] for i in range(24)]    # the inverse of S is -S^T
    begin = time.monotonic()
    assert all(sum(x * y for x, y in zip(v, w)) % 3 == 0 for v in generator for w in generator + other), "not self-dual"
    print(f"{name}: a ternary code of length 48 and dimension 24, self-dual, two information sets of 24 places each")
    weights = [lightest(rows, 6) for rows in (generator, other)]
    least = min(weight for weight, _ in weights)
    print(f"{sum(made for _, made in weights)} words of at most 6 rows: least weight {least} (weights are multiples of 3)")
    words = full_words(generator)
    odd = {a.bit_count() % 2 for a, _ in words} | {b.bit_count() % 2 for _, b in words}
    print(f"{2 * len(words)} words of weight 48, numbers of ones modulo 2: {sorted(odd)}; {time.monotonic() - begin:.0f} s")
    assert least == 15 and len(words) == 48 and odd == {0}
    assert in_code([1] * D, generator), "no word of ones"
    print("no vector of norm 2 or 4: norms of x / sqrt 3 with an even sum are at least 6, those of the coset 45/12 + 27/12 and 47/12 + 25/12")


# --- the lattice ---------------------------------------------------------------------------------------------------------------------

def in_code(word, generator):
    """C is its own dual."""
    return all(sum(x * y for x, y in zip(word, row)) % 3 == 0 for row in generator)


def in_lattice(row, generator):
    kinds = {x % 2 for x in row}
    if len(kinds) != 1:
        return False
    odd = kinds.pop()
    x = [(entry - 3 * odd) // 2 for entry in row]
    return sum(x) % 2 == odd and in_code(x, generator)


def plain_basis(generator):
    """Not reduced. P48 is an even sublattice of A and the half of one of its vectors."""
    rows = [[2 * x for x in row] for row in generator] + [[6 * (i == j) for j in range(D)] for i in range(24, D)]    # a basis of A
    odd = next(i for i, row in enumerate(rows) if sum(row) // 2 % 2)
    even = [[2 * x for x in row] if i == odd else [x - y for x, y in zip(row, rows[odd])] if sum(row) // 2 % 2 else row
            for i, row in enumerate(rows)]
    # The vector (18, 6, .., 6) has the coefficient 3 in code rows after the first. Half of it, less such a row, takes the place of the row.
    place = next(i for i in range(1, D // 2) if i != odd)
    even[place] = [3 + 6 * (j == 0) - x for j, x in enumerate(even[place])]
    return even


def gram_of(rows):
    gram = [[sum(x * y for x, y in zip(v, w)) for w in rows] for v in rows]
    assert all(x % SCALE == 0 for row in gram for x in row), "inner products are no integers"
    return [[x // SCALE for x in row] for row in gram]


def determinant(matrix):
    """Of a positive definite matrix, by elimination without fractions (Bareiss 1968)."""
    m, last = [list(row) for row in matrix], 1
    for k in range(len(m) - 1):
        for i in range(k + 1, len(m)):
            for j in range(k + 1, len(m)):
                m[i][j] = (m[i][j] * m[k][k] - m[i][k] * m[k][j]) // last
        last = m[k][k]
    return m[-1][-1]


def check_basis(rows, generator):
    """A basis of P48: rows lie in it, and span a lattice of determinant 1."""
    gram = gram_of(rows)
    assert len(rows) == D and all(in_lattice(row, generator) for row in rows), "a row that is not in the lattice"
    assert all(gram[i][i] % 2 == 0 for i in range(D)), "an odd norm"
    assert determinant(gram) == 1, "another determinant than 1"
    return gram


def profile(gram):
    """Squared Gram-Schmidt norms, in double precision."""
    r, mu = [], []
    for i in range(D):
        row: list[float] = []
        for j in range(i + 1):
            row.append(gram[i][j] - sum(x * y for x, y in zip(row, mu[j] if j < i else [x / z for x, z in zip(row, r)])))
        mu.append([x / z for x, z in zip(row, r)])
        r.append(row[i])
    return r


def expected_nodes(gram, norm):
    """By the Gaussian heuristic, half of the tree, all levels."""
    total, logarithm, r = 0.0, 0.0, profile(gram)
    for k in range(1, D + 1):
        logarithm += math.log(r[D - k]) / 2
        total += math.exp(k / 2 * math.log(math.pi * norm) - math.lgamma(k / 2 + 1) - logarithm) / 2
    return total


def text(rows):
    return "[" + "\n".join("[" + " ".join(map(str, row)) + "]" for row in rows) + "]\n"


def read(path):
    with open(path, encoding="utf-8") as file:
        return [[int(x) for x in row.split()] for row in file.read().replace("[", " ").split("]") if row.strip()]


def scrambled(rows, draws, first=0, last=D):
    """Another basis of the lattice: rows of a window in another order, each with three others of the window added or subtracted."""
    rows = [list(row) for row in rows]
    window = rows[first:last]
    draws.shuffle(window)
    for i, row in enumerate(window):
        for j in draws.sample(range(len(window)), 3):
            if i != j:
                sign = draws.choice((-1, 1))
                row[:] = [x + sign * y for x, y in zip(row, window[j])]
    return rows[:first] + window + rows[last:]


def reduced(program, rows, block, seed, threads, folder):
    given, made = os.path.join(folder, "given.txt"), os.path.join(folder, "made.txt")
    with open(given, "w", encoding="utf-8") as file:
        file.write(text(rows))
    subprocess.run([program, "reduce", "--basis", given, "--bkz", str(block), "--seed", str(seed), "--output", made, "--mode", "cpu",
                    "--threads", str(threads), "--progress", "none"], check=True, stdout=subprocess.DEVNULL)
    return read(made)


def reduce(arguments):
    """Seeds first. Then steps from the best basis: a window of rows is scrambled and the basis reduced again, and kept if it is better."""
    generator = systematic(code_rows(arguments.code))
    best = plain_basis(generator)
    least = math.inf
    with tempfile.TemporaryDirectory() as folder:
        for step in range(arguments.seeds + arguments.steps):
            draws = random.Random(f"extremal {arguments.code} {step}")
            begin = time.monotonic()
            size = D if step < arguments.seeds else draws.choice((16, 20, 24, 28, 32))
            first = draws.randrange(D - size + 1)
            tried = plain_basis(generator) if step < arguments.seeds else best
            rows = reduced(arguments.program, scrambled(tried, draws, first, first + size), arguments.bkz, step, arguments.threads, folder)
            nodes = expected_nodes(gram_of(rows), 6)
            if step < arguments.seeds or nodes < least:
                print(f"step {step}: {nodes:.4g} expected nodes of norm 6, {time.monotonic() - begin:.1f} s", flush=True)
            if nodes < least:
                best, least = rows, nodes
                check_basis(best, generator)
                with open(arguments.basis, "w", encoding="utf-8") as file:
                    file.write(text(best))


# --- what the counts have to be ------------------------------------------------------------------------------------------------------

def product(f, g):
    return [sum(f[i] * g[n - i] for i in range(n + 1)) for n in range(len(f))]


def power(f, exponent):
    result = [1] + [0] * (len(f) - 1)
    for _ in range(exponent):
        result = product(result, f)
    return result


def extremal_form(dimension, terms):
    """Coefficients of 1, q, .., q^(terms - 1), vectors of norm 0, 2, ..: the modular form E4^(d/8) + c_1 E4^(d/8 - 3) Delta + .. of weight
    d/2 whose coefficients of q, .., q^(d // 24) are zero."""
    e4 = [1] + [240 * sum(d ** 3 for d in range(1, n + 1) if n % d == 0) for n in range(1, terms)]
    delta = [0, 1] + [0] * (terms - 2)
    for n in range(1, terms):
        for _ in range(24):
            delta = [delta[i] - (delta[i - n] if i >= n else 0) for i in range(terms)]
    form = power(e4, dimension // 8)
    for k in range(1, dimension // 24 + 1):
        term = product(power(e4, dimension // 8 - 3 * k), power(delta, k))
        form = [x - form[k] * y for x, y in zip(form, term)]
    return form


def neighbours():
    """Of a vector v of norm 6: the vectors of norm 6 with inner product 0, 1, 2, 3 (and as many with the opposite), 6. Those vectors are a
    spherical 11-design (Venkov): sums of even powers up to 10 of inner products are those of the sphere, and four of them decide."""
    total = extremal_form(D, 4)[3]
    moments = []
    for k in range(6):
        ratio = Fraction(math.prod(range(1, 2 * k, 2)), math.prod(range(D, D + 2 * k, 2)))
        moments.append(total * ratio * 36 ** k - 2 * 36 ** k)
    # m_k = 2 (n_1 + 4^k n_2 + 9^k n_3) for k > 0
    m1, m2, m3 = moments[1:4]
    n3 = (m3 - 5 * m2 + 4 * m1) / (2 * 9 * (9 - 1) * (9 - 4))
    n2 = (m3 - 10 * m2 + 9 * m1) / (2 * 4 * (4 - 1) * (4 - 9))
    n1 = (m3 - 13 * m2 + 36 * m1) / (2 * (1 - 4) * (1 - 9))
    assert all(m == 2 * (n1 + 4 ** k * n2 + 9 ** k * n3) for k, m in enumerate(moments) if k > 0), "no design"
    return {0: moments[0] - 2 * (n1 + n2 + n3), 1: n1, 2: n2, 3: n3, 6: 1}


def expected_series(norm, half):
    """Pairs of norm and count, as `slicepool lattice --theta` has them."""
    if half:    # |x - v/2|^2 = |x|^2 - <x, v> + 3/2; within 9/2 these are 0, v and vectors of norm 6 with <x, v> = 3
        return [["3/2", 2], ["9/2", int(neighbours()[3])]]
    return [[2 * n, count] for n, count in enumerate(extremal_form(D, max(3, norm // 2 + 1))[:norm // 2 + 1]) if count]


# --- measurement ---------------------------------------------------------------------------------------------------------------------

def measure(arguments):
    rows = read(arguments.basis)
    for name in CODES:
        generator = systematic(code_rows(name))
        if all(in_lattice(row, generator) for row in rows):
            break
    gram = check_basis(rows, generator)
    norm = Fraction(9, 2) if arguments.half else arguments.norm
    expected = expected_series(arguments.norm, arguments.half)
    nodes = expected_nodes(gram, float(norm)) * (2 if arguments.half else 1)
    print(f"a basis of {'P48q' if name == CODES[0] else 'P48p'}, {nodes:.3g} expected nodes; expected series {expected}", flush=True)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder, open(arguments.output, "w", encoding="utf-8") as output:
        path = os.path.join(folder, "gram.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text(gram))
        for mode in arguments.modes:
            command = [arguments.program, "lattice", "--gram", path, "--reduce", "none", "--solutions", "0", "--squared-radius", str(float(norm)),
                       "--mode", mode, "--json", "--progress", "none", *shlex.split(arguments.options)]
            if arguments.half:
                assert gram[0][0] == 6, "the first row is no shortest vector"
                command += ["--target", "[1/2" + " 0" * (D - 1) + "]"]
            command += ["--both-signs"] if arguments.count and not arguments.half else [] if arguments.count else ["--theta"]
            begin = time.monotonic()
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            seconds = time.monotonic() - begin
            if done.returncode != 0:
                print(f"{mode}: {done.stderr[-500:]}", flush=True)
                wrong += 1
                continue
            record = json.loads(done.stdout)
            found = record["count"] if arguments.count else record["theta_series"]
            right = record["status"] == "done" and found == (sum(count for at, count in expected if at) if arguments.count else expected)
            wrong += not right
            output.write(json.dumps({"mode": mode, "seconds": seconds, "right": right, "expected": expected, "record": record}) + "\n")
            output.flush()
            print(f"{mode}: {found}, {'as expected' if right else 'WRONG or not finished'}; {record['nodes']} nodes, {seconds:.2f} s, "
                  f"{record['nodes'] / record['seconds']:.4g} nodes/s", flush=True)
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tasks = parser.add_subparsers(dest="task", required=True)
    task = tasks.add_parser("prove")
    task.add_argument("--code", choices=CODES, default=CODES[0])
    task = tasks.add_parser("reduce")
    task.add_argument("program")
    task.add_argument("basis")
    task.add_argument("--code", choices=CODES, default=CODES[0])
    task.add_argument("--seeds", type=int, default=8)
    task.add_argument("--steps", type=int, default=200)
    task.add_argument("--bkz", type=int, default=30)
    task.add_argument("--threads", type=int, default=1)
    task = tasks.add_parser("measure")
    task.add_argument("program")
    task.add_argument("output")
    task.add_argument("--basis", default=os.path.join(TREE, "tests", "data", "lattices", "p48p.txt"))
    task.add_argument("--norm", type=int, default=6)
    task.add_argument("--modes", nargs="+", default=["gpu"])
    task.add_argument("--count", action="store_true", help="only the number of vectors, by --solutions 0 without --theta: no vector is made")
    task.add_argument("--half", action="store_true")
    task.add_argument("--options", default="", help="more options of slicepool lattice")
    arguments = parser.parse_args()
    if arguments.task == "prove":
        prove(arguments.code)
    elif arguments.task == "reduce":
        reduce(arguments)
    else:
        return measure(arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
