// See dual_block.hpp.
#include "plugins/fplll/dual_block.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace slicepool::fplll_plugin {
namespace {

constexpr double kSlack = 1e-9;             ///< relative; the known vector is within
constexpr double kLeastShareOfKnown = 0.3;  ///< BKZ asks for 0.99 of the known squared norm, or a heuristic

}  // namespace

DualBlock::DualBlock(const lattice::ProblemSpec& block) : spec_(block) {
  const auto d = static_cast<std::size_t>(block.dimension);
  products_.resize(d);
  rows_.assign(d * d, 0);
  for (std::size_t i = 0; i < d; ++i) {
    spec_.norms[i] = 1 / block.norms[d - 1 - i];
    rows_[i * d + i] = 1;
  }
  // B = M B* has the dual M^-T B* / |b*|^2. M^-T is a triangle of ones and numbers above them, and below them
  // where rows and columns are taken from the last to the first. Long doubles: numbers of an inverse may be
  // large.
  std::vector<long double> inverse(d * d);
  for (std::size_t j = 0; j < d; ++j) {
    inverse[j * d + j] = 1;
    for (std::size_t i = j + 1; i < d; ++i) {
      long double sum = 0;
      for (std::size_t k = j; k < i; ++k) sum += block.mu[i * d + k] * inverse[k * d + j];
      inverse[i * d + j] = -sum;
    }
  }
  std::vector<long double> mu(d * d);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < i; ++j) mu[i * d + j] = inverse[(d - 1 - j) * d + d - 1 - i];
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = i; j-- > 0;) {
      const long double times = std::round(mu[i * d + j]);
      if (times == 0) continue;
      for (std::size_t k = 0; k < j; ++k) mu[i * d + k] -= times * mu[j * d + k];
      mu[i * d + j] -= times;
      for (std::size_t k = 0; k <= j; ++k) rows_[i * d + k] -= static_cast<double>(times) * rows_[j * d + k];
    }
  }
  spec_.squaredRadius = std::min(block.squaredRadius, spec_.norms[0] * (1 + kSlack));
  std::transform(mu.begin(), mu.end(), spec_.mu.begin(),
                 [](long double x) { return static_cast<double>(x); });
}

bool DualBlock::isPlausible() const { return spec_.squaredRadius >= kLeastShareOfKnown * spec_.norms[0]; }

double DualBlock::process(double squaredNorm, double* coefficients,
                          const std::function<double(double, double*)>& given) {
  toProducts(coefficients);
  const double radius = given(squaredNorm, coefficients);
  if (radius <= spec_.squaredRadius) return radius;
  wantsMore_ = true;
  return 0;
}

void DualBlock::toProducts(double* coefficients) {
  const std::size_t d = products_.size();
  std::fill(products_.begin(), products_.end(), 0);
  for (std::size_t i = 0; i < d; ++i) {
    if (coefficients[i] == 0) continue;
    for (std::size_t k = 0; k <= i; ++k) products_[k] += coefficients[i] * rows_[i * d + k];
  }
  std::reverse_copy(products_.begin(), products_.end(), coefficients);
}

}  // namespace slicepool::fplll_plugin
