"""Options that every run takes, their defaults, and the JSON document that they become."""
from __future__ import annotations

import contextlib
import contextvars
import json
import math
import operator
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from . import _slicepool
from .errors import ConfigError

#: What a function that runs something accepts as keywords, beside its own. The words are those of configurations.
RUN_OPTIONS = ("mode", "threads", "device", "memory_limit", "checkpoint", "resume", "time_limit", "progress", "trace")
_ENGINE = {"mode", "threads", "device", "memory_limit"}
_PATHS = {"checkpoint", "resume", "trace"}

_defaults: contextvars.ContextVar[Mapping[str, Any]] = contextvars.ContextVar("slicepool.options", default={})


def refuse_unknown(function: str, given: Iterable[str], own: Iterable[str] = ()) -> None:
    """Raises TypeError for the first keyword that is no run option."""
    for name in given:
        if name not in RUN_OPTIONS:
            nearest = _slicepool.nearest_word(name, [*own, *RUN_OPTIONS])
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}; the nearest known one is {nearest!r}")


@contextlib.contextmanager
def options(**run: Any) -> Iterator[None]:
    """Defaults of run options inside a `with` block, for this thread (or task of asyncio).

    >>> import slicepool as sp
    >>> with sp.options(threads=2):
    ...     sp.Factorizations([6, 9, 20], 60).lengths()
    array([ 3,  7,  8,  9, 10], dtype=uint64)

    Options are `mode` ("auto", "cpu", "gpu", "hybrid", "emulated"), `threads`, `device` (number of a GPU), `memory_limit`
    (bytes, or text such as "4GiB"), `checkpoint`, `resume` ("auto" or a path), `time_limit` (seconds), `progress` (None, True
    or a callable) and `trace` (a path). Unknown names raise TypeError.
    """
    refuse_unknown("options", run)
    token = _defaults.set({**_defaults.get(), **run})
    try:
        yield
    finally:
        _defaults.reset(token)


class RunOptions:
    """Options of one run: those given, then those of `options()`."""

    def __init__(self, function: str, given: Mapping[str, Any], own: Iterable[str] = ()) -> None:
        refuse_unknown(function, given, own)
        merged = {**_defaults.get(), **given}
        self.progress: None | bool | Callable[..., Any] = merged.pop("progress", None)
        self.values = {name: value for name, value in merged.items() if value is not None}

    @property
    def follow(self) -> bool:
        return self.progress is not None and self.progress is not False

    @property
    def threads(self) -> int:
        return integer("threads", self.values.get("threads", 0))

    def document(self, workload: str, **members: Any) -> str:
        """The JSON text of a run."""
        document: dict[str, Any] = {"workload": workload}
        for name, value in {**self.values, **members}.items():
            if isinstance(value, float) and not math.isfinite(value):    # which JSON does not have
                raise ConfigError(f"{name}: got {value!r}; accepted: a finite number", name)
        document.update({name: value for name, value in members.items() if value is not None})
        engine: dict[str, Any] = {}
        for name, value in self.values.items():
            if name in _ENGINE:
                engine[name] = plain(value)
            elif name in _PATHS:
                document[name] = path_text(name, value)
            else:
                document["time_limit_seconds"] = _seconds(name, value)
        if engine:
            document["engine"] = engine
        text = json.dumps(document, default=plain, ensure_ascii=False)
        try:
            return require_text("configuration", text)
        except ConfigError:
            for name, value in document.items():
                require_text(name, json.dumps(value, default=plain, ensure_ascii=False))
            raise


def path_text(field: str, value: Any) -> str:
    """A path for the library. Raises TypeError for what is none, and ConfigError for names that are no text in UTF-8, which a record
    could not have."""
    try:
        path = os.fsdecode(value)
    except TypeError:
        raise TypeError(f"{field}: got {value!r}; accepted: a path") from None
    return require_text(field, path)


def require_text(field: str, text: str) -> str:
    """The text. Raises ConfigError where it has halves of surrogate pairs, as Python writes bytes of names that are not in UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ConfigError(f"{field}: got {text!r}; accepted: text in UTF-8", field) from None
    return text


def _seconds(field: str, value: Any) -> Any:
    """A number as JSON has it, of a fraction or a decimal too. What is no number of seconds the library says."""
    if isinstance(value, (Fraction, Decimal)):
        try:
            number = float(value)
        except (OverflowError, ValueError):
            number = math.inf
        if not math.isfinite(number):
            raise ConfigError(f"{field}: got {value!r}; accepted: a finite number", field)
        return number
    try:
        return plain(value)
    except TypeError:
        raise TypeError(f"{field}: got {value!r}; accepted: seconds") from None


def plain(value: Any) -> Any:
    """What JSON has for a value: integers of NumPy become Python's, arrays lists, paths texts."""
    if isinstance(value, (str, int, float, bool, list, dict)) or value is None:
        return value
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Iterable):
        return list(value)
    return operator.index(value)


def integer(field: str, value: Any) -> int:
    """A Python integer. Raises TypeError, which names the field, for what is none."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{field}: got {value!r}; accepted: an integer") from None


def integers(values: Iterable[Any], field: str = "value") -> list[int]:
    """Python integers of a sequence or array of integers. Raises TypeError, which names the field, for anything else."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"{field}: got {values!r}; accepted: integers, in a list, a tuple or an array")
    return [integer(f"{field}[{i}]", value) for i, value in enumerate(values)]
