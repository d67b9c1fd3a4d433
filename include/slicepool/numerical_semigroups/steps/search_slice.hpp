// Slices of the tree of numerical semigroups down to a genus, and what a visit counts. Used by the steps:
// search.hpp, search_lane.hpp.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/numerical_semigroups/steps/node.hpp"

namespace slicepool::numerical_semigroups {

/// The parameters of a search, the same for all workers.
struct SearchView {
  int genus;  ///< the bound, 1 .. kMaximumGenus
};

/// A depth-first search within one class, stopped between two visits. It holds the newest node on the path;
/// those above it follow from it. open[i] are the generators of the node of genus `base + i` whose removal
/// is still to be visited.
template <int kWords>
struct alignas(16) SearchSlice {
  Bits<2 * kWords> mirror;
  Bits<kWords> elements;
  std::int16_t last;
  std::uint8_t multiplicity;
  std::uint8_t second;
  std::uint8_t base;
  std::uint8_t top;    ///< the path has top + 1 nodes
  std::uint8_t waits;  ///< 1: the only node is itself still to be visited; open[0] are all its generators
  std::uint8_t padding;
  Bits<kWords> open[Bits<kWords>::kSize];
};

/// Levels above the bound whose semigroups are counted with their parents, and not visited.
inline constexpr int kCountedLevels = 2;

/// Counts a semigroup `levels` above the bound, kCountedLevels at most, its children, and its grandchildren
/// but for those by a generator that was freed (countFreed()).
template <int kWords, class Emit>
SLICEPOOL_INLINE void countLast(int levels, const Bits<kWords>& generators, Emit& emit) {
  const auto children = static_cast<unsigned>(generators.population());
  emit.add(levels, 1);
  if (levels == 2) {
    emit.add(1, children);
    emit.add(0, children * (children - 1) >> 1U);
  } else if (levels == 1) {
    emit.add(0, children);
  }
}

}  // namespace slicepool::numerical_semigroups
