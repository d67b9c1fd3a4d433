// The view of counting tables that `ranked` steps with, without a Problem around it. Used by the tests of the
// tables and of the row kernels.
#pragma once

#include <cstddef>
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
  RankedView<D, Word> view{};
  const std::size_t d = generators.size();
  for (std::size_t k = 0; k < d; ++k) {
    view.generators[k] = static_cast<Word>(generators[k]);
    view.dividers[k] = Divider<Word>::by(view.generators[k]);
  }
  if (d >= 2) view.pair = Pair<Word>::of(view.generators[d - 2], view.generators[d - 1]);
  view.element = static_cast<Word>(counts.element);
  view.dimension = static_cast<std::int32_t>(d);
  view.levels = counts.levels.data();
  view.chain = counts.chain.data();
  return view;
}

}  // namespace slicepool::test
