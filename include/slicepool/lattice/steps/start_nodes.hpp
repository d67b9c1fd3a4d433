// Start nodes: the top levels of the enumeration tree, enumerated on the host, so that a device has a node
// for every warp from its first launch on. Used where few slices meet the algorithm `compacted`: by
// kernels/lattice/device.cuh and runtime/lattice/compacted_batch.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "slicepool/lattice/steps/search.hpp"

namespace slicepool::lattice {

/// Replaces slices by what is below their nodes, level by level from the highest on, until there are
/// `wanted`. Nodes that are passed are counted as steps and told to `emit`; there are never vectors among
/// them, for levels 0 and 1 are left alone.
template <int kCapacity, class Emit>
class StartNodes {
 public:
  using Plain = Search<kCapacity>;
  using Slice = typename Plain::Slice;

  StartNodes(const SearchView& view, Emit& emit)
      : view_(view), emit_(emit), radius_(Radius::current(view, emit)) {}

  /// At most `most` slices come out, unless more went in. Returns the nodes that were passed.
  std::uint64_t expand(std::vector<Slice>& slices, std::size_t wanted, std::size_t most) {
    // What one slice may become at least: siblings at every level, a child and the siblings of that.
    const std::size_t needed = static_cast<std::size_t>(view_.dimension) + 2;
    std::uint64_t steps = 0;
    for (;;) {
      int level = 0;
      for (const Slice& slice : slices) level = std::max<int>(level, slice.level);
      if (level < std::max(kLowest, view_.dimension / 2) || slices.size() >= wanted ||
          slices.size() + needed > most || steps > kMaximumSteps * wanted)
        return steps;
      next_.clear();
      for (std::size_t i = 0; i < slices.size(); ++i) {
        const std::size_t others = slices.size() - i - 1;
        if (slices[i].level == level && next_.size() + others + needed <= most)
          steps += expandOne(slices[i], most - others - 1);
        else
          next_.push_back(slices[i]);
      }
      slices.swap(next_);
    }
  }

 private:
  static constexpr int kLowest = 2;
  static constexpr std::uint64_t kMaximumSteps = 4;  ///< for each slice that is wanted

  /// Adds the siblings of the choices above, and the children of the pending node and its siblings, as long
  /// as there is room for one more.
  std::uint64_t expandOne(const Slice& slice, std::size_t room) {
    double norm = 0;
    for (int k = view_.dimension - 1; k > slice.level; --k) {
      const double centre = Plain::centre(view_, slice, k);
      const Choice taken = Plain::choice(view_, slice, k);
      if (k <= slice.top) addSiblings(slice, k, taken.next(), norm, centre);
      norm = Plain::extend(view_, norm, taken.coefficient, centre, k);
    }
    return addChildren(slice, norm, room);
  }

  void addSiblings(const Slice& slice, int level, Choice first, double above, double centre) {
    if (!(Plain::extend(view_, above, first.coefficient, centre, level) <= radius_.bound(view_, level)))
      return;
    Slice siblings = slice;
    siblings.level = siblings.top = static_cast<std::int16_t>(level);
    Plain::choice(view_, siblings, level) = first;
    next_.push_back(siblings);
  }

  std::uint64_t addChildren(const Slice& slice, double above, std::size_t room) {
    const int level = slice.level;
    const double centre = Plain::centre(view_, slice, level);
    const double bound = radius_.bound(view_, level);
    std::uint64_t nodes = 0;
    for (Choice tried = Plain::choice(view_, slice, level);; tried = tried.next()) {
      const double norm = Plain::extend(view_, above, tried.coefficient, centre, level);
      if (!(norm <= bound)) break;
      Slice child = slice;
      Plain::choice(view_, child, level) = tried;
      if (next_.size() >= room) {
        child.top = static_cast<std::int16_t>(std::min<int>(slice.top, level));
        next_.push_back(child);
        break;
      }
      ++nodes;
      const double centreBelow = Plain::centre(view_, child, level - 1);
      const Choice first = tried.firstBelow(centreBelow);
      child.level = child.top = static_cast<std::int16_t>(level - 1);
      Plain::choice(view_, child, level - 1) = first;
      if (Plain::extend(view_, norm, first.coefficient, centreBelow, level - 1) <=
          radius_.bound(view_, level - 1))
        next_.push_back(child);
      if (slice.top < level) break;
    }
    if (nodes != 0) emit_.visited(level, nodes);
    return nodes;
  }

  const SearchView& view_;
  Emit& emit_;
  Radius radius_;
  std::vector<Slice> next_;
};

}  // namespace slicepool::lattice
