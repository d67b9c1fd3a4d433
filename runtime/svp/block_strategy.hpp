// What fplll's strategies say of a block: tours before its search, and how the search is pruned. Called by
// trial_reduction.cpp and by block reduction (runtime/reduce).
#pragma once

#include <vector>

#include "runtime/svp/trial_reduction.hpp"

namespace slicepool::svp {

struct BlockStrategy {
  Tours preprocessing;  ///< block sizes, one tour each
  Profile pruning;      ///< of one search; Profile::nodes is 0
};

/// For a block of `size` rows, 1 to kMaximumBlockSize, and this squared radius as a multiple of the squared
/// Gaussian heuristic. Throws as requireStrategies().
[[nodiscard]] BlockStrategy strategyOf(int size, double squaredGhFactor);

/// Makes what a pruner says acceptable to searches: in (0, 1], none larger than the one before.
void straighten(std::vector<double>& coefficients);

}  // namespace slicepool::svp
