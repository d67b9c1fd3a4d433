// See batch_driver.hpp.
#include "runtime/core/batch/batch_driver.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "runtime/core/batch/exchange_policy.hpp"
#include "runtime/core/batch/launch_pacer.hpp"
#include "runtime/core/batch/slice_buffer.hpp"
#include "runtime/core/batch/wake_soon.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

constexpr std::size_t kMaximumUncommittedBytes = 64U << 20;
constexpr double kStarving = 1.0 / 8;  // of the slices that load a device
constexpr double kRest = 1e-3;         // seconds, after all slices were given
constexpr std::chrono::microseconds kRestLook{50};
constexpr double kCopySlows = 0.5;  // of the time of a copy beside a launch, by which that takes longer
constexpr std::uint32_t kMinimumFill = 2048;  // while sizes are unknown

class Driver final : public BatchDriver {
 public:
  Driver(const Problem& problem, std::unique_ptr<BatchDevice> device, const BatchDriverOptions& options,
         int index)
      : problem_(problem),
        device_(std::move(device)),
        options_(options),
        pacer_(options.launchMilliseconds, options.fixedBudget, options.blockSize, device_->info().blockSizes,
               hasSizes(problem) ? LaunchPacer::kFirstOfSized : LaunchPacer::kFirstOfUnsized) {
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
    wakeSoon();
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
      held.insert(held.end(), batch.parcels.begin(), batch.parcels.end());
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
    bool stuck = false;    ///< last launch cut nothing although there was room
    bool growing = false;  ///< last launch left more slices than it found
    double work = 0;       ///< estimated steps in the batch; NaN: unknown
    std::uint32_t fillTarget = 0;
    std::uint64_t budget = 0;
    std::uint32_t blockSize = 0;
    std::int64_t launched = 0;
    std::uint32_t launchedLive = 0;
    double largest = 0;       ///< size of the largest slice since the batch was empty; NaN: unknown
    bool rowsCopied = false;  ///< the last launch has copied the rows of all slices
    SliceBuffer snapshot;
    std::vector<HeldSlices> parcels;  ///< the rest of the snapshot: taken whole, where they lie
    std::vector<std::uint64_t> committed;
    std::vector<std::byte> results;  ///< taken from the device, not yet handed over
    std::uint64_t uncommittedSteps = 0;
    std::uint64_t epoch = 0;  ///< Hub::commitsWanted before the last commit
    double lastCommit = 0;
    double lastGive = 0;
    double took = 0;  ///< when it got slices while it had none
    /// A commit whose slices are on their way to staging_.
    struct {
      bool open = false;
      std::uint32_t kept = 0;
      std::uint32_t given = 0;
      std::uint64_t epoch = 0;
      std::int64_t begin = 0;
      std::int64_t waited = 0;  ///< ns, by the device, before the copy
      std::vector<std::uint64_t> words;
    } commit;
  };
  static constexpr std::uint64_t kAll = ~std::uint64_t{0};

  [[nodiscard]] static bool hasSizes(const Problem& problem) {
    const std::vector<std::byte>& roots = problem.roots();
    return !roots.empty() && std::isfinite(problem.size(roots.data()));
  }

