// Linear conditions joined by "and" and "or", as results are tested by them on every worker. Read from text
// by runtime/io/linear_text.hpp.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"

namespace slicepool {

/// Groups of conditions, one of which must hold with all of its conditions; no condition always holds.
/// `Condition` has the members relation (-1: <=, 0: =, 1: >=), bound, and alternative, which begins another
/// group. `sumOf(condition)` is its left side.
template <class Condition, class SumOf>
SLICEPOOL_INLINE bool holdsJoined(const Condition* conditions, int count, const SumOf& sumOf) {
  bool group = true;
  for (int i = 0; i < count; ++i) {
    const Condition& condition = conditions[i];
    if (condition.alternative) {
      if (group) return true;
      group = true;
    }
    if (!group) continue;
    const std::int64_t sum = sumOf(condition);
    group = condition.relation < 0   ? sum <= condition.bound
            : condition.relation > 0 ? sum >= condition.bound
                                     : sum == condition.bound;
  }
  return group;
}

}  // namespace slicepool
