// fplll's strategies for blocks, which all that reduces by its BKZ needs: where they are, read once. Included
// in builds that have fplll, by reduction.cpp and by searches for a shortest vector (runtime/svp).
#pragma once

#include <vector>

namespace fplll {
class Strategy;
}

namespace slicepool::lattice {

/// Of blocks of 0 .. `largest` rows and more. Beyond the end of the file (fplll's ends at 100 rows) they are
/// empty: no tours before a search, no pruning. Not const for fplll, whose parameters refer to them; they are
/// read alone, and stay where they are. Throws ConfigError for SLICEPOOL_FPLLL_STRATEGIES where no file is
/// found, or a damaged one.
[[nodiscard]] std::vector<fplll::Strategy>& strategies(int largest);

}  // namespace slicepool::lattice
