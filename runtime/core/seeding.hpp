// Cuts the roots of a search into slices for all workers to start on. Used by the engine, and by simulated
// runs in tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "slicepool/core/options.hpp"
#include "slicepool/core/problem.hpp"

namespace slicepool {

/// The workers that will start on them.
struct Seeding {
  Mode mode = Mode::cpu;  ///< not automatic
  int threads = 1;
  std::size_t devices = 1;       ///< there from the start; 0 counts as 1
  std::size_t poolCapacity = 2;  ///< slices: no more than half of them are made
};

/// Cuts `slices`, of Problem::sliceBytes() each, into enough for all workers to start at once: largest first,
/// or oldest first where sizes are unknown. Those with rows are in the order of their ranks then or, for CPU
/// workers, from as many parts of that order in turn as there are threads. Returns the number of splits.
/// O(n log n) for n slices made.
std::uint64_t seedSlices(const Problem& problem, const Seeding& seeding, std::vector<std::byte>& slices);

}  // namespace slicepool
