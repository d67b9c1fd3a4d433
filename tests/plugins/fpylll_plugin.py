"""fpylll's SVP and BKZ with and without libslicepool_fplll.so (its path is the argument): the same vectors and bases.
Exits with 77, which CTest shows as skipped, where fpylll is not installed."""
import ctypes
import sys

try:
    from fpylll import BKZ, FPLLL, GSO, LLL, SVP, IntegerMatrix
    from fpylll.util import set_external_enumerator
except ImportError:
    print("[skipped] fpylll is not installed (Debian: python3-fpylll)")
    sys.exit(77)

library = ctypes.CDLL(sys.argv[1])


class Counts(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("declined", "sequential", "pooled", "nodes")]


def counts():
    values = Counts()
    library.slicepool_fplll_statistics(ctypes.byref(values))
    return values


def take(name, value):
    assert library.slicepool_fplll_set(name.encode(), value.encode()) == 0


def lattice(dimension, seed):
    FPLLL.set_random_seed(seed)
    matrix = IntegerMatrix.random(dimension, "qary", k=dimension // 2, bits=20)
    return LLL.reduction(matrix)


def shortest(dimension, seed):
    return [abs(x) for x in SVP.shortest_vector(lattice(dimension, seed))]


def reduced(dimension, seed, block_size):
    return str(BKZ.reduction(lattice(dimension, seed), BKZ.Param(block_size)))


take("min_dimension", "0")
take("min_nodes", "0")
take("engine_nodes", "1e300")
take("mode", "cpu")
want_vectors = [shortest(30, seed) for seed in range(3)]
want_bases = [reduced(40, seed, 16) for seed in range(3)]
assert counts().sequential == 0

# Both ways to register: the library's own function, and fpylll's.
library.slicepool_fplll_register()
assert [shortest(30, seed) for seed in range(3)] == want_vectors
assert counts().sequential >= 3
library.slicepool_fplll_unregister()
before = counts().sequential
assert [shortest(30, seed) for seed in range(3)] == want_vectors
assert counts().sequential == before

set_external_enumerator(library.slicepool_fplll_enumerate)
assert [reduced(40, seed, 16) for seed in range(3)] == want_bases
assert counts().sequential > before + 30
take("engine_nodes", "1000")
assert [shortest(30, seed) for seed in range(3)] == want_vectors
assert counts().pooled > 0
set_external_enumerator(None)
print(f"ok: {counts().sequential} blocks alone, {counts().pooled} by a pool, {counts().nodes} nodes")
