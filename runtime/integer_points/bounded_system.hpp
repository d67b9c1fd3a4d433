// A system of a user as the search takes it: rows with two right sides, finite bounds for every column.
// Called by problem_factory.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "slicepool/integer_points/types.hpp"

namespace slicepool::integer_points {

/// least <= sum of coefficients * x <= most; an equation has both alike.
struct Row {
  std::vector<std::int64_t> coefficients;
  std::optional<std::int64_t> least;
  std::optional<std::int64_t> most;

  [[nodiscard]] bool isEquation() const { return least && most && *least == *most; }
};

/// The rows and the bounds.
struct BoundedSystem {
  std::vector<Row> rows;  ///< both sides are there
  std::vector<std::int64_t> lower;
  std::vector<std::int64_t> upper;
  /// Why no point satisfies it, as far as bounds and divisors tell; empty: there may be points.
  std::string emptyBecause;

  [[nodiscard]] std::size_t columns() const { return lower.size(); }
};

/// No absolute value in a search is larger, nor a sum of them.
inline constexpr std::int64_t kMaximumMagnitude = std::int64_t{1} << 60;

/// Checks the numbers, finds the bounds that the rows imply and narrows those that are given. `further`: rows
/// beside those of the system, `field`: where they were given. Throws ConfigError for "matrix", "right_side",
/// "lower", "upper" and `field`: numbers of entries that do not go together, an infinite set, numbers that
/// would overflow.
[[nodiscard]] BoundedSystem boundedSystem(const LinearSystem& system, const std::vector<Row>& further,
                                          const std::string& field = "where");

/// Only the numbers of rows and columns.
void checkSizes(const LinearSystem& system);

}  // namespace slicepool::integer_points
