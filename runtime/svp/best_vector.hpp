// The shortest vector that a search for one knows, shared by all searches. Made by search_state.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "runtime/lattice/integer_basis.hpp"

namespace slicepool::svp {

struct KnownVector {
  lattice::Integer squaredNorm;
  std::vector<lattice::Integer> entries;
};

/// Thread-safe. What counts is exact: norms are integers.
class BestVector {
 public:
  /// `goal`: a vector of at most this norm ends the search; 0: none does.
  explicit BestVector(lattice::Integer goal) : goal_(std::move(goal)) {}

  /// Takes a vector that is shorter than all before. Whether it did.
  bool offer(KnownVector vector);
  [[nodiscard]] KnownVector known() const;
  /// R^2 of what is searched next: shorter than what is known, and not above `cap`.
  [[nodiscard]] lattice::Integer radius() const;
  /// Caps the radius; 0: the norms of the known vector and of the goal alone do.
  void setCap(lattice::Integer cap);
  [[nodiscard]] bool capped() const;
  /// The same as radius(), as a double that is not below it. O(1).
  [[nodiscard]] double bound() const { return bound_.load(std::memory_order_relaxed); }
  /// The goal is reached, or no vector can be shorter.
  [[nodiscard]] bool reached() const { return reached_.load(std::memory_order_relaxed); }
  /// Counts the vectors that were taken.
  [[nodiscard]] std::uint64_t version() const { return version_.load(std::memory_order_relaxed); }

 private:
  [[nodiscard]] lattice::Integer radiusNow() const;
  void publish();

  mutable std::mutex mutex_;
  lattice::Integer goal_;
  lattice::Integer cap_ = 0;
  KnownVector known_;
  std::atomic<double> bound_{0};
  std::atomic<bool> reached_{false};
  std::atomic<std::uint64_t> version_{0};
};

/// The shortest row, as long as the inner products of the basis say.
[[nodiscard]] KnownVector shortestRow(const lattice::IntegerBasis& basis);

}  // namespace slicepool::svp
