// The interface between the engine and its workers: a worker is something that drains the hub. The hub is
// the pool plus the books: outstanding slices, idle workers, stop requests, shared word, trace.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "slicepool/core/problem.hpp"

namespace slicepool {

/// One entry of the trace: what a worker did from `begin` for `duration`.
struct TraceSpan {
  enum class Kind : std::uint8_t { turn, launch, upload, commit, give, idle };
  Kind kind = Kind::turn;
  std::int64_t begin = 0;     ///< ns since the start of the run
  std::int64_t duration = 0;  ///< ns
  std::uint64_t steps = 0;
  std::uint32_t slices = 0;  ///< live slices (launch) or slices moved
};

/// A worker's books. Written by its owner, read by the engine at any time.
struct alignas(64) WorkerAccount {
  std::string name;
  std::string kind;
  std::string device;
  std::atomic<std::uint64_t> steps{0};
  std::atomic<std::uint64_t> results{0};
  std::atomic<std::uint64_t> turns{0};
  std::atomic<std::uint64_t> splits{0};
  std::atomic<std::int64_t> busyNanoseconds{0};
  std::atomic<std::int64_t> exchangeNanoseconds{0};  ///< in commits, gifts and takes of a device
  std::atomic<std::int64_t> waitingNanoseconds{0};   ///< for slices, and at rest
  std::atomic<std::int64_t> readyAt{-1};             ///< ns since the start of the run; -1: not yet
  std::atomic<std::int64_t> firstAt{-1};             ///< begin of the first turn or launch, as readyAt
  std::atomic<std::int64_t> lastAt{-1};              ///< end of the last one, as readyAt
  std::atomic<double> stepsPerSecond{0};             ///< smoothed
  std::atomic<std::uint64_t> budget{0};              ///< last budget
  std::vector<TraceSpan> spans;                      ///< only while tracing; owner only
};

/// Slices that a worker holds, where they lie: they do not change while `memory` is held, or, where it is
/// null, until a worker enters the hub.
struct HeldSlices {
  std::shared_ptr<const void> memory;
  const std::byte* slices = nullptr;
  std::size_t count = 0;
};

/// What workers see of the engine. Every member is safe from any thread.
class Hub {
 public:
  virtual ~Hub() = default;

  [[nodiscard]] virtual const Problem& problem() const = 0;

  // --- slices. A slice that is in the pool or held by a worker counts as one outstanding slice.
  /// Takes one slice; its count moves to the caller.
  virtual bool take(std::byte* slice) = 0;
  /// Takes one slice of the pool or, where many lie together, up to `maximum` of these; returns how many.
  virtual std::size_t takeSome(std::byte* slices, std::size_t maximum) {
    return maximum != 0 && take(slices) ? 1 : 0;
  }
  /// Takes up to `maximum` slices.
  virtual std::size_t takeBulk(std::byte* slices, std::size_t maximum) = 0;
  /// Publishes a slice that the caller split off (counted before it is visible). False: the pool is full,
  /// keep it.
  virtual bool give(const std::byte* slice) = 0;
  /// Returns slices the caller holds, without a change of the count. Never refuses.
  virtual void putBack(const std::byte* slices, std::size_t count) = 0;
  /// The same for many slices at once: they do not go through the pool one by one, but lie together.
  virtual void putBackTogether(const std::byte* slices, std::size_t count) { putBack(slices, count); }
  /// The same for slices which stay where they are: what a device gives to another one. Their memory is
  /// kept until they have been taken.
  virtual void putBackParcel(HeldSlices parcel) = 0;
  /// Takes up to `maximum` slices of a parcel, without a copy; a count of 0 when there is no parcel.
  virtual HeldSlices takeParcel(std::size_t maximum) = 0;
  /// Counts slices that came into being without `give` (device-side splits made visible on the host).
  virtual void addOutstanding(std::size_t count) = 0;
  /// `count` held slices are exhausted and all their results are accounted. Zero outstanding ends the run.
  virtual void finish(std::size_t count) = 0;

