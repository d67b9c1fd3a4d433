// The worker loop of a CPU core.
#include "cpu_workers/core/cpu_workers.hpp"

#ifndef SLICEPOOL_THREAD_ARENA
#include <oneapi/tbb/info.h>
#endif

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "cpu_workers/core/cpu_arena.hpp"
#include "cpu_workers/core/scheduler_start.hpp"
#include "cpu_workers/core/turn_pacer.hpp"

namespace slicepool {
namespace {

constexpr std::size_t kResultBufferBytes = 1U << 20;                    // of one worker, and
constexpr std::size_t kAllResultBuffersBytes = std::size_t{256} << 20;  // of all of them
constexpr int kSplitsPerTurn = 48;                                      // for a device
constexpr std::size_t kHandBytes = std::size_t{32} << 10;               // of slices taken at once, and
constexpr std::size_t kHand = 16;                                       // the most of them
constexpr std::size_t kHandsPerThread = 4;  // that what lies together makes: the last ones are small
constexpr std::chrono::microseconds kRecallLook{50};
constexpr int kHalvesPerTurn = 4;  // for CPU workers
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// One CPU worker: a sink part, a result buffer and the loop. Owned by CpuWorkers, run by one arena slot.
class CpuWorker {
 public:
  CpuWorker(const Problem& problem, const CpuWorkerOptions& options, int index, std::atomic<int>& leaving)
      : leaving_(leaving),
        words_(problem.words().fresh()),
        slice_(problem.sliceBytes()),
        spare_(problem.sliceBytes()),
        hand_(std::clamp<std::size_t>(kHandBytes / problem.sliceBytes(), 1, kHand) * problem.sliceBytes()),
        threads_(static_cast<std::size_t>(options.threads)),
        pacer_(options.turnMilliseconds, options.fixedBudget),
        fixedBudget_(options.fixedBudget != 0) {
    account_.name = "cpu" + std::to_string(index);
    account_.kind = "cpu";
    if (problem.resultBytes() != 0) {
      const std::size_t bytes =
          std::min(kResultBufferBytes, kAllResultBuffersBytes / static_cast<std::size_t>(options.threads));
      resultCapacity_ = static_cast<std::uint32_t>(std::max<std::size_t>(1, bytes / problem.resultBytes()));
      // Not cleared: small runs write few of its pages, and a page that was given back costs as much as a
      // turn.
      results_ = std::make_unique_for_overwrite<std::byte[]>(resultCapacity_ * problem.resultBytes());
    }
    shared_ = problem.sharedStart();
  }

  void loop(Hub& hub) {
    // Beyond the handler: what an exception left behind must not get into a snapshot.
    Inside inside(hub);
    noteReady(hub, account_);
    try {
      for (;;) {
        // Looked at once: whoever ends leaves nothing in its hand, whenever it was told to.
        const bool ends = hub.stopping() || leaves();
        if (handLeft_ != 0 && (ends || isWanted(hub))) putDownHand(hub);
        if (ends) return;
        if (hub.recalling()) {
          inside.outside([&] {
            hub.sleepFor(kRecallLook);
            return true;
          });
          continue;
        }
        if (!takeNext(hub)) {
          const auto begin = hub.now();
          const bool more = inside.outside([&] { return hub.waitForWork(false); });
          record(hub, account_, {TraceSpan::Kind::idle, begin, hub.now() - begin, 0, 0});
          if (!more) return;
          continue;
        }
        holds_ = true;
        work(hub);
        holds_ = false;
        hub.betweenTransactions();
      }
    } catch (...) {
      hub.fail(std::current_exception());
    }
  }

  WorkerAccount& account() { return account_; }
  [[nodiscard]] const std::vector<std::uint64_t>& words() const { return words_; }
  void appendHeld(std::vector<HeldSlices>& held) const {
    if (holds_) held.push_back({nullptr, slice_.data(), 1});
    if (handLeft_ != 0) held.push_back({nullptr, hand_.data(), handLeft_});
  }

 private:
  /// Small slices that lie together are taken some at a time: threads that take them one by one wait for each
  /// other longer than they work on them.
  bool takeNext(Hub& hub) {
    const std::size_t bytes = slice_.size();
    if (handLeft_ == 0) {
      const std::size_t most = hub.pooled() / (kHandsPerThread * threads_);
      handLeft_ = hub.takeSome(hand_.data(), std::clamp<std::size_t>(most, 1, hand_.size() / bytes));
    }
    if (handLeft_ == 0) return false;
    --handLeft_;
    std::copy_n(hand_.data() + handLeft_ * bytes, bytes, slice_.data());
    return true;
  }
  /// Whether others need what this worker has not begun with.
  [[nodiscard]] bool isWanted(const Hub& hub) const {
    return hub.hungryWorkers() != 0 || hub.batchWantsSlices() || putsDown(hub);
  }
  /// Whether it is to put down all that it holds.
  [[nodiscard]] bool putsDown(const Hub& hub) const {
    return hub.stopping() || hub.recalling() || leaving_.load(std::memory_order_relaxed) > 0;
  }
  void putDownHand(Hub& hub) { hub.putBack(hand_.data(), std::exchange(handLeft_, 0)); }