  /// Runs `wait`, which changes nothing that a snapshot holds, while snapshots may be taken.
  template <class Wait>
  auto outside(Wait&& wait) {
    return inside_ == nullptr ? wait() : inside_->outside(std::forward<Wait>(wait));
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
      setStarving(hub,
                  busy && (starves() || asksForMore(runView(hub), deviceView(), batchView(0), batchView(1))));
      if (hub.stopping() && !busy) {
        for (int slot = 0; slot < kBatchSlots; ++slot) park(hub, slot);
        return;
      }
      if (!busy) {
        account_.stepsPerSecond.store(lastRate_, std::memory_order_relaxed);
        const auto begin = hub.now();
        // While it rests, or leaves what waits to the CPU workers, it does not ask them for more.
        const bool refuses = hub.elapsed() < restsUntil_ || hub.pooled() != 0;
        if (refuses) outside([&] { hub.sleepFor(kRestLook); });
        const bool more = refuses || outside([&] { return hub.waitForWork(true); });
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
    batch.fillTarget = fillTarget(deviceView(), batch.work, splitLimit_);
    // One launch that exhausts every slice leaves whole ranges: their copy can be queued with it.
    const bool last = batch.largest <= static_cast<double>(batch.budget);
    const std::vector<RankRange> rows = last ? rowRanges(batch) : std::vector<RankRange>{};
    device_->launch(slot, {batch.budget, batch.blockSize, batch.fillTarget, rows});
    batch.inFlight = true;
    if (inFlight_++ == 0) busySince_ = batch.launched;
    account_.budget.store(batch.budget, std::memory_order_relaxed);
  }

  /// Without sizes: few steps for each split mean that the splits were not worth it.
  void learnSplits(const BatchSummary& summary) {
    constexpr std::uint64_t kPoor = 4;
    constexpr std::uint64_t kGood = 16;
    if (summary.splits < kMinimumFill / 2) return;
    if (summary.steps < kPoor * summary.splits)
      splitLimit_ = std::max(std::min(kMinimumFill, lanes_), splitLimit_ / 4);
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
    mostLive_ = std::max(mostLive_, batches_[0].live + batches_[1].live);
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
      fullRate_ = std::max(fullRate_, lastRate_);
      account_.stepsPerSecond.store(lastRate_, std::memory_order_relaxed);
      const std::uint32_t slices = std::max(batch.launchedLive, summary.live);
      if (slices < kStarving * device_->info().busyLanes) laneRate_ = observed / std::max(1U, slices);
    }
    const double rate = hub.totalRate();
    const double left = rate > 0 ? hub.remainingSteps() / rate : std::nan("");
    const bool spent = summary.live != 0 && summary.sinkFull == 0;
    const bool loaded = spent && summary.live >= device_->info().busyLanes;
    wasLoaded_ = wasLoaded_ || loaded;
    launchSeconds_ = seconds;
    if (summary.live >= kStarving * device_->info().busyLanes) handsOver_ = true;
    pacer_.learn({batch.blockSize, batch.budget, summary.steps, summary.milliseconds, loaded, spent,
                  useful(batch, summary), hub.elapsed(), left});
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
    bool gave = false;  // a gift is not for the giver
    if (batch.live == 0 && batch.tokens != 0) {
      commit(hub, slot);
      settle(hub, batch);
      batch.work = 0;
    } else if (batch.live != 0) {
      const RunView run = runView(hub);
      learnGift(run);
      const DeviceView device = deviceView();
      const std::size_t given = slicesToGive(run, device, batchView(slot));
      const std::size_t dealt = dealt_ || !options_.deals ? 0 : slicesToDeal(run, batchView(slot));
      if (dealt != 0) {
        dealt_ = true;
        giveSpread(hub, slot, static_cast<std::uint32_t>(dealt));
      } else if (worthHalving(run, device, batchView(slot), batchView(1 - slot), lastHalved_)) {
        halve(hub, slot);
      } else if (given != 0) {
        give(hub, slot, static_cast<std::uint32_t>(given));
        gave = true;
      } else if (problem_.mayDecide() || now - batch.lastCommit > commitInterval(commitSeconds_) ||
                 batch.results.size() > kMaximumUncommittedBytes || batch.epoch < hub.commitsWanted()) {
        if (overlaps(batch, 0))
          beginCommit(hub, slot, 0);
        else
          commit(hub, slot);
      }
    }
    if (!hub.stopping() && !gave && !batch.commit.open) refill(hub, slot);
  }

  void give(Hub& hub, int slot, std::uint32_t count) {
    Batch& batch = batches_[static_cast<std::size_t>(slot)];
    const double now = hub.elapsed();
    lastGift_ = {now, static_cast<double>(count) / batch.live};
    if (count == batch.live && options_.cpuWorkers != 0) rest(now);
    if (count < batch.live && batch.live * problem_.sliceBytes() <= options_.spreadBytes)
      giveSpread(hub, slot, count);
    else if (overlaps(batch, count))
      beginCommit(hub, slot, count);
    else
      giveAway(hub, slot, count);
    batch.lastGive = now;
  }

  /// The CPU workers finish what there was. If they do not, more is left than it seemed: the device helps
  /// again, and gives nothing back before it has been loaded once more.
  void rest(double now) {
    restsUntil_ = now + kRest;
    handsOver_ = false;
  }

  /// The CPU workers are idle again: the last gift lasted so long.
  void learnGift(const RunView& run) {
    if (lastGift_.part <= 0 || 2 * run.hungryWorkers < run.cpuWorkers) return;
    cpuSecondsForAll_ = (run.now - lastGift_.at) / std::exchange(lastGift_.part, 0.0);
  }

