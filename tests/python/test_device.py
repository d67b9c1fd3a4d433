"""Rows in memory of a GPU: the same as on the host, taken by CuPy and PyTorch without a copy. Without a GPU: what is said."""
from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import slicepool as sp
from slicepool import _device_array

SETS = (([13, 37, 38], 5000), ([13, 37, 38, 40], 2000), ([12, 18, 30, 45, 8], 600), ([6, 9], 900), ([7], 700), ([6, 10, 15], 1))

HAVE_GPU = bool(sp.info()["machine"]["gpus"])


def needs_gpu() -> None:
    if HAVE_GPU:
        return
    if os.environ.get("SLICEPOOL_REQUIRE_GPU") == "1":
        pytest.fail(f"SLICEPOOL_REQUIRE_GPU=1, but there is no usable GPU: {sp.info()['gpu_reason']}")
    pytest.skip(f"no usable GPU: {sp.info()['gpu_reason']}")


@pytest.fixture
def cupy() -> Any:
    needs_gpu()
    return pytest.importorskip("cupy")


@pytest.fixture
def torch() -> Any:
    needs_gpu()
    return pytest.importorskip("torch")


def test_without_a_gpu_the_reason_is_said() -> None:
    if HAVE_GPU:
        pytest.skip("there is a GPU")
    with pytest.raises(sp.DeviceError, match="no usable GPU"):
        sp.Factorizations([13, 37, 38, 40], 2000).to_device()
    with pytest.raises(sp.DeviceError, match="no usable GPU"):
        sp.Factorizations([6, 9], 900).to_device()


class Described:
    """An array as a GPU's package describes it."""

    def __init__(self, shape: tuple[int, ...], typestr: str = "|u1", strides: Any = None, data: tuple[int, bool] = (256, False)) -> None:
        self.__cuda_array_interface__ = {"shape": shape, "typestr": typestr, "strides": strides, "data": data, "version": 3}


def test_outputs_are_checked_before_a_gpu_is_asked() -> None:
    F = sp.Factorizations([6, 9, 20], 60)
    for out in (np.zeros((5, 3), dtype=np.uint8), Described((5, 4)), Described((5, 3), strides=(1, 5)), Described((5, 3), data=(256, True)),
                Described((5, 3), "<u4", data=(258, False)), "text"):
        with pytest.raises(sp.ConfigError) as raised:
            F.to_device(out=out)
        assert raised.value.field == "out"
    with pytest.raises(sp.ConfigError) as raised:
        F.to_device(out=Described((5, 3)), dtype=np.uint16)
    assert raised.value.field == "dtype"
    for given, field in (({"device": -1}, "device"), ({"dtype": np.float32}, "dtype"), ({"ranks": (2, 9)}, "ranks"), ({"ranks": 3}, "ranks"),
                         ({"stream": "first"}, "stream")):
        with pytest.raises(sp.ConfigError) as raised:
            F.to_device(**given)
        assert raised.value.field == field


def test_streams_of_other_packages_have_handles() -> None:
    class OfCupy:
        ptr = 77

    class OfTorch:
        cuda_stream = 0    # the default stream

    class OfProtocol:
        def __cuda_stream__(self) -> tuple[int, int]:
            return 0, 99

    assert [_device_array.stream_handle(stream) for stream in (OfCupy(), OfTorch(), OfProtocol(), 5, 0)] == [77, 1, 99, 5, 1]


def test_dlpack_and_the_interface_say_what_is_there() -> None:
    class Memory:
        """What the extension has of a GPU."""
        address = 4096
        delayed: list[int] = []

        def delay(self, stream: int) -> None:
            self.delayed.append(stream)

        def dlpack(self, *shape: int) -> tuple[int, ...]:
            return shape

    memory = Memory()
    later = sp.DeviceArray(memory, (5, 3), np.dtype(np.uint16), 2, 77)
    assert later.__dlpack_device__() == (2, 2)
    assert later.__cuda_array_interface__ == {"shape": (5, 3), "typestr": "<u2", "data": (4096, False), "strides": None, "version": 3, "stream": 77}
    for stream in (None, 1, 2, 1234, -1):
        assert later.__dlpack__(stream=stream) == (5, 3, 2)
    assert memory.delayed == [1, 1, 2, 1234]    # none means the default stream; -1 needs not wait
    for refused in ({"stream": 0}, {"copy": True}, {"dl_device": (1, 0)}):
        with pytest.raises(BufferError):
            later.__dlpack__(**refused)
    there = sp.DeviceArray(memory, (0, 3), np.dtype(np.uint8), 0, None)
    assert there.__dlpack__(stream=5) == (0, 3, 1) and memory.delayed == [1, 1, 2, 1234]
    assert there.__cuda_array_interface__["data"] == (0, False)
    assert (len(later), later.nbytes, repr(later)) == (5, 30, "<slicepool.DeviceArray (5, 3), uint16, cuda:2>")


