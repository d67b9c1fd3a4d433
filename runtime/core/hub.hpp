// The engine's side of the hub: pool, counted termination, sleeping workers, stop requests, shared word.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/detail/pool.hpp"
#include "slicepool/detail/worker.hpp"

namespace slicepool {

class EngineHub final : public Hub {
 public:
  /// `pool`: as the options have it, and empty; null: one of its own.
  EngineHub(const Problem& problem, const EngineOptions& options, ResultConsumer* consumer,
            std::shared_ptr<SlabPool> pool = {});

  // Hub
  [[nodiscard]] const Problem& problem() const override { return problem_; }
  bool take(std::byte* slice) override;
  std::size_t takeSome(std::byte* slices, std::size_t maximum) override;
  std::size_t takeBulk(std::byte* slices, std::size_t maximum) override;
  bool give(const std::byte* slice) override;
  void putBack(const std::byte* slices, std::size_t count) override;
  void putBackTogether(const std::byte* slices, std::size_t count) override;
  void putBackParcel(HeldSlices parcel) override;
  HeldSlices takeParcel(std::size_t maximum) override;
  void addOutstanding(std::size_t count) override;
  void finish(std::size_t count) override;
  bool waitForWork(bool bulk) override;
  void sleepFor(std::chrono::nanoseconds duration) override;
  [[nodiscard]] std::size_t hungryWorkers() const override;
  [[nodiscard]] std::size_t hungryDevices() const override;
  void setStarving(bool starving) override;
  void setNeedy(bool needy) override;
  [[nodiscard]] std::size_t needyDevices() const override { return needy_.load(std::memory_order_relaxed); }
  void setRecalling(bool recalling) override;
  [[nodiscard]] bool recalling() const override { return recalling_.load(std::memory_order_relaxed) != 0; }
  [[nodiscard]] bool batchWantsSlices() const override;
  [[nodiscard]] std::size_t pooled() const override;
  [[nodiscard]] std::size_t devicesToCome() const override {
    return devicesToCome_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] double remainingSteps() const override;
  [[nodiscard]] double totalRate() const override;
  [[nodiscard]] double cpuRate() const override;
  [[nodiscard]] double batchRate() const override;
  [[nodiscard]] double fastest(const std::string& device) const override;
  [[nodiscard]] double elapsed() const override { return static_cast<double>(now()) * 1e-9; }
  [[nodiscard]] bool stopping() const override { return stopping_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool givenUp() const override { return givenUp_.load(); }
  void tookSteps(std::uint64_t steps) override;
  void decide() override;
  void warn(const std::string& message) override;
  void fail(std::exception_ptr error) override;
  void consume(const std::byte* results, std::size_t count) override;
  std::uint64_t exchangeShared(std::uint64_t value) override;
  void enter() override;
  void leave() override;
  void betweenTransactions() override;
  [[nodiscard]] std::uint64_t commitsWanted() const override {
    return commitsWanted_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool tracing() const override { return tracing_; }
  [[nodiscard]] std::int64_t now() const override;

  // --- for the engine
  /// Also while workers read the old ones, which are kept.
  void setAccounts(std::vector<WorkerAccount*> accounts) {
    allAccounts_.push_back(std::make_unique<const std::vector<WorkerAccount*>>(std::move(accounts)));
    accounts_.store(allAccounts_.back().get(), std::memory_order_release);
  }
  void setDevicesToCome(std::size_t devices) { devicesToCome_.store(devices, std::memory_order_relaxed); }
  void setTotal(double totalSteps, double doneBefore) {
    totalSteps_ = totalSteps;
    doneBefore_ = doneBefore;
  }
  /// Steps of the whole run, 0 when unknown or when the estimate has turned out to be far too low.
  [[nodiscard]] double totalSteps() const;
  /// Starts the clock of the run. Before the time is asked for.
  void startClock() { start_ = std::chrono::steady_clock::now(); }
  /// ns from there to the first slice that was taken in the run; 0 before that.
  /// As now(), of another moment; below 0 before the start of the run.
  [[nodiscard]] std::int64_t at(std::chrono::steady_clock::time_point moment) const;
  [[nodiscard]] std::int64_t firstTakeAt() const { return firstTakeAt_.load(); }
  /// Arms a new segment. The worker that takes its first slice enters Phase::search on `clock`: before that
  /// threads start.
  void begin(PhaseClock* clock = nullptr) {
    stopping_.store(false);
    clock_ = clock;
    taken_.store(false);
  }
  /// From `begin` until a worker had a first slice in this segment; 0 when none had.
  [[nodiscard]] double secondsToFirst(std::chrono::steady_clock::time_point begin) const;
  /// Ends the segment: workers return what they hold.
  void stop();
  /// The same, for good: what is left is not wanted. An answer that is settled is another matter: whoever
  /// shares the search with other engines still asks what is left.
  void giveUp() {
    givenUp_.store(true);
    stop();
  }
  /// Waits until the run is over (true), or until there is something to look at (false): `until` has passed,
  /// a snapshot was asked for, or somebody warned, perhaps the last worker of its end.
  bool waitUntil(std::chrono::steady_clock::time_point until);
  /// Waits for the same without sleeping, for a search that may end soon; warnings are not seen.
  void lookOutUntil(std::chrono::steady_clock::time_point until) const;
  // --- snapshots
  /// Asks every batch for a commit; the number of the request.
  std::uint64_t wantCommits() { return commitsWanted_.fetch_add(1) + 1; }
  /// Waits until no worker is inside; from then on everything is consistent and stands still, until open().
  void close();
  void open();
  /// Workers ask for a snapshot after each so many transactions, and wait for it; 0: never. Off before the
  /// supervisor of a segment, which takes it, goes.
  void askEvery(std::uint64_t transactions);
  [[nodiscard]] bool snapshotAsked() const { return snapshotAsked_.load(); }
  /// Appends all waiting slices. While closed.
  void appendWaiting(std::vector<std::byte>& slices);
  [[nodiscard]] bool failed() const;
  /// As putBack, without a copy of what does not fit the pool: of nothing where `together`, which is for a
  /// device that takes many at once. Between segments.
  void adopt(std::vector<std::byte> slices, bool together = false);
  /// Takes every slice out of the pool. Between segments.
  [[nodiscard]] std::vector<std::byte> drainSlices();
  [[nodiscard]] std::size_t outstanding() const { return outstanding_.load(); }
  [[nodiscard]] bool finished() const { return outstanding_.load() == 0; }
  [[nodiscard]] bool stepLimitReached() const { return stepLimit_ != 0 && stepsTaken_.load() >= stepLimit_; }
  [[nodiscard]] bool decided() const { return decided_.load(); }
  [[nodiscard]] double steps() const;
  [[nodiscard]] std::uint64_t sharedWord() const { return shared_.load(); }
  void setShared(std::uint64_t value) { shared_.store(value); }
  [[nodiscard]] std::vector<std::string> warnings() const;
  void rethrow();

 private:
  std::size_t takeOverflow(std::byte* slices, std::size_t maximum);
  HeldSlices cutParcel(std::size_t maximum);
  void noteTake();
  void wake(bool everyone);
  void endRun();

  const Problem& problem_;
  ResultConsumer* consumer_;
  bool tracing_;
  std::uint64_t stepLimit_;
  std::chrono::milliseconds longestSleep_;
  std::size_t poolCapacity_;
  std::shared_ptr<SlabPool> pool_;

  PhaseClock* clock_ = nullptr;
  std::atomic<bool> taken_{true};
  std::atomic<std::int64_t> firstTakeAt_{0};
  std::chrono::steady_clock::time_point firstTake_{};  ///< set together with taken_; read after the segment
  std::atomic<std::size_t> outstanding_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<bool> decided_{false};
  std::atomic<bool> givenUp_{false};
  std::atomic<std::uint64_t> stepsTaken_{0};  ///< only with a limit
  std::atomic<std::uint64_t> shared_;

  // Sleepers announce themselves before they look at the pool; pushers look for sleepers after the push.
  // Both sides are sequentially consistent, so one of them sees the other.
  std::atomic<std::size_t> sleepers_{0};
  std::atomic<std::size_t> bulkSleepers_{0};
  std::atomic<std::size_t> starving_{0};
  std::atomic<std::size_t> needy_{0};
  std::atomic<std::size_t> recalling_{0};
  // A thread that enters counts itself, then looks whether the gate is closed; one that closes looks at the
  // count afterwards. Both sides are sequentially consistent here, too.
  std::atomic<std::size_t> inside_{0};
  std::atomic<bool> closed_{false};
  std::atomic<bool> snapshotAsked_{false};
  std::atomic<std::uint64_t> askEvery_{0};
  std::atomic<std::uint64_t> transactions_{0};
  std::atomic<std::uint64_t> commitsWanted_{0};
  std::mutex gateMutex_;
  std::condition_variable gate_;

  mutable std::mutex mutex_;
  std::condition_variable workAvailable_;
  std::condition_variable over_;
  bool warned_ = false;  ///< since the supervisor looked

  mutable std::mutex overflowMutex_;
  std::vector<std::byte> overflow_;  ///< returned while the pool was full or together, and adopted ones
  std::vector<HeldSlices> parcels_;
  std::atomic<std::size_t> overflowCount_{0};  ///< slices in both

  mutable std::mutex noteMutex_;
  std::vector<std::string> warnings_;
  std::exception_ptr error_;
  std::mutex consumerMutex_;

  [[nodiscard]] const std::vector<WorkerAccount*>& accounts() const {
    return *accounts_.load(std::memory_order_acquire);
  }

  std::vector<std::unique_ptr<const std::vector<WorkerAccount*>>> allAccounts_;  ///< the newest last
  std::atomic<const std::vector<WorkerAccount*>*> accounts_{nullptr};
  std::atomic<std::size_t> devicesToCome_{0};
  double totalSteps_ = 0;
  double doneBefore_ = 0;
  std::chrono::steady_clock::time_point start_{};
};

}  // namespace slicepool
