#!/usr/bin/env python3
"""Integer points of random bounded systems, and factorizations in affine semigroups, against the lattice points of Normaliz."""
import support


def lattice_points(matrix, side, lower, upper):
    """Of A x = b within bounds; None stands for no bound."""
    from PyNormaliz import Cone
    size = len(matrix[0])

    def bound(column, sign, value):
        return [sign * int(column == k) for k in range(size)] + [-sign * value]

    limits = [bound(k, 1, value) for k, value in enumerate(lower)]
    limits += [bound(k, -1, value) for k, value in enumerate(upper) if value is not None]
    cone = Cone(inhom_equations=[[*row, -value] for row, value in zip(matrix, side)], inhom_inequalities=limits)
    return sorted(tuple(point[:-1]) for point in cone.LatticePoints())


def text(rows):
    return ";".join(",".join(map(str, row)) for row in rows)


def system(draw):
    """Bounded by its upper bounds, or by positive entries. A third are elements of affine semigroups without upper bounds."""
    columns = draw.randint(2, 7)
    rows = draw.randint(1, 4)
    affine = draw.random() < 1 / 3
    low, high = (0, 5) if affine else (-5, 6)
    matrix = [[draw.randint(low, high) for _ in range(columns)] for _ in range(rows)]
    if affine:
        matrix[0] = [draw.randint(1, 4) for _ in range(columns)]
    lower = [0 if affine else draw.randint(-3, 3) for _ in range(columns)]
    upper = [None if affine else least + draw.randint(0, 9) for least in lower]
    inside = [draw.randint(least, least + 6 if most is None else most) for least, most in zip(lower, upper)]
    return matrix, [sum(c * x for c, x in zip(row, inside)) for row in matrix], lower, upper


arguments = support.start("PyNormaliz")
slicepool = support.Slicepool(arguments.command)
points = 0
cases = support.scaled(150)
for number in range(cases):
    draw = support.generator(arguments.seed, f"system {number}")
    matrix, side, lower, upper = system(draw)
    expected = lattice_points(matrix, side, lower, upper)
    options = ["--matrix", text(matrix), "--right-side=" + ",".join(map(str, side)), "--lower=" + ",".join(map(str, lower)),
               "--upper=" + ",".join("none" if value is None else str(value) for value in upper)]
    mode = support.modes(draw)
    listed = slicepool.record("integer-points", *options, "--sink", "list", *mode)
    case = f"A = {matrix}, b = {side}, bounds {lower} .. {upper}, {mode}"
    support.require([tuple(point) for point in listed["points"]] == expected, f"{case}: {listed['count']} points, and Normaliz has "
                    f"{len(expected)}, or others")
    for algorithm in ("auto", "walk"):
        count = slicepool.record("integer-points", *options, "--algorithm", algorithm)["count"]
        support.require(int(count) == len(expected), f"{case}: {algorithm} counts {count}, and Normaliz has {len(expected)}")
    points += len(expected)
print(f"{cases} systems, {points} points: those of Normaliz")
