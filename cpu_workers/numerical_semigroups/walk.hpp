// Turns of the tree of numerical semigroups on a CPU with bit-manipulation instructions, for windows of one
// word. The steps and the counts are those of the plain step (include/slicepool/numerical_semigroups).
//
// Called by cpu_workers/numerical_semigroups/search_turn.hpp.
#pragma once

#include <cstdint>

#include "slicepool/core/turn.hpp"
#include "slicepool/numerical_semigroups/steps/search.hpp"
#include "slicepool/numerical_semigroups/types.hpp"

namespace slicepool {

namespace numerical_semigroups {

/// What a turn found in one class, by the distance of the genus to the bound.
struct LevelCounts {
  static constexpr int kLast = 3;                       ///< levels that nearly all semigroups are in
  std::uint64_t last[kLast] = {};                       ///< genus bound - 0, 1, 2
  std::uint64_t inner[kMaximumGenus + 1 - kLast] = {};  ///< bound - 3, ..

  [[nodiscard]] std::uint64_t of(int levels) const {
    return levels < kLast ? last[levels] : inner[levels - kLast];
  }
};

}  // namespace numerical_semigroups

/// Advances a slice that does not wait (SearchSlice::waits). Adds to the counts.
using WalkGenusTree = Turn (*)(int genus, numerical_semigroups::SearchSlice<1>& slice, Budget& budget,
                               numerical_semigroups::LevelCounts& counts);

/// SLICEPOOL_SIMD=portable is in the environment: nothing but the plain step is wanted.
[[nodiscard]] bool genusTreeByPlainStep();
/// Null when this build or this CPU has none, or by the environment.
[[nodiscard]] WalkGenusTree genusTreeWalk();

}  // namespace slicepool
