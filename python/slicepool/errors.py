"""Every exception that slicepool raises on its own account, and what it carries."""
from __future__ import annotations

from typing import Any


class Error(RuntimeError):
    """Base of the exceptions of slicepool."""


class ConfigError(Error, ValueError):
    """Bad input. The message names the field, the value found and what is accepted.

    `field` is the name of the parameter, such as ``"generators[1]"`` or ``"engine.threads"``.
    """

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.field)


class DeviceError(Error):
    """The mode asked for needs a device that is not there, or that failed."""


class LimitError(Error, MemoryError):
    """Memory or disk is short for what was asked, or numbers are beyond those that a search can hold. The message has them."""


class CheckpointError(Error):
    """A checkpoint cannot be written or read, or belongs to another problem."""


class CompilerError(Error):
    """There is no C++ compiler, or it refused the text of a workload. The message has what it said."""


class SetupStopped(Error):
    """A run was stopped before its search began: nothing was searched or saved."""


class Stopped(Error):
    """A run ended before its answer was known: by its time limit or by `Run.cancel()`.

    `partial` is what was found so far (None: nothing was searched), `checkpoint` the file that `resume=` goes on from
    (None: there is none).
    """

    def __init__(self, message: str, partial: Any = None, checkpoint: str | None = None) -> None:
        super().__init__(message)
        self.partial = partial
        self.checkpoint = checkpoint


class Interrupted(KeyboardInterrupt):
    """Ctrl-C stopped a run. `partial` and `checkpoint` are those of `Stopped`."""

    def __init__(self, message: str = "", partial: Any = None, checkpoint: str | None = None) -> None:
        super().__init__(message)
        self.partial = partial
        self.checkpoint = checkpoint