  [[nodiscard]] RunView runView(const Hub& hub) const {
    RunView run;
    run.cpuWorkers = options_.cpuWorkers;
    run.hungryWorkers = hub.hungryWorkers();
    run.hungryBatch = hub.hungryBatch();
    run.waiting = hub.pooled();
    run.devicesToCome = hub.devicesToCome();
    run.totalRate = hub.totalRate();
    run.cpuRate = hub.cpuRate();
    run.stepsLeft = hub.remainingSteps();
    run.now = hub.elapsed();
    return run;
  }

  [[nodiscard]] DeviceView deviceView() const {
    DeviceView view;
    view.lanes = lanes_;
    view.busyLanes = device_->info().busyLanes;
    view.rate = lastRate_;
    view.fullRate = fullRate_;
    view.laneRate = laneRate_;
    view.launchSeconds = launchSeconds_;
    view.wasLoaded = wasLoaded_;
    view.handsOver = handsOver_;
    view.starving = starving_;
    view.commitSeconds = commitSeconds_;
    view.mostLive = mostLive_;
    view.restsUntil = restsUntil_;
    view.taken = batches_[0].live + batches_[1].live == 0 ? 0 : taken_;  // all were given
    view.cpuSecondsForAll = cpuSecondsForAll_;
    return view;
  }

  [[nodiscard]] BatchView batchView(int slot) const {
    const Batch& batch = batches_[static_cast<std::size_t>(slot)];
    return {batch.live, batch.stuck,   batch.growing, batch.tokens != 0, hasRoomToCommit(batch),
            batch.work, batch.lastGive};
  }

  /// Whether a commit of the batch needs no new host memory, or little.
  [[nodiscard]] bool hasRoomToCommit(const Batch& batch) const {
    constexpr std::size_t kLittle = 32U << 20;
    if (!device_->copiesDuringLaunch()) return true;
    const std::size_t room = std::min(staging_.room(), staging_.room(batch.snapshot));
    return batch.live * problem_.sliceBytes() <= std::max(kLittle, room);
  }

  /// That memory, before a search that is known to be long.
  void makeRoomToCommit() {
    constexpr double kLong = 3e9;  // steps
    if (options_.cpuWorkers == 0 || !device_->copiesDuringLaunch() ||
        problem_.totalSteps().value_or(0) < kLong)
      return;
    const std::size_t bytes = problem_.sliceBytes();
    staging_.renew(*device_, lanes_ * bytes).shrink(0);
    batches_[0].snapshot.renew(*device_, lanes_ * bytes);
    batches_[0].snapshot.shrink(0);
  }

  void refill(Hub& hub, int slot) {
    const RunView run = runView(hub);
    mostWaiting_ = std::max(mostWaiting_, run.waiting);
    const std::size_t count =
        slicesToTake(run, deviceView(), batchView(slot), batchView(1 - slot), rowView(), mostWaiting_);
    if (count != 0) take(hub, slot, count);
  }

  [[nodiscard]] RowView rowView() const {
    const Places places = problem_.places();
    if (places.rowBytes == 0) return {};
    const double bytes =
        static_cast<double>(places.window.end - places.window.begin) * static_cast<double>(places.rowBytes);
    return {bytes / static_cast<double>(mostWaiting_), rowSeconds_ > 0 ? rowSteps_ / rowSeconds_ : 0};
  }

  /// Moves up to `maximum` slices from the pool to a batch.
  void take(Hub& hub, int slot, std::size_t maximum) {
    Batch& batch = batches_[static_cast<std::size_t>(slot)];
    const auto begin = hub.now();
    std::size_t count = 0;
    // What is left of a parcel may be a few slices: the next one follows, and the pool after the last one.
    for (bool parcels = true; parcels && count < maximum;) {
      const HeldSlices part = takeIntoSnapshot(hub, batch, maximum - count);
      parcels = part.memory != nullptr;
      count += part.count;
      add(hub, slot, part);
    }
    if (count == 0) return;
    batch.stuck = false;
    mostLive_ = batches_[0].live + batches_[1].live;
    record(hub, account_,
           {TraceSpan::Kind::upload, begin, hub.now() - begin, 0, static_cast<std::uint32_t>(count)});
  }

