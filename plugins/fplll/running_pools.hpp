// The cores of pools that search the blocks of several threads at once. Called by plugin.cpp and
// block_search.cpp.
#pragma once

#include <atomic>

#include "plugins/fplll/settings.hpp"

namespace slicepool::fplll_plugin {

/// A pool, from its beginning to its end. It has the cores, or Settings::threads, divided by the pools of
/// that moment. Thread-safe. Not beyond a signal handler that jumps: only inside withoutInterrupts()
/// (interrupts.hpp).
class RunningPool {
 public:
  explicit RunningPool(const Settings& settings);
  ~RunningPool();
  RunningPool(const RunningPool&) = delete;
  RunningPool& operator=(const RunningPool&) = delete;

  /// CPU workers.
  [[nodiscard]] int threads() const { return threads_; }

  /// Whether others leave one core to a pool that starts now, and it has no GPU: its calling thread does
  /// better.
  [[nodiscard]] static bool wouldBeAlone(const Settings& settings);

 private:
  static int shareOf(const Settings& settings, int pools);
  static inline std::atomic<int> pools_{0};
  int threads_;
};

}  // namespace slicepool::fplll_plugin
