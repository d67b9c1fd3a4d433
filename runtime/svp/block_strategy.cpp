// See block_strategy.hpp.
#include "runtime/svp/block_strategy.hpp"

#include <algorithm>
#include <cstddef>

#ifdef SLICEPOOL_HAVE_FPLLL
#include <fplll/fplll.h>

#include "runtime/lattice/strategies.hpp"
#endif

namespace slicepool::svp {

void straighten(std::vector<double>& coefficients) {
  double before = 1;
  for (double& coefficient : coefficients) {
    coefficient = std::clamp(coefficient, 1e-9, before);
    before = coefficient;
  }
}

#ifdef SLICEPOOL_HAVE_FPLLL

BlockStrategy strategyOf(int size, double squaredGhFactor) {
  BlockStrategy result;
  result.pruning.probability = 1;
  const fplll::Strategy& strategy = lattice::strategies(size)[static_cast<std::size_t>(size)];
  result.preprocessing.assign(strategy.preprocessing_block_sizes.begin(),
                              strategy.preprocessing_block_sizes.end());
  const fplll::PruningParams& found = strategy.get_pruning(squaredGhFactor, 1);
  result.pruning.coefficients = found.coefficients;
  if (found.coefficients.empty()) return result;
  straighten(result.pruning.coefficients);
  result.pruning.probability = found.expectation;
  return result;
}

#else

BlockStrategy strategyOf(int, double) { return {}; }

#endif

}  // namespace slicepool::svp
