// CPU workers: the threads of an arena (cpu_arena.hpp), each running turns on slices.
// Made by the engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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
  /// Instead of an arena: calls loop(0) .. loop(threads - 1) side by side and returns when all have returned.
  /// For machines that are simulated.
  std::function<void(const std::function<void(std::size_t)>& loop)> run{};
};

/// A group of `options.threads` CPU workers. Throws LimitError when the system does not grant the threads,
/// and nothing after construction; errors go to the hub.
[[nodiscard]] std::unique_ptr<Worker> makeCpuWorkers(const Problem& problem, const CpuWorkerOptions& options);

/// Cores that this process may use.
[[nodiscard]] int availableCores();

}  // namespace slicepool
