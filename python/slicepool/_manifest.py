"""Outputs in several files."""
from __future__ import annotations

import operator
import os
import pathlib
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _slicepool
from ._options import path_text
from .errors import Error


class Manifest:
    """The manifest of a sharded output (`Factorizations.save(.., shard_rows=)`): what its files hold, and their hashes."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Reads it. Raises ConfigError for a file that is no manifest or was changed."""
        self.path = pathlib.Path(path)
        (generators, self.element, dtype, self.first_rank, self.rows, self.complete, shards) = _slicepool.read_manifest(path_text("path", path))
        self.generators: tuple[int, ...] = tuple(generators)
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        #: (file name, first rank, end rank) of every file that is whole
        self.shards: tuple[tuple[str, int, int], ...] = tuple(shards)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Manifest:
        """The manifest of a file, as `Manifest(path)`. Raises ConfigError for a file that is no manifest or was changed."""
        return cls(path)

    def verify(self) -> Manifest:
        """Reads every file: sizes, hashes, and every row. Raises Error with what is wrong, one sentence each. O(bytes)."""
        problems, _ = _slicepool.verify_manifest(os.fspath(self.path))
        if problems:
            raise Error("; ".join(problems))
        return self

    def __len__(self) -> int:
        """The number of files."""
        return len(self.shards)

    def __getitem__(self, shard: int) -> npt.NDArray[Any]:
        """The rows of a file, mapped into memory: an array of shape (rows, d). Of .npy only."""
        path = self.path.parent / self.shards[operator.index(shard)][0]
        if path.suffix != ".npy":
            raise Error(f"{path.name}: a compressed file cannot be mapped; read it with zstd, or save as .npy")
        rows: npt.NDArray[Any] = np.load(path, mmap_mode="r")
        return rows

    def __repr__(self) -> str:
        return f"Manifest({os.fspath(self.path)!r}: {self.rows} rows in {len(self)} files)"
