// Rows of rational numbers, and what is made of them by elimination. Called by the files of this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

namespace slicepool::integer_points {

using BigInteger = boost::multiprecision::cpp_int;
using Rational = boost::multiprecision::cpp_rational;

/// The multiple of a row that has integers without a common divisor, by a positive factor.
[[nodiscard]] std::vector<BigInteger> primitive(const std::vector<Rational>& row);
/// Nothing where one is beyond 62 bits.
[[nodiscard]] std::optional<std::vector<std::int64_t>> small(const std::vector<BigInteger>& row);

/// An equation that follows from others. Its last column that is not zero is its pivot, where the other
/// reduced rows are zero.
struct ReducedRow {
  std::vector<BigInteger> coefficients;  ///< positive at the pivot
  BigInteger rightSide;
  std::size_t pivot = 0;
};

/// Reduced rows by pivot, from left to right; nothing where the equations contradict each other. `rows` have
/// their right sides as last entries.
[[nodiscard]] std::optional<std::vector<ReducedRow>> reducedRows(
    const std::vector<std::vector<std::int64_t>>& rows);

/// Which rows are independent of those before them, and for the others the combination of independent rows
/// that they are: row = sum of combination[i] * rows[i].
struct Independence {
  std::vector<bool> isIndependent;
  std::vector<std::vector<Rational>> combination;
};
[[nodiscard]] Independence independenceOf(const std::vector<std::vector<std::int64_t>>& rows);

}  // namespace slicepool::integer_points
