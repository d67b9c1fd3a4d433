// A search that was prepared by big integers, on the calling thread. Called by core_task.hpp, for what
// machine numbers do not hold.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/lattice/one_lattice.hpp"
#include "runtime/lattice/prepared_search.hpp"

namespace slicepool::lattice {

struct CoreLimits {
  const std::atomic<bool>& stop;  ///< asked every few milliseconds
  double maximumNodes = 0;        ///< more are expected: Way::tooLarge
  std::uint64_t first = 0;        ///< with a radius: vectors after which it is over; 0: all
};

/// Fills dimension, count, vectors and nodes of an answer whose `byRadius` is set; `kept`: vectors that are
/// kept. Goes on to wider searches. With a target norms are distances, and `accept` may say which vectors
/// within the radius count. Throws as makeProblem. O(d^3) and the nodes.
[[nodiscard]] Way searchExactly(const PreparedSearch& prepared, std::uint64_t kept, const CoreLimits& limits,
                                LatticeAnswer& answer, const VectorTest& accept = {});

}  // namespace slicepool::lattice