  /// Advances the slice at hand until it is exhausted or the run stops.
  void work(Hub& hub) {
    const Problem& problem = hub.problem();
    for (;;) {
      const Turn turn = turnOnce(hub, problem);
      if (turn == Turn::exhausted) {
        hub.finish(1);
        return;
      }
      if (handLeft_ != 0 && isWanted(hub)) putDownHand(hub);
      if (putsDown(hub)) {
        hub.putBack(slice_.data(), 1);
        return;
      }
      share(hub, problem);
      hub.betweenTransactions();
    }
  }

  Turn turnOnce(Hub& hub, const Problem& problem) {
    const auto begin = hub.now();
    look(hub, begin);
    Budget budget{pacer_.budget(static_cast<double>(begin) * 1e-9,
                                look_.rate > 0 ? look_.left / look_.rate : kUnknown)};
    if (look_.batches && !fixedBudget_ && pacer_.rate() > 0)
      budget.left = std::min(
          budget.left,
          std::max<std::uint64_t>(1, static_cast<std::uint64_t>(pacer_.rate() * kTurnBesideDevices)));
    const std::uint64_t granted = budget.left;
    std::uint32_t resultCount = 0;
    const SinkMemory memory{words_.data(), results_.get(), &resultCount, resultCapacity_, &shared_};
    const Turn turn = problem.advanceFast(slice_.data(), budget, memory);
    if (resultCount != 0) hub.consume(results_.get(), resultCount);
    const auto duration = hub.now() - begin;
    // A step function may overshoot by one indivisible step: then `left` has wrapped below zero.
    const std::uint64_t steps = granted - budget.left;
    pacer_.learn(steps, static_cast<double>(duration) * 1e-9);
    shared_ = hub.exchangeShared(shared_);
    account(steps, granted, duration);
    hub.tookSteps(steps);
    record(hub, account_, {TraceSpan::Kind::turn, begin, duration, steps, 1});
    if (problem.decided(words_.data())) hub.decide();
    return turn;
  }

  /// What all workers do, not looked at more often than it matters: it is spread over the cache lines of all
  /// of them, and turns of small slices are short.
  void look(const Hub& hub, std::int64_t now) {
    if (look_.rate > 0 && now - look_.at < kLookNanoseconds) return;
    look_.at = now;
    look_.rate = hub.totalRate();
    look_.left = hub.remainingSteps();
    look_.batches = hub.batchRate() > 0;
  }

  void account(std::uint64_t steps, std::uint64_t granted, std::int64_t duration) {
    account_.steps.fetch_add(steps, std::memory_order_relaxed);
    account_.turns.fetch_add(1, std::memory_order_relaxed);
    account_.busyNanoseconds.fetch_add(duration, std::memory_order_relaxed);
    account_.results.store(words_[0], std::memory_order_relaxed);
    account_.stepsPerSecond.store(pacer_.rate(), std::memory_order_relaxed);
    account_.budget.store(granted, std::memory_order_relaxed);
  }

  /// Gives parts of the slice away when others run dry. Sleeping CPU workers get halves; a batch worker that
  /// is idle or starves gets all but this worker's share of what is left, by measured rate, so that both end
  /// together. Where sizes are unknown, a split is taken to halve the slice. Where they are known, a device
  /// that still has work gets what is far above that share, too: in the end it would come too late.
  void share(Hub& hub, const Problem& problem) {
    for (int i = 0; i < kHalvesPerTurn && hub.hungryWorkers() > 0; ++i)
      if (!giveHalf(hub, problem)) break;
    const bool wanted = hub.batchWantsSlices();
    if (!wanted && !look_.batches) return;
    const bool sized = std::isfinite(problem.size(slice_.data()));
    if (!wanted && !sized) return;
    const double fair =
        std::isfinite(look_.left) && look_.rate > 0 ? look_.left * pacer_.rate() / look_.rate : 0;
    const double most = wanted ? fair : kFarAbove * std::max(fair, pacer_.rate() * kMinimumShareSeconds);
    double kept = 1;  // of the slice, where its size is unknown
    for (int i = 0; i < kSplitsPerTurn; ++i) {
      if (sized ? problem.size(slice_.data()) <= most : kept * look_.rate <= pacer_.rate()) return;
      if (!giveHalf(hub, problem)) return;
      kept /= 2;
    }
  }

