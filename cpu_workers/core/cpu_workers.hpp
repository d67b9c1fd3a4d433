// CPU workers: the slots of a oneTBB task arena (one arena per NUMA node), each running turns on slices.
// Made by the engine.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "slicepool/core/options.hpp"
#include "slicepool/detail/worker.hpp"

namespace slicepool {

struct CpuWorkerOptions {
  int threads = 1;
  double turnMilliseconds = 10;   ///< target length of a turn
  std::uint64_t fixedBudget = 0;  ///< steps per turn; 0: tuned
};

/// A group of `options.threads` CPU workers. Throws LimitError when the system does not grant the threads,
/// and nothing after construction; errors go to the hub.
[[nodiscard]] std::unique_ptr<Worker> makeCpuWorkers(const Problem& problem, const CpuWorkerOptions& options);

/// NUMA nodes the arena sees (1 when unknown).
[[nodiscard]] int numaNodeCount();
/// Cores that this process may use.
[[nodiscard]] int availableCores();

}  // namespace slicepool
