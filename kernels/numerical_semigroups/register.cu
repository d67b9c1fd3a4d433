// The kernels of the tree of numerical semigroups: lanes that walk (search_lane.hpp, statistics_lane.hpp).
#include "kernels/core/register.hpp"
#include "slicepool/numerical_semigroups/selection_sinks.hpp"
#include "slicepool/numerical_semigroups/sinks.hpp"
#include "slicepool/numerical_semigroups/steps/search.hpp"
#include "slicepool/numerical_semigroups/steps/statistics.hpp"

namespace slicepool::cuda::numerical_semigroups {

void registerKernels() {
  using namespace slicepool::numerical_semigroups;
  slicepool::registerKernels<Search<1>, Tally>();
  slicepool::registerKernels<Search<2>, Tally>();
  slicepool::registerKernels<Statistics<1>, Histogram>();
  slicepool::registerKernels<Statistics<2>, Histogram>();
  slicepool::registerKernels<Statistics<1>, CollectGaps<1>>();
  slicepool::registerKernels<Statistics<2>, CollectGaps<2>>();
  slicepool::registerKernels<Search<1>, ClassTally>();
  slicepool::registerKernels<Search<2>, ClassTally>();
}

}  // namespace slicepool::cuda::numerical_semigroups
