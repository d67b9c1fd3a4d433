"""Invariants of numerical semigroups and of their elements, by the workload `invariants`."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from ._options import RunOptions
from ._runs import finished_record

_FRACTIONS = {"elasticity", "length_mean", "length_variance"}


def invariants_record(function: str, generators: Iterable[int], run: Mapping[str, Any], own: Iterable[str] = (), **members: Any) -> dict[str, Any]:
    """The record of a run of `invariants`. Raises what the library raises."""
    options = RunOptions(function, run, own)
    document = options.document("invariants", generators=list(generators), **members)
    return finished_record(document, options)


def python_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Integers of any size, Fraction, and tuples, where records have numbers, decimal texts and lists."""
    return {name: _value(name, value) for name, value in values.items()}


def _value(name: str, value: Any) -> Any:
    if isinstance(value, dict):
        return _value(name, value["value"]), _plain(value["witness"])
    return Fraction(*map(int, value)) if name in _FRACTIONS else _plain(value)


def _plain(value: Any) -> Any:
    return tuple(map(_plain, value)) if isinstance(value, list) else int(value)
