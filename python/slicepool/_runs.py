"""Runs: the library works in a thread of its own, and the thread of Python waits for it and sees signals."""
from __future__ import annotations

import atexit
import os
import threading
import time
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import Any, Generic, TypeVar

from . import _slicepool
from ._progress import Progress, Reporter, reporter
from ._records import Record, record_of
from ._session import current
from .errors import Error, Interrupted, SetupStopped, Stopped

T = TypeVar("T")

_LOOK = 0.01  # seconds between two looks for signals
_SHOW = 0.2  # seconds between two reports of progress

_running: weakref.WeakSet[Run[Any]] = weakref.WeakSet()
_PROCESS = os.getpid()  # that imported this
_ending = False  # Python ends, and no run may begin


class Run(Generic[T]):
    """A run that goes on by itself. Made by `start()`; every method may be called from any thread.

    As a context manager it cancels what has not ended at the end of the block. Ctrl-C while the main thread waits stops
    the run and raises `Interrupted`; threads other than the main one see no signals, and use `cancel()`.
    """

    def __init__(self, job: Any, collect: Callable[[Any], T], progress: Any = None) -> None:
        self._job = job
        self._collect = collect
        self._reporter: Reporter | None = reporter(progress)
        self._task = _slicepool.Task(job, current())
        self._result: T | None = None
        self._error: BaseException | None = None
        self._settled = False
        self._settling = threading.Lock()    # an answer is taken once, whichever threads ask
        _running.add(self)
        if _ending:
            raise Error("a run cannot begin at the end of Python")
        self._task.start()

    @property
    def progress(self) -> Progress:
        """Where the run is now."""
        return Progress(*self._task.progress())

    def cancel(self) -> None:
        """Asks the run to stop, which takes some ten milliseconds. Returns at once."""
        self._task.cancel()

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for the end of the run, `timeout` seconds at most. Returns whether it has ended."""
        end = None if timeout is None else time.monotonic() + timeout
        shown = time.monotonic()
        while not self._task.wait(_LOOK if end is None else min(_LOOK, max(0.0, end - time.monotonic()))):
            now = time.monotonic()
            if self._reporter is not None and now - shown >= _SHOW:
                shown = now
                self._reporter.show(self.progress)
            if end is not None and now >= end:
                return False
        return True

    def result(self) -> T:
        """Waits, and returns the answer.

        Raises what the run raises, `Stopped` when a time limit or `cancel()` ended it, `Interrupted` on Ctrl-C.
        """
        try:
            self.wait()
        except KeyboardInterrupt:
            raise self._interrupted() from None
        except BaseException:  # of a callable for progress, or of a signal handler
            self._stop()
            raise
        try:
            self._settle()
        except KeyboardInterrupt:
            raise Interrupted("interrupted while the answer was taken; nothing was saved") from None
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]

    @property
    def report(self) -> Record:
        """The record of the run, as `slicepool --json` prints it. After its end; raises what the run raised.
        `report.plot()` draws the timeline of its workers."""
        self.wait()
        self._settle()
        if self._error is not None and not isinstance(self._error, Stopped):
            raise self._error
        return Record(record_of(self._job))

    def _settle(self) -> None:
        """Takes the answer, or the exception, of a run that has ended."""
        with self._settling:
            if not self._settled:
                self._take()

    def _take(self) -> None:
        if self._reporter is not None:
            self._reporter.close()
        try:
            self._task.finish()
            answer = self._collect(self._job)
            if getattr(self._job, "finished", True):
                self._result = answer
            else:
                checkpoint = self._job.saved_to or None
                hint = f"; resume={checkpoint!r} goes on" if checkpoint else "; nothing was saved"
                self._error = Stopped(f"stopped before the end{hint}", answer, checkpoint)
        except SetupStopped as error:
            self._error = Stopped(str(error))
        except Exception as error:
            self._error = error
        except BaseException:    # Ctrl-C while the answer was taken, which may be in half
            self._error = Stopped("interrupted while the answer was taken")
            raise
        finally:
            self._settled = True
            _running.discard(self)

    def _stop(self) -> None:
        """Cancels and waits for the end, whatever signals come meanwhile."""
        if self._task.inherited:
            return
        self._task.cancel()
        while True:
            try:
                while not self._task.wait(_LOOK):
                    pass
                return
            except KeyboardInterrupt:
                continue

    def _interrupted(self) -> BaseException:
        self._stop()
        self._settle()
        if self._error is None:
            return Interrupted("interrupted at the end of the run", self._result)
        if isinstance(self._error, Stopped):
            return Interrupted(str(self._error), self._error.partial, self._error.checkpoint)
        return self._error

    def __enter__(self) -> Run[T]:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stop()
        self._settle()

    def __repr__(self) -> str:
        state = "of another process" if self._task.inherited else "ended" if self._task.wait(0) else "running"
        return f"<slicepool.Run, {state}>"


def _stop_all() -> None:
    global _ending
    _ending = True
    # A thread of the library must not outlive the objects that it works on.
    for run in list(_running):
        run._stop()
    # Nor a driver that is still starting: exit handlers under it can hang the process.
    _slicepool.await_gpu_start()
    # What daemon threads are waiting for has ended; those that have not come back yet must not ask for Python's lock any more.
    _slicepool.end(os.getpid() != _PROCESS or any(thread.daemon for thread in threading.enumerate()))


atexit.register(_stop_all)


def finished_record(document: str, options: Any) -> dict[str, Any]:
    """Runs a configuration to its end and returns its record."""
    return finish(_slicepool.RunJob(document, options.follow, True), record_of, options.progress)


def finish(job: Any, collect: Callable[[Any], T], progress: Any = None) -> T:
    """Runs a job to its end and returns its answer."""
    return Run(job, collect, progress).result()
