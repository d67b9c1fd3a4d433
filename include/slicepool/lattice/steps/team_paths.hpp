// How the paths of a team are packed. Host only; used by the device of the search and by tests of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "slicepool/lattice/steps/coefficient_bounds.hpp"
#include "slicepool/lattice/steps/search.hpp"
#include "slicepool/lattice/steps/warp_lists.hpp"

namespace slicepool::lattice {

class TeamPaths {
 public:
  /// Shortest<kCapacity>, BytePaths and LongPaths.
  enum class Packing : std::uint8_t { shortest, bytes, large };
  /// What paths in a basis with a short dual fit, as a rule.
  template <int kCapacity>
  using Shortest = std::conditional_t<(kCapacity > 64), ShortPaths, ShortestPaths>;

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
    if (isWorthFewBits<kCapacity>(length) &&
        leadingWithin(bounds, Shortest<kCapacity>::Wide::kMaximum) >= length)
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
    if (packing == Packing::shortest) return call(Shortest<kCapacity>{});
    if (packing == Packing::bytes) return call(BytePaths{});
    return call(LongPaths{narrow});
  }

  Packing packing = Packing::large;
  int narrow = 0;  ///< PathLayout::narrow

 private:
  /// 5 bits take longer to unpack than 8. They pay where the entries of two teams fit the second cache by
  /// them (72 coefficients), and where those of one would not fit it otherwise.
  template <int kCapacity>
  static constexpr bool isWorthFewBits(int length) {
    return kCapacity != 96 || length <= 3 * ShortPaths::Wide::kPerFour;
  }
};

}  // namespace slicepool::lattice
