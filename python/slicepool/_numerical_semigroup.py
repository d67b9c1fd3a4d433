"""Numerical semigroups: cofinite sets of nonnegative integers that are closed under addition."""
from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, SupportsIndex

from ._factorizations import Factorizations
from ._invariants import invariants_record, python_values
from ._options import integer, integers
from .errors import ConfigError, LimitError

_LARGEST_TABLE = 10**8  # entries, of some 40 bytes


class NumericalSemigroup:
    """The numerical semigroup that positive integers with greatest common divisor 1 generate.

    Properties go by the Apéry set of the multiplicity m, which is made once, in O(d m) steps (Böcker, Lipták 2007, *A fast and
    simple algorithm for the money changing problem*, the algorithm Round Robin). Methods that take `**run` are computed by the
    library, with the options of `slicepool.options`; docs/invariants.md defines what they return. Immutable, hashable, picklable.

    >>> S = NumericalSemigroup(6, 9, 20)
    >>> S.frobenius, S.genus, 43 in S
    (43, 22, False)
    """

    __slots__ = ("_generators", "_apery")

    def __init__(self, *generators: Any) -> None:
        given: Iterable[Any] = generators[0] if len(generators) == 1 and isinstance(generators[0], Iterable) else generators
        values = sorted(set(integers(given, "generators")))
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
    def minimal_generators(self) -> tuple[int, ...]:
        """The same as `generators`, by its name in docs/invariants.md."""
        return self._generators

    @property
    def multiplicity(self) -> int:
        """The least generator m."""
        return self._generators[0]

    @property
    def embedding_dimension(self) -> int:
        """The number of minimal generators."""
        return len(self._generators)

    @property
    def frobenius(self) -> int:
        """The greatest integer that is not an element; -1 where all are."""
        return max(self._apery) - self.multiplicity

    @property
    def genus(self) -> int:
        """How many nonnegative integers are not elements (Selmer's formula)."""
        return sum(entry // self.multiplicity for entry in self._apery)

    def gaps(self) -> tuple[int, ...]:
        """The nonnegative integers that are not elements, ascending. O(genus log genus)."""
        m = self.multiplicity
        return tuple(sorted(gap for i, entry in enumerate(self._apery) for gap in range(i, entry, m)))

    def small_elements(self) -> tuple[int, ...]:
        """The elements up to the conductor, ascending. O(conductor)."""
        return tuple(n for n in range(self.conductor + 1) if n in self)

    @property
    def is_symmetric(self) -> bool:
        """Whether of x and Frobenius number - x always one is an element."""
        return 2 * self.genus == self.conductor

    @property
    def apery_set(self) -> tuple[int, ...]:
        """The Apéry set of the multiplicity: what `apery()` returns."""
        return self._apery

    @property
    def apery_max(self) -> int:
        """The greatest entry of `apery_set`."""
        return max(self._apery)

    def apery(self, m: SupportsIndex | None = None) -> tuple[int, ...]:
        """The least element of each class modulo an element m other than 0 (the multiplicity if None): entry i is congruent to
        i. O(m^2 / multiplicity) for another m."""
        if m is None:
            return self._apery
        m = integer("m", m)    # of NumPy it would count in as many bits as it has
        if m == self.multiplicity:
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

    @property
    def conductor(self) -> int:
        """The least element from which on all integers are elements: the Frobenius number + 1."""
        return self.frobenius + 1

    @property
    def elasticity(self) -> Fraction:
        """The greatest of all ratios of lengths of an element: the greatest generator over the least."""
        return Fraction(self._generators[-1], self._generators[0])

    def invariants(self, *names: str, witness: bool = False, **run: Any) -> dict[str, Any]:
        """Invariants of the semigroup by their names, such as "betti_elements"; all without a name.

        Integers, tuples of them, and Fraction for "elasticity". With `witness`, those that are the maximum over elements are
        (value, element). Raises ConfigError for other names.

        >>> NumericalSemigroup(6, 9, 20).invariants("type", "catenary_degree", witness=True)
        {'type': 1, 'catenary_degree': (7, 60)}
        """
        record = invariants_record("invariants", self._generators, run, ("witness",), invariants=list(names) or None, witness=bool(witness))
        return python_values(record["invariants"])

    def element_invariants(self, elements: Iterable[Any], *names: str, witness: bool = False, **run: Any) -> dict[int, dict[str, Any]]:
        """Invariants of many elements in one pass: {element: {name: value}}, in the order given.

        `elements`: a range, of which those that are no elements are left out, or integers, of which none may be. Without names,
        all that need no list of factorizations; "all" are all. Raises ConfigError.

        >>> NumericalSemigroup(6, 9, 20).element_invariants(range(40, 46), "denumerant", "length_set")
        {40: {'denumerant': 1, 'length_set': (2,)}, 41: {'denumerant': 1, 'length_set': (4,)}, 42: {'denumerant': 3, 'length_set': (5, 6, 7)}, 44: {'denumerant': 2, 'length_set': (4, 5)}, 45: {'denumerant': 3, 'length_set': (5, 6, 7)}}
        """
        if isinstance(elements, range) and elements.step == 1:
            elements = range(max(0, elements.start), max(0, elements.stop))
        if isinstance(elements, range) and elements.step == 1 and len(elements) > 1:
            members: dict[str, Any] = {"element": f"{elements.start}..{elements.stop - 1}"}
        else:
            chosen = (n for n in elements if n in self) if isinstance(elements, range) else elements
            members = {"elements": integers(chosen, "elements")}
            if not members["elements"]:
                return {}
        record = invariants_record("element_invariants", self._generators, run, ("elements", "witness"), invariants=list(names) or None,
                                   witness=bool(witness), **members)
        return {int(one["element"]): python_values(one["invariants"]) for one in record["elements"]}

    def pseudo_frobenius(self, **run: Any) -> tuple[int, ...]:
        """The integers x that are not elements although x + s is one for every element s other than 0, ascending."""
        return tuple(self._one("pseudo_frobenius", run))

    def type(self, **run: Any) -> int:
        """How many pseudo-Frobenius numbers there are."""
        return int(self._one("type", run))

    def wilf(self, **run: Any) -> int:
        """Wilf's number: embedding dimension times the number of elements below the conductor, less the conductor."""
        return int(self._one("wilf", run))

    def eliahou(self, **run: Any) -> int:
        """Eliahou's number, which bounds Wilf's number from below."""
        return int(self._one("eliahou", run))

    def betti_elements(self, **run: Any) -> tuple[int, ...]:
        """The elements with more than one R-class of factorizations, ascending."""
        return tuple(self._one("betti_elements", run))

    def minimal_presentation(self, **run: Any) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
        """Pairs of factorizations of Betti elements that generate all equalities of sums of generators."""
        return tuple(self._one("minimal_presentation", run))

    def catenary_degree(self, element: int | None = None, *, witness: bool = False, **run: Any) -> Any:
        """Of an element; without one the greatest of all. With `witness`, also two factorizations of the element that need a step
        of this distance; without an element, an element that has it."""
        return self._degree("catenary_degree", element, witness, run)

    def tame_degree(self, element: int | None = None, *, witness: bool = False, **run: Any) -> Any:
        """Of an element; without one the greatest of all. With `witness`, also two factorizations of the element at this distance;
        without an element, an element that has it."""
        return self._degree("tame_degree", element, witness, run)

    def omega_primality(self, element: int | None = None, *, witness: bool = False, **run: Any) -> Any:
        """Of an element; without one the greatest of the generators'. With `witness`, also a sum of so many generators that is
        needed whole, in coordinates of the generators; without an element, a generator that has it."""
        return self._degree("omega_primality", element, witness, run)

    def delta_set(self, element: int | None = None, **run: Any) -> tuple[int, ...]:
        """All gaps between neighbours in the length set of an element, ascending; without an element those of all elements."""
        return tuple(self._degree("delta_set", element, False, run))

    def denumerants(self, last: int, **run: Any) -> tuple[int, ...]:
        """How many factorizations each of 0, 1, .., `last` has. O(d last)."""
        number = integer("last", last)
        if number < 0:
            raise ConfigError(f"last: got {number}; accepted: an integer from 0", "last")
        above = number    # the library takes elements
        while above not in self:
            above += 1
        record = invariants_record("denumerants", self._generators, run, ("last",), element=above, invariants=["denumerants"])
        return tuple(python_values(record["invariants"])["denumerants"][:number + 1])

    def _degree(self, name: str, element: Any, witness: bool, run: dict[str, Any]) -> Any:
        if element is None:
            return self._one(name, run, witness)
        number = integer("element", element)
        return self.element_invariants([number], name, witness=witness, **run)[number][name]

    def _one(self, name: str, run: dict[str, Any], witness: bool = False) -> Any:
        record = invariants_record(name, self._generators, run, ("witness",), invariants=[name], witness=bool(witness))
        return python_values(record["invariants"])[name]

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
