// The unpruned search that ends a search for a shortest vector: what it does not find is not there. Called by
// enumeration.cpp.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/core/engine_slot.hpp"
#include "runtime/svp/best_vector.hpp"
#include "runtime/svp/search_state.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/svp/enumeration.hpp"

namespace slicepool::svp {

/// Over one basis, within a radius that shrinks to what is found.
class Proof {
 public:
  /// R^2 is that of `best`. `basis`: as state.reduced. `devices`: as in lattice::ProblemSpec. `save`: the
  /// state for checkpoints. `whenFound`: for each vector that is better, never while `save` runs.
  /// `whenReached`: once, when `best` has reached its goal. All must outlive it. Throws LimitError where
  /// coefficients or norms are beyond the search.
  Proof(const lattice::IntegerBasis& basis, bool devices, BestVector& best,
        std::function<std::vector<std::byte>()> save, std::function<void()> whenFound,
        std::function<void()> whenReached);
  ~Proof();

  [[nodiscard]] const Problem& problem() const;
  [[nodiscard]] ResultConsumer& consumer();
  /// Nodes of a run with these words.
  [[nodiscard]] std::uint64_t nodes(const std::vector<std::uint64_t>& words) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Before a proof that is expected to take long: tours of `blockSize` and larger on state.reduced, until they
/// have taken a tenth of its expected time, by the clock or by fixed rates, or `cancelled`. What they find
/// goes to `best`.
void strengthen(SearchState& state, BestVector& best, int blockSize, double nodesPerSecond, RateSource rates,
                const std::function<bool()>& cancelled);

/// |b*_i|^2 of a basis that is LLL-reduced.
[[nodiscard]] std::vector<double> normsOf(const lattice::IntegerBasis& basis);

/// A problem that reads the checkpoints of every proof of this dimension: for their state.
[[nodiscard]] std::unique_ptr<Problem> proofReader(int dimension);

}  // namespace slicepool::svp
