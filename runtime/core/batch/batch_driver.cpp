// See batch_driver.hpp.
#include "runtime/core/batch/batch_driver.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "runtime/core/batch/launch_pacer.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

constexpr double kCommitIntervalSeconds = 0.5;
constexpr double kCommitShare = 0.02;          // of the time, at most, for commits that nobody waits for
constexpr double kGuessedCpuShare = 1.0 / 16;  // before CPU workers had work enough for a rate
constexpr std::size_t kMaximumUncommittedBytes = 64U << 20;
constexpr double kStarving = 1.0 / 8;          // of the slices that load a device
constexpr double kHalvingSeconds = 0.1;        // of work that is left, and between two halvings
constexpr double kLeaveToCpuSeconds = 3e-4;    // so little work that a launch would not pay
constexpr double kLaneSeconds = 1e-3;          // a slice worth a lane keeps it busy for about that long
constexpr std::uint32_t kSmallestFill = 2048;  // while sizes are unknown
constexpr double kFirstStepsPerLane = 512;     // before the rate is known; a larger share is never needed
constexpr double kFewestStepsPerLane = 16;

/// Slices in memory that the device copies to and from fast; grows by whole replacement.
class SliceBuffer {
 public:
  [[nodiscard]] std::byte* data() { return memory_.get(); }
  [[nodiscard]] const std::byte* data() const { return memory_.get(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// Keeps the content.
  void resize(BatchDevice& device, std::size_t bytes) {
    // What was taken off the end of a loan would be overwritten.
    const bool overwrites = bytes > bytes_ && bytes_ < lentBytes_ && lent();
    if (bytes > capacity_ || overwrites) {
      const std::size_t capacity =
          bytes > capacity_ ? std::max({bytes, 2 * capacity_, kSmallest}) : capacity_;
      auto larger = device.hostMemory(capacity);
      if (bytes_ != 0) std::memcpy(larger.get(), memory_.get(), bytes_);
      memory_ = std::move(larger);
      readers_ = std::make_shared<std::atomic<int>>(0);
      lentBytes_ = 0;
      capacity_ = capacity;
    }
    bytes_ = bytes;
  }
  void shrink(std::size_t bytes) { bytes_ = bytes; }
  /// The content as it is stays while the pointer lives; who writes looks at lent() before.
  [[nodiscard]] std::shared_ptr<const void> lend() {
    struct Loan {
      explicit Loan(const SliceBuffer& buffer) : memory(buffer.memory_), readers(buffer.readers_) {
        readers->fetch_add(1, std::memory_order_relaxed);
      }
      ~Loan() { readers->fetch_sub(1, std::memory_order_release); }
      Loan(const Loan&) = delete;
      Loan& operator=(const Loan&) = delete;
      std::shared_ptr<std::byte[]> memory;
      std::shared_ptr<std::atomic<int>> readers;
    };
    lentBytes_ = bytes_;
    return std::make_shared<Loan>(*this);
  }
  [[nodiscard]] bool lent() const { return readers_ && readers_->load(std::memory_order_acquire) != 0; }
  /// The same without the content: nothing is copied when the memory is replaced.
  void renew(BatchDevice& device, std::size_t bytes) {
    bytes_ = 0;
    resize(device, bytes);
  }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  static constexpr std::size_t kSmallest = 64U << 10;
  std::shared_ptr<std::byte[]> memory_;
  std::shared_ptr<std::atomic<int>> readers_;
  std::size_t bytes_ = 0;
  std::size_t capacity_ = 0;
  std::size_t lentBytes_ = 0;  ///< of the last loan
};

class Driver final : public BatchDriver {
 public:
  Driver(const Problem& problem, std::unique_ptr<BatchDevice> device, const BatchDriverOptions& options,
         int index)
      : problem_(problem),
        device_(std::move(device)),
        options_(options),
        pacer_(options.launchMilliseconds, options.fixedBudget, options.blockSize,
               device_->info().blockSizes) {
    account_.name = device_->info().kind + std::to_string(index);
    account_.kind = device_->info().kind;
    account_.device = device_->info().name;
    lanes_ = device_->info().lanes;
    splitLimit_ = lanes_;
    deviceBytes_ = device_->deviceBytes();
    for (auto& batch : batches_) batch.committed = problem.words().fresh();
    makeRoomToCommit();
  }

  void drain(Hub& hub) override {
    if (failed_) return;
    // Beyond the handlers: what an exception left behind must not get into a snapshot.
    Inside inside(hub);
    inside_ = &inside;
    try {
      try {
        driveUntilStopped(hub);
      } catch (const DeviceError& error) {
        recover(hub, error.what());
      }
    } catch (...) {
      hub.fail(std::current_exception());
    }
    setStarving(hub, false);
    committedUpTo_.store(kAll, std::memory_order_relaxed);
    inside_ = nullptr;
  }

  void appendHeld(std::vector<HeldSlices>& held) override {
    for (Batch& batch : batches_) {
      if (batch.snapshot.bytes() == 0) continue;
      held.push_back(
          {batch.snapshot.lend(), batch.snapshot.data(), batch.snapshot.bytes() / problem_.sliceBytes()});
    }
  }
  [[nodiscard]] std::uint64_t uncommittedSteps() const override {
    std::uint64_t steps = 0;
    for (const Batch& batch : batches_) steps += batch.uncommittedSteps;
    return steps;
  }
  [[nodiscard]] bool hasCommitted(std::uint64_t wanted) const override {
    return committedUpTo_.load(std::memory_order_relaxed) >= wanted;
  }

  void takeFirst(Hub& hub) override {
    // Devices that copy slices while a launch runs are those whose launches multiply them.
    constexpr std::size_t kFew = 1024;
    const std::size_t waiting = hub.pooled();
    if (failed_ || !device_->copiesDuringLaunch() || waiting == 0 ||
        waiting > std::min<std::size_t>(kFew, lanes_))
      return;
    try {
      take(hub, 0, waiting);
    } catch (const DeviceError& error) {
      recover(hub, error.what());
    }
  }

  std::vector<WorkerAccount*> accounts() override { return {&account_}; }
  void mergeInto(const WordLayout& layout, std::uint64_t* words) const override {
    for (const auto& batch : batches_) mergeWords(layout, words, batch.committed.data());
  }
  [[nodiscard]] std::size_t deviceBytes() const override { return deviceBytes_; }
  [[nodiscard]] std::uint32_t blockSize() const override {
    return account_.kind == "gpu" ? pacer_.settledBlockSize() : 0;
  }
  [[nodiscard]] bool failed() const override { return failed_; }

 private:
  struct Batch {
    std::uint32_t live = 0;
    std::size_t tokens = 0;  ///< outstanding slices counted for this batch
    bool inFlight = false;
    bool stuck = false;    ///< last round cut nothing although there was room
    bool growing = false;  ///< last round left more slices than it found
    double work = 0;       ///< estimated steps in the batch; NaN: unknown
    std::uint32_t fillTarget = 0;
    std::uint64_t budget = 0;
    std::uint32_t blockSize = 0;
    std::int64_t launched = 0;
    std::uint32_t launchedLive = 0;
    double largest = 0;       ///< size of the largest slice since the batch was empty; NaN: unknown
    bool rowsCopied = false;  ///< the last launch has copied the rows of all slices
    SliceBuffer snapshot;
    std::vector<std::uint64_t> committed;
    std::vector<std::byte> results;  ///< taken from the device, not yet handed over
    std::uint64_t uncommittedSteps = 0;
    std::uint64_t epoch = 0;  ///< Hub::commitsWanted before the last commit
    double lastCommit = 0;
    double lastGive = 0;
    /// A commit whose slices are on their way to staging_.
    struct {
      bool open = false;
      std::uint32_t kept = 0;
      std::uint32_t given = 0;
      std::uint64_t epoch = 0;
      std::vector<std::uint64_t> words;
    } commit;
  };
  static constexpr std::uint64_t kAll = ~std::uint64_t{0};

  /// Runs `wait`, which changes nothing that a snapshot holds, while snapshots may be taken.
  template <class Wait>
  auto outside(Wait&& wait) {
    return inside_ == nullptr ? wait() : inside_->outside(std::forward<Wait>(wait));
  }

  /// Memory for `bytes` bytes of slices, contents undefined; not what a checkpoint still reads.
  void renewStaging(std::size_t bytes) {
    if (staging_.lent()) {
      spares_.push_back(std::exchange(staging_, SliceBuffer{}));
      const auto spare = std::find_if(spares_.begin(), spares_.end(),
                                      [](const SliceBuffer& buffer) { return !buffer.lent(); });
      if (spare != spares_.end()) {
        staging_ = std::move(*spare);
        spares_.erase(spare);
      }
    }
    staging_.renew(*device_, bytes);
  }

  void noteCommits() {
    std::uint64_t least = kAll;
    for (const Batch& batch : batches_)
      if (batch.tokens != 0) least = std::min(least, batch.epoch);
    committedUpTo_.store(least, std::memory_order_relaxed);
  }

  void driveUntilStopped(Hub& hub) {
    for (;;) {
      bool busy = false;
      for (int slot = 0; slot < kBatchSlots; ++slot) {
        Batch& batch = batches_[static_cast<std::size_t>(slot)];
        if (batch.inFlight) collect(hub, slot);
        if (!hub.stopping()) exchange(hub, slot);
        if (batch.live != 0 && !hub.stopping()) launch(hub, slot);
        if (batch.commit.open) endCommit(hub, slot);
        busy = busy || batch.inFlight;
        noteCommits();
        hub.betweenTransactions();
      }
      setStarving(hub, busy && starves());
      if (hub.stopping() && !busy) {
        for (int slot = 0; slot < kBatchSlots; ++slot) park(hub, slot);
        return;
      }
      if (!busy) {
        account_.stepsPerSecond.store(lastRate_, std::memory_order_relaxed);
        const auto begin = hub.now();
        const bool more = outside([&] { return hub.waitForWork(true); });
        record(hub, account_, {TraceSpan::Kind::idle, begin, hub.now() - begin, 0, 0});
        if (!more && !hub.stopping()) return;
      }
    }
  }

  /// Whether both batches together, once they have been cut as far as they could, are far from loading the
  /// device. Where sizes are known and little is left, few slices are all that is wanted.
  [[nodiscard]] bool starves() const {
    std::uint32_t slices = 0;
    double wanted = 0;
    for (const Batch& batch : batches_) {
      slices += batch.live;
      if (batch.live != 0 && batch.growing) return false;
      const bool sized = std::isfinite(batch.work);
      wanted = std::max<double>(
          wanted, sized ? std::min(batch.fillTarget, device_->info().busyLanes) : device_->info().busyLanes);
    }
    return lastRate_ > 0 && slices < kStarving * wanted;
  }

  void setStarving(Hub& hub, bool starving) {
    if (std::exchange(starving_, starving) != starving) hub.setStarving(starving);
  }

  void launch(Hub& hub, int slot) {
    Batch& batch = batches_[static_cast<std::size_t>(slot)];
    batch.budget = pacer_.budget();
    batch.blockSize = pacer_.nextBlockSize();
    batch.launched = hub.now();
    batch.launchedLive = batch.live;
    sharedWord_ = device_->exchangeShared(hub.exchangeShared(sharedWord_));
    batch.fillTarget = fillTarget(batch);
    // One launch that exhausts every slice leaves whole ranges: their copy can be queued with it.
    const bool last = batch.largest <= static_cast<double>(batch.budget);
    const std::vector<RankRange> rows = last ? rowRanges(batch) : std::vector<RankRange>{};
    device_->launch(slot, {batch.budget, batch.blockSize, batch.fillTarget, rows});
    batch.inFlight = true;
    if (inFlight_++ == 0) busySince_ = batch.launched;
    account_.budget.store(batch.budget, std::memory_order_relaxed);
  }

  /// Live slices worth having: splitting what little is left into a slice for every lane costs more than it
  /// saves. By the estimated work where sizes are known, else by what the last splits brought.
  [[nodiscard]] std::uint32_t fillTarget(const Batch& batch) const {
    if (!std::isfinite(batch.work)) return splitLimit_;
    const double stepsPerLane =
        lastRate_ > 0 ? lastRate_ / static_cast<double>(lanes_) * kLaneSeconds : kFirstStepsPerLane;
    const double worth = batch.work / std::clamp(stepsPerLane, kFewestStepsPerLane, kFirstStepsPerLane);
    return static_cast<std::uint32_t>(std::clamp(worth, 1.0, static_cast<double>(lanes_)));
  }

  /// Without sizes: few steps for each split mean that the splits were not worth it.
  void learnSplits(const BatchSummary& summary) {
    constexpr std::uint64_t kPoor = 4;
    constexpr std::uint64_t kGood = 16;
    if (summary.splits < kSmallestFill / 2) return;
    if (summary.steps < kPoor * summary.splits)
      splitLimit_ = std::max(std::min(kSmallestFill, lanes_), splitLimit_ / 4);
    if (summary.steps > kGood * summary.splits) splitLimit_ = std::min(lanes_, splitLimit_ * 2);
  }

  /// Waits for the launch on `slot` and books what it did.
  void collect(Hub& hub, int slot) {
    Batch& batch = batches_[static_cast<std::size_t>(slot)];
    const BatchSummary summary = outside([&] { return device_->wait(slot); });
    const auto now = hub.now();
    batch.inFlight = false;
    if (--inFlight_ == 0) account_.busyNanoseconds.fetch_add(now - busySince_, std::memory_order_relaxed);
    // While the other batch is in flight too, the device has worked for both: count from the last end.
    const double seconds = static_cast<double>(now - std::max(lastEnd_, batch.launched)) * 1e-9;
    lastEnd_ = now;
    batch.live = summary.live;
    batch.rowsCopied = summary.rowsCopied && summary.live == 0;
    batch.stuck = summary.splits == 0;
    batch.growing = summary.live > batch.launchedLive;
    batch.uncommittedSteps += summary.steps;
    // An estimate that has run out says nothing about what is left.
    batch.work -= static_cast<double>(summary.steps);
    if (batch.work <= 0) batch.work = std::nan("");
    learnSplits(summary);
    account_.steps.fetch_add(summary.steps, std::memory_order_relaxed);
    hub.tookSteps(summary.steps);
    account_.splits.fetch_add(summary.splits, std::memory_order_relaxed);
    account_.turns.fetch_add(1, std::memory_order_relaxed);
    if (inFlight_ != 0) {
      account_.busyNanoseconds.fetch_add(now - busySince_, std::memory_order_relaxed);
      busySince_ = now;
    }
    record(
        hub, account_,
        {TraceSpan::Kind::launch, batch.launched, now - batch.launched, summary.steps, batch.launchedLive});
    learn(hub, batch, summary, seconds);
    takeResults(slot, batch, summary.resultCount);
  }

  void learn(Hub& hub, const Batch& batch, const BatchSummary& summary, double seconds) {
    if (summary.steps != 0 && seconds > 0) {
      const double observed = static_cast<double>(summary.steps) / seconds;
      lastRate_ = lastRate_ <= 0 ? observed
                                 : 0.7 * lastRate_ + 0.3 * std::clamp(observed, lastRate_ / 4, lastRate_ * 4);
      account_.stepsPerSecond.store(lastRate_, std::memory_order_relaxed);
    }
    const double rate = hub.totalRate();
    const double left = rate > 0 ? hub.remainingSteps() / rate : std::nan("");
    const bool spent = summary.live != 0 && summary.sinkFull == 0;
    const bool loaded = spent && summary.live >= device_->info().busyLanes;
    wasLoaded_ = wasLoaded_ || loaded;
    pacer_.learn(batch.blockSize, batch.budget, summary.steps, summary.milliseconds, loaded, spent,
                 useful(batch, summary), hub.elapsed(), left);
  }

  /// The share of the slices that were wanted, times the share of the budget that they took.
  [[nodiscard]] double useful(const Batch& batch, const BatchSummary& summary) const {
    const double slices = static_cast<double>(batch.launchedLive) + static_cast<double>(summary.splits);
    const double wanted = std::min(batch.fillTarget, device_->info().busyLanes);
    const double taken = static_cast<double>(summary.steps) / (slices * static_cast<double>(batch.budget));
    return taken * std::min(1.0, 2 * slices / std::max(1.0, wanted));
  }

  void takeResults(int slot, Batch& batch, std::uint32_t count) {
    if (count == 0) return;
    const std::size_t before = batch.results.size();
    batch.results.resize(before + count * problem_.resultBytes());
    device_->takeResults(slot, batch.results.data() + before, count);
  }

  /// Commits when it is time, gives slices to idle CPU workers, takes slices from the pool.
  void exchange(Hub& hub, int slot) {
    Batch& batch = batches_[static_cast<std::size_t>(slot)];
    const double now = hub.elapsed();
    if (batch.live == 0 && batch.tokens != 0) {
      commit(hub, slot);
      settle(hub, batch);
      batch.work = 0;
    } else if (batch.live != 0) {
      const std::size_t given = sharesWanted(hub, batch, now);
      if (worthHalving(hub, slot, now)) {
        halve(hub, slot);
      } else if (given != 0) {
        if (overlaps(batch, given))
          beginCommit(hub, slot, static_cast<std::uint32_t>(given));
        else
          giveAway(hub, slot, given);
        batch.lastGive = now;
      } else if (problem_.mayDecide() || now - batch.lastCommit > commitInterval() ||
                 batch.results.size() > kMaximumUncommittedBytes || batch.epoch < hub.commitsWanted()) {
        if (overlaps(batch, 0))
          beginCommit(hub, slot, 0);
        else
          commit(hub, slot);
      }
    }
    if (!hub.stopping() && !batch.commit.open) refill(hub, slot);
  }

  [[nodiscard]] double commitInterval() const {
    return std::max(kCommitIntervalSeconds, commitSeconds_ / kCommitShare);
  }

  /// How many slices idle workers should get from this batch: half for an idle device, for CPU workers their
  /// share by measured rate, or all of a batch that is too small to load the device and cannot be cut any
  /// more.
  std::size_t sharesWanted(Hub& hub, const Batch& batch, double now) const {
    if (options_.withCpuWorkers && batch.stuck && batch.live <= kStragglers) return batch.live;
    const bool idleDevice = hub.hungryBatch();
    const std::size_t hungry = options_.withCpuWorkers ? hub.hungryWorkers() : 0;
    if ((hungry == 0 && !idleDevice) || batch.live < 2) return 0;
    const double total = hub.totalRate();
    const double cpuRate = hub.cpuRate();
    // A device that was never loaded says nothing about what it can do.
    const double cpuShare =
        cpuRate > 0 && lastRate_ > 0 && wasLoaded_ ? std::clamp(cpuRate / total, 0.0, 0.5) : kGuessedCpuShare;
    const double share = idleDevice ? 0.5 : cpuShare;
    // Giving costs a commit. It saves at most the others' share of the time that is left; without a known
    // total the best guess is that as much is left as has passed.
    const double left = hub.remainingSteps();
    const double secondsLeft = std::isfinite(left) && total > 0 ? left / total : now - batch.lastGive;
    if (secondsLeft * share < 2 * commitSeconds_ || !hasRoomToCommit(batch, secondsLeft * share)) return 0;
    auto wanted = static_cast<std::size_t>(std::ceil(share * static_cast<double>(batch.live)));
    // CPU workers take slices one by one: what does not fit their pool is better kept.
    if (!idleDevice) wanted = std::min(wanted, kMostGiven);
    return std::clamp<std::size_t>(wanted, std::min<std::size_t>(hungry, batch.live / 2),
                                   std::max<std::size_t>(1, batch.live / 2));
  }

  /// Whether a commit of the batch needs no new host memory, or little, or saves more than that costs: to pin
  /// memory for a million slices takes tens of milliseconds, in which launches stand still.
  [[nodiscard]] bool hasRoomToCommit(const Batch& batch, double worthSeconds) const {
    constexpr std::size_t kLittle = 32U << 20;
    constexpr double kWorthMaking = 0.1;  // seconds
    if (!device_->copiesDuringLaunch() || worthSeconds > kWorthMaking) return true;
    const std::size_t room = std::min(staging_.capacity(), batch.snapshot.capacity());
    return batch.live * problem_.sliceBytes() <= std::max(kLittle, room);
  }

  /// That memory, before a search that is known to be long.
  void makeRoomToCommit() {
    constexpr double kLong = 3e9;  // steps
    if (!options_.withCpuWorkers || !device_->copiesDuringLaunch() ||
        problem_.totalSteps().value_or(0) < kLong)
      return;
    const std::size_t bytes = problem_.sliceBytes();
    staging_.renew(*device_, lanes_ * bytes);
    batches_[0].snapshot.renew(*device_, lanes_ * bytes);
    staging_.shrink(0);
    batches_[0].snapshot.shrink(0);
  }

  void refill(Hub& hub, int slot) {
    Batch& batch = batches_[static_cast<std::size_t>(slot)];
    const std::size_t waiting = hub.pooled();
    const bool wants =
        batch.live == 0 || starving_ || (batch.stuck && batch.live < device_->info().busyLanes);
    if (waiting == 0 || !wants) return;
    std::size_t maximum = lanes_ - batch.live;
    const Batch& other = batches_[static_cast<std::size_t>(1 - slot)];
    // What another device is to get must not come back here.
    if (other.live != 0 && hub.hungryBatch()) return;
    if (options_.withCpuWorkers) {
      // What CPU workers split off for each other, or were just given, is not for a device that has work in
      // its other batch.
      if (other.live >= device_->info().busyLanes && waiting < kPlenty) return;
      if (!starving_ && batch.live + other.live > kManyMore * waiting) return;
      // Leave the CPU workers their share of what waits, and all of it when they are done with it in no time.
      const double total = hub.totalRate();
      const double cpuRate = hub.cpuRate();
      const double left = hub.remainingSteps();
      if (lastRate_ > 0 && cpuRate > 0 && left / cpuRate < kLeaveToCpuSeconds) return;
      const double share = total > 0 && lastRate_ > 0 ? std::clamp(lastRate_ / total, 0.1, 1.0) : 0.5;
      maximum = std::min(maximum, static_cast<std::size_t>(std::ceil(share * static_cast<double>(waiting))));
    }
    mostPooled_ = std::max(mostPooled_, waiting);
    maximum = std::min({maximum, partOf(waiting, hub.remainingSteps()), rowLimit()});
    take(hub, slot, std::max<std::size_t>(1, maximum));
  }

  /// Moves up to `maximum` slices from the pool to a batch.
  void take(Hub& hub, int slot, std::size_t maximum) {
    Batch& batch = batches_[static_cast<std::size_t>(slot)];
    const std::size_t bytes = problem_.sliceBytes();
    renewStaging(maximum * bytes);
    const std::size_t count = hub.takeBulk(staging_.data(), maximum);
    if (count == 0) return;
    const auto begin = hub.now();
    // Held from here on: on a failure the snapshot goes back, so it must hold them before the device does.
    const std::size_t before = batch.snapshot.bytes();
    batch.snapshot.resize(*device_, before + count * bytes);
    std::memcpy(batch.snapshot.data() + before, staging_.data(), count * bytes);
    if (batch.tokens == 0) batch.epoch = hub.commitsWanted();
    batch.tokens += count;
    device_->upload(slot, staging_.data(), static_cast<std::uint32_t>(count));
    if (batch.live == 0) batch.largest = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double size = problem_.size(staging_.data() + i * bytes);
      batch.work += size;
      if (!(size <= batch.largest)) batch.largest = size;
    }
    batch.live += static_cast<std::uint32_t>(count);
    batch.stuck = false;
    record(hub, account_,
           {TraceSpan::Kind::upload, begin, hub.now() - begin, 0, static_cast<std::uint32_t>(count)});
  }

  /// A quarter of what waits: the pieces become smaller towards the end, so that both batches end together.
  /// But not so little that filling the lanes costs more than the work on them.
  [[nodiscard]] std::size_t partOf(std::size_t waiting, double stepsLeft) const {
    const std::size_t least = std::max<std::size_t>(1, mostPooled_ / 16);
    const double each = stepsLeft / static_cast<double>(waiting);
    const double worth = std::isfinite(each) ? kStepsPerTakenLane * lanes_ / std::max(each, 1.0) : 0;
    if (worth >= static_cast<double>(waiting)) return waiting;
    return std::max({waiting / 4, least, static_cast<std::size_t>(worth)});
  }

  /// Large row problems are taken in pieces, so that the copy of one batch overlaps the kernels of the other.
  [[nodiscard]] std::size_t rowLimit() const {
    const Places places = problem_.places();
    if (places.rowBytes == 0) return lanes_;
    const double bytes =
        static_cast<double>(places.window.end - places.window.begin) * static_cast<double>(places.rowBytes);
    const double each = std::max(1.0, bytes / static_cast<double>(mostPooled_));
    return static_cast<std::size_t>(std::clamp(kRowBytesPerTake / each, 1.0, static_cast<double>(lanes_)));
  }

  /// See the head of batch_driver.hpp. The batch must not be in flight.
  void commit(Hub& hub, int slot) {
    Batch& batch = batches_[static_cast<std::size_t>(slot)];
    const std::uint64_t epoch = hub.commitsWanted();
    // New memory is paid for once: it is not what the next commit will cost.
    renewStaging(batch.live * problem_.sliceBytes());
    const auto begin = hub.now();
    outside([&] {
      copyRows(slot, batch);
      device_->readWords(slot, scratchWords().data());
      if (batch.live != 0) device_->download(slot, staging_.data(), batch.live, false);
    });
    // Nothing below can fail on the device: the transaction is decided.
    batch.committed = words_;
    batch.epoch = epoch;
    publish(hub, batch);
    const auto duration = hub.now() - begin;
    if (batch.live != 0) commitSeconds_ = 0.5 * commitSeconds_ + 0.5 * static_cast<double>(duration) * 1e-9;
    record(hub, account_, {TraceSpan::Kind::commit, begin, duration, 0, batch.live});
  }

  /// A commit is decided, its slices are in staging_: everybody else may see what it contains.
  void publish(Hub& hub, Batch& batch) {
    std::swap(batch.snapshot, staging_);
    batch.uncommittedSteps = 0;
    batch.lastCommit = hub.elapsed();
    if (!batch.results.empty())
      hub.consume(batch.results.data(), batch.results.size() / problem_.resultBytes());
    batch.results.clear();
    std::uint64_t results = 0;
    for (const auto& each : batches_) results += each.committed.at(0);
    account_.results.store(results, std::memory_order_relaxed);
    if (problem_.decided(batch.committed.data())) hub.decide();
  }

  /// Whether a commit of this batch can go on while its next launch runs.
  [[nodiscard]] bool overlaps(const Batch& batch, std::size_t given) const {
    return device_->copiesDuringLaunch() && problem_.places().rowBytes == 0 && given < batch.live;
  }

  /// Starts a commit after which `given` slices belong to the pool. Until endCommit nothing is decided: on a
  /// failure the snapshot is still the one before.
  void beginCommit(Hub& hub, int slot, std::uint32_t given) {
    Batch& batch = batches_[static_cast<std::size_t>(slot)];
    batch.commit.epoch = hub.commitsWanted();
    renewStaging(batch.live * problem_.sliceBytes());
    const auto begin = hub.now();
    batch.commit.words.resize(problem_.words().size());
    device_->readWords(slot, batch.commit.words.data());
    device_->beginDownload(slot, staging_.data(), given);
    batch.commit.open = true;
    batch.commit.given = given;
    batch.commit.kept = batch.live - given;
    batch.work *= static_cast<double>(batch.commit.kept) / static_cast<double>(batch.live);
    batch.live -= given;
    // What the device waits for; the copy is not part of it.
    const auto duration = hub.now() - begin;
    commitSeconds_ = 0.5 * commitSeconds_ + 0.5 * static_cast<double>(duration) * 1e-9;
  }

  void endCommit(Hub& hub, int slot) {
    Batch& batch = batches_[static_cast<std::size_t>(slot)];
    const std::size_t bytes = problem_.sliceBytes();
    const auto begin = hub.now();
    outside([&] { device_->endDownload(slot); });
    // Nothing below can fail on the device: the transaction is decided.
    batch.commit.open = false;
    batch.epoch = batch.commit.epoch;
    std::swap(batch.committed, batch.commit.words);
    publish(hub, batch);
    const std::uint32_t given = batch.commit.given;
    const std::byte* const tail = batch.snapshot.data() + batch.commit.kept * bytes;
    given_.assign(tail, tail + given * bytes);
    batch.snapshot.shrink(batch.commit.kept * bytes);
    record(hub, account_, {TraceSpan::Kind::commit, begin, hub.now() - begin, 0, batch.commit.kept});
    if (given == 0) return;
    const auto giving = hub.now();
    hub.addOutstanding(given);
    hub.putBack(given_.data(), given);
    settle(hub, batch);
    record(hub, account_, {TraceSpan::Kind::give, giving, hub.now() - giving, 0, given});
  }

  std::vector<std::uint64_t>& scratchWords() {
    words_.resize(problem_.words().size());
    return words_;
  }

  /// Ranges of rows that the slices of the snapshot cover; adjacent ones are joined.
  [[nodiscard]] std::vector<RankRange> rowRanges(const Batch& batch) const {
    std::vector<RankRange> ranges;
    if (problem_.places().rowBytes == 0) return ranges;
    const RankRange window = problem_.places().window;
    for (std::size_t at = 0; at < batch.snapshot.bytes(); at += problem_.sliceBytes()) {
      const RankRange range = problem_.ranks(batch.snapshot.data() + at);
      const RankRange inside{std::max(range.begin, window.begin), std::min(range.end, window.end)};
      if (inside.begin < inside.end) ranges.push_back(inside);
    }
    std::sort(ranges.begin(), ranges.end(),
              [](const RankRange& a, const RankRange& b) { return a.begin < b.begin; });
    std::size_t joined = 0;
    for (std::size_t i = 1; i < ranges.size(); ++i)
      if (ranges[i].begin == ranges[joined].end)
        ranges[joined].end = ranges[i].end;
      else
        ranges[++joined] = ranges[i];
    if (!ranges.empty()) ranges.resize(joined + 1);
    return ranges;
  }

  void copyRows(int slot, Batch& batch) {
    if (std::exchange(batch.rowsCopied, false)) return;
    for (const RankRange& range : rowRanges(batch)) device_->copyRows(slot, range);
  }

  /// The batch's slices are done: one call accounts them all.
  void settle(Hub& hub, Batch& batch) {
    const std::size_t tokens = std::exchange(batch.tokens, batch.live != 0 ? 1 : 0);
    if (tokens > batch.tokens) hub.finish(tokens - batch.tokens);
  }

  /// Commits, then moves `count` slices from the batch to the pool.
  void giveAway(Hub& hub, int slot, std::size_t count) {
    Batch& batch = batches_[static_cast<std::size_t>(slot)];
    commit(hub, slot);
    const auto begin = hub.now();
    takeOut(slot, static_cast<std::uint32_t>(count));
    hub.addOutstanding(count);
    hub.putBack(staging_.data(), count);
    settle(hub, batch);
    record(hub, account_,
           {TraceSpan::Kind::give, begin, hub.now() - begin, 0, static_cast<std::uint32_t>(count)});
  }

  /// The other batch has run out, and the pool is not going to fill it: two batches in flight hide each
  /// other's ends, when many lanes have nothing to do.
  [[nodiscard]] bool worthHalving(Hub& hub, int slot, double now) const {
    const Batch& batch = batches_[static_cast<std::size_t>(slot)];
    const Batch& other = batches_[static_cast<std::size_t>(1 - slot)];
    const std::uint32_t busy = device_->info().busyLanes;
    // More slices than the device has lanes keep it busy on their own.
    if (other.tokens != 0 || batch.live < busy / 4 || batch.live > busy) return false;
    if (hub.pooled() > batch.live / kManyMore || now - lastHalved_ < kHalvingSeconds) return false;
    const double total = hub.totalRate();
    const double left = hub.remainingSteps();
    return !std::isfinite(left) || (total > 0 && left / total > kHalvingSeconds);
  }

  /// Commits, then moves half of the batch's slices to the other batch, which is empty.
  void halve(Hub& hub, int slot) {
    Batch& batch = batches_[static_cast<std::size_t>(slot)];
    Batch& other = batches_[static_cast<std::size_t>(1 - slot)];
    commit(hub, slot);
    const auto begin = hub.now();
    const std::uint32_t count = batch.live / 2;
    takeOut(slot, count);
    other.work = batch.work * count / std::max(1U, batch.live);
    other.largest = std::nan("");
    other.tokens = 1;
    other.epoch = batch.epoch;
    hub.addOutstanding(1);
    std::swap(other.snapshot, staging_);
    device_->upload(1 - slot, other.snapshot.data(), count);
    other.live = count;
    other.stuck = false;
    lastHalved_ = hub.elapsed();
    record(hub, account_, {TraceSpan::Kind::upload, begin, hub.now() - begin, 0, count});
  }

  /// Moves `count` slices from the batch, which has just been committed, to staging_.
  void takeOut(int slot, std::uint32_t count) {
    Batch& batch = batches_[static_cast<std::size_t>(slot)];
    const std::size_t bytes = problem_.sliceBytes();
    renewStaging(count * bytes);
    device_->download(slot, staging_.data(), count, true);
    batch.work *= static_cast<double>(batch.live - count) / static_cast<double>(batch.live);
    batch.live -= count;
    batch.snapshot.shrink(batch.live * bytes);
  }

  /// The run stops: everything goes back.
  void park(Hub& hub, int slot) {
    Batch& batch = batches_[static_cast<std::size_t>(slot)];
    if (batch.tokens == 0) return;
    if (batch.live != 0) {
      giveAway(hub, slot, batch.live);
    } else {
      commit(hub, slot);
      settle(hub, batch);
    }
    batch.work = 0;
  }

  /// The device failed: back to the last commits.
  void recover(Hub& hub, const std::string& what) {
    failed_ = true;
    for (auto& batch : batches_) {
      const std::size_t slices = batch.snapshot.bytes() / problem_.sliceBytes();
      account_.steps.fetch_sub(std::exchange(batch.uncommittedSteps, 0), std::memory_order_relaxed);
      hub.addOutstanding(slices);
      hub.putBack(batch.snapshot.data(), slices);
      batch.snapshot.shrink(0);
      batch.results.clear();
      batch.live = 0;
      batch.inFlight = false;
      batch.commit.open = false;
      if (batch.tokens != 0) hub.finish(std::exchange(batch.tokens, 0));
    }
    inFlight_ = 0;
    account_.stepsPerSecond.store(0, std::memory_order_relaxed);
    hub.warn(account_.name + " failed (" + what +
             "); its slices went back to the pool and the run goes on without it");
    device_.reset();
  }

  static constexpr std::uint32_t kStragglers = 256;
  static constexpr std::size_t kPlenty = 64;
  static constexpr std::size_t kMostGiven = 8192;
  static constexpr std::size_t kManyMore = 4;
  static constexpr double kStepsPerTakenLane = 8192;
  static constexpr double kRowBytesPerTake = 32e6;

  const Problem& problem_;
  std::unique_ptr<BatchDevice> device_;
  BatchDriverOptions options_;
  LaunchPacer pacer_;
  WorkerAccount account_;
  std::array<Batch, kBatchSlots> batches_;
  std::uint32_t lanes_ = 0;
  std::uint32_t splitLimit_ = 0;  ///< fill target while sizes are unknown
  std::size_t deviceBytes_ = 0;
  SliceBuffer staging_;
  std::vector<SliceBuffer> spares_;  ///< lent to checkpoints; at most one for each batch, and one more
  Inside* inside_ = nullptr;         ///< while draining
  std::atomic<std::uint64_t> committedUpTo_{kAll};  ///< least epoch of the batches that have slices
  std::vector<std::byte> given_;
  std::vector<std::uint64_t> words_;
  std::uint64_t sharedWord_ = ~std::uint64_t{0};
  std::size_t mostPooled_ = 1;  ///< slices that the whole window of rows was cut into
  int inFlight_ = 0;
  std::int64_t busySince_ = 0;
  std::int64_t lastEnd_ = 0;
  double lastRate_ = 0;
  double lastHalved_ = -kHalvingSeconds;
  bool starving_ = false;
  bool wasLoaded_ = false;
  double commitSeconds_ = 0.002;  ///< smoothed; before the first commit, a guess
  std::atomic<bool> failed_{false};
};

}  // namespace

std::unique_ptr<BatchDriver> makeBatchDriver(const Problem& problem, std::unique_ptr<BatchDevice> device,
                                             const BatchDriverOptions& options, int index) {
  return std::make_unique<Driver>(problem, std::move(device), options, index);
}

}  // namespace slicepool
