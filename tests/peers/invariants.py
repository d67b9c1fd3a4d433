"""Random numerical semigroups, and what the workload invariants says of them and of some of their elements."""
import math

import support


def elements_of(generators, last):
    members = [True] + [False] * last
    for n in range(1, last + 1):
        members[n] = any(g <= n and members[n - g] for g in generators)
    return members


def minimal(generators):
    found = []
    for g in sorted(set(generators)):
        if not (found and elements_of(found, g)[g]):
            found.append(g)
    return found


def semigroup(rng, largest):
    """Minimal generators, two to four, of greatest common divisor 1."""
    while True:
        generators = minimal([rng.randint(3, largest) for _ in range(rng.randint(2, 4))])
        if len(generators) > 1 and math.gcd(*generators) == 1:
            return generators


def semigroups(seed, cases, largest):
    return [semigroup(support.generator(seed, case), largest) for case in range(support.scaled(cases))]


def found(slicepool, rng, generators, element=None):
    """The values of all invariants, by name."""
    arguments = ["numerical-semigroup", "--generators", ",".join(map(str, generators)), "--invariant", "all", *support.modes(rng)]
    if element is not None:
        arguments += ["--element", element]
    return slicepool.record(*arguments)["invariants"]
