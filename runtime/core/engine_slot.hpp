// The engine that an enumeration runs at the moment, seen from other threads: cancel and progress over a
// sequence of engines (one per window of rows). Called by the enumerations of the workloads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/core/recent_rate.hpp"
#include "slicepool/core/engine.hpp"

namespace slicepool {

class EngineSlot {
 public:
  EngineSlot() : clock_(std::make_shared<PhaseClock>()) {}

  /// Goes by the clock of `options`, which gets one if it has none. Before anything else.
  void useClock(EngineOptions& options);
  [[nodiscard]] PhaseClock& clock() const { return *clock_; }

  /// Runs one engine to its end. `share` is the part of all work that it does, in (0, 1]. With `resumePath`
  /// it starts from that checkpoint. A cancelled run with a checkpoint path always leaves a checkpoint.
  /// With `options.cluster` all ranks run it together; rank 0 has the answer, and the others' report is that
  /// of a run that did not come to its end. A share of less than 1 is refused then.
  /// The step limit of the options is that of all engines together.
  /// `onProgress` is also called after an engine with a share of less than 1, when its interval has passed.
  RunReport run(const Problem& problem, EngineOptions options, ResultConsumer* consumer, double share = 1,
                const std::string& resumePath = {});

  // --- runs with `options.cluster` of which rank 0 alone knows how many there are
  /// Before a run: whether there may be another one behind it. If so, the other ranks begin it.
  void mayBeFollowed(bool followed) { mayBeFollowed_ = followed; }
  /// Other ranks, after a run: there may be another one, which is to be begun.
  [[nodiscard]] bool followed() const { return followed_; }
  /// Rank 0, in the place of a run that the others begin: they are let go. Returns the warnings of that.
  [[nodiscard]] std::vector<std::string> leaveOut(const Problem& problem, EngineOptions options) const;

  /// The run is over: stops the clock, and what it says goes into `report`.
  void finishTimes(RunReport& report) const;

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
  [[nodiscard]] Progress timed(Progress progress) const;
  /// An engine, or what stands for one on several ranks.
  template <class Search>
  RunReport drive(Search& search, std::function<void()> cancel, double share, const std::string& resumePath);
  /// What of it other threads may call.
  struct Current {
    std::function<void()> cancel;
    std::function<Progress()> progress;
  };
  void setCurrent(Current current, double share);
  void finishCurrent(const RunReport& report);

  std::shared_ptr<PhaseClock> clock_;
  bool mayBeFollowed_ = false;
  bool followed_ = false;
  std::atomic<bool> cancelled_{false};
  mutable std::atomic<bool> stepping_{false};
  mutable std::mutex mutex_;  ///< of what follows
  Current current_;           ///< empty: none runs
  double share_ = 1;
  std::uint64_t stepsTaken_ = 0;  ///< of this process
  Progress done_;                 ///< by engines that have ended
  mutable RecentRate rate_;
  std::chrono::steady_clock::time_point lastTold_ = std::chrono::steady_clock::now();
};

}  // namespace slicepool
