// The view of counting tables that `ranked` steps with, without a Problem around it. Used by the tests of the
// tables and of the row kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "slicepool/factorizations/steps/rank_counts.hpp"
#include "slicepool/factorizations/steps/ranked.hpp"

namespace slicepool::test {

/// `counts` belongs to `generators` and must outlive the view. D: their number, or 0.
template <int D, class Word>
factorizations::RankedView<D, Word> rankedViewOf(const std::vector<std::uint64_t>& generators,
                                                 const factorizations::RankCounts& counts) {
  using namespace factorizations;
  auto view = rankedView<D, Word>(generators, counts.element);
  view.levels = counts.levels.data();
  view.chain = counts.chain.data();
  return view;
}

}  // namespace slicepool::test
