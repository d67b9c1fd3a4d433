// See target_difference.hpp.
#include "runtime/lattice/target_difference.hpp"

#include <cmath>

namespace slicepool::lattice {
namespace {

constexpr double kGreatestNumber = 0x1p+60;
constexpr double kGreatestNorm = 0x1p+120;

WideNorm extended(std::int64_t value) { return static_cast<WideNorm>(static_cast<__int128>(value)); }

Integer bigOf(WideNorm value) {
  Integer result(static_cast<std::uint64_t>(value >> 64));
  result <<= 64;
  result += static_cast<std::uint64_t>(value);
  return result;
}

}  // namespace

bool TargetDifference::start(const MachineLattice& lattice, const Target& target, Numbers numbers) {
  lattice_ = &lattice;
  target_ = &target;
  numbers_ = numbers;
  denominator_ = target.denominator.convert_to<double>();
  if (!std::isfinite(denominator_)) return false;
  taken_.assign(target.numerators.size(), 0);
  if (!isNarrow()) {
    wideTaken_.assign(target.numerators.size(), 0);
    wide_ = target.numerators;
    return true;
  }
  if (!(denominator_ < kGreatestNumber)) return false;
  narrowDenominator_ = static_cast<std::int64_t>(target.denominator);
  numerators_.clear();
  const Integer limit = Integer(1) << 60;
  for (const Integer& numerator : target.numerators) {
    if (numerator >= limit || numerator <= -limit) return false;
    numerators_.push_back(static_cast<std::int64_t>(numerator));
  }
  narrow_ = numerators_;
  return true;
}

bool TargetDifference::takeAway(const std::vector<double>& x) {
  const auto n = static_cast<std::size_t>(lattice_->columns);
  if (!isNarrow()) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] == 0) continue;
      const Integer factor(x[i]);
      for (std::size_t j = 0; j < n; ++j) wideTaken_[j] += factor * lattice_->rows[i * n + j];
    }
    for (std::size_t j = 0; j < n; ++j)
      wide_[j] = target_->numerators[j] - target_->denominator * wideTaken_[j];
    return true;
  }
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) most += std::abs(x[i]) * lattice_->rowMaxima[i];
  if (!(most * denominator_ < kGreatestNumber / 4)) return false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] == 0) continue;
    const auto factor = static_cast<std::int64_t>(x[i]);
    const std::int64_t* const row = lattice_->rows.data() + i * n;
    for (std::size_t j = 0; j < n; ++j) taken_[j] += factor * row[j];
  }
  for (const std::int64_t element : taken_)
    if (!(std::abs(static_cast<double>(element)) * denominator_ < kGreatestNumber)) return false;
  for (std::size_t j = 0; j < n; ++j) narrow_[j] = numerators_[j] - narrowDenominator_ * taken_[j];
  return true;
}

double TargetDifference::coordinate(std::size_t j) const {
  return (isNarrow() ? static_cast<double>(narrow_[j]) : wide_[j].convert_to<double>()) / denominator_;
}

bool TargetDifference::settle() {
  const std::size_t n = taken_.size();
  const std::vector<std::int64_t>& metric = lattice_->metric;
  if (!isNarrow()) {
    const Integer limit = Integer(1) << 60;
    for (std::size_t j = 0; j < n; ++j) {
      if (wideTaken_[j] >= limit || wideTaken_[j] <= -limit) return false;
      taken_[j] = static_cast<std::int64_t>(wideTaken_[j]);
    }
    made_ = taken_;
    wideImage_ = wide_;
    for (std::size_t j = 0; j < n && !metric.empty(); ++j) {
      wideImage_[j] = 0;
      for (std::size_t k = 0; k < n; ++k) wideImage_[j] += metric[k * n + j] * wide_[k];
    }
    squared_ = 0;
    for (std::size_t j = 0; j < n; ++j) squared_ += wide_[j] * wideImage_[j];
    return true;
  }
  made_ = taken_;
  narrowImage_ = narrow_;
  for (std::size_t j = 0; j < n && !metric.empty(); ++j) {
    WideNorm sum = 0;
    double size = 0;
    for (std::size_t k = 0; k < n; ++k) {
      sum += extended(metric[k * n + j]) * extended(narrow_[k]);
      size += std::abs(static_cast<double>(metric[k * n + j]) * static_cast<double>(narrow_[k]));
    }
    if (!(size < kGreatestNumber)) return false;
    narrowImage_[j] = static_cast<std::int64_t>(sum);
  }
  WideNorm sum = 0;
  double size = 0;
  for (std::size_t j = 0; j < n; ++j) {
    sum += extended(narrow_[j]) * extended(narrowImage_[j]);
    size += std::abs(static_cast<double>(narrow_[j]) * static_cast<double>(narrowImage_[j]));
  }
  if (!(size < kGreatestNorm)) return false;
  narrowSquared_ = sum;
  squared_ = bigOf(sum);
  return true;
}

bool TargetDifference::holds(double squaredDistance, double length) const {
  if (!(length * lattice_->coordinateReach < kGreatestNumber) || !(length * length < kGreatestNorm))
    return false;
  return !isNarrow() || squaredDistance * denominator_ * denominator_ < kGreatestNorm;
}

Integer TargetDifference::make(const FastSearch& found) {
  return makeBy([&](int i) { return found.coefficient(i); });
}
Integer TargetDifference::make(const std::int16_t* coefficients) {
  return makeBy([&](int i) { return coefficients[i]; });
}

template <class Coefficient>
Integer TargetDifference::makeBy(const Coefficient& coefficient) {
  const auto n = static_cast<std::size_t>(lattice_->columns);
  // Sums on the way to an element may be beyond 64 bits, and wrap; the element is not.
  sums_.assign(n, 0);
  for (int i = 0; i < lattice_->dimension; ++i) {
    const auto x = static_cast<std::int64_t>(coefficient(i));
    if (x == 0) continue;
    const std::int64_t* const row = lattice_->rows.data() + static_cast<std::size_t>(i) * n;
    for (std::size_t j = 0; j < n; ++j)
      sums_[j] += static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(row[j]);
  }
  WideNorm square = 0;  // |z|^2
  for (std::size_t j = 0; j < n; ++j) {
    const auto z = static_cast<std::int64_t>(sums_[j]);
    made_[j] = taken_[j] + z;
    if (lattice_->metric.empty()) {
      square += extended(z) * extended(z);
      continue;
    }
    WideNorm image = 0;
    for (std::size_t k = 0; k < n; ++k)
      image += extended(lattice_->metric[k * n + j]) * extended(static_cast<std::int64_t>(sums_[k]));
    square += extended(z) * image;
  }
  if (isNarrow()) {
    WideNorm product = 0;  // <z, u>
    for (std::size_t j = 0; j < n; ++j)
      product += extended(static_cast<std::int64_t>(sums_[j])) * extended(narrowImage_[j]);
    const WideNorm q = extended(narrowDenominator_);
    return bigOf(q * q * square - 2 * q * product + narrowSquared_);
  }
  Integer product = 0;
  for (std::size_t j = 0; j < n; ++j) product += wideImage_[j] * static_cast<std::int64_t>(sums_[j]);
  const Integer& q = target_->denominator;
  return q * q * bigOf(square) - 2 * q * product + squared_;
}

}  // namespace slicepool::lattice
