// A system of linear equations in bounded integers, as users give it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slicepool::integer_points {

/// All integer x with A x = b, lower <= x <= upper.
struct LinearSystem {
  std::vector<std::vector<std::int64_t>> matrix;  ///< the rows of A, 1 to 32 of them, of 1 to 64 columns each
  std::vector<std::int64_t> rightSide;            ///< b, a number for each row
  std::vector<std::int64_t> lower = {};           ///< a number for each column; empty: all are 0
  /// A number, or none, for each column; empty: there are none. The set must be finite all the same.
  std::vector<std::optional<std::int64_t>> upper = {};
  /// Inequalities: linear conditions such as "x1 - 2*x3 >= 5 and x2 <= 7" on x1, x2, .. and sum, joined by
  /// "and" and "or"; empty: none.
  std::string where = {};
};

using Point = std::vector<std::int64_t>;

}  // namespace slicepool::integer_points
