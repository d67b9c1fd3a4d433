// The K shortest solutions seen so far. Called by solution_consumer for every solution of a run that keeps
// some.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "runtime/lattice/vector_maker.hpp"

namespace slicepool::lattice {

struct BestVector {
  double rounded = 0;  ///< the squared norm as double: a quick comparison for all but near ties
  Integer squaredNorm;
  std::vector<std::int16_t> coefficients;

  /// By exact norm, then by coefficients, the last first: the order of the search for equal norms.
  friend bool operator<(const BestVector& a, const BestVector& b) {
    if (a.squaredNorm != b.squaredNorm) return a.squaredNorm < b.squaredNorm;
    return std::lexicographical_compare(a.coefficients.rbegin(), a.coefficients.rend(),
                                        b.coefficients.rbegin(), b.coefficients.rend());
  }
};

/// Keeps the least `most` of what is offered; a function of the set offered, not of its order.
class BestVectors {
 public:
  explicit BestVectors(std::uint64_t most) : most_(most) {}

  /// `maker` has just made the vector of `coefficients`. O(log K) where it is kept, O(n) else.
  void offer(const VectorMaker& maker, std::span<const std::int16_t> coefficients);
  [[nodiscard]] std::uint64_t size() const { return best_.size(); }
  [[nodiscard]] const std::set<BestVector>& best() const { return best_; }

 private:
  std::uint64_t most_;
  std::set<BestVector> best_;
};

}  // namespace slicepool::lattice
