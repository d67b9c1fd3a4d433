// The tree of numerical semigroups with the numbers of each of them (types.hpp): counted by one or two of
// them, or selected by conditions on them. Every semigroup up to the bound is visited, the last levels too.
// The plain step computes the numbers from the set of elements and not from the parent: slower, and
// independent of the steps of the search. The lane of a GPU (statistics_lane.hpp) has them from the parent.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/numerical_semigroups/steps/element_set.hpp"
#include "slicepool/numerical_semigroups/steps/search.hpp"
#include "slicepool/numerical_semigroups/steps/selection.hpp"
#include "slicepool/numerical_semigroups/steps/statistics_lane.hpp"

namespace slicepool::numerical_semigroups {

/// The workload: slices and splits of Search. A step visits one semigroup.
template <int kWords>
struct Statistics : Search<kWords> {
  using View = StatisticsView;
  using Base = Search<kWords>;
  using Slice = typename Base::Slice;
  using Lane = TreeLane<kWords, StatisticsVisits<kWords>>;
  // Fewer than counts have, whose nodes carry less: registers are worth more than the sixth block.
  static constexpr unsigned kDeviceBlocks = 5;

  static bool unpack(const View& view, ByteReader& from, Slice& slice) {
    return Base::unpack(view, from, slice, 0);
  }

  /// Calls `emit(SelectedSemigroup)` for what is selected; false: it was refused.
  template <class Emit>
  SLICEPOOL_HD static Turn advance(const View& view, Slice& slice, Budget& budget, Emit& emit) {
    bool refused = false;
    return Base::walk(view, slice, budget, Visit<Emit>{view, emit, refused});
  }

 private:
  template <class Emit>
  struct Visit {
    const View& view;
    Emit& emit;
    bool& wasRefused;

    [[nodiscard]] SLICEPOOL_INLINE bool refused() const { return wasRefused; }

    SLICEPOOL_INLINE Bits<kWords> operator()(const Class& in, const typename Base::Wide& node,
                                             const Bits<kWords>& generators, int levels) const {
      if (isPassed(view, levels)) return generators;
      const auto set = ElementSet<kWords>::of(in, node);
      const Values values = set.numbers(in.second, view.genus - levels, view.needs).values(view.needs);
      wasRefused = !emitSelected(view, values, levels, emit, [&] { return set.gaps(); });
      return removable(view, values, levels, node.last, in, generators);
    }
  };
};

}  // namespace slicepool::numerical_semigroups
