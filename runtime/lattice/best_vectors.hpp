// The K shortest solutions seen so far. Called by solution_consumer for every solution of a run that keeps
// some.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
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

/// What a vector has to beat to be kept: a copy, for a thread that does not want a lock for every vector. The
/// bar only sinks, so an old copy excludes too few.
class Bar {
 public:
  Bar() = default;  ///< excludes nothing
  explicit Bar(BestVector last) : full_(true), last_(std::move(last)) {}

  /// Whether vectors of this rounded squared norm, or more, are longer than all that are kept.
  [[nodiscard]] bool excludes(double squaredNorm) const;
  /// `maker` has just made the vector of `coefficients`, whose roundedNorm() is `rounded`. False where it
  /// takes exact norms to know. O(d), mostly O(1).
  [[nodiscard]] bool excludes(double rounded, std::span<const std::int16_t> coefficients) const;

 private:
  bool full_ = false;
  BestVector last_;
};

/// Keeps the least `most` of what is offered; a function of the set offered, not of its order.
class BestVectors {
 public:
  explicit BestVectors(std::uint64_t most) : most_(most) {}

  /// `maker` has just made the vector of `coefficients`. O(n + log K); bar() says cheaply what need not be
  /// offered.
  void offer(const VectorMaker& maker, std::span<const std::int16_t> coefficients);
  [[nodiscard]] Bar bar() const;
  [[nodiscard]] std::uint64_t size() const { return best_.size(); }
  [[nodiscard]] const std::set<BestVector>& best() const { return best_; }

 private:
  std::uint64_t most_;
  std::set<BestVector> best_;
};

}  // namespace slicepool::lattice
