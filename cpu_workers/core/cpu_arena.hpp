// The threads in which CPU workers run: a oneTBB task arena, one for each NUMA node. Making the first one of
// a process starts the threads of oneTBB, and giving the last one back ends them, which takes 0.1 to 0.5 ms a
// run; so sessions keep them (runtime/core/session.cpp). A build with SLICEPOOL_THREAD_ARENA has plain
// threads.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace slicepool {

class CpuArena {
 public:
  /// Throws LimitError when the system does not grant the threads. The threads start with the first run.
  explicit CpuArena(int threads);
  ~CpuArena();
  CpuArena(const CpuArena&) = delete;
  CpuArena& operator=(const CpuArena&) = delete;

  [[nodiscard]] int threads() const;
  /// Calls loop(0) .. loop(threads() - 1), each on a thread of its own where the system has so many cores,
  /// and returns when all have returned. `loop` must not throw. One caller at a time.
  void run(const std::function<void(std::size_t)>& loop);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace slicepool
