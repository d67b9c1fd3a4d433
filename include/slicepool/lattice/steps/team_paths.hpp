// How the paths of a team are packed. Host only; used by the device of the search and by tests of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "slicepool/lattice/steps/coefficient_bounds.hpp"
#include "slicepool/lattice/steps/search.hpp"
#include "slicepool/lattice/steps/warp_lists.hpp"

namespace slicepool::lattice {

class TeamPaths {
 public:
  /// ShortestPaths, BytePaths and LongPaths.
  enum class Packing : std::uint8_t { shortest, bytes, large };

  /// For a search below these slices. O(d^3), and O(d^2) for each slice.
  template <int kCapacity>
  static TeamPaths of(const SearchView& view, std::span<const SearchSlice<kCapacity>> roots) {
    TeamPaths paths;
    if (!std::all_of(roots.begin(), roots.end(),
                     [&](const auto& root) { return isBelowNodes<kCapacity>(view, root); }))
      return paths;
    const std::vector<double> bounds = pathBounds(view);
    const int length = view.dimension - 1;  // a path has no x_0
    const int within = leadingWithin(bounds, LongPaths::Narrow::kMaximum);
    if (hasShortest<kCapacity>() && leadingWithin(bounds, ShortestPaths::Wide::kMaximum) >= length)
      paths.packing = Packing::shortest;
    else if (within >= length)
      paths.packing = Packing::bytes;
    else
      paths.narrow = within / LongPaths::kUnit * LongPaths::kUnit;
    return paths;
  }

  /// call(layout), a PathLayout.
  template <int kCapacity, class Call>
  auto atLayout(const Call& call) const {
    if constexpr (hasShortest<kCapacity>()) {
      if (packing == Packing::shortest) return call(ShortestPaths{});
    }
    if (packing == Packing::bytes) return call(BytePaths{});
    return call(LongPaths{narrow});
  }

  Packing packing = Packing::large;
  int narrow = 0;  ///< PathLayout::narrow

 private:
  /// Of longer paths, coefficients at the end are above 7.
  template <int kCapacity>
  static constexpr bool hasShortest() {
    return kCapacity <= 64;
  }
};

}  // namespace slicepool::lattice
