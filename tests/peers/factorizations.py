"""Random instances of the workload factorizations, and their comparison: all rows, in order."""
import support


def instance(rng):
    """Generators and an element with at most some thousand factorizations."""
    dimension = rng.randint(1, 6)
    generators = rng.sample(range(1 if rng.random() < 0.1 and dimension < 5 else 7, 60), dimension)
    if rng.random() < 0.2:
        generators = [2 * g for g in generators]
    largest = {1: 4000, 2: 3000, 3: 900, 4: 500}.get(dimension, 260)
    return generators, rng.choice([0, rng.randint(1, 60), rng.randint(60, largest), rng.randint(60, largest)])


def instances(seed, cases):
    return [instance(support.generator(seed, case)) for case in range(support.scaled(cases))]


def rows_of(slicepool, generators, element, rng):
    text = slicepool.run("factorizations", "--generators", ",".join(map(str, generators)), "--element", element,
                         "--sink", "rows", "--output", "-", "--algorithm",
                         rng.choice(["candidate", "tabulated", "ranked"]), *support.modes(rng))
    return [tuple(map(int, line.split(","))) for line in text.splitlines()]


def compare(peer, cases, expected, arguments):
    slicepool = support.Slicepool(arguments.command)
    compared = 0
    for number, ((generators, element), rows) in enumerate(zip(cases, expected)):
        got = rows_of(slicepool, generators, element, support.generator(arguments.seed, f"mode {number}"))
        support.require(got == sorted(rows, reverse=True), f"generators {generators}, element {element}: "
                        f"{len(got)} rows, and {peer} has {len(rows)}, or they are others")
        compared += len(rows)
    print(f"{len(cases)} instances, {compared} rows: the same as those of {peer}, in order")
