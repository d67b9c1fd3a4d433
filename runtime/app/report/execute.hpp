// Executes one prepared configuration with a time limit and an outside stop. Called by `slicepool run`, by
// the workload commands, by sweeps and by the Python package.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "cpu_workers/core/thread_crew.hpp"
#include "runtime/app/config/workloads.hpp"
#include "runtime/app/report/record.hpp"

namespace slicepool::report {

/// Set by signal handling, read by watchdogs. Sticky.
class StopRequest {
 public:
  void request() noexcept { requested_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> requested_{false};
};

/// Cancels a run when its time is over, counted from its first step, or a stop is requested; looks every 20
/// ms and repeats the cancel until it is destroyed, so that a stop just before run() begins is not lost.
class Watchdog {
 public:
  Watchdog(config::WorkloadRun& run, std::optional<double> timeLimitSeconds, const StopRequest& stop);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  [[nodiscard]] bool timeIsOver() const noexcept { return timeIsOver_.load(std::memory_order_relaxed); }

 private:
  void watch();

  config::WorkloadRun& run_;
  std::optional<double> limit_;
  const StopRequest& stop_;
  std::atomic<bool> timeIsOver_{false};
  bool done_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  ThreadCrew::Work watching_;
};

struct Execution {
  std::unique_ptr<config::WorkloadRun> run;  ///< collected
  RunTimes times;
  bool timeIsOver = false;  ///< stopped by the time limit
};

/// Called with the run once it is there, and with null before it ends. Any thread may ask for its progress()
/// in between.
using RunWatcher = std::function<void(const config::WorkloadRun*)>;

/// Prepares, resumes where asked, runs, collects. Goes by the clock of `config.engine`; without one, by one
/// that starts now. Throws what these throw, and SetupStopped when a stop is requested while it prepares, or
/// when that takes longer than the time limit (and a second).
[[nodiscard]] Execution execute(const config::RunConfig& config, config::Strictness strictness,
                                const StopRequest& stop, const RunWatcher& watcher = {});

/// Makes the run of a configuration, as Front::prepare does.
using PrepareRun = std::function<std::unique_ptr<config::WorkloadRun>(const config::RunConfig&)>;
/// The same for callers that keep more of a run than its record and make it themselves.
[[nodiscard]] Execution execute(const config::RunConfig& config, const PrepareRun& prepare,
                                const StopRequest& stop, const RunWatcher& watcher = {});

}  // namespace slicepool::report
