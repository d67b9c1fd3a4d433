// A staged workload: a sequence of rounds, each a problem of its own whose slices are independent, with a
// barrier after each. Small rounds are executed at once on the calling thread, others by a parallel loop over
// pieces: an engine starts in a millisecond, a loop in some 20 us, and a run has hundreds of rounds. Rounds
// on a device of the workload's own are only accounted for here. Used by the staged workloads
// (runtime/semigroup).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/core/recent_rate.hpp"
#include "slicepool/core/engine.hpp"

namespace slicepool {

/// How a round ended.
enum class RoundEnd : std::uint8_t { complete, cancelled };

class StagedRun {
 public:
  /// Of the options, threads, budget, step limit and progress count. `onProgress` is called while rounds run,
  /// at its interval.
  explicit StagedRun(EngineOptions options);

  /// Executes all root slices of the problem to their ends and merges their words into `words`, laid out by
  /// the problem. A `small` round is not worth the start of workers. After a cancel nothing is known about
  /// the round but that its slices may be repeated. Rethrows the first exception of a worker.
  RoundEnd round(const Problem& problem, bool small, std::vector<std::uint64_t>& words);

  /// Called, by any thread and maybe more than once, when the steps of the options are taken; otherwise
  /// cancel().
  void onStepLimit(std::function<void()> reached) { onStepLimit_ = std::move(reached); }
  /// Any thread. The round in work and all that follow end early, until resume().
  void cancel() noexcept;
  void resume() noexcept { cancelled_.store(false); }
  [[nodiscard]] bool cancelled() const { return cancelled_.load(); }
  /// Between rounds: everything so far, workers added up by name.
  [[nodiscard]] RunReport report() const;
  /// Seconds and steps of rounds, those of earlier processes included: what a checkpoint says.
  [[nodiscard]] double seconds() const;
  [[nodiscard]] std::uint64_t steps() const;
  /// Any thread: steps so far, of an unknown total; results as told by setResults.
  [[nodiscard]] Progress progress() const;
  void setResults(std::uint64_t results) { results_.store(results); }
  /// What earlier processes did.
  void addBefore(double seconds, std::uint64_t steps);
  /// Time between rounds.
  void addSeconds(double seconds);
  /// The same, in which the calling thread worked alone: a part of what the first CPU worker was busy.
  void addThreadSeconds(double seconds);
  /// The same, in which what a device needs was moved to it.
  void addExchange(const std::string& worker, double seconds);
  /// A device is there from now on. CPU workers are from the start.
  void setReady(const std::string& worker);
  /// Of the options, or one of its own.
  [[nodiscard]] PhaseClock& clock() const { return *options_.phases; }
  /// A round of `seconds` that the caller has executed on a device of its own.
  void addRound(const WorkerReport& worker, double seconds, std::size_t deviceBytes);
  /// Rounds that repeat what an earlier process has done: their time is set-up, their steps are not counted.
  class Replaying {
   public:
    explicit Replaying(StagedRun& run) : run_(run) { run_.replaying_.store(true); }
    ~Replaying() { run_.replaying_.store(false); }
    Replaying(const Replaying&) = delete;
    Replaying& operator=(const Replaying&) = delete;

   private:
    StagedRun& run_;
  };
  /// There will be such rounds: replaying() from now on until they are over.
  void expectReplay() { replaying_.store(true); }
  [[nodiscard]] bool replaying() const { return replaying_.load(); }
  /// For the report; told once.
  void warn(const std::string& warning);
  /// Of mode `automatic`, for the report; the last call counts.
  void setChoice(AutomaticChoice choice);

 private:
  struct Share;

  RoundEnd roundInline(const Problem& problem, std::vector<std::uint64_t>& words);
  RoundEnd roundInParallel(const Problem& problem, int threads, std::vector<std::uint64_t>& words);
  bool finish(const Problem& problem, std::byte* slice, Share& share);
  void addShares(const std::vector<Share>& shares, double seconds);
  void add(const RunReport& part);
  void tellProgress();
  void countSteps(std::uint64_t steps);

  EngineOptions options_;
  std::function<void()> onStepLimit_;
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> replaying_{false};
  std::atomic<std::uint64_t> results_{0};
  std::atomic<std::uint64_t> stepsTaken_{0};    ///< only with a limit
  std::atomic<std::uint64_t> stepsOfRound_{0};  ///< not in total_ yet
  mutable std::mutex mutex_;
  RunReport total_;
  std::map<std::string, double> ready_;     ///< seconds since the start, of devices that came later
  std::map<std::string, double> exchange_;  ///< seconds
  double threadSeconds_ = 0;
  mutable RecentRate rate_;
  std::chrono::steady_clock::time_point lastTold_;
};

}  // namespace slicepool
