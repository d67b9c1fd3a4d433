"""Exhaustive enumeration on all CPU cores and GPUs of a machine: factorizations in numerical semigroups, no-three-in-line
configurations, short vectors of lattices, transformation monoids, numerical semigroups by genus, and integer
points of bounded systems. docs/python.md is the manual."""
from __future__ import annotations

from . import fpylll
from ._configurations import info, run, sweep
from ._device_array import DeviceArray
from ._factorizations import Factorizations, LinearPredicate
from ._integer_points import IntegerPoints
from ._lattice import (
    CloseVector, CloseVectors, LatticeVectors, ShortVector, ShortVectors, SvpAnswer, TargetVectors, close_vectors, closest_vector,
    closest_vectors, kissing_number, short_vectors, shortest_vector, shortest_vectors, svp, theta_series,
)
from ._manifest import Manifest
from ._numerical_semigroup import NumericalSemigroup
from ._numerical_semigroups import NumericalSemigroups
from ._options import options
from ._progress import Progress
from ._records import Record, SweepRecords
from ._reduce import ReducedBasis, reduce
from ._runs import Run
from ._session import Session, SessionReport
from ._semigroup import TransformationMonoid
from ._three_in_line import NoThreeInLine, no_three_in_line
from ._workload import Workload
from .errors import CheckpointError, CompilerError, ConfigError, DeviceError, Error, Interrupted, LimitError, Stopped

__version__: str = str(info(gpus=False)["version"])

__all__ = [
    "CheckpointError", "CloseVector", "CloseVectors", "CompilerError", "ConfigError", "DeviceArray", "DeviceError", "Error", "Factorizations", "IntegerPoints", "Interrupted", "LatticeVectors", "LimitError",
    "LinearPredicate", "Manifest", "NoThreeInLine", "NumericalSemigroup", "NumericalSemigroups", "Progress", "Record", "ReducedBasis", "Run",
    "Session", "SessionReport", "ShortVector", "ShortVectors", "Stopped", "SvpAnswer", "SweepRecords", "TargetVectors", "TransformationMonoid", "Workload", "__version__", "fpylll", "info", "no_three_in_line", "options", "reduce", "run",
    "close_vectors", "closest_vector", "closest_vectors", "kissing_number", "short_vectors", "shortest_vector", "shortest_vectors", "svp", "sweep",
    "theta_series",
]
