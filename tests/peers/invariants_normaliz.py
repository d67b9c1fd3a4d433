#!/usr/bin/env python3
"""Betti elements and sizes of minimal presentations of random numerical semigroups against Normaliz' Markov bases."""
import collections

import invariants
import support


def markov_values(generators):
    """The element of each binomial of a Markov basis of the toric ideal: one for each relation of a minimal presentation."""
    from PyNormaliz import Cone
    basis = Cone(monoid=[[g] for g in generators]).MarkovBasis()
    return collections.Counter(sum(g * c for g, c in zip(generators, row) if c > 0) for row in basis)


arguments = support.start("PyNormaliz")
slicepool = support.Slicepool(arguments.command)
cases = invariants.semigroups(arguments.seed, 60, 90)
relations = 0
for number, generators in enumerate(cases):
    values = markov_values(generators)
    ours = invariants.found(slicepool, support.generator(arguments.seed, f"mode {number}"), generators)
    support.require(ours["betti_elements"] == sorted(values), f"generators {generators}: Betti elements {ours['betti_elements']}, and "
                    f"Normaliz has {sorted(values)}")
    support.require(ours["minimal_presentation_size"] == values.total(), f"generators {generators}: {ours['minimal_presentation_size']} "
                    f"relations, and Normaliz has {values.total()}")
    presented = collections.Counter(sum(g * c for g, c in zip(generators, left)) for left, _ in ours["minimal_presentation"])
    support.require(presented == values, f"generators {generators}: relations of {presented}, and Normaliz has {values}")
    relations += values.total()
print(f"{len(cases)} semigroups, {relations} relations: those of Normaliz")
