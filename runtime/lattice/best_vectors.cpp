// See best_vectors.hpp.
#include "runtime/lattice/best_vectors.hpp"

#include <algorithm>
#include <iterator>

namespace slicepool::lattice {
namespace {

/// Rounded norms that differ by more than this part of them are in the order of the exact ones.
constexpr double kSlack = 1e-9;

}  // namespace

void BestVectors::offer(const VectorMaker& maker, std::span<const std::int16_t> coefficients) {
  if (most_ == 0) return;
  const double rounded = maker.roundedNorm();
  const bool full = best_.size() >= most_;
  if (full && rounded > std::prev(best_.end())->rounded * (1 + kSlack)) return;
  BestVector vector{rounded, maker.squaredNorm(), {coefficients.begin(), coefficients.end()}};
  if (full && !(vector < *std::prev(best_.end()))) return;
  best_.insert(std::move(vector));
  if (best_.size() > most_) best_.erase(std::prev(best_.end()));
}

}  // namespace slicepool::lattice