  bool giveHalf(Hub& hub, const Problem& problem) {
    if (hub.pooled() >= kPoolEnough) return false;
    if (!problem.split(slice_.data(), spare_.data())) return false;
    account_.splits.fetch_add(1, std::memory_order_relaxed);
    if (hub.give(spare_.data())) return true;
    // A full pool: the part stays outstanding, but behind the pool.
    hub.addOutstanding(1);
    hub.putBack(spare_.data(), 1);
    return false;
  }

  /// Whether this worker is one of those that give their cores away.
  bool leaves() {
    int wanted = leaving_.load(std::memory_order_relaxed);
    while (wanted > 0 && !leaving_.compare_exchange_weak(wanted, wanted - 1)) {}
    left_ = left_ || wanted > 0;
    if (left_) account_.stepsPerSecond.store(0, std::memory_order_relaxed);
    return left_;
  }

  static constexpr std::size_t kPoolEnough = 1U << 14;  // more waiting slices than this do not help
  static constexpr std::int64_t kLookNanoseconds = 100'000;
  static constexpr double kTurnBesideDevices =
      5e-4;                               // s: a device that has run dry waits for the end of turns
  static constexpr double kFarAbove = 2;  // a split halves: less would be given back
  static constexpr double kMinimumShareSeconds = 5e-4;  // of work, which no device is asked to take

  std::atomic<int>& leaving_;  ///< workers that are to leave
  bool left_ = false;
  std::vector<std::uint64_t> words_;
  std::vector<std::byte> slice_, spare_;
  std::vector<std::byte> hand_;  ///< slices that were taken with the one at work
  std::size_t handLeft_ = 0;
  std::size_t threads_;
  std::unique_ptr<std::byte[]> results_;  ///< what a turn emits
  bool holds_ = false;                    ///< slice_ is an outstanding slice
  std::uint32_t resultCapacity_ = 0;
  std::uint64_t shared_ = 0;
  struct {
    std::int64_t at = 0;
    double rate = 0;         ///< steps/s of all workers; 0: unknown
    double left = kUnknown;  ///< steps of the run
    bool batches = false;    ///< batch workers work, too
  } look_;
  TurnPacer pacer_;
  bool fixedBudget_ = false;  ///< the user's
  WorkerAccount account_;
};

class CpuWorkers final : public Worker {
 public:
  CpuWorkers(const Problem& problem, const CpuWorkerOptions& options)
      : arena_(options.arena || options.run ? options.arena : std::make_shared<CpuArena>(options.threads)),
        run_(options.run) {
    for (int i = 0; i < options.threads; ++i)
      workers_.push_back(std::make_unique<CpuWorker>(problem, options, i, leaving_));
  }

  void leaveCore() override {
    if (++given_ < static_cast<int>(workers_.size())) leaving_.fetch_add(1);
  }

  void drain(Hub& hub) override {
    try {
      const auto loop = [&](std::size_t i) { workers_[i]->loop(hub); };
      run_ ? run_(loop) : arena_->run(loop);
    } catch (...) {
      hub.fail(std::current_exception());
    }
  }

  std::vector<WorkerAccount*> accounts() override {
    std::vector<WorkerAccount*> all;
    for (auto& worker : workers_) all.push_back(&worker->account());
    return all;
  }

  void mergeInto(const WordLayout& layout, std::uint64_t* words) const override {
    for (const auto& worker : workers_) mergeWords(layout, words, worker->words().data());
  }

  void appendHeld(std::vector<HeldSlices>& held) override {
    for (const auto& worker : workers_) worker->appendHeld(held);
  }

 private:
  std::shared_ptr<CpuArena> arena_;
  std::function<void(const std::function<void(std::size_t)>&)> run_;
  std::atomic<int> leaving_{0};
  std::atomic<int> given_{0};
  std::vector<std::unique_ptr<CpuWorker>> workers_;
};

}  // namespace

std::unique_ptr<Worker> makeCpuWorkers(const Problem& problem, const CpuWorkerOptions& options) {
  return std::make_unique<CpuWorkers>(problem, options);
}

#ifdef SLICEPOOL_THREAD_ARENA
int availableCores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }
#else
int availableCores() {
  startScheduler();
  return std::max(1, oneapi::tbb::info::default_concurrency());
}
#endif

}  // namespace slicepool
