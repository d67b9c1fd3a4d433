// What the search for integer points knows of its system, level by level: read-only tables, made by
// runtime/integer_points/search_plan.cpp and copied to devices.
//
// The columns of the system are taken in a chosen order, one at each level. A row has a residual: its right
// side less what the columns taken so far contribute. A row with two right sides, least and most, has the
// residual of the largest one, and the columns left may leave some of it over.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slicepool/core/platform.hpp"

namespace slicepool::integer_points {

inline constexpr int kMaximumColumns = 64;
/// Of a request; the search adds as many that follow from them.
inline constexpr int kMaximumGivenRows = 32;
inline constexpr int kMaximumRows = 2 * kMaximumGivenRows;
inline constexpr int kMaximumConditions = 16;

/// A bound of the column of a level that a row sets: least <= sign * residual - size * x <= most.
template <class Int>
struct Term {
  Int size;   ///< of the coefficient, at least 1
  Int least;  ///< what later columns contribute, times the sign
  Int most;
  Int change;  ///< at the leaf: of sign * residual, from one value of the column above to the next
  std::int16_t row;
  std::int16_t sign;  ///< of the coefficient
};

/// Later columns contribute multiples of some number alone, so that the column of a level has a residue:
/// x = residual / divisor * inverse (mod modulus). It is combined with the residues before it, whose common
/// modulus is `before`.
template <class Int>
struct Congruence {
  Int divisor;
  Int inverse;
  Int modulus;
  Int before;
  Int common;         ///< gcd of `before` and `modulus`
  Int beforeInverse;  ///< of before / common, modulo modulus / common
  std::int32_t row;
  std::int32_t padding;
};

/// What a column contributes to a row.
template <class Int>
struct Entry {
  Int coefficient;
  std::int32_t row;
};

template <class Int>
struct Level {
  Int lower;
  Int upper;
  Int step;  ///< values of the column, after those before it, are so far apart
  std::int16_t firstTerm, terms;
  std::int16_t firstCongruence, congruences;
  std::int16_t firstEntry, entries;
};

/// A column below the leaf: it follows from those above it, divisor * x = residual - coefficient * (column of
/// the leaf).
template <class Int>
struct Tail {
  Int divisor;
  Int coefficient;
  std::int32_t row;
  std::int32_t padding;
};

/// A digit of the place in the table of completions: (residual - offset) * stride.
struct Digit {
  std::int64_t offset;
  std::int64_t stride;
  std::int32_t row;
  std::int32_t padding;
};

/// sum of coefficients[column] * x  <relation>  bound, columns in the order of levels.
struct PointCondition {
  std::int64_t coefficients[kMaximumColumns];
  std::int64_t bound;
  std::int32_t relation;     ///< -1: <=, 0: =, 1: >=
  std::int32_t alternative;  ///< 1: "or" stands before it
};

template <class Int>
struct SearchPlan {
  const Level<Int>* levels;
  const Term<Int>* terms;
  const Congruence<Int>* congruences;
  const Entry<Int>* entries;
  const Int* rightSides;  ///< of rows
  const Tail<Int>* tails;
  /// How many points there are below the leaf, by the residuals there; null: a line is its points.
  const std::uint64_t* completions;
  const Digit* digits;
  const PointCondition* conditions;  ///< of each point; joined by "and" and "or"
  std::int64_t stride;               ///< in completions, of the leaf's column
  /// Points of a line that are emitted at a time, 1 with conditions; at most kMaximumPiece where lines may be
  /// longer.
  std::uint64_t piece;
  std::int32_t columns;
  std::int32_t rows;
  /// The level whose values are not visited one by one: all of them together are a line.
  std::int32_t leaf;
  std::int32_t digitCount;
  std::int32_t conditionCount;
  /// Bounds of the leaf's column, where they alone say how many points a line has: no sizes, no residues; 0:
  /// something else says it, or there are too many.
  std::int32_t plainTerms;
  /// With these: lines whose points are counted together in 64 bits, however long they are.
  std::uint64_t linesAtOnce;
};

/// Points with the same columns above the leaf. The column of the leaf has values first, first + step, ..;
/// the columns below follow from it, or are counted by the table of completions.
template <class Int>
struct Line {
  const SearchPlan<Int>& plan;
  const Int* residuals;  ///< at the leaf
  Int first;
  std::uint64_t count;
  int changed;  ///< levels above this one have the values of the line before in the same turn
};

/// Rounded down; `divisor` is positive.
template <class Int>
SLICEPOOL_INLINE Int floorDivide(Int value, Int divisor) {
  const Int quotient = value / divisor;
  return quotient * divisor > value ? quotient - 1 : quotient;
}

/// From 0 to modulus - 1.
template <class Int>
SLICEPOOL_INLINE Int residueOf(Int value, Int modulus) {
  const Int rest = value % modulus;
  return rest < 0 ? rest + modulus : rest;
}

/// Values of a column: first, first + step, .. last; none if last < first.
template <class Int>
struct Values {
  Int first;
  Int last;
};

/// The values at a level that its rows allow.
template <class Int>
SLICEPOOL_INLINE Values<Int> valuesAt(const SearchPlan<Int>& plan, int depth, const Int* residuals) {
  const Level<Int>& level = plan.levels[depth];
  Int first = level.lower;
  Int last = level.upper;
  const Term<Int>* const terms = plan.terms + level.firstTerm;
  SLICEPOOL_NO_UNROLL
  for (int i = 0; i < level.terms; ++i) {
    const Term<Int>& term = terms[i];
    const Int residual = term.sign * residuals[term.row];
    Int most = residual - term.least;
    Int least = residual - term.most;
    if (term.size != 1) {
      most = floorDivide(most, term.size);
      least = -floorDivide(static_cast<Int>(-least), term.size);
    }
    first = least > first ? least : first;
    last = most < last ? most : last;
  }
  if (level.congruences == 0 || last < first) return {first, last};
  Int residue = 0;
  SLICEPOOL_NO_UNROLL
  for (int i = 0; i < level.congruences; ++i) {
    const Congruence<Int>& next = plan.congruences[level.firstCongruence + i];
    const Int wanted = residueOf(static_cast<Int>(residuals[next.row] / next.divisor), next.modulus) *
                       next.inverse % next.modulus;
    if (next.before == 1) {
      residue = wanted;
      continue;
    }
    const Int difference = wanted - residue;
    if (difference % next.common != 0) return {1, 0};
    const Int rest = next.modulus / next.common;
    residue += next.before *
               (residueOf(static_cast<Int>(difference / next.common), rest) * next.beforeInverse % rest);
  }
  first += residueOf(static_cast<Int>(residue - first), level.step);
  if (last >= first) last -= (last - first) % level.step;
  return {first, last};
}

inline constexpr int kMaximumPlainTerms = 4;

/// The points on the lines of the next `count` values of the column above the leaf, by kTerms terms. `count`
/// is at most plan.linesAtOnce.
template <int kTerms, class Int>
SLICEPOOL_INLINE std::uint64_t pointsOnLines(const SearchPlan<Int>& plan, const Int* residuals,
                                             std::uint64_t count) {
  const Level<Int>& level = plan.levels[plan.leaf];
  const Term<Int>* const terms = plan.terms + level.firstTerm;
  Int most[kTerms];
  Int least[kTerms];
  Int change[kTerms];
  SLICEPOOL_UNROLL
  for (int i = 0; i < kTerms; ++i) {
    const Int residual = terms[i].sign * residuals[terms[i].row];
    most[i] = residual - terms[i].least;
    least[i] = residual - terms[i].most;
    change[i] = terms[i].change;
  }
  std::uint64_t points = 0;
  SLICEPOOL_NO_UNROLL
  for (; count != 0; --count) {
    Int last = level.upper;
    Int first = level.lower;
    SLICEPOOL_UNROLL
    for (int i = 0; i < kTerms; ++i) {
      last = most[i] < last ? most[i] : last;
      first = least[i] > first ? least[i] : first;
      most[i] += change[i];
      least[i] += change[i];
    }
    const Int number = last - first + 1;
    points += static_cast<std::uint64_t>(number > 0 ? number : 0);
  }
  return points;
}

template <class Int>
SLICEPOOL_INLINE std::uint64_t pointsOnLines(const SearchPlan<Int>& plan, const Int* residuals,
                                             std::uint64_t count) {
  switch (plan.plainTerms) {
    case 1: return pointsOnLines<1>(plan, residuals, count);
    case 2: return pointsOnLines<2>(plan, residuals, count);
    case 3: return pointsOnLines<3>(plan, residuals, count);
    default: return pointsOnLines<kMaximumPlainTerms>(plan, residuals, count);
  }
}

/// The columns below the leaf, for a value of its column.
template <class Int>
SLICEPOOL_INLINE Int tailValue(const SearchPlan<Int>& plan, int column, const Int* residuals, Int atLeaf) {
  const Tail<Int>& tail = plan.tails[column - plan.leaf - 1];
  const Int rest = residuals[tail.row] - tail.coefficient * atLeaf;
  return tail.divisor == 1 ? rest : rest / tail.divisor;
}

/// From one point of a line to the next.
template <class Int>
SLICEPOOL_INLINE Int increment(const SearchPlan<Int>& plan, int column) {
  const Int step = plan.levels[plan.leaf].step;
  if (column < plan.leaf) return 0;
  if (column == plan.leaf) return step;
  const Tail<Int>& tail = plan.tails[column - plan.leaf - 1];
  return -tail.coefficient * step / tail.divisor;
}

}  // namespace slicepool::integer_points
