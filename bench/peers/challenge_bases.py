"""The lattices of bench/gpu/svp.py, and where fplll's strategies are. Imported by the scripts of this folder that measure fplll."""
import glob
import importlib.util
import os

from fpylll import BKZ

place = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gpu", "svp.py")
spec = importlib.util.spec_from_file_location("svp", place)
assert spec is not None and spec.loader is not None
svp = importlib.util.module_from_spec(spec)
spec.loader.exec_module(svp)


def strategies_file():
    """Of fplll's package: wheels of fpylll look for theirs where they were built."""
    places = [os.environ.get("SLICEPOOL_FPLLL_STRATEGIES", ""), *glob.glob("/usr/share/*fplll*/strategies/default.json"), BKZ.DEFAULT_STRATEGY]
    return next(place for place in map(str, places) if os.path.exists(place))
