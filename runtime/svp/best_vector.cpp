// See best_vector.hpp.
#include "runtime/svp/best_vector.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace slicepool::svp {

using lattice::Integer;

bool BestVector::offer(KnownVector vector) {
  const std::lock_guard lock(mutex_);
  if (vector.squaredNorm == 0 || (known_.squaredNorm != 0 && vector.squaredNorm >= known_.squaredNorm))
    return false;
  known_ = std::move(vector);
  publish();
  ++version_;
  return true;
}

KnownVector BestVector::known() const {
  const std::lock_guard lock(mutex_);
  return known_;
}

Integer BestVector::radius() const {
  const std::lock_guard lock(mutex_);
  return radiusNow();
}

void BestVector::setCap(Integer cap) {
  const std::lock_guard lock(mutex_);
  cap_ = std::move(cap);
  publish();
}

bool BestVector::capped() const {
  const std::lock_guard lock(mutex_);
  return goal_ == 0 && cap_ != 0 && Integer(known_.squaredNorm - cap_) > 1;
}

Integer BestVector::radiusNow() const {
  if (goal_ != 0) return goal_;
  Integer radius = known_.squaredNorm;
  --radius;
  if (cap_ != 0 && cap_ < radius) radius = cap_;
  return radius;
}

void BestVector::publish() {
  // Rounding, here and in the search, must not make the bound less than the norm of a vector within.
  const double margin = 1 + std::ldexp(1.0, -36);
  bound_ = radiusNow().convert_to<double>() * margin;
  reached_ = known_.squaredNorm != 0 && (known_.squaredNorm <= goal_ || known_.squaredNorm == 1);
}

KnownVector shortestRow(const lattice::IntegerBasis& basis) {
  const auto columns = static_cast<std::ptrdiff_t>(basis.columns);
  const std::vector<Integer> norms = lattice::squaredNorms(basis);
  const auto least = std::min_element(norms.begin(), norms.end());
  const auto row = basis.entries.begin() + (least - norms.begin()) * columns;
  return {*least, {row, row + columns}};
}

}  // namespace slicepool::svp
