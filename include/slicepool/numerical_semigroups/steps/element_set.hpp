// The statistics of a semigroup (types.hpp), and a semigroup as the set of its elements, from which all of
// them can be computed: slower than from its parent, and independent of the steps of the search. Used by
// statistics.hpp and statistics_lane.hpp.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/numerical_semigroups/steps/node.hpp"
#include "slicepool/numerical_semigroups/types.hpp"

namespace slicepool::numerical_semigroups {

/// What a statistic is computed from, beside multiplicity, second element, genus and Frobenius number.
enum StatisticsNeed : std::uint32_t { kNeedsGenerators = 1, kNeedsType = 2, kNeedsDepth = 4 };

SLICEPOOL_INLINE std::uint32_t needsOf(Statistic statistic) {
  switch (statistic) {
    case Statistic::embeddingDimension:
    case Statistic::children:
    case Statistic::wilf: return kNeedsGenerators;
    case Statistic::eliahou: return kNeedsGenerators | kNeedsDepth;
    case Statistic::type: return kNeedsType;
    case Statistic::depth: return kNeedsDepth;
    default: return 0;
  }
}

/// Values of the statistics, by their number; those that were not needed are zero.
struct Values {
  std::int32_t of[kStatistics];

  [[nodiscard]] SLICEPOOL_INLINE std::int32_t operator[](Statistic statistic) const {
#if SLICEPOOL_ON_DEVICE
    // All of them are in registers, and all threads ask for the same one.
    std::int32_t value = 0;
    SLICEPOOL_UNROLL
    for (int i = 0; i < kStatistics; ++i) {
      const std::int32_t here = of[i];
      value = i == static_cast<int>(statistic) ? here : value;
    }
    return value;
#else
    return of[static_cast<int>(statistic)];
#endif
  }
};

/// Numbers of a semigroup, from which the statistics follow.
struct SemigroupNumbers {
  int multiplicity, second, genus, frobenius;
  int type;        ///< where it is needed, as the following ones
  int generators;  ///< embedding dimension
  int right;       ///< generators above F

  /// What `needs` says, and all that follows from it. With c = F + 1 = depth * m - rho, n elements below c,
  /// and generators e of which l are below c, Wilf's number is e n - c, and that of Eliahou is
  /// l n - depth * (m - (e - l)) + rho (Eliahou 2018, Wilf's conjecture and Macaulay's theorem).
  [[nodiscard]] SLICEPOOL_INLINE Values values(std::uint32_t needs) const {
    const int conductor = frobenius + 1;
    Values values{};
    const auto set = [&](Statistic statistic, int value) { values.of[static_cast<int>(statistic)] = value; };
    set(Statistic::multiplicity, multiplicity);
    set(Statistic::frobenius, frobenius);
    set(Statistic::second, second);
    set(Statistic::genus, genus);
    if ((needs & kNeedsType) != 0) set(Statistic::type, type);
    const int depth = (needs & kNeedsDepth) != 0 ? (frobenius + multiplicity) / multiplicity : 0;
    set(Statistic::depth, depth);
    if ((needs & kNeedsGenerators) == 0) return values;
    const int below = conductor - genus;
    set(Statistic::embeddingDimension, generators);
    set(Statistic::children, right);
    set(Statistic::wilf, generators * below - conductor);
    set(Statistic::eliahou,
        (generators - right) * below - depth * (multiplicity - right) + depth * multiplicity - conductor);
    return values;
  }
};

/// A semigroup as the set of its elements, with all that are at most F + m. F <= 2g - 1 and m <= g + 1.
template <int kWords>
struct ElementSet {
  using Set = Bits<3 * kWords>;
  /// Sets of gaps: F < 128 kWords.
  using Gaps = Bits<2 * kWords>;

  Set elements;
  int multiplicity;
  int frobenius;

  SLICEPOOL_HD static ElementSet of(const Class& in, const Node<kWords, 2 * kWords>& node) {
    ElementSet set;
    set.multiplicity = in.multiplicity;
    set.frobenius = node.last + in.second;
    // {0, m, m + 1, ..}: m is no gap.
    if (set.frobenius == in.multiplicity) --set.frobenius;
    Set fromSecond{};
    for (int w = 0; w < kWords; ++w) fromSecond.words[w] = node.elements.words[w];
    set.elements = Set::full().without(Set::below(set.frobenius + 1)) | fromSecond.up(in.second);
    set.elements.add(0);
    set.elements.add(in.multiplicity);
    // The others below F are beyond that window.
    const int beyond = node.last - Bits<kWords>::kSize;
    if (beyond < 0) return set;
    for (auto left = node.mirror & Bits<2 * kWords>::below(beyond + 1); !left.empty(); left.removeLowest())
      set.elements.add(node.last + in.second - left.lowest());
    return set;
  }

  [[nodiscard]] SLICEPOOL_HD Gaps gaps() const {
    return Set::below(frobenius + 1).without(elements).template low<2 * kWords>();
  }

  /// Those at most F + m: all. Of two elements whose sum is at most F + m, one is below F. O(number of
  /// elements below F) shifts.
  [[nodiscard]] SLICEPOOL_HD Set generators() const {
    Set positive = elements & Set::below(frobenius + multiplicity + 1);
    positive.remove(0);
    Set sums = Set::below(0);
    for (Set left = positive & Set::below(frobenius + 1); !left.empty(); left.removeLowest())
      sums = sums | positive.up(left.lowest());
    return positive.without(sums);
  }

  /// The gaps x such that x + s is an element for every positive element s. O(number of elements below F)
  /// shifts.
  [[nodiscard]] SLICEPOOL_HD Set pseudoFrobenius() const {
    const Set window = Set::below(frobenius + 1);
    const Set allGaps = window.without(elements);
    Set found = allGaps;
    Set left = elements & window;
    left.remove(0);
    for (; !left.empty(); left.removeLowest()) found = found.without(allGaps.down(left.lowest()));
    return found;
  }

  /// What `needs` says.
  [[nodiscard]] SLICEPOOL_HD SemigroupNumbers numbers(int second, int genus, std::uint32_t needs) const {
    SemigroupNumbers numbers{multiplicity, second, genus, frobenius, 0, 0, 0};
    if ((needs & kNeedsType) != 0) numbers.type = pseudoFrobenius().population();
    if ((needs & kNeedsGenerators) == 0) return numbers;
    const Set found = generators();
    numbers.generators = found.population();
    numbers.right = found.without(Set::below(frobenius + 1)).population();
    return numbers;
  }
};

}  // namespace slicepool::numerical_semigroups