  // --- balance
  /// Sleeps until there is work or the segment ends; false at the end. `bulk`: the caller wants many steps.
  virtual bool waitForWork(bool bulk) = 0;
  /// Sleeps for so long by the clock of now(), whatever happens meanwhile.
  virtual void sleepFor(std::chrono::nanoseconds duration) = 0;
  /// CPU workers asleep for want of slices, less what waits in the pool; at least 0.
  [[nodiscard]] virtual std::size_t hungryWorkers() const = 0;
  /// Batch workers that are idle for want of slices.
  [[nodiscard]] virtual std::size_t hungryDevices() const = 0;
  /// A batch worker begins or ceases to starve: it works, but what it has does not load its device, or soon
  /// will not.
  virtual void setStarving(bool starving) = 0;
  /// A batch worker begins or ceases to need slices of other batch workers, not only of CPU workers.
  virtual void setNeedy(bool needy) { (void)needy; }
  [[nodiscard]] virtual std::size_t needyDevices() const { return 0; }
  /// A batch worker calls all slices back: it is much faster than the CPU workers, and has none. They put
  /// down what they hold and wait until it has begun.
  virtual void setRecalling(bool recalling) { (void)recalling; }
  [[nodiscard]] virtual bool recalling() const { return false; }
  /// A batch worker is idle or starves.
  [[nodiscard]] virtual bool batchWantsSlices() const = 0;
  [[nodiscard]] virtual std::size_t pooled() const = 0;
  /// Devices that are being made, and will join this run.
  [[nodiscard]] virtual std::size_t devicesToCome() const { return 0; }
  /// Steps still to do in the whole run, NaN when unknown.
  [[nodiscard]] virtual double remainingSteps() const = 0;
  /// Sum of all workers' smoothed rates, steps/s.
  [[nodiscard]] virtual double totalRate() const = 0;
  /// The part of it that is CPU workers'.
  [[nodiscard]] virtual double cpuRate() const = 0;
  /// The part of it that is batch workers'; 0 while none has a rate. Not the difference of the two above: CPU
  /// workers change theirs between two readings.
  [[nodiscard]] virtual double batchRate() const = 0;
  /// The highest rate of a batch worker with a device of this name, steps/s; 0: none has one.
  [[nodiscard]] virtual double fastest(const std::string& device) const {
    (void)device;
    return 0;
  }
  /// Seconds since the start of this run's enumeration.
  [[nodiscard]] virtual double elapsed() const = 0;

  // --- control
  /// Tells steps as soon as they are taken; at a step limit the run stops.
  virtual void tookSteps(std::uint64_t steps) { (void)steps; }
  /// True: return what you hold with putBack and leave drain().
  [[nodiscard]] virtual bool stopping() const = 0;
  /// Beside that: what is left is of no use. A device need not return its slices, only what it has found.
  [[nodiscard]] virtual bool givenUp() const { return false; }
  /// The sink's answer is settled; ends the run.
  virtual void decide() = 0;
  virtual void warn(const std::string& message) = 0;
  /// Records the first exception and ends the run.
  virtual void fail(std::exception_ptr error) = 0;

  // --- results and shared state
  virtual void consume(const std::byte* results, std::size_t count) = 0;
  /// Lowers the shared word to `value` if that is lower; returns the current one.
  virtual std::uint64_t exchangeShared(std::uint64_t value) = 0;

  // --- checkpoints of a run that goes on (see docs/architecture.md). A worker is inside while it may change
  // what a checkpoint holds: slices, words, results, steps. It leaves before it waits for anything.
  /// Waits while a snapshot is taken.
  virtual void enter() {}
  virtual void leave() {}
  /// Of a worker inside, between two of its transactions, each of which leaves everything consistent.
  virtual void betweenTransactions() {}
  /// Counts requests that every batch commit once, so that the next snapshot has what was done so far.
  [[nodiscard]] virtual std::uint64_t commitsWanted() const { return 0; }

