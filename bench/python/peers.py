#!/usr/bin/env python3
"""The Python package beside others that answer the same questions: the table of docs/python.md.

    pip install PyNormaliz libsemigroups_pybind11 fpylll cysignals passagemath-gap passagemath-gap-pkg-numericalsgps-data
    PYTHONPATH=build/release/python python bench/python/peers.py

GAP is called in this process, by libgap, and its answers stay objects of GAP: no time goes into texts or pipes.
Both give the same answer, or the script ends with an error. Each is measured from new objects, in turns, so that what else the machine
does meets both. Prints medians, and the ratio to the other package; packages that are not installed are left out.
"""
from __future__ import annotations

import argparse
import importlib
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import slicepool as sp

Call = Callable[[], Any]
#: What is asked, the other package and what of it, its call, and the same by slicepool with a number of threads.
Case = tuple[str, str, Call, Callable[[int], Any]]

GENERATORS = [13, 37, 38, 40]


def normaliz() -> Iterator[Case]:
    module = importlib.import_module("PyNormaliz")
    d = len(GENERATORS)
    nonnegative = [[int(i == j) for j in range(d)] for i in range(d)]

    def cone(element: int) -> Any:
        return module.Cone(inhom_equations=[[*GENERATORS, -element]], inequalities=nonnegative)

    for element in (2000, 4000):
        yield (f"factorizations of {element} over {GENERATORS}, listed", "PyNormaliz `LatticePoints`",
               lambda element=element: len(cone(element).LatticePoints()),  # type: ignore[misc]
               lambda threads, element=element: len(sp.Factorizations(GENERATORS, element).to_numpy(threads=threads)))  # type: ignore[misc]
    for element in (4000, 8000):
        yield (f"factorizations of {element}, counted", "PyNormaliz `NumberLatticePoints`",
               lambda element=element: int(cone(element).NumberLatticePoints()),  # type: ignore[misc]
               lambda threads, element=element: sp.Factorizations(GENERATORS, element).count)  # type: ignore[misc]


def gap() -> Iterator[Case]:
    importlib.import_module("sage.all__sagemath_gap")
    library = importlib.import_module("sage.libs.gap.libgap").libgap
    if str(library.LoadPackage("numericalsgps")) != "true":
        raise ImportError("GAP has no package numericalsgps")
    generators = library(GENERATORS)
    for element in (2000, 4000):
        yield (f"factorizations of {element}, listed", "GAP `FactorizationsIntegerWRTList`",
               lambda element=element: len(library.FactorizationsIntegerWRTList(element, generators)),  # type: ignore[misc]
               lambda threads, element=element: len(sp.Factorizations(GENERATORS, element).to_numpy(threads=threads)))  # type: ignore[misc]
    yield ("factorizations of 8000, counted", "GAP `NrRestrictedPartitions`",
           lambda: int(library.NrRestrictedPartitions(8000, generators)), lambda threads: sp.Factorizations(GENERATORS, 8000).count)
    for element, name, call in ((1000, "CatenaryDegree", "catenary_degree"), (2000, "TameDegree", "tame_degree")):
        yield (f"{call.replace('_', ' ')} of {element}", f"GAP `{name}`",
               lambda element=element, name=name: int(getattr(library, name)(element, library.NumericalSemigroup(GENERATORS))),  # type: ignore[misc]
               lambda threads, element=element, call=call: getattr(sp.Factorizations(GENERATORS, element), call)(threads=threads))  # type: ignore[misc]


def fplll() -> Iterator[Case]:
    fpylll = importlib.import_module("fpylll")
    for dimension, factor in ((40, 1.15), (46, 1.1)):
        fpylll.FPLLL.set_random_seed(1)
        basis = fpylll.LLL.reduction(fpylll.IntegerMatrix.random(dimension, "qary", k=dimension // 2, bits=20))
        fpylll.BKZ.reduction(basis, fpylll.BKZ.Param(20))
        radius2 = int(sp.short_vectors(basis, gh_factor=factor, reduction="none").squared_radius)

        def theirs(basis: Any = basis, dimension: int = dimension, radius2: int = radius2) -> int:
            gso = fpylll.GSO.Mat(basis)
            gso.update_gso()
            strategy = fpylll.EvaluatorStrategy.BEST_N_SOLUTIONS
            return len(fpylll.Enumeration(gso, nr_solutions=100_000, strategy=strategy).enumerate(0, dimension, radius2 + 0.5, 0))

        yield (f"vectors within {factor} times the Gaussian heuristic, dimension {dimension}", "fpylll `Enumeration`", theirs,
               lambda threads, basis=basis, radius2=radius2:  # type: ignore[misc]
               sp.short_vectors(basis, radius2, reduction="none", solutions=100_000, threads=threads).count)


def libsemigroups() -> Iterator[Case]:
    module = importlib.import_module("libsemigroups_pybind11")
    quiet = module.ReportGuard(False)
    for degree in (6, 7):
        images = [[*range(1, degree), 0], [1, 0, *range(2, degree)], [0, 0, *range(2, degree)]]

        def theirs(images: list[list[int]] = images, _quiet: Any = quiet) -> int:
            return int(module.FroidurePin([module.Transf(image) for image in images]).size())

        yield (f"size of the full transformation monoid of {degree} points", "libsemigroups_pybind11 `FroidurePin`", theirs,
               lambda threads, images=images: len(sp.TransformationMonoid(images, threads=threads)))  # type: ignore[misc]


def seconds(call: Call) -> tuple[float, Any]:
    begin = time.perf_counter()
    answer = call()
    return time.perf_counter() - begin, answer


def shown(median: float) -> str:
    if median >= 1:
        return f"{median:.3g} s"
    return f"{median * 1e3:.3g} ms" if median >= 1e-3 else f"{median * 1e6:.3g} us"


def row(case: Case, threads: list[int], repetitions: int) -> str:
    what, package, theirs, ours = case
    calls: list[Call] = [theirs, *(lambda count=count: ours(count) for count in threads)]
    times: list[list[float]] = [[] for _ in calls]
    answers = set()
    for _ in range(repetitions):
        for call, kept in zip(calls, times):
            taken, answer = seconds(call)
            kept.append(taken)
            answers.add(answer)
    if len(answers) != 1:
        raise SystemExit(f"{what}: the answers differ: {answers}")
    peer, *medians = map(statistics.median, times)
    cells = [f"{shown(median)} ({peer / median:.3g})" for median in medians]
    return f"| {what}: {answers.pop()} | {package} | {shown(peer)} | " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="of slicepool")
    arguments = parser.parse_args()
    print("| | beside | its median | " + " | ".join(f"slicepool, {count} thread{'s' * (count > 1)}" for count in arguments.threads) + " |")
    print("|---|---|---|" + "---|" * len(arguments.threads))
    with sp.options(mode="cpu"):
        for cases in (normaliz, gap, fplll, libsemigroups):
            try:
                for case in cases():
                    print(row(case, arguments.threads, arguments.repetitions), flush=True)
            except ImportError as error:
                print(f"<!-- left out: {error} -->")


if __name__ == "__main__":
    main()
