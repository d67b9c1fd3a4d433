// Turns of the tree of numerical semigroups on a CPU with bit-manipulation instructions, for windows of one
// word. The steps and the counts are those of the plain step (include/slicepool/numerical_semigroups).
//
// Called by cpu_workers/numerical_semigroups/search_turn.hpp.
#pragma once

#include "slicepool/core/turn.hpp"
#include "slicepool/numerical_semigroups/sinks.hpp"
#include "slicepool/numerical_semigroups/steps/search.hpp"

namespace slicepool {

/// Advances a slice that does not wait (SearchSlice::waits). Adds to the counts.
using WalkGenusTree = Turn (*)(int genus, numerical_semigroups::SearchSlice<1>& slice, Budget& budget,
                               numerical_semigroups::LevelCounts& counts);

/// Null when this build or this CPU has none, or with SLICEPOOL_SIMD=portable in the environment.
[[nodiscard]] WalkGenusTree genusTreeWalk();

}  // namespace slicepool