def test_rows_on_the_gpu_are_those_of_the_host(cupy: Any) -> None:
    for generators, element in SETS:
        F = sp.Factorizations(generators, element)
        for dtype in (None, np.uint16, np.int32, np.uint64):
            rows = F.to_device(dtype=dtype)
            assert np.array_equal(cupy.asnumpy(cupy.from_dlpack(rows)), F.to_numpy(dtype=dtype))
            assert np.array_equal(cupy.asnumpy(cupy.asarray(rows)), F.to_numpy(dtype=dtype))
        middle = (F.count // 3, F.count - F.count // 4)
        assert np.array_equal(cupy.asnumpy(cupy.from_dlpack(F.to_device(ranks=middle))), F.to_numpy(ranks=middle))


def test_nothing_is_copied(cupy: Any, torch: Any) -> None:
    rows = sp.Factorizations([13, 37, 38, 40], 2000).to_device()
    address = rows.__cuda_array_interface__["data"][0]
    assert cupy.from_dlpack(rows).data.ptr == cupy.asarray(rows).data.ptr == torch.from_dlpack(rows).data_ptr() == address
    view = torch.from_dlpack(rows)
    expected = int(sp.Factorizations([13, 37, 38, 40], 2000).to_numpy().sum())
    del rows    # the view keeps the memory
    assert int(view.to(torch.int64).sum()) == expected


def test_rows_are_written_into_arrays_of_the_gpu_on_their_stream(cupy: Any) -> None:
    F = sp.Factorizations([13, 37, 38, 40], 20_000)
    out = cupy.zeros((F.count, 4), dtype=cupy.uint16)
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        assert F.to_device(out=out, stream=stream) is out
        total = out.astype(cupy.uint64).sum()    # queued behind the rows
    stream.synchronize()
    assert int(total) == int(F.to_numpy().astype(np.uint64).sum())
    # By DLPack another stream waits for them.
    rows = F.to_device(stream=stream)
    with cupy.cuda.Stream(non_blocking=True) as other:
        total = cupy.from_dlpack(rows).astype(cupy.uint64).sum()
        other.synchronize()
    assert int(total) == int(F.to_numpy().astype(np.uint64).sum())


def test_rows_are_written_into_tensors(torch: Any) -> None:
    F = sp.Factorizations([13, 37, 38, 40], 2000)
    out = torch.zeros((F.count, 4), dtype=torch.int32, device="cuda")
    assert F.to_device(out=out) is out
    assert np.array_equal(out.cpu().numpy(), F.to_numpy(dtype=np.int32))


def test_searches_on_the_gpu_find_what_the_cpu_finds() -> None:
    needs_gpu()
    F = sp.Factorizations([13, 37, 38, 40], 8000)
    M = sp.TransformationMonoid.named("bihecke:5", mode="gpu")
    for mode in ("gpu", "hybrid", "auto"):
        assert F.fingerprint(mode=mode) == F.fingerprint(mode="cpu")
        assert np.array_equal(F.to_numpy(mode=mode), F.to_numpy(mode="cpu"))
        assert sp.no_three_in_line(10, mode=mode).classes == sp.no_three_in_line(10, mode="cpu").classes
        assert sp.short_vectors([[1, 1, 1], [1, 1, -1], [1, -1, 1]], 8, mode=mode).count == 13
    assert (len(M), M.number_of_rules) == (31103, 8272)


def test_a_session_makes_streams_of_the_gpu_once() -> None:
    needs_gpu()
    expected = sp.Factorizations([13, 37, 38, 40], 8000).fingerprint(mode="cpu")
    with sp.Session() as session:
        session.warm_up("gpu", device=0)
        for _ in range(5):
            assert sp.Factorizations([13, 37, 38, 40], 8000).fingerprint(mode="gpu", device=0) == expected
            assert sp.no_three_in_line(8, mode="gpu", device=0).total == 380
        assert session.report.seats_made == 1
        assert session.report.device_bytes > 0
        session.release()
        assert session.report.device_bytes == 0
