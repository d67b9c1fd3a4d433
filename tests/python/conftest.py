"""What the tests of the Python package share. They run where PYTHONPATH has the package of a build, or where it is installed."""
from __future__ import annotations

import os
import pathlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("slicepool", deadline=None, derandomize=True, max_examples=40)   # no test depends on time
settings.load_profile("slicepool")


@pytest.fixture
def source() -> pathlib.Path:
    return pathlib.Path(os.environ.get("SLICEPOOL_SOURCE_DIR", str(pathlib.Path(__file__).parents[2])))


def brute_force(generators: list[int], element: int) -> list[tuple[int, ...]]:
    """Every factorization, in decreasing lexicographic order, by recursion over the generators."""
    if len(generators) == 1:
        return [(element // generators[0],)] if element % generators[0] == 0 else []
    return [(first, *rest) for first in range(element // generators[0], -1, -1)
            for rest in brute_force(generators[1:], element - first * generators[0])]


def composed(first: tuple[int, ...], then: tuple[int, ...]) -> tuple[int, ...]:
    """x.g: words act from left to right."""
    return tuple(then[image] for image in first)


def closure(generators: list[tuple[int, ...]], points: int) -> set[tuple[int, ...]]:
    """The monoid as a set, by breadth-first search."""
    found = {tuple(range(points))}
    front = list(found)
    while front:
        front = [y for y in {composed(x, g) for x in front for g in generators} if y not in found]
        found.update(front)
    return found


Collect = Callable[..., Any]