  /// Slices that the snapshot holds already go to the device: on a failure the snapshot goes back.
  void add(Hub& hub, int slot, const HeldSlices& taken) {
    if (taken.count == 0) return;
    Batch& batch = batches_[static_cast<std::size_t>(slot)];
    if (batch.tokens == 0) {
      batch.epoch = hub.commitsWanted();
      batch.took = hub.elapsed();
    }
    batch.tokens += taken.count;
    taken_ = batches_[0].live + batches_[1].live == 0 ? taken.count : taken_ + taken.count;
    device_->upload(slot, taken.slices, static_cast<std::uint32_t>(taken.count));
    if (batch.live == 0) batch.largest = 0;
    for (std::size_t i = 0; i < taken.count; ++i) {
      const double size = problem_.size(taken.slices + i * problem_.sliceBytes());
      batch.work += size;
      if (!(size <= batch.largest)) batch.largest = size;
    }
    batch.live += static_cast<std::uint32_t>(taken.count);
  }

  /// Up to `maximum` slices, of a parcel if there is one, and where they lie until the next call.
  HeldSlices takeIntoSnapshot(Hub& hub, Batch& batch, std::size_t maximum) {
    const std::size_t bytes = problem_.sliceBytes();
    // Whatever needs memory comes before the slices leave the hub: without it they stay there.
    if (problem_.places().rowBytes == 0) {  // whose ranges are read off the snapshot
      HeldSlices& parcel = batch.parcels.emplace_back();
      parcel = hub.takeParcel(maximum);
      if (parcel.count != 0) return parcel;
      batch.parcels.pop_back();
    }
    const std::size_t before = batch.snapshot.bytes();
    batch.snapshot.resize(*device_, before + maximum * bytes);
    const std::size_t count = hub.takeBulk(batch.snapshot.data() + before, maximum);
    batch.snapshot.shrink(before + count * bytes);
    return {nullptr, batch.snapshot.data() + before, count};
  }

