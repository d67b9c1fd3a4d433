// The work of a rank: an engine for each lease, in a thread of its own, so that the thread that speaks with
// the other ranks never waits for it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/cluster/participant.hpp"
#include "slicepool/core/engine.hpp"
#include "slicepool/core/problem.hpp"

namespace slicepool::cluster {

/// Results as they come, for the consumer on rank 0. Many of them end the lease before its time, so
/// that they need not all be kept here.
class RawResults final : public ResultConsumer {
 public:
  /// Calls `whenMany` when there are `many` bytes, each time more come.
  RawResults(std::size_t resultBytes, std::size_t many, std::function<void()> whenMany)
      : resultBytes_(resultBytes), many_(many), whenMany_(std::move(whenMany)) {}

  void consume(const std::byte* results, std::size_t count) override {
    results_.insert(results_.end(), results, results + count * resultBytes_);
    if (results_.size() >= many_) whenMany_();
  }
  [[nodiscard]] std::vector<std::byte> save() const override { return results_; }

 private:
  std::size_t resultBytes_;
  std::size_t many_;
  std::function<void()> whenMany_;
  std::vector<std::byte> results_;
};

class EngineWork final : public RankWork {
 public:
  struct Done {
    Checkpoint delta;
    RunReport report;
    double idle = 0;  ///< seconds: the most that a worker neither worked nor lacked slices
  };

  /// `options` are those of the rank's engines; files are not among them. `collects`: results are taken on
  /// rank 0. `problem` must outlive it.
  EngineWork(const Problem& problem, EngineOptions options, bool collects);
  /// Ends what was begun, and waits for it.
  ~EngineWork() override;
  EngineWork(const EngineWork&) = delete;
  EngineWork& operator=(const EngineWork&) = delete;

  void begin(const Checkpoint& parcel, double seconds) override;
  void end() override;
  void lower(std::uint64_t word) override;
  [[nodiscard]] double steps() const override;

  /// What the lease that was begun has led to, once. Nothing: it goes on, or none was begun. Rethrows what
  /// its engine threw.
  [[nodiscard]] std::optional<Done> take();
  /// Until a lease may have ended, and no longer than `seconds`.
  void wait(double seconds);

 private:
  /// Under the lock. A lease takes a step, however soon it is to end: a device may take longer to start than
  /// others are patient, and slices that are handed round without one would never end.
  void endIfStepped();
  void work(Checkpoint parcel, double seconds);
  [[nodiscard]] Done search(Checkpoint parcel, double seconds);

  const Problem& problem_;
  EngineOptions options_;
  bool collects_;
  std::thread thread_;
  mutable std::mutex mutex_;  ///< of what follows
  std::condition_variable changed_;
  Engine* engine_ = nullptr;
  bool ending_ = false;
  bool leaving_ = false;
  std::optional<std::uint64_t> lowered_;  ///< before the engine was there
  std::optional<Done> done_;
  std::exception_ptr error_;
};

}  // namespace slicepool::cluster
