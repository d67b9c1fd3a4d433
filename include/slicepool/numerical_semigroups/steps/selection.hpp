// What is asked of a visited semigroup when all are visited: whether it is selected, and which children it
// has. Used by the plain step (statistics.hpp) and by the lane (statistics_lane.hpp).
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/detail/joined_conditions.hpp"
#include "slicepool/numerical_semigroups/steps/element_set.hpp"
#include "slicepool/numerical_semigroups/steps/search_slice.hpp"
#include "slicepool/numerical_semigroups/types.hpp"

namespace slicepool::numerical_semigroups {

/// The sums cannot overflow: parseConditions() bounds the coefficients.
SLICEPOOL_INLINE bool holds(const Conditions& conditions, const Values& values) {
  return holdsJoined(
      conditions.list, conditions.count,
      [&](const LinearCondition& condition) {
        std::int64_t sum = 0;
        // Most are zero; all threads look at the same ones.
        SLICEPOOL_UNROLL
        for (int i = 0; i < kStatistics; ++i)
          if (condition.coefficients[i] != 0) sum += condition.coefficients[i] * values.of[i];
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

/// What a sink is given: a semigroup that was selected. `gaps()` makes the set of its gaps.
template <class GapsOf>
struct SelectedSemigroup {
  const Values& values;
  const GapsOf& gaps;
};

/// Whether a semigroup above the bound is only passed, without a look at its numbers.
SLICEPOOL_INLINE bool isPassed(const StatisticsView& view, int levels) {
  return view.exactly && levels != 0 && !view.trimmed && view.largest == 0;
}

/// Generators below F stay generators in all descendants, and m stays. Wilf's inequality holds where there
/// are m / 3 generators or more (Eliahou 2020, A graph-theoretic approach to Wilf's conjecture).
SLICEPOOL_INLINE bool descendantsKnown(const Values& values) {
  const int left = values[Statistic::embeddingDimension] - values[Statistic::children];
  return 3 * left >= values[Statistic::multiplicity];
}

/// Generators of a semigroup, `levels` above the bound, that may be removed: by `most`, F + 1 + j with
/// j < most.
template <int kWords>
SLICEPOOL_INLINE Bits<kWords> removable(const StatisticsView& view, const Values& values, int levels,
                                        int last, const Class& in, const Bits<kWords>& generators) {
  if (levels == 0 || (view.trimmed && descendantsKnown(values))) return Bits<kWords>::below(0);
  if (view.largest == 0) return generators;
  // The removal of number j makes the Frobenius number last + u + 1 + j.
  const int most = view.largest - last - in.second;
  return generators & Bits<kWords>::below(most > 0 ? most : 0);
}

/// Emits a semigroup if it is selected; false: the sink is full.
template <class Emit, class GapsOf>
SLICEPOOL_INLINE bool emitSelected(const StatisticsView& view, const Values& values, int levels, Emit& emit,
                                   const GapsOf& gapsOf) {
  const bool atBound = view.largest == 0 ? levels == 0 : values[Statistic::frobenius] == view.largest;
  if ((!atBound && view.exactly) || !holds(view.where, values)) return true;
  if (view.asked.count != 0 && holds(view.asked, values) == view.negated) return true;
  return emit(SelectedSemigroup<GapsOf>{values, gapsOf});
}

}  // namespace slicepool::numerical_semigroups
