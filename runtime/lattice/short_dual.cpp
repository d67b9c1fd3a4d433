// See short_dual.hpp.
#include "runtime/lattice/short_dual.hpp"

#include <cmath>
#include <cstddef>

namespace slicepool::lattice {
namespace {

/// Beyond, sums of products with coefficients might not be exact.
constexpr double kGreatestEntry = 0x1p+30;

}  // namespace

ShortDual::ShortDual(int dimension, const std::vector<double>& mu)
    : dimension_(static_cast<std::size_t>(dimension)) {
  const std::size_t d = dimension_;
  // Column i is the dual vector d_i, by its Gram-Schmidt coefficients: the inverse of mu.
  std::vector<double> dual(d * d, 0);
  std::vector<double> inverse(d * d, 0);  // of U
  for (std::size_t i = 0; i < d; ++i) {
    dual[i * d + i] = inverse[i * d + i] = 1;
    for (std::size_t k = i + 1; k < d; ++k) {
      double sum = 0;
      for (std::size_t j = i; j < k; ++j) sum -= mu[k * d + j] * dual[j * d + i];
      dual[k * d + i] = sum;
    }
  }
  for (std::size_t i = d; i-- > 0;) {
    for (std::size_t k = i + 1; k < d; ++k) {
      const double times = std::nearbyint(dual[k * d + i]);
      if (times == 0) continue;
      for (std::size_t row = k; row < d; ++row) {
        dual[row * d + i] -= times * dual[row * d + k];
        inverse[row * d + i] -= times * inverse[row * d + k];
      }
    }
  }
  found_ = invert(inverse);
  if (!found_) return;
  mu_.assign(d * d, 0);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double sum = mu[i * d + j] + rows_[i * d + j];
      for (std::size_t k = j + 1; k < i; ++k) sum += rows_[i * d + k] * mu[k * d + j];
      mu_[i * d + j] = sum;
    }
  }
}

/// False: a number is too large.
bool ShortDual::invert(const std::vector<double>& inverse) {
  const std::size_t d = dimension_;
  rows_.assign(d * d, 0);
  for (std::size_t i = 0; i < d; ++i) {
    rows_[i * d + i] = 1;
    for (std::size_t j = 0; j < i; ++j) {
      double sum = inverse[i * d + j];
      for (std::size_t k = j + 1; k < i; ++k) sum += inverse[i * d + k] * rows_[k * d + j];
      rows_[i * d + j] = -sum;
      // False for what is not a number.
      if (!(std::abs(sum) <= kGreatestEntry) || !(std::abs(inverse[i * d + j]) <= kGreatestEntry))
        return false;
    }
  }
  return true;
}

void ShortDual::toGiven(std::span<std::int16_t> coefficients) const {
  // x_i needs x' of the rows behind i alone.
  for (std::size_t i = 0; i < dimension_; ++i) {
    double sum = coefficients[i];
    for (std::size_t k = i + 1; k < dimension_; ++k) sum += coefficients[k] * rows_[k * dimension_ + i];
    coefficients[i] = static_cast<std::int16_t>(sum);
  }
}

}  // namespace slicepool::lattice
