#!/usr/bin/env python3
"""Invariants of random numerical semigroups and elements against GAP's package numericalsgps."""
import os
import subprocess
import sys

import invariants
import support

OF_SEMIGROUP = {
    "frobenius": "FrobeniusNumber(S)", "genus": "Genus(S)", "conductor": "Conductor(S)", "multiplicity": "Multiplicity(S)",
    "embedding_dimension": "EmbeddingDimension(S)", "type": "Type(S)", "pseudo_frobenius": "PseudoFrobenius(S)",
    "apery_set": "AperyList(S)", "minimal_generators": "MinimalGenerators(S)", "wilf": "WilfNumber(S)",
    "eliahou": "EliahouNumber(S)", "betti_elements": "BettiElements(S)", "minimal_presentation_size": "Length(MinimalPresentation(S))",
    "catenary_degree": "CatenaryDegree(S)", "tame_degree": "TameDegree(S)", "omega_primality": "OmegaPrimality(S)",
    "delta_set": "DeltaSet(S)", "elasticity": "fraction(ElasticityOfNumericalSemigroup(S))"}
OF_ELEMENT = {
    "denumerant": "Length(rows)", "length_set": "LengthsOfFactorizationsElementWRTNumericalSemigroup(n, S)", "delta_set": "DeltaSet(n, S)",
    "elasticity": "fraction(ElasticityOfFactorizationsElementWRTNumericalSemigroup(n, S))", "maximal_denumerant": "MaximalDenumerant(n, S)", "omega_primality": "OmegaPrimality(n, S)",
    "r_classes": "Length(RClassesOfSetOfFactorizations(rows))", "catenary_degree": "CatenaryDegree(n, S)", "tame_degree": "TameDegree(n, S)",
    "equal_catenary_degree": "EqualCatenaryDegreeOfSetOfFactorizations(rows)",
    "adjacent_catenary_degree": "AdjacentCatenaryDegreeOfSetOfFactorizations(rows)",
    "monotone_catenary_degree": "MonotoneCatenaryDegreeOfSetOfFactorizations(rows)"}
HEAD = """SizeScreen([4096, 1000000]);;
if LoadPackage("numericalsgps") = fail then Print("none\\n"); QUIT_GAP(); fi;
fraction := q -> [NumeratorRat(q), DenominatorRat(q)];;
show := function(x) if IsInt(x) then Print(x, "\\n"); else Print("[", JoinStringsWithSeparator(List(x, String), ","), "]\\n"); fi; end;;
"""


def program(cases):
    text = HEAD
    for generators, elements in cases:
        text += f"S := NumericalSemigroup({generators});;\n" + "".join(f"show({ask});\n" for ask in OF_SEMIGROUP.values())
        for n in elements:
            text += f"n := {n};; rows := FactorizationsElementWRTNumericalSemigroup(n, S);;\n"
            text += "".join(f"show({ask});\n" for ask in OF_ELEMENT.values())
    return text + "QUIT;\n"


def answers(cases):
    """Of GAP, in the order of the questions. One process: a start takes longer than most cases."""
    folder = next((os.path.join(p, "gap") for p in sys.path if os.path.exists(os.path.join(p, "gap", "gap"))), None)
    if folder is None:
        support.skip("GAP is not installed")
    done = subprocess.run([os.path.join(folder, "gap"), "-q", "-A", "-r", "-l", folder, "--quitonbreak"], input=program(cases),
                          capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.strip() and line != "true"]
    if lines[:1] == ["none"]:
        support.skip("numericalsgps is not installed")
    wanted = sum(len(OF_SEMIGROUP) + len(elements) * len(OF_ELEMENT) for _, elements in cases)
    support.require(len(lines) == wanted, f"GAP answered {len(lines)} of {wanted}: {done.stdout[-300:]} {done.stderr[-300:]}")
    return iter(lines)


def instance(rng):
    generators = invariants.semigroup(rng, 30)
    members = [n for n, is_one in enumerate(invariants.elements_of(generators, 300)) if is_one]
    most = {2: 300, 3: 160, 4: 100}[len(generators)]
    return generators, rng.sample([n for n in members if 0 < n <= most], 3)  # of 0 numericalsgps knows no elasticity


def compare(expected, names, ours, what):
    for name in names:
        line = next(expected).replace(" ", "")
        support.require(str(ours[name]).replace(" ", "") == line, f"{what}: {name} is {ours[name]}, and numericalsgps has {line}")


arguments = support.start("os")
slicepool = support.Slicepool(arguments.command)
cases = [instance(support.generator(arguments.seed, case)) for case in range(support.scaled(40))]
expected = answers(cases)
for number, (generators, elements) in enumerate(cases):
    rng = support.generator(arguments.seed, f"mode {number}")
    compare(expected, OF_SEMIGROUP, invariants.found(slicepool, rng, generators), f"generators {generators}")
    for n in elements:
        compare(expected, OF_ELEMENT, invariants.found(slicepool, rng, generators, n), f"generators {generators}, element {n}")
print(f"{len(cases)} semigroups and {sum(len(elements) for _, elements in cases)} elements: the values of numericalsgps")
