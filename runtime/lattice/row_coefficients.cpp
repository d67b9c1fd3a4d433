// See row_coefficients.hpp.
#include "runtime/lattice/row_coefficients.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/lattice/mersenne_field.hpp"

namespace slicepool::lattice {
namespace {

constexpr double kGreatestSum = 0x1p+120;

using mersenne::eliminate;
using mersenne::folded;
using mersenne::inverted;
using mersenne::kPrime;
using mersenne::residueOf;
using mersenne::times;

}  // namespace

RowCoefficients::RowCoefficients(const IntegerBasis& basis)
    : columns_(static_cast<std::size_t>(basis.columns)) {
  const auto d = static_cast<std::size_t>(basis.dimension);
  const Integer limit = Integer(1) << 62;
  for (const Integer& entry : basis.entries) {
    if (entry >= limit || entry <= -limit) return;
    entries_.push_back(static_cast<std::int64_t>(entry));
  }
  // Gauss and Jordan: the rows, and beside them what makes them of those of the basis.
  std::vector<std::vector<std::uint64_t>> rows;
  for (std::size_t i = 0; i < d; ++i) {
    std::vector<std::uint64_t> row(columns_ + d, 0);
    for (std::size_t j = 0; j < columns_; ++j) row[j] = residueOf(entries_[i * columns_ + j]);
    row[columns_ + i] = 1;
    for (std::size_t k = 0; k < i; ++k) eliminate(row, row[pivots_[k]], rows[k]);
    const auto end = row.begin() + static_cast<std::ptrdiff_t>(columns_);
    const auto pivot = std::find_if(row.begin(), end, [](std::uint64_t value) { return value != 0; });
    if (pivot == end) return;
    const std::uint64_t scale = inverted(*pivot);
    const auto position = static_cast<std::size_t>(pivot - row.begin());
    for (auto& value : row) value = times(value, scale);
    for (auto& before : rows) eliminate(before, before[position], row);
    pivots_.push_back(position);
    rows.push_back(std::move(row));
  }
  for (const auto& row : rows)
    inverse_.insert(inverse_.end(), row.begin() + static_cast<std::ptrdiff_t>(columns_), row.end());
}

std::vector<std::int64_t> RowCoefficients::of(const std::vector<std::int64_t>& vector) const {
  const std::size_t d = pivots_.size();
  if (d == 0 || inverse_.size() != d * d || vector.size() != columns_) return {};
  std::vector<std::int64_t> coefficients(d);
  std::vector<std::uint64_t> residues(d);
  for (std::size_t k = 0; k < d; ++k) residues[k] = residueOf(vector[pivots_[k]]);
  for (std::size_t i = 0; i < d; ++i) {
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < d; ++k)
      sum = folded(sum + static_cast<unsigned __int128>(residues[k]) * inverse_[k * d + i]);
    coefficients[i] =
        sum <= kPrime / 2 ? static_cast<std::int64_t>(sum) : -static_cast<std::int64_t>(kPrime - sum);
  }
  if (!give(coefficients, vector)) return {};
  return coefficients;
}

bool RowCoefficients::give(const std::vector<std::int64_t>& coefficients,
                           const std::vector<std::int64_t>& vector) const {
  for (std::size_t j = 0; j < columns_; ++j) {
    __int128 sum = 0;
    double size = 0;
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
      const std::int64_t entry = entries_[i * columns_ + j];
      sum += static_cast<__int128>(coefficients[i]) * entry;
      size += std::abs(static_cast<double>(coefficients[i]) * static_cast<double>(entry));
    }
    if (!(size < kGreatestSum) || sum != vector[j]) return false;
  }
  return true;
}

}  // namespace slicepool::lattice
