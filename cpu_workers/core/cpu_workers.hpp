// CPU workers: the threads of an arena (cpu_arena.hpp), each running turns on slices.
// Made by the engine.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "slicepool/core/options.hpp"
#include "slicepool/detail/worker.hpp"

namespace slicepool {

class CpuArena;

struct CpuWorkerOptions {
  int threads = 1;
  double turnMilliseconds = 10;   ///< target length of a turn
  std::uint64_t fixedBudget = 0;  ///< steps per turn; 0: tuned
  /// Of so many threads, with no other caller while the workers drain; empty: one of their own.
  std::shared_ptr<CpuArena> arena{};
};

/// A group of `options.threads` CPU workers. Throws LimitError when the system does not grant the threads,
/// and nothing after construction; errors go to the hub.
[[nodiscard]] std::unique_ptr<Worker> makeCpuWorkers(const Problem& problem, const CpuWorkerOptions& options);

/// NUMA nodes the arena sees (1 when unknown).
[[nodiscard]] int numaNodeCount();
/// Cores that this process may use.
[[nodiscard]] int availableCores();

}  // namespace slicepool
