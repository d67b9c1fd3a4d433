// The vocabulary of the workload numerical_semigroups: bounds of the tree of numerical semigroups. Used by
// the step functions, the runtime and the kernels.
#pragma once

#include <cstdint>

namespace slicepool::numerical_semigroups {

/// Largest genus (number of gaps): two words for half of what lies below the largest Frobenius number.
inline constexpr int kMaximumGenus = 127;
/// Largest genus for windows of one word (steps/node.hpp).
inline constexpr int kMaximumNarrowGenus = 63;

/// Numbers that belong to a semigroup, by which it can be counted.
enum class Statistic : std::uint8_t { multiplicity, embeddingDimension, type, frobenius, depth };

/// All semigroups with the same two smallest positive elements. They come from {0, m, u, u + 1, ..} by
/// removing generators above u: a part of the tree of all semigroups.
struct Class {
  int multiplicity;  ///< m, at least 2
  int second;        ///< u, m < u <= 2m
  friend bool operator==(const Class&, const Class&) = default;
};

}  // namespace slicepool::numerical_semigroups
