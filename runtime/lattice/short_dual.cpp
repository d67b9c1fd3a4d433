// See short_dual.hpp.
#include "runtime/lattice/short_dual.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "slicepool/lattice/steps/coefficient_bounds.hpp"

namespace slicepool::lattice {
namespace {

/// Beyond, sums of products with coefficients might not be exact.
constexpr double kGreatestEntry = 0x1p+30;

/// A sum of products, with some 106 bits until it is rounded (Ogita, Rump and Oishi 2005): its products may
/// be thousands of times as large as it is.
class ProductSum {
 public:
  explicit ProductSum(double start) : sum_(start) {}
  void add(double a, double b) {
    const double product = a * b;
    const double sum = sum_ + product;
    const double added = sum - sum_;
    rest_ += ((sum_ - (sum - added)) + (product - added)) + std::fma(a, b, -product);
    sum_ = sum;
  }
  [[nodiscard]] double rounded() const { return sum_ + rest_; }

 private:
  double sum_;
  double rest_ = 0;
};

double greatestOf(const SearchView& view) {
  const std::vector<double> bounds = pathBounds(view);
  return *std::max_element(bounds.begin(), bounds.end());
}

}  // namespace

ShortDual::ShortDual(const SearchView& given) : dimension_(static_cast<std::size_t>(given.dimension)) {
  const double before = greatestOf(given);
  if (!(before > kSmall)) return;
  reduce(inverseOfMu(given));
  if (!invert()) return;
  makeMu(given);
  SearchView changed = given;
  changed.rows = mu_.data();
  changed.stride = given.dimension;
  helps_ = greatestOf(changed) < before;
}

/// Columns of the inverse of mu are the d_i by their Gram-Schmidt coefficients. Finds the inverse of U.
void ShortDual::reduce(std::vector<double> dual) {
  const std::size_t d = dimension_;
  inverse_.assign(d * d, 0);
  for (std::size_t i = d; i-- > 0;) {
    inverse_[i * d + i] = 1;
    for (std::size_t k = i + 1; k < d; ++k) {
      const double times = std::nearbyint(dual[k * d + i]);
      if (times == 0) continue;
      for (std::size_t row = k; row < d; ++row) {
        dual[row * d + i] -= times * dual[row * d + k];
        inverse_[row * d + i] -= times * inverse_[row * d + k];
      }
    }
  }
}

/// U from its inverse. False: a number is too large.
bool ShortDual::invert() {
  const std::size_t d = dimension_;
  rows_.assign(d * d, 0);
  for (std::size_t i = 0; i < d; ++i) {
    rows_[i * d + i] = 1;
    for (std::size_t j = 0; j < i; ++j) {
      double sum = inverse_[i * d + j];
      for (std::size_t k = j + 1; k < i; ++k) sum += inverse_[i * d + k] * rows_[k * d + j];
      rows_[i * d + j] = -sum;
      // False for what is not a number.
      if (!(std::abs(sum) <= kGreatestEntry) || !(std::abs(inverse_[i * d + j]) <= kGreatestEntry))
        return false;
    }
  }
  return true;
}

void ShortDual::makeMu(const SearchView& given) {
  const std::size_t d = dimension_;
  const auto stride = static_cast<std::size_t>(given.stride);
  mu_.assign(d * d, 0);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      ProductSum sum(given.rows[i * stride + j]);
      sum.add(rows_[i * d + j], 1);
      for (std::size_t k = j + 1; k < i; ++k)
        if (rows_[i * d + k] != 0) sum.add(rows_[i * d + k], given.rows[k * stride + j]);
      mu_[i * d + j] = sum.rounded();
    }
  }
}

std::vector<std::int16_t> ShortDual::wrapped(const std::vector<double>& matrix, std::size_t stride) const {
  std::vector<std::int16_t> below(dimension_ * stride, 0);
  for (std::size_t i = 0; i < dimension_; ++i)
    for (std::size_t j = 0; j < i; ++j)
      below[i * stride + j] =
          static_cast<std::int16_t>(static_cast<std::int64_t>(matrix[i * dimension_ + j]));
  return below;
}

}  // namespace slicepool::lattice
