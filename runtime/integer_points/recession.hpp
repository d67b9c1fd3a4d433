// Whether a system with columns that have no upper bound has infinitely many points: Gordan's alternative, by
// the simplex method in rational numbers. Called by bounded_system.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/integer_points/exact_rows.hpp"

namespace slicepool::integer_points {

/// One of the two is there.
struct Recession {
  /// y >= 0 with M y = 0, not zero: one number for each column, without a common divisor.
  std::vector<BigInteger> direction;
  /// w with w M > 0: one number for each row, without a common divisor.
  std::vector<BigInteger> weights;
};

/// `rows`: those of M. Exact; exponential in the worst case, as Bland's rule is.
[[nodiscard]] Recession recessionOf(const std::vector<std::vector<std::int64_t>>& rows);

}  // namespace slicepool::integer_points
