// Progress on standard error: a bar, plain lines, or JSON lines, from the start of the process to the last
// byte written. A thread of its own asks every 200 ms, so that no part of a run is silent.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "runtime/app/config/workloads.hpp"
#include "runtime/app/report/progress_view.hpp"
#include "runtime/app/report/sweep.hpp"
#include "slicepool/core/options.hpp"

namespace slicepool::cli {

enum class ProgressStyle : std::uint8_t { none, bar, plain, jsonl };

/// auto, bar, plain, jsonl or none; auto is a bar on a terminal and plain lines otherwise. `outputPath` "-":
/// auto is none where rows go to the same terminal. Throws ConfigError.
[[nodiscard]] ProgressStyle parseProgressStyle(const std::string& text, const std::string& outputPath);

/// Calls a function every 200 ms from a thread of its own, until it is stopped.
class Ticker {
 public:
  explicit Ticker(std::function<void()> tick);
  ~Ticker() { stop(); }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;
  /// No call is under way or will come. Idempotent.
  void stop();

 private:
  std::function<void()> tick_;
  bool done_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::thread thread_;
};

/// Of one run.
class ProgressPrinter {
 public:
  ProgressPrinter(ProgressStyle style, std::shared_ptr<PhaseClock> clock);
  ~ProgressPrinter() { finish(); }
  ProgressPrinter(const ProgressPrinter&) = delete;
  ProgressPrinter& operator=(const ProgressPrinter&) = delete;

  /// Whose progress is shown from now on; null: only what the clock says.
  void watch(const config::WorkloadRun* run);
  /// Clears the bar and stops. Idempotent.
  void finish();

 private:
  void tick();
  void showPlain(const Progress& progress);

  ProgressStyle style_;
  std::shared_ptr<PhaseClock> clock_;
  report::ProgressView view_;
  double nextPlain_;
  std::mutex mutex_;  ///< of run_
  const config::WorkloadRun* run_ = nullptr;
  std::unique_ptr<Ticker> ticker_;
};

/// Of a sweep, on a terminal: which point runs, how many are left and for how long.
class SweepBar {
 public:
  SweepBar();
  ~SweepBar() { finish(); }
  SweepBar(const SweepBar&) = delete;
  SweepBar& operator=(const SweepBar&) = delete;

  void show(const report::SweepStatus& status);
  void finish();

 private:
  void draw();

  std::mutex mutex_;  ///< of what follows
  report::SweepStatus status_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double secondsDone_ = 0;  ///< until the present repetition
  std::unique_ptr<Ticker> ticker_;
};

}  // namespace slicepool::cli
