"""Invariants of an element that follow from its factorizations: what `Factorizations` has of docs/invariants.md."""
from __future__ import annotations

from fractions import Fraction
from typing import Any

from ._invariants import invariants_record, python_values


class ElementInvariants:
    """Methods of `Factorizations`. They raise ConfigError where there is no factorization."""

    __slots__ = ()

    @property
    def generators(self) -> tuple[int, ...]:
        raise NotImplementedError

    @property
    def element(self) -> int:
        raise NotImplementedError

    def invariants(self, *names: str, witness: bool = False, **run: Any) -> dict[str, Any]:
        """Invariants of the element by their names, such as "catenary_degree" (docs/invariants.md); "all" are all; without a name
        those that need no list of the factorizations.

        Integers, tuples of them, and Fraction for ratios. With `witness`, those that have one are (value, witness). Raises
        ConfigError for other names and when there is no factorization.

        >>> import slicepool as sp
        >>> sp.Factorizations([6, 9, 20], 60).invariants("tame_degree", "r_classes", witness=True)
        {'r_classes': (2, ((1, 6, 0), (0, 0, 3))), 'tame_degree': (10, ((10, 0, 0), (0, 0, 3)))}
        """
        record = invariants_record("invariants", self.generators, run, ("witness",), element=self.element, as_given=True,
                                   invariants=list(names) or None, witness=bool(witness))
        return python_values(record["invariants"])

    def minimum_length(self, **run: Any) -> int:
        """The length of a shortest factorization. O(d n), and needs no list of them, as all that follow up to `length_modes`."""
        return int(self._one("minimum_length", False, run))

    def maximum_length(self, **run: Any) -> int:
        """The length of a longest factorization."""
        return int(self._one("maximum_length", False, run))

    def maximal_denumerant(self, **run: Any) -> int:
        """How many factorizations have maximal length."""
        return int(self._one("maximal_denumerant", False, run))

    def length_mean(self, **run: Any) -> Fraction:
        """The mean of the lengths of all factorizations."""
        return Fraction(self._one("length_mean", False, run))

    def length_variance(self, **run: Any) -> Fraction:
        """The variance of the lengths of all factorizations: the mean of the squared deviations."""
        return Fraction(self._one("length_variance", False, run))

    def length_modes(self, **run: Any) -> tuple[int, ...]:
        """The most frequent lengths, ascending."""
        return tuple(self._one("length_modes", False, run))

    def catenary_degree(self, *, witness: bool = False, **run: Any) -> Any:
        """The least N so that chains whose steps have a distance of at most N join all factorizations; the distance of a and b is
        max(|a - gcd|, |b - gcd|), by coordinates. With `witness`, (N, (a, b)) of a pair that needs a step of N."""
        return self._one("catenary_degree", witness, run)

    def equal_catenary_degree(self, *, witness: bool = False, **run: Any) -> Any:
        """The same for factorizations of equal length, by chains of this length."""
        return self._one("equal_catenary_degree", witness, run)

    def adjacent_catenary_degree(self, *, witness: bool = False, **run: Any) -> Any:
        """The greatest distance between the factorizations of one length and those of the next length."""
        return self._one("adjacent_catenary_degree", witness, run)

    def monotone_catenary_degree(self, *, witness: bool = False, **run: Any) -> Any:
        """The least N so that chains whose lengths do not fall lead from every factorization to all that are not shorter."""
        return self._one("monotone_catenary_degree", witness, run)

    def tame_degree(self, *, witness: bool = False, **run: Any) -> Any:
        """The least N so that for every generator that occurs each factorization is at most N from one with this generator."""
        return self._one("tame_degree", witness, run)

    def r_classes(self, *, witness: bool = False, **run: Any) -> Any:
        """The number of R-classes: classes of factorizations that are joined by generators in common. With `witness`, also one
        factorization of each."""
        return self._one("r_classes", witness, run)

    def omega_primality(self, *, witness: bool = False, **run: Any) -> Any:
        """The least N so that whenever the element divides a sum of generators, it divides a sum of at most N of them. With
        `witness`, also a sum of N generators, in coordinates of the minimal ones, that is needed whole."""
        return self._one("omega_primality", witness, run)

    def _one(self, name: str, witness: bool, run: dict[str, Any]) -> Any:
        record = invariants_record(name, self.generators, run, ("witness",), element=self.element, as_given=True, invariants=[name],
                                   witness=bool(witness))
        return python_values(record["invariants"])[name]
