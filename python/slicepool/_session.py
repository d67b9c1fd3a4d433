"""What is kept between runs, so that the next one does not pay for it."""
from __future__ import annotations

import contextvars
import dataclasses
import json
import operator
import threading
from types import TracebackType
from typing import Any

from . import _slicepool
from ._options import plain
from .errors import ConfigError, Error

#: The sessions whose blocks this thread (or task of asyncio) is in, of the extension, the innermost last.
_entered: contextvars.ContextVar[tuple[Any, ...]] = contextvars.ContextVar("slicepool.session", default=())


def current() -> Any:
    """The session of runs that this thread begins, for the extension; None: that of the process."""
    entered = _entered.get()
    return entered[-1] if entered else None


@dataclasses.dataclass(frozen=True)
class SessionReport:
    """What a session has made so far, and what it keeps that no run has at the moment."""

    runs: int  #: searches in it; rows in several windows are several of them
    seats_made: int  #: streams of a GPU and what belongs to them
    arenas_made: int  #: of CPU workers, one for each number of them
    threads_started: int  #: that drive devices and arenas
    seats: int
    arenas: int
    threads: int
    device_bytes: int  #: memory of all GPUs; sessions of a process share it
    host_bytes: int  #: pinned memory, which sessions share as well, and that of seats


class Session:
    """Keeps threads, streams of GPUs, device memory and pinned memory between runs, and gives all of it back at its end.

    >>> import slicepool as sp
    >>> with sp.Session(device_memory="2GiB") as session:
    ...     boards = [sp.no_three_in_line(n, mode="cpu").total for n in range(2, 7)]
    >>> boards
    [1, 2, 11, 32, 50]

    Runs that begin inside the `with` block in this thread (or task of asyncio) use it. All others use the session of the
    process, `Session.of_process()`, which keeps as much: a session of one's own is for other limits, and for getting everything
    back at a known moment. Several threads may enter the same session, which ends with the last block, and several runs may use
    it at once. A GPU that fails is not kept.

    `device_memory`: what may lie unused on each GPU, in bytes or as "4GiB"; None: 8GiB. `host_memory`: the same of pinned
    memory, for each GPU that was used; None: 2GiB. What is beyond goes back at the end of a run. Raises ConfigError.
    """

    __slots__ = ("_session", "_shared", "_lock", "_blocks")

    def __init__(self, *, device_memory: int | str | None = None, host_memory: int | str | None = None) -> None:
        self._begin(_slicepool.make_session(_size(device_memory), _size(host_memory)), shared=False)

    @classmethod
    def of_process(cls) -> Session:
        """The session of all runs that have no other."""
        session = cls.__new__(cls)
        session._begin(_slicepool.process_session(), shared=True)
        return session

    def _begin(self, session: Any, shared: bool) -> None:
        self._session = session
        self._shared = shared
        self._lock = threading.Lock()
        self._blocks = 0    # that have been entered and not left

    def warm_up(self, mode: str = "auto", *, threads: int | None = None, device: int | None = None) -> None:
        """Makes in advance what a run of this mode needs: threads, and for modes with GPUs their contexts and streams, 0.3 s
        for the first of a process. `threads` and `device` as for runs. Raises DeviceError where there is no such GPU."""
        count = 0 if threads is None else operator.index(threads)
        first, gpus = (0, 0) if device is None else (operator.index(device), 1)
        if first < 0:
            raise ConfigError(f"device: got {first}; accepted: the number of a GPU, from 0", "device")
        self._open().warm_up(mode, count, first, gpus)

    def release(self) -> None:
        """Gives back what no run has at the moment, and unused memory of GPUs whichever session has left it. Runs go on."""
        self._open().release()

    @property
    def report(self) -> SessionReport:
        """What it has made and keeps."""
        return SessionReport(**self._open().report())

    def close(self) -> None:
        """Gives everything back; what runs have now goes back at their ends. That of the process stays open for others."""
        session, self._session = self._session, None
        if session is not None and not self._shared:
            session.close()

    def __enter__(self) -> Session:
        _entered.set((*_entered.get(), self._open()))
        with self._lock:
            self._blocks += 1
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        _entered.set(_entered.get()[:-1])
        with self._lock:
            self._blocks -= 1
            last = self._blocks == 0
        if last:
            self.close()

    def __repr__(self) -> str:
        return "<slicepool.Session, closed>" if self._session is None else f"<slicepool.Session, {self.report.runs} runs>"

    def _open(self) -> Any:
        if self._session is None:
            raise Error("the session is closed")
        return self._session


def _size(value: int | str | None) -> str:
    """JSON text for the library."""
    return "" if value is None else json.dumps(plain(value))
