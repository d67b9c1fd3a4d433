// The engine that an enumeration runs at the moment, seen from other threads: cancel and progress over a
// sequence of engines (one per window of rows). Called by the enumerations of the workloads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "slicepool/core/engine.hpp"

namespace slicepool {

class EngineSlot {
 public:
  /// Runs one engine to its end. `share` is the part of all work that it does, in (0, 1]. With `resumePath`
  /// it starts from that checkpoint. A cancelled run with a checkpoint path always leaves a checkpoint.
  /// The step limit of the options is that of all engines together.
  /// `onProgress` is also called after an engine with a share of less than 1, when its interval has passed.
  RunReport run(const Problem& problem, EngineOptions options, ResultConsumer* consumer, double share = 1,
                const std::string& resumePath = {});

  /// Any thread. Engines that start later stop at once.
  void cancel() noexcept;
  [[nodiscard]] bool cancelled() const { return cancelled_.load(); }
  /// Any thread: some worker has ended a turn or a launch.
  [[nodiscard]] bool stepping() const noexcept;
  /// Any thread: all engines so far.
  [[nodiscard]] Progress progress() const;
  /// Work of an earlier process, from a checkpoint.
  void addDone(std::uint64_t steps, std::uint64_t results);

 private:
  [[nodiscard]] Progress cumulative(Progress progress) const;
  void setCurrent(Engine* engine, double share);
  void finishCurrent(const RunReport& report);

  mutable std::mutex mutex_;
  std::atomic<bool> cancelled_{false};
  mutable std::atomic<bool> stepping_{false};
  Engine* engine_ = nullptr;
  double share_ = 1;
  Progress done_;
  std::uint64_t stepsTaken_ = 0;  ///< of this process
  std::chrono::steady_clock::time_point lastTold_ = std::chrono::steady_clock::now();
};

}  // namespace slicepool