  /// See the head of batch_driver.hpp. The batch must not be in flight.
  void commit(Hub& hub, int slot) {
    Batch& batch = batches_[static_cast<std::size_t>(slot)];
    const std::uint64_t epoch = hub.commitsWanted();
    // New memory is paid for once: it is not what the next commit will cost.
    staging_.renew(*device_, batch.live * problem_.sliceBytes());
    const auto begin = hub.now();
    outside([&] {
      copyRows(slot, batch);
      device_->readWords(slot, scratchWords().data());
      if (batch.live != 0) device_->download(slot, staging_.buffer().data(), batch.live, false);
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
    std::swap(batch.snapshot, staging_.buffer());
    batch.parcels.clear();
    batch.lastCommit = hub.elapsed();
    if (problem_.places().rowBytes != 0) {
      rowSteps_ += static_cast<double>(batch.uncommittedSteps);
      rowSeconds_ += batch.lastCommit - std::max(rowsUntil_, batch.took);
      rowsUntil_ = batch.lastCommit;
    }
    batch.uncommittedSteps = 0;
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
    staging_.renew(*device_, batch.live * problem_.sliceBytes());
    const auto begin = hub.now();
    batch.commit.words.resize(problem_.words().size());
    device_->readWords(slot, batch.commit.words.data());
    device_->beginDownload(slot, staging_.buffer().data(), given);
    batch.commit.open = true;
    batch.commit.given = given;
    batch.commit.kept = batch.live - given;
    batch.work *= static_cast<double>(batch.commit.kept) / static_cast<double>(batch.live);
    batch.live -= given;
    batch.commit.begin = begin;
    batch.commit.waited = hub.now() - begin;
  }

  void endCommit(Hub& hub, int slot) {
    Batch& batch = batches_[static_cast<std::size_t>(slot)];
    const std::size_t bytes = problem_.sliceBytes();
    const auto begin = hub.now();
    outside([&] { device_->endDownload(slot); });
    const auto copied = static_cast<double>(hub.now() - batch.commit.begin - batch.commit.waited);
    const double cost = (static_cast<double>(batch.commit.waited) + kCopySlows * copied) * 1e-9;
    commitSeconds_ = 0.5 * commitSeconds_ + 0.5 * cost;
    // Nothing below can fail on the device: the transaction is decided.
    batch.commit.open = false;
    batch.epoch = batch.commit.epoch;
    std::swap(batch.committed, batch.commit.words);
    publish(hub, batch);
    const std::uint32_t given = batch.commit.given;
    record(hub, account_, {TraceSpan::Kind::commit, begin, hub.now() - begin, 0, batch.commit.kept});
    if (given == 0) return;
    const auto giving = hub.now();
    hub.addOutstanding(given);
    handOver(hub, batch.snapshot, batch.commit.kept * bytes, given);
    batch.snapshot.shrink(batch.commit.kept * bytes);
    settle(hub, batch);
    record(hub, account_, {TraceSpan::Kind::give, giving, hub.now() - giving, 0, given});
  }

  /// Gives `count` slices of a buffer, from `offset` on, to the pool; they must not be written to afterwards
  /// before lent() is false.
  void handOver(Hub& hub, SliceBuffer& buffer, std::size_t offset, std::size_t count) {
    if (count >= options_.parcelSlices)
      hub.putBackParcel({buffer.lend(), buffer.data() + offset, count});
    else
      hub.putBack(buffer.data() + offset, count);
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

  /// Commits, then gives every n-th slice: neighbours came out of each other's splits, and the last ones may
  /// hold next to nothing. The others are uploaded anew.
  void giveSpread(Hub& hub, int slot, std::uint32_t count) {
    Batch& batch = batches_[static_cast<std::size_t>(slot)];
    commit(hub, slot);
    const auto begin = hub.now();
    const std::size_t bytes = problem_.sliceBytes();
    const std::uint32_t all = batch.live;
    const std::uint32_t kept = all - count;
    staging_.renew(*device_, kept * bytes);
    given_.clear();
    std::uint32_t part = 0;
    std::byte* keep = staging_.buffer().data();
    for (const std::byte* slice = batch.snapshot.data(); slice != batch.snapshot.data() + all * bytes;
         slice += bytes) {
      part += count;
      if (part >= all) {
        part -= all;
        given_.insert(given_.end(), slice, slice + bytes);
      } else {
        keep = std::copy(slice, slice + bytes, keep);
      }
    }
    std::swap(batch.snapshot, staging_.buffer());
    batch.work *= static_cast<double>(kept) / static_cast<double>(all);
    batch.live = kept;
    hub.addOutstanding(count);
    hub.putBack(given_.data(), count);
    settle(hub, batch);
    // From here on a failing device leaves the new snapshot behind.
    staging_.renew(*device_, all * bytes);
    device_->download(slot, staging_.buffer().data(), all, true);
    device_->upload(slot, batch.snapshot.data(), kept);
    record(hub, account_, {TraceSpan::Kind::give, begin, hub.now() - begin, 0, count});
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
    handOver(hub, staging_.buffer(), 0, count);
    settle(hub, batch);
    record(hub, account_,
           {TraceSpan::Kind::give, begin, hub.now() - begin, 0, static_cast<std::uint32_t>(count)});
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
    std::swap(other.snapshot, staging_.buffer());
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
    staging_.renew(*device_, count * bytes);
    device_->download(slot, staging_.buffer().data(), count, true);
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
      for (const HeldSlices& parcel : std::exchange(batch.parcels, {})) {
        hub.addOutstanding(parcel.count);
        hub.putBackParcel(parcel);
      }
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

  const Problem& problem_;
  std::unique_ptr<BatchDevice> device_;
  BatchDriverOptions options_;
  LaunchPacer pacer_;
  WorkerAccount account_;
  std::array<Batch, kBatchSlots> batches_;
  std::uint32_t lanes_ = 0;
  std::uint32_t splitLimit_ = 0;  ///< fill target while sizes are unknown
  std::size_t deviceBytes_ = 0;
  StagingBuffer staging_;
  Inside* inside_ = nullptr;                        ///< while draining
  std::atomic<std::uint64_t> committedUpTo_{kAll};  ///< least epoch of the batches that have slices
  std::vector<std::byte> given_;
  std::vector<std::uint64_t> words_;
  std::uint64_t sharedWord_ = ~std::uint64_t{0};
  std::size_t mostWaiting_ = 1;  ///< the most slices that waited in the pool
  int inFlight_ = 0;
  std::int64_t busySince_ = 0;
  std::int64_t lastEnd_ = 0;
  double lastRate_ = 0;
  double fullRate_ = 0;  ///< the highest lastRate_
  double lastHalved_ = -1;
  double laneRate_ = 0;
  double launchSeconds_ = 0;
  bool handsOver_ = false;      ///< slices enough since all of them were given
  std::uint32_t mostLive_ = 0;  ///< in both batches, since slices were taken
  double restsUntil_ = 0;
  std::size_t taken_ = 0;  ///< slices, since there were none in either batch
  struct {
    double at = 0;
    double part = 0;  ///< of its batch; 0 when it is known how long it lasted
  } lastGift_;
  double cpuSecondsForAll_ = 0;
  double rowSteps_ = 0;    ///< of committed rows, and
  double rowSeconds_ = 0;  ///< the time from taking their slices to the end of their copies
  double rowsUntil_ = 0;
  bool starving_ = false;
  bool dealt_ = false;  ///< has put slices aside for devices that will join
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
