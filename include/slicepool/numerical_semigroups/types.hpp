// The vocabulary of the workload numerical_semigroups: bounds of the tree of numerical semigroups. Used by
// the step functions, the runtime and the kernels.
#pragma once

#include <cstdint>

namespace slicepool::numerical_semigroups {

/// Largest genus (number of gaps): two words for half of what lies below the largest Frobenius number.
inline constexpr int kMaximumGenus = 127;
/// Largest genus for windows of one word, whatever is asked (steps/node.hpp).
inline constexpr int kMaximumNarrowGenus = 63;
/// Largest genus at which the classes that windows of one word cannot count (isNarrow()) have so few
/// semigroups that one thread counts them in 2 seconds: 84,923,893 of genus 70, 726,657,672 of genus 71.
inline constexpr int kMaximumMixedGenus = 71;

/// Numbers that belong to a semigroup S.
enum class Statistic : std::uint8_t {
  multiplicity,        ///< m
  embeddingDimension,  ///< e: minimal generators
  type,                ///< t: pseudo-Frobenius numbers
  frobenius,           ///< F
  depth,               ///< the conductor F + 1 over m, rounded up
  second,              ///< u: the second smallest positive element
  children,            ///< generators above F: children in the tree
  genus,               ///< g
  wilf,                ///< e n - (F + 1), where n is the number of elements below F
  eliahou              ///< Eliahou 2018, W_0 (steps/statistics.hpp)
};
inline constexpr int kStatistics = 10;
/// The first of them can be counted by; the others are for conditions alone.
inline constexpr int kCountedStatistics = 8;

/// No statistic has a larger absolute value: |wilf| and |eliahou| are below (g + 1)^2.
inline constexpr std::int64_t kMaximumStatistic = std::int64_t{1} << 15;

/// sum_i coefficients[i] * (statistic i)  <relation>  bound, -1: <=, 0: =, 1: >=.
struct LinearCondition {
  std::int64_t coefficients[kStatistics];
  std::int64_t bound;
  std::int32_t relation;
  bool alternative;  ///< begins another group: one of the groups must hold, with all of its conditions
};

inline constexpr int kMaximumConditions = 8;

/// What is asked of a semigroup: groups of conditions, one of which must hold. Without any all do.
struct Conditions {
  int count;
  LinearCondition list[kMaximumConditions];
};

/// All semigroups with the same two smallest positive elements. They come from {0, m, u, u + 1, ..} by
/// removing generators above u: a part of the tree of all semigroups.
struct Class {
  int multiplicity;  ///< m, at least 2
  int second;        ///< u, m < u <= 2m
  friend bool operator==(const Class&, const Class&) = default;
};

/// Whether windows of one word are exact for counts of this class. Generators above F are at most F + m, and
/// the last semigroups whose children are looked at have genus `bound` - 2 and F <= 2 (bound - 2) - 1, which
/// must be at most m + 127 (steps/node.hpp).
[[nodiscard]] constexpr bool isNarrow(const Class& in, int bound) {
  return in.multiplicity <= 64 && 2 * bound - 5 <= in.multiplicity + 127;
}

}  // namespace slicepool::numerical_semigroups
