"""Rows in memory of a GPU, for CuPy, PyTorch and whatever else takes DLPack or __cuda_array_interface__."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _slicepool
from .errors import ConfigError

_LEGACY = 1  # handle of the default stream with which others synchronise
_CUDA = 2  # DLPack's kDLCUDA


class DeviceArray:
    """A matrix in memory of a GPU: `shape`, `dtype`, `device`. Made by `Factorizations.to_device()`.

    `cupy.from_dlpack(a)`, `cupy.asarray(a)` and `torch.from_dlpack(a)` are views on its memory, without a copy, which live on
    their own. Work that they queue waits for the rows, whatever streams it is on.
    """

    __slots__ = ("_memory", "_shape", "_dtype", "_device", "_stream")

    def __init__(self, memory: Any, shape: tuple[int, int], dtype: np.dtype[Any], device: int, stream: int | None) -> None:
        self._memory, self._shape, self._dtype, self._device, self._stream = memory, shape, dtype, device, stream

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, d)."""
        return self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers, as NumPy has it."""
        return self._dtype

    @property
    def device(self) -> int:
        """The number of the GPU."""
        return self._device

    @property
    def nbytes(self) -> int:
        """Bytes of the rows."""
        return self._shape[0] * self._shape[1] * self._dtype.itemsize

    def __len__(self) -> int:
        return self._shape[0]

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CUDA, self._device

    def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        """A capsule. `stream`: on which the caller works, as DLPack numbers them: None and 1 the default one, 2 that of the
        thread, -1 one that needs not wait. Raises BufferError for another device and for a copy."""
        if copy:
            raise BufferError("copies are the consumer's")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"the rows are on CUDA device {self._device}, not on {dl_device}")
        if stream == 0:
            raise BufferError("stream 0 is ambiguous; 1 is the default stream, 2 that of the thread")
        if self._stream is not None and stream != -1:
            self._memory.delay(_LEGACY if stream is None else operator.index(stream))
        return self._memory.dlpack(*self._shape, self._dtype.itemsize)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"shape": self._shape, "typestr": self._dtype.str, "data": (self._memory.address if self.nbytes else 0, False),
                "strides": None, "version": 3, "stream": self._stream}

    def __repr__(self) -> str:
        return f"<slicepool.DeviceArray {self._shape}, {self._dtype}, cuda:{self._device}>"


def stream_handle(stream: Any) -> int:
    """The handle of a stream: a number, or a stream of CuPy, PyTorch, Numba or cuda.core."""
    if hasattr(stream, "__cuda_stream__"):
        said = stream.__cuda_stream__
        return int((said() if callable(said) else said)[1]) or _LEGACY
    for name in ("ptr", "cuda_stream"):
        if hasattr(stream, name):
            return int(getattr(stream, name)) or _LEGACY
    if hasattr(stream, "handle"):
        return int(getattr(stream.handle, "value", stream.handle) or _LEGACY)
    try:
        return operator.index(stream) or _LEGACY
    except TypeError:
        raise ConfigError(f"stream: got {stream!r}; accepted: a stream of CuPy or PyTorch, or its handle", "stream") from None


def device_output(out: Any, shape: tuple[int, int]) -> tuple[int, np.dtype[Any], int | None]:
    """Address, type and stream of an array of a GPU that is to be written. Raises ConfigError."""
    described = getattr(out, "__cuda_array_interface__", None)
    if described is None:
        raise ConfigError(f"out: got {type(out).__name__}; accepted: an array of a GPU, as of CuPy or PyTorch", "out")
    dtype = np.dtype(described["typestr"])
    strides = described.get("strides")
    packed = (shape[1] * dtype.itemsize, dtype.itemsize)
    address, read_only = described["data"]
    if tuple(described["shape"]) != shape or (strides is not None and tuple(strides) != packed) or read_only or address % dtype.itemsize:
        raise ConfigError(f"out: got an array of shape {tuple(described['shape'])} with {dtype}; accepted: shape {shape}, in C order, "
                          "aligned and writable", "out")
    return int(address), dtype, described.get("stream")


def device_of(out: Any, given: int) -> int:
    """The GPU that an array is on: what it says, else the one that is asked for."""
    if hasattr(out, "__dlpack_device__"):
        kind, number = out.__dlpack_device__()
        if int(kind) == _CUDA:
            return int(number)
    return given


def write_rows(table: Any, host: Any, begin: int, end: int, address: int, device: int, stream: int) -> None:
    """Queues rows: by a kernel where there is a table, else from rows of the host."""
    if table is not None:
        table.write(begin, end, address, stream)
    elif host.size:
        _slicepool.copy_to_device(host.ctypes.data, address, host.nbytes, device, stream)


def allocate(device: int, shape: tuple[int, int], dtype: npt.DTypeLike) -> Any:
    return _slicepool.DeviceMemory(device, shape[0] * shape[1] * np.dtype(dtype).itemsize)
