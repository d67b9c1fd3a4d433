// The numerical semigroups of one genus as a ranked set: the semigroup of a rank, without a list of the
// others. Called by the Python package and by library users.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "slicepool/numerical_semigroups/gap_set.hpp"
#include "slicepool/numerical_semigroups/types.hpp"

namespace slicepool::numerical_semigroups {

/// Ranks are places in the order of lists (comesBefore). Construction counts the semigroups of every class:
/// one search, on the calling thread. In the set-up of a run it and at() end when the run is stopped.
/// Thread-safe when constructed.
class RankedSemigroups {
 public:
  /// Of this genus, 1 .. kMaximumGenus, and multiplicity, 0: all. Throws ConfigError.
  explicit RankedSemigroups(int genus, int multiplicity = 0);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// The semigroups of these ranks, in ascending order and below count(), which may repeat. Counts the
  /// subtrees on the ways to them: at worst O(count of their classes) steps, where the last two levels are
  /// counted.
  [[nodiscard]] std::vector<GapSet> at(const std::vector<std::uint64_t>& ranks) const;

 private:
  int genus_;
  std::vector<std::pair<Class, std::uint64_t>> classes_;  ///< in the order of ranks, with their counts
  std::uint64_t count_ = 0;
};

}  // namespace slicepool::numerical_semigroups
