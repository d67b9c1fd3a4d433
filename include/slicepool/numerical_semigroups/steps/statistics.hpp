// The tree of numerical semigroups with the numbers of each of them (types.hpp): counted by one or two of
// them, or selected by conditions on them. Every semigroup up to the bound is visited, the last levels too.
// The numbers are computed from the set of elements and not from the parent: slower, and independent of the
// steps of the search.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/detail/joined_conditions.hpp"
#include "slicepool/numerical_semigroups/steps/search.hpp"
#include "slicepool/numerical_semigroups/types.hpp"

namespace slicepool::numerical_semigroups {

/// What a statistic is computed from, beside multiplicity, second element, genus and Frobenius number.
enum StatisticsNeed : std::uint32_t { kNeedsGenerators = 1, kNeedsType = 2 };

SLICEPOOL_INLINE std::uint32_t needsOf(Statistic statistic) {
  switch (statistic) {
    case Statistic::embeddingDimension:
    case Statistic::children:
    case Statistic::wilf:
    case Statistic::eliahou: return kNeedsGenerators;
    case Statistic::type: return kNeedsType;
    default: return 0;
  }
}

/// Values of the statistics, by their number; those that were not needed are zero.
struct Values {
  std::int32_t of[kStatistics];

  [[nodiscard]] SLICEPOOL_INLINE std::int32_t operator[](Statistic statistic) const {
    return of[static_cast<int>(statistic)];
  }
};

/// The sums cannot overflow: parseConditions() bounds the coefficients.
SLICEPOOL_INLINE bool holds(const Conditions& conditions, const Values& values) {
  return holdsJoined(
      conditions.list, conditions.count,
      [&](const LinearCondition& condition) {
        std::int64_t sum = 0;
        for (int i = 0; i < kStatistics; ++i) sum += condition.coefficients[i] * values.of[i];
        return sum;
      });
}

/// Parameters of a search for semigroups with certain numbers.
struct StatisticsView : SearchView {
  std::uint32_t needs;   ///< StatisticsNeed
  std::int32_t largest;  ///< Frobenius numbers are at most this; 0: any
  bool exactly;          ///< only those whose genus, or Frobenius number, is the bound
  bool trimmed;          ///< no children where Wilf's inequality is known for all descendants
  bool negated;          ///< those that fail `asked`
  Conditions where;      ///< only these
  Conditions asked;      ///< and of them those that satisfy, or fail, these
};

/// A semigroup as the set of its elements, with all that are at most F + m. F <= 2g - 1 and m <= g + 1.
template <int kWords>
struct ElementSet {
  using Set = Bits<3 * kWords>;
  /// Sets of gaps: F < 128 kWords.
  using Gaps = Bits<2 * kWords>;

  struct Generators {
    int all;   ///< embedding dimension
    int left;  ///< below F
  };

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

  /// Generators are at most F + m. Of two elements whose sum is at most F + m, one is below F. O(number of
  /// elements below F) shifts.
  [[nodiscard]] SLICEPOOL_HD Generators generators() const {
    Set positive = elements & Set::below(frobenius + multiplicity + 1);
    positive.remove(0);
    const Set below = Set::below(frobenius + 1);
    Set sums = Set::below(0);
    for (Set left = positive & below; !left.empty(); left.removeLowest())
      sums = sums | positive.up(left.lowest());
    const Set found = positive.without(sums);
    return {found.population(), (found & below).population()};
  }

  /// The number of gaps x such that x + s is an element for every positive element s (pseudo-Frobenius
  /// numbers). O(number of elements below F) shifts.
  [[nodiscard]] SLICEPOOL_HD int type() const {
    const Set window = Set::below(frobenius + 1);
    const Set allGaps = window.without(elements);
    Set found = allGaps;
    Set left = elements & window;
    left.remove(0);
    for (; !left.empty(); left.removeLowest()) found = found.without(allGaps.down(left.lowest()));
    return found.population();
  }

  /// What `needs` says, and all that follows from it. With c = F + 1 = depth * m - rho, n elements below c,
  /// and generators e of which l are below c, Wilf's number is e n - c, and that of Eliahou is
  /// l n - depth * (m - (e - l)) + rho (Eliahou 2018, Wilf's conjecture and Macaulay's theorem).
  [[nodiscard]] SLICEPOOL_HD Values values(int second, int genus, std::uint32_t needs) const {
    const int conductor = frobenius + 1;
    const int depth = (frobenius + multiplicity) / multiplicity;
    Values values{};
    const auto set = [&](Statistic statistic, int value) { values.of[static_cast<int>(statistic)] = value; };
    set(Statistic::multiplicity, multiplicity);
    set(Statistic::frobenius, frobenius);
    set(Statistic::depth, depth);
    set(Statistic::second, second);
    set(Statistic::genus, genus);
    if ((needs & kNeedsType) != 0) set(Statistic::type, type());
    if ((needs & kNeedsGenerators) == 0) return values;
    const Generators number = generators();
    const int right = number.all - number.left;
    const int below = conductor - genus;
    set(Statistic::embeddingDimension, number.all);
    set(Statistic::children, right);
    set(Statistic::wilf, number.all * below - conductor);
    set(Statistic::eliahou,
        number.left * below - depth * (multiplicity - right) + depth * multiplicity - conductor);
    return values;
  }
};

/// What a sink is given: a semigroup that was selected.
template <int kWords>
struct SelectedSemigroup {
  const ElementSet<kWords>& set;
  const Values& values;
};

/// The workload: slices and splits of Search. A step visits one semigroup.
template <int kWords>
struct Statistics : Search<kWords> {
  using View = StatisticsView;
  using Base = Search<kWords>;
  using Slice = typename Base::Slice;
  using Lane = void;  // of Search: a lane counts

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
      const bool isLast = levels == 0;
      if (view.exactly && !isLast && !view.trimmed && view.largest == 0) return generators;
      const auto set = ElementSet<kWords>::of(in, node);
      const Values values = set.values(in.second, view.genus - levels, view.needs);
      const bool atBound = view.largest == 0 ? isLast : set.frobenius == view.largest;
      if ((atBound || !view.exactly) && holds(view.where, values) &&
          (view.asked.count == 0 || holds(view.asked, values) != view.negated))
        wasRefused = !emit(SelectedSemigroup<kWords>{set, values});
      if (isLast || (view.trimmed && descendantsKnown(values))) return Bits<kWords>{};
      if (view.largest == 0) return generators;
      // The removal of number j makes the Frobenius number node.last + u + 1 + j.
      const int most = view.largest - node.last - in.second;
      return generators & Bits<kWords>::below(most > 0 ? most : 0);
    }
  };

  /// Generators below F stay generators in all descendants, and m stays. Wilf's inequality holds where there
  /// are m / 3 generators or more (Eliahou 2020, A graph-theoretic approach to Wilf's conjecture).
  SLICEPOOL_INLINE static bool descendantsKnown(const Values& values) {
    const int left = values[Statistic::embeddingDimension] - values[Statistic::children];
    return 3 * left >= values[Statistic::multiplicity];
  }
};

}  // namespace slicepool::numerical_semigroups
