#!/usr/bin/env python3
"""All factorizations against the lattice points of Normaliz."""
import factorizations
import support


def lattice_points(generators, element):
    from PyNormaliz import Cone
    size = len(generators)
    cone = Cone(inhom_equations=[[*generators, -element]],
                inequalities=[[int(i == k) for k in range(size)] for i in range(size)])
    return [tuple(point[:-1]) for point in cone.LatticePoints()]


arguments = support.start("PyNormaliz")
cases = factorizations.instances(arguments.seed, 60)
factorizations.compare("Normaliz", cases, [lattice_points(*case) for case in cases], arguments)
