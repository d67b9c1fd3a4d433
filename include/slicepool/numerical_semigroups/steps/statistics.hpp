// The tree of numerical semigroups with a number for each of them: embedding dimension, type, Frobenius
// number or depth. Every semigroup of a genus up to the bound is visited, the last levels too. The number is
// computed from the set of its elements and not from its parent: slower, and independent of the steps of the
// search.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/numerical_semigroups/steps/search.hpp"
#include "slicepool/numerical_semigroups/types.hpp"

namespace slicepool::numerical_semigroups {

struct StatisticsView : SearchView {
  Statistic statistic;
};

/// A semigroup as the set of its elements, with all that are at most F + m. F <= 2g - 1 and m <= g + 1.
template <int kWords>
struct ElementSet {
  using Set = Bits<3 * kWords>;

  Set elements;
  int multiplicity;
  int frobenius;

  SLICEPOOL_HD static ElementSet of(const Class& in, const Node<kWords, 2 * kWords>& node) {
    ElementSet set;
    set.multiplicity = in.multiplicity;
    set.frobenius = node.last + in.second;
    // {0, m, m + 1, ..}: m is no gap.
    if (set.frobenius == in.multiplicity) --set.frobenius;
    set.elements = Set::full().without(Set::below(set.frobenius + 1));
    set.elements.add(0);
    set.elements.add(in.multiplicity);
    for (auto left = node.mirror; !left.empty(); left.removeLowest())
      set.elements.add(node.last + in.second - left.lowest());
    return set;
  }

  /// The number of generators. They are at most F + m. O(F) shifts.
  [[nodiscard]] SLICEPOOL_HD int embeddingDimension() const {
    const Set window = Set::below(frobenius + multiplicity + 1);
    Set positive = elements & window;
    positive.remove(0);
    Set sums = Set::below(0);
    for (Set left = positive; !left.empty(); left.removeLowest()) sums = sums | positive.up(left.lowest());
    return positive.without(sums).population();
  }

  /// The number of gaps x such that x + s is an element for every positive element s (pseudo-Frobenius
  /// numbers). O(F) shifts.
  [[nodiscard]] SLICEPOOL_HD int type() const {
    const Set window = Set::below(frobenius + 1);
    Set found = window.without(elements);
    Set left = elements & window;
    left.remove(0);
    // What shifts bring in from beyond the end is above F: elements.
    for (; !left.empty(); left.removeLowest()) {
      const int s = left.lowest();
      found = found & (elements.down(s) | Set::full().without(Set::below(Set::kSize - s)));
    }
    return found.population();
  }

  /// The conductor F + 1 over the multiplicity, rounded up.
  [[nodiscard]] SLICEPOOL_HD int depth() const { return (frobenius + multiplicity) / multiplicity; }

  [[nodiscard]] SLICEPOOL_HD int value(Statistic statistic) const {
    switch (statistic) {
      case Statistic::multiplicity: return multiplicity;
      case Statistic::embeddingDimension: return embeddingDimension();
      case Statistic::type: return type();
      case Statistic::frobenius: return frobenius;
      case Statistic::depth: return depth();
    }
    return 0;
  }
};

/// The workload: slices and splits of Search. A step visits one semigroup.
template <int kWords>
struct Statistics : Search<kWords> {
  using View = StatisticsView;
  using Slice = typename Search<kWords>::Slice;
  using Lane = void;  // of Search: a lane counts

  static bool unpack(const View& view, ByteReader& from, Slice& slice) {
    return Search<kWords>::unpack(view, from, slice, 0);
  }

  /// Calls `emit.add(levels, value)` for a semigroup whose genus is `levels` below the bound.
  template <class Emit>
  SLICEPOOL_HD static Turn advance(const View& view, Slice& slice, Budget& budget, Emit& emit) {
    return Search<kWords>::walk(
        view, slice, budget,
        [&](const Class& in, const typename Search<kWords>::Wide& node, const Bits<kWords>& generators,
            int levels) {
          emit.add(levels, ElementSet<kWords>::of(in, node).value(view.statistic));
          return levels > 0 ? generators : Bits<kWords>{};
        });
  }
};

}  // namespace slicepool::numerical_semigroups