  // --- trace
  [[nodiscard]] virtual bool tracing() const = 0;
  [[nodiscard]] virtual std::int64_t now() const = 0;  ///< ns since the start of the run
};

/// Books where the time of a worker went. By its owner only.
inline void book(WorkerAccount& account, const TraceSpan& span) {
  const auto add = [&](std::atomic<std::int64_t>& sum) {
    sum.store(sum.load(std::memory_order_relaxed) + span.duration, std::memory_order_relaxed);
  };
  switch (span.kind) {
    case TraceSpan::Kind::idle: add(account.waitingNanoseconds); return;
    case TraceSpan::Kind::upload:
    case TraceSpan::Kind::commit:
    case TraceSpan::Kind::give: add(account.exchangeNanoseconds); return;
    case TraceSpan::Kind::turn:
    case TraceSpan::Kind::launch: break;
  }
  if (account.firstAt.load(std::memory_order_relaxed) < 0)
    account.firstAt.store(span.begin, std::memory_order_relaxed);
  account.lastAt.store(span.begin + span.duration, std::memory_order_relaxed);
}

/// A worker takes part from here on.
inline void noteReady(const Hub& hub, WorkerAccount& account) {
  if (account.readyAt.load(std::memory_order_relaxed) < 0)
    account.readyAt.store(hub.now(), std::memory_order_relaxed);
}

/// Books a span, and appends it when tracing; bounded so that a long run cannot eat the memory.
inline void record(const Hub& hub, WorkerAccount& account, TraceSpan span) {
  book(account, span);
  constexpr std::size_t kMaximumSpans = 1U << 20;
  if (hub.tracing() && account.spans.size() < kMaximumSpans) account.spans.push_back(span);
}

/// A worker inside the hub, while it drains it; see Hub::enter.
class Inside {
 public:
  explicit Inside(Hub& hub) : hub_(hub) { enter(); }
  ~Inside() { leave(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  void enter() {
    if (!inside_) hub_.enter();
    inside_ = true;
  }
  void leave() {
    if (inside_) hub_.leave();
    inside_ = false;
  }
  /// Runs `wait` outside; inside again also when it throws.
  template <class Wait>
  auto outside(Wait&& wait) {
    struct Back {
      Inside& inside;
      ~Back() { inside.enter(); }
    };
    leave();
    const Back back{*this};
    return wait();
  }

 private:
  Hub& hub_;
  bool inside_ = false;
};

/// Something that drains the pool. Lives as long as the engine; drain() is called once per segment.
class Worker {
 public:
  virtual ~Worker() = default;
  /// Works until the hub is out of outstanding slices or stopping. Blocks. Reports errors through hub.fail().
  virtual void drain(Hub& hub) = 0;
  [[nodiscard]] virtual std::vector<WorkerAccount*> accounts() = 0;
  /// Merges this worker's reduction words into `words`. Only between segments.
  virtual void mergeInto(const WordLayout& layout, std::uint64_t* words) const = 0;
  [[nodiscard]] virtual std::size_t deviceBytes() const { return 0; }
  /// Gives one of its cores away for the rest of the run, after the turn at hand; the last one stays. Any
  /// thread.
  virtual void leaveCore() {}

  // For a snapshot, while no worker is inside the hub. The words are then as of the same moment.
  virtual void appendHeld(std::vector<HeldSlices>& held) { (void)held; }
  /// Steps in the accounts whose results a snapshot does not have.
  [[nodiscard]] virtual std::uint64_t uncommittedSteps() const { return 0; }
  /// Whether all that this worker did before request number `wanted` (Hub::commitsWanted) is committed. Any
  /// thread, any time.
  [[nodiscard]] virtual bool hasCommitted(std::uint64_t wanted) const {
    (void)wanted;
    return true;
  }
};

}  // namespace slicepool
