"""slicepool as the enumerator of fpylll: blocks of its SVP and BKZ that are large enough are searched on the pool."""
from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import importlib
import threading
from collections.abc import Iterator
from typing import Any

from . import _slicepool
from ._configurations import info
from .errors import ConfigError, DeviceError, Error

_MODES = ("auto", "cpu", "gpu", "hybrid", "emulated")
_LIMITS = ("min_dimension", "min_nodes", "engine_nodes", "threads", "dual")

_lock = threading.Lock()
_entered: list[dict[str, Any]] = []  # settings of the blocks that have not ended, of all threads, from the first on
_outside: dict[str, Any] = {}  # those before the first of them


@dataclasses.dataclass(frozen=True)
class Counts:
    """What became of the blocks that fplll gave."""

    declined: int  #: left to fplll: too small, dual, ..
    sequential: int  #: searched by the calling thread
    pooled: int  #: searched by a pool of workers
    nodes: int  #: of the latter two


class Blocks:
    """The blocks since an `enumerator` was installed. Those of other threads count as well."""

    def __init__(self) -> None:
        self._begin = _slicepool.fplll_counts()

    @property
    def counts(self) -> Counts:
        """Up to now."""
        return Counts(*(now - begin for now, begin in zip(_slicepool.fplll_counts(), self._begin)))

    def __repr__(self) -> str:
        return f"<Blocks: {self.counts}>"


@contextlib.contextmanager
def enumerator(*, mode: str = "auto", threads: int | None = None, min_dimension: int | None = None,
               min_nodes: float | None = None, engine_nodes: float | None = None, dual: bool | None = None) -> Iterator[Blocks]:
    """fpylll enumerates by slicepool inside this `with` block, which gives `Blocks`.

    `mode` and `threads` as in `slicepool.options`, for blocks that a pool searches. `min_dimension` (36): smaller blocks are left
    to fplll; `min_nodes` (1e4): so are those of fewer expected nodes; `engine_nodes` (2e7): from so many on a pool searches,
    below it the calling thread. `dual` (False): dual blocks are taken too, such as those of self-dual BKZ. fplll 5.4.4
    then reports squared norms that are wrong by a power of 4; the vectors are right. docs/lattice.md says what else is left to fplll.
    Without pruning, bases and vectors are those of fplll alone.

    The enumerator is one for the process: fpylll in other threads uses it too. Blocks may be nested; the settings of the
    inner one hold inside it. When the last block ends, also by an exception, the enumerator from before the first one is back: fplll's
    own parallel one, or that of another library. Ctrl-C stops a search, and fpylll raises its KeyboardInterrupt.

    Raises ImportError without fpylll, Error where its libfplll has another interface than the one that this package was built
    with, which is looked at before anything is called, ConfigError for settings, and DeviceError for a mode that needs a GPU
    where there is none.
    """
    if not hasattr(_slicepool, "fplll_enter"):
        raise Error("this build of slicepool has no enumerator for fplll: it was built where libfplll was not installed "
                    "(Debian: libfplll-dev)")
    get, replace = _fpylll()
    settings = {"mode": mode, "threads": threads, "min_dimension": min_dimension, "min_nodes": min_nodes, "engine_nodes": engine_nodes,
                "dual": int(dual) if isinstance(dual, bool) else dual}
    if mode in ("gpu", "hybrid") and not (known := info())["machine"]["gpus"]:
        raise DeviceError(f"mode: got {mode!r}, and there is no usable GPU: {known['gpu_reason']}")
    global _outside
    with _lock:
        before = _current()
        _change(settings, before)
        _slicepool.fplll_enter(get, replace)
        if not _entered:
            _outside = before
        own = _current()
        _entered.append(own)
    try:
        yield Blocks()
    finally:
        with _lock:
            _entered[:] = [each for each in _entered if each is not own]
            remaining = _entered[-1] if _entered else _outside
            _change(remaining, remaining)
            _slicepool.fplll_leave(replace)


def _fpylll() -> tuple[int, int]:
    """Addresses of the functions that get and set its enumerator, when the libfplll that it uses has the interface of the one here."""
    try:
        module = importlib.import_module("fpylll.util")
    except ImportError as error:
        raise ImportError(f"slicepool.fpylll needs fpylll ({error}): pip install fpylll cysignals") from None
    interface, getter = _slicepool.fplll_interface()
    # Of this library and those that it was linked with, and of no other in the process.
    library = ctypes.CDLL(str(module.__file__))
    if not interface or not hasattr(library, interface) or not hasattr(library, getter):
        raise Error(f"the libfplll of this fpylll ({module.__file__}) has another interface for enumerators than the one that slicepool was "
                    f"built with ({interface or 'unknown'}); build slicepool with the headers of that version (pip install --no-binary slicepool)")
    get, replace = (ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0 for name in (getter, interface))
    return get, replace


def _current() -> dict[str, Any]:
    return {"mode": _slicepool.fplll_mode(), **dict(zip(_LIMITS, _slicepool.fplll_limits()))}


def _change(settings: dict[str, Any], before: dict[str, Any]) -> None:
    """All or none of them. Raises ConfigError."""
    accepted = {"mode": ", ".join(_MODES), "threads": "0 (all cores) to 4096", "min_dimension": "0 to 1048576",
                "min_nodes": "0 to 1e300", "engine_nodes": "0 to 1e300", "dual": "True or False"}
    for name, value in settings.items():
        if value is not None and not _slicepool.fplll_change(name, str(value)):
            if settings is not before:
                _change(before, before)
            raise ConfigError(f"{name}: got {value!r}; accepted: {accepted[name]}", name)
