// See recession.hpp.
#include "runtime/integer_points/recession.hpp"

#include <cstddef>
#include <utility>

// GCC 12 takes memory inside Boost's rational numbers for uninitialized, where it inlines an assignment.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace slicepool::integer_points {
namespace {

/// Phase one of the simplex method for M y = 0, sum of y = 1, y >= 0: an artificial column for each row,
/// whose sum is made as small as possible.
class PhaseOne {
 public:
  explicit PhaseOne(const std::vector<std::vector<std::int64_t>>& matrix)
      : rows_(matrix.size() + 1), columns_(matrix.empty() ? 0 : matrix.front().size()) {
    for (std::size_t r = 0; r < rows_; ++r) {
      std::vector<Rational> row(columns_ + rows_ + 1);
      for (std::size_t c = 0; c < columns_; ++c) row[c] = r + 1 == rows_ ? std::int64_t{1} : matrix[r][c];
      row[columns_ + r] = 1;
      row.back() = r + 1 == rows_ ? 1 : 0;
      table_.push_back(std::move(row));
      basis_.push_back(columns_ + r);
    }
    // Costs, less what the basis costs: artificial columns cost 1.
    costs_.assign(columns_ + rows_ + 1, Rational(0));
    for (std::size_t c = 0; c < costs_.size(); ++c) {
      if (c >= columns_ && c < columns_ + rows_) continue;
      for (const auto& row : table_) costs_[c] -= row[c];
    }
  }

  [[nodiscard]] Recession solve() {
    while (step()) {}
    Recession result;
    if (costs_.back().is_zero()) {
      std::vector<Rational> values(columns_);
      for (std::size_t r = 0; r < rows_; ++r)
        if (basis_[r] < columns_) values[basis_[r]] = table_[r].back();
      result.direction = primitive(values);
      return result;
    }
    // The cost of artificial column r is 1 - p_r with the dual p, and p M_j + p_last <= 0 with p_last > 0.
    std::vector<Rational> weights;
    for (std::size_t r = 0; r + 1 < rows_; ++r) weights.push_back(costs_[columns_ + r] - 1);
    result.weights = primitive(weights);
    return result;
  }

 private:
  /// Bland's rule: the first column that helps, the first row that limits it.
  bool step() {
    std::size_t in = 0;
    while (in < columns_ && costs_[in] >= 0) ++in;
    if (in == columns_) return false;
    std::size_t out = rows_;
    Rational least;
    for (std::size_t r = 0; r < rows_; ++r) {
      if (table_[r][in] <= 0) continue;
      const Rational ratio = table_[r].back() / table_[r][in];
      if (out == rows_ || ratio < least || (ratio == least && basis_[r] < basis_[out])) {
        out = r;
        least = ratio;
      }
    }
    if (out == rows_) return false;  // the sum of y is bounded: does not happen
    const Rational pivot = table_[out][in];
    for (Rational& entry : table_[out]) entry /= pivot;
    for (std::size_t r = 0; r < rows_; ++r)
      if (r != out) eliminate(table_[r], in, table_[out]);
    eliminate(costs_, in, table_[out]);
    basis_[out] = in;
    return true;
  }

  static void eliminate(std::vector<Rational>& row, std::size_t column, const std::vector<Rational>& by) {
    const Rational factor = row[column];
    if (factor.is_zero()) return;
    for (std::size_t c = 0; c < row.size(); ++c)
      if (!by[c].is_zero()) row[c] -= factor * by[c];
  }

  std::size_t rows_;
  std::size_t columns_;
  std::vector<std::vector<Rational>> table_;
  std::vector<std::size_t> basis_;
  std::vector<Rational> costs_;
};

}  // namespace

Recession recessionOf(const std::vector<std::vector<std::int64_t>>& rows) { return PhaseOne(rows).solve(); }

}  // namespace slicepool::integer_points

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
