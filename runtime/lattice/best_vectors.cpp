// See best_vectors.hpp.
#include "runtime/lattice/best_vectors.hpp"

#include <algorithm>
#include <iterator>

namespace slicepool::lattice {
namespace {

/// Rounded norms that differ by more than this part of them are in the order of the exact ones.
constexpr double kSlack = 1e-9;
/// Below this they are exact.
constexpr double kExact = 9007199254740992.0;  // 2^53

}  // namespace

bool Bar::excludes(double squaredNorm) const { return full_ && squaredNorm > last_.rounded * (1 + kSlack); }

bool Bar::excludes(double rounded, std::span<const std::int16_t> coefficients) const {
  if (!full_) return false;
  if (rounded > last_.rounded * (1 + kSlack)) return true;
  if (rounded < last_.rounded * (1 - kSlack) || rounded >= kExact) return false;
  if (rounded != last_.rounded) return rounded > last_.rounded;
  return !std::lexicographical_compare(coefficients.rbegin(), coefficients.rend(),
                                       last_.coefficients.rbegin(), last_.coefficients.rend());
}

Bar BestVectors::bar() const {
  if (best_.size() < most_) return {};
  return best_.empty() ? Bar(BestVector{}) : Bar(*std::prev(best_.end()));
}

void BestVectors::offer(const VectorMaker& maker, std::span<const std::int16_t> coefficients) {
  if (most_ == 0) return;
  const double rounded = maker.roundedNorm();
  const bool full = best_.size() >= most_;
  BestVector vector{rounded, maker.squaredNorm(), {coefficients.begin(), coefficients.end()}};
  if (full && !(vector < *std::prev(best_.end()))) return;
  best_.insert(std::move(vector));
  if (best_.size() > most_) best_.erase(std::prev(best_.end()));
}

}  // namespace slicepool::lattice
