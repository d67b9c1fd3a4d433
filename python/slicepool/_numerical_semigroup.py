"""Numerical semigroups: cofinite sets of nonnegative integers that are closed under addition."""
from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import Any

from ._factorizations import Factorizations
from ._options import integers
from .errors import ConfigError, LimitError

_LARGEST_TABLE = 10**8  # entries, of some 40 bytes


class NumericalSemigroup:
    """The numerical semigroup that positive integers with greatest common divisor 1 generate.

    Everything here goes by the Apéry set of the multiplicity m, which is made once, in O(d m) steps (Böcker, Lipták 2007,
    *A fast and simple algorithm for the money changing problem*, the algorithm Round Robin). Immutable, hashable, picklable.

    >>> S = NumericalSemigroup(6, 9, 20)
    >>> S.frobenius, S.genus, 43 in S
    (43, 22, False)
    """

    __slots__ = ("_generators", "_apery")

    def __init__(self, *generators: Any) -> None:
        given: Iterable[Any] = generators[0] if len(generators) == 1 and isinstance(generators[0], Iterable) else generators
        values = sorted(set(integers(given)))
        if not values or values[0] < 1 or math.gcd(*values) != 1:
            raise ConfigError(f"generators: got {values}; accepted: positive integers with greatest common divisor 1", "generators")
        if values[0] > _LARGEST_TABLE:
            raise LimitError(f"generators: the least is {values[0]}; the Apéry set has as many entries, and {_LARGEST_TABLE} is the limit")
        minimal: list[int] = []
        table: list[int | None] = [0] + [None] * (values[0] - 1)
        for generator in values:
            least = table[generator % values[0]]
            if generator == values[0] or least is None or least > generator:
                minimal.append(generator)
                _add(table, generator)
        self._generators = tuple(minimal)
        self._apery = tuple(entry for entry in table if entry is not None)

    @property
    def generators(self) -> tuple[int, ...]:
        """The minimal system of generators, ascending."""
        return self._generators

    @property
    def multiplicity(self) -> int:
        """The least generator m."""
        return self._generators[0]

    @property
    def embedding_dimension(self) -> int:
        return len(self._generators)

    @property
    def frobenius(self) -> int:
        """The greatest integer that is not an element; -1 where all are."""
        return max(self._apery) - self.multiplicity

    @property
    def genus(self) -> int:
        """How many nonnegative integers are not elements (Selmer's formula)."""
        return sum(entry // self.multiplicity for entry in self._apery)

    def apery(self, m: int | None = None) -> tuple[int, ...]:
        """The least element of each class modulo an element m other than 0 (the multiplicity if None): entry i is congruent to
        i. O(m^2 / multiplicity) for another m."""
        if m is None or m == self.multiplicity:
            return self._apery
        if m <= 0 or m not in self:
            raise ConfigError(f"m: got {m}; accepted: an element other than 0", "m")
        found: dict[int, int] = {}
        for entry in self._apery:
            value = entry
            while value % m not in found or found[value % m] > value:
                found[value % m] = value
                value += self.multiplicity
        return tuple(found[i] for i in range(m))

    def factorizations(self, element: int) -> Factorizations:
        """The factorizations of an integer over the minimal generators."""
        return Factorizations(self._generators, element)

    def __contains__(self, value: object) -> bool:
        try:
            number = operator.index(value)  # type: ignore[arg-type]
        except TypeError:
            return False
        return number >= 0 and number >= self._apery[number % self.multiplicity]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NumericalSemigroup):
            return NotImplemented
        return self._generators == other._generators

    def __hash__(self) -> int:
        return hash((NumericalSemigroup, self._generators))

    def __reduce__(self) -> tuple[Any, ...]:
        return NumericalSemigroup, self._generators

    def __repr__(self) -> str:
        return f"NumericalSemigroup{self._generators}" if len(self._generators) > 1 else "NumericalSemigroup(1)"


def _add(table: list[int | None], generator: int) -> None:
    """Round Robin: what the least elements become with one more generator."""
    m = len(table)
    cycles = math.gcd(m, generator)
    for start in range(cycles):
        reached = [table[i] for i in range(start, m, cycles)]
        known = [value for value in reached if value is not None]
        if not known:
            continue
        value = min(known)
        for _ in range(m // cycles):
            value += generator
            at = value % m
            old = table[at]
            if old is not None and old < value:
                value = old
            table[at] = value
