// See exact_rows.hpp.
#include "runtime/integer_points/exact_rows.hpp"

#include <algorithm>
#include <limits>
#include <utility>

// GCC 12 takes memory inside Boost's rational numbers for uninitialized, where it inlines an assignment.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace slicepool::integer_points {
namespace {

using RationalRow = std::vector<Rational>;

RationalRow rationalOf(const std::vector<std::int64_t>& row) { return RationalRow(row.begin(), row.end()); }

/// row -= factor * other
void subtract(RationalRow& row, const Rational& factor, const RationalRow& other) {
  if (factor.is_zero()) return;
  for (std::size_t i = 0; i < row.size(); ++i)
    if (!other[i].is_zero()) row[i] -= factor * other[i];
}

}  // namespace

std::vector<BigInteger> primitive(const std::vector<Rational>& row) {
  BigInteger denominator = 1;
  for (const Rational& entry : row)
    denominator =
        boost::multiprecision::lcm(denominator, BigInteger(boost::multiprecision::denominator(entry)));
  std::vector<BigInteger> integers;
  BigInteger common = 0;
  for (const Rational& entry : row) {
    integers.emplace_back(boost::multiprecision::numerator(Rational(entry * denominator)));
    common = boost::multiprecision::gcd(common, integers.back());
  }
  if (common > 1)
    for (BigInteger& entry : integers) entry /= common;
  return integers;
}

std::optional<std::vector<std::int64_t>> small(const std::vector<BigInteger>& row) {
  const BigInteger limit = BigInteger(1) << 62;
  std::vector<std::int64_t> integers;
  for (const BigInteger& entry : row) {
    if (entry > limit || entry < -limit) return std::nullopt;
    integers.push_back(static_cast<std::int64_t>(entry));
  }
  return integers;
}

std::optional<std::vector<ReducedRow>> reducedRows(const std::vector<std::vector<std::int64_t>>& rows) {
  std::vector<RationalRow> left;
  left.reserve(rows.size());
  for (const auto& row : rows) left.push_back(rationalOf(row));
  const std::size_t columns = rows.empty() ? 0 : rows.front().size() - 1;
  std::vector<std::pair<std::size_t, RationalRow>> done;
  for (std::size_t column = columns; column-- > 0;) {
    const auto found = std::find_if(left.begin(), left.end(),
                                    [&](const RationalRow& row) { return !row[column].is_zero(); });
    if (found == left.end()) continue;
    RationalRow pivot = std::move(*found);
    left.erase(found);
    const Rational scale = pivot[column];
    for (Rational& entry : pivot) entry /= scale;
    for (RationalRow& row : left) subtract(row, Rational(row[column]), pivot);
    for (auto& other : done) subtract(other.second, Rational(other.second[column]), pivot);
    done.emplace_back(column, std::move(pivot));
  }
  for (const RationalRow& row : left)
    if (!row.back().is_zero()) return std::nullopt;
  std::vector<ReducedRow> reduced;
  for (auto& [column, row] : done) {
    // Without the right side: that may be no integer, when there is no integer point.
    std::vector<BigInteger> integers = primitive(RationalRow(row.begin(), row.end() - 1));
    const Rational right = row.back() * integers[column];
    if (boost::multiprecision::denominator(right) != 1) return std::nullopt;
    reduced.push_back({std::move(integers), BigInteger(boost::multiprecision::numerator(right)), column});
  }
  std::sort(reduced.begin(), reduced.end(),
            [](const ReducedRow& a, const ReducedRow& b) { return a.pivot < b.pivot; });
  return reduced;
}

Independence independenceOf(const std::vector<std::vector<std::int64_t>>& rows) {
  Independence result;
  struct Kept {
    std::size_t pivot;
    RationalRow row;
    RationalRow combination;  ///< of the given rows
  };
  std::vector<Kept> kept;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    RationalRow row = rationalOf(rows[i]);
    RationalRow used(rows.size());
    for (const Kept& other : kept) {
      const Rational factor = row[other.pivot] / other.row[other.pivot];
      subtract(row, factor, other.row);
      for (std::size_t k = 0; k < used.size(); ++k) used[k] += factor * other.combination[k];
    }
    const auto pivot =
        std::find_if(row.begin(), row.end(), [](const Rational& entry) { return !entry.is_zero(); });
    result.isIndependent.push_back(pivot != row.end());
    if (pivot == row.end()) {
      result.combination.push_back(std::move(used));
      continue;
    }
    result.combination.emplace_back();
    RationalRow combination(rows.size());
    for (std::size_t k = 0; k < used.size(); ++k) combination[k] = -used[k];
    combination[i] += 1;
    const auto at = static_cast<std::size_t>(pivot - row.begin());
    kept.push_back({at, std::move(row), std::move(combination)});
  }
  return result;
}

}  // namespace slicepool::integer_points

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
