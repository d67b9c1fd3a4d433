// See batch_driver.hpp. The loop, what it measures and what it decides stay in one file: every decision reads
// most of the measures.
#include "runtime/core/batch/batch_driver.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>

#include "runtime/core/batch/batch_transaction.hpp"
#include "runtime/core/batch/exchange_policy.hpp"
#include "runtime/core/batch/launch_pacer.hpp"
#include "runtime/core/batch/wake_soon.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

constexpr std::size_t kMaximumUncommittedBytes = 64U << 20;
constexpr double kStarving = 1.0 / 8;  // of the slices that load a device
constexpr double kStepsOfPasses = 2;   // a lane that is never idle takes half of its budget and more
constexpr double kRest = 1e-3;         // seconds, after all slices were given
constexpr std::chrono::microseconds kRestLook{50};
constexpr std::uint32_t kMinimumFill = 2048;  // while sizes are unknown
/// Target of launches that end by themselves where nobody waits for a part of the slices, as a multiple of
/// the usual one. To begin and to end takes as long as a tenth of a launch of 12 ms.
constexpr double kAlone = 4;

/// Target at the start of a run and before its end.
double leastMilliseconds(const DeviceInfo& device, const BatchDriverOptions& options) {
  if (device.endsEarly && options.cpuWorkers == 0 && !options.otherDevices)
    return kAlone * options.launchMilliseconds;
  return LaunchPacer::kMinimumMilliseconds;
}

class Driver final : public BatchDriver {
 public:
  Driver(const Problem& problem, std::unique_ptr<BatchDevice> device, const BatchDriverOptions& options,
         int index)
      : problem_(problem),
        options_(options),
        pacer_(options.launchMilliseconds, options.fixedBudget, options.blockSize, device->info().blockSizes,
               hasSizes(problem) ? LaunchPacer::kFirstOfSized : LaunchPacer::kFirstOfUnsized,
               leastMilliseconds(device->info(), options)),
        batches_(problem, std::move(device), account_, options.parcelSlices) {
    const DeviceInfo& info = batches_.device().info();
    account_.name = info.kind + std::to_string(index);
    account_.kind = info.kind;
    account_.device = info.name;
    lanes_ = info.lanes;
    splitLimit_ = lanes_;
    deviceBytes_ = batches_.device().deviceBytes();
    if (options_.cpuWorkers != 0 &&
        makesRoomAtOnce(problem.totalSteps().value_or(0), options_.expectedRate, options_.cpuSecondsLeft))
      batches_.makeRoomToCommit();
    if (options_.otherDevices) batches_.makeRoomForGifts();
  }

  void drain(Hub& hub) override {
    if (failed_) return;
    noteReady(hub, account_);
    wakeSoon();
    // Beyond the handlers: what an exception left behind must not get into a snapshot.
    Inside inside(hub);
    batches_.setInside(&inside);
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
    setNeedy(hub, false);
    setRecalling(hub, false);
    batches_.holdsNothing();
    batches_.setInside(nullptr);
  }

  void takeFirst(Hub& hub) override {
    // Devices that copy slices while a launch runs are those whose launches multiply them.
    constexpr std::size_t kFew = 1024;
    const std::size_t waiting = hub.pooled();
    // Rows are written sooner by CPU workers than a launch begins.
    if (failed_ || !device().copiesDuringLaunch() || problem_.places().rowBytes != 0 || waiting == 0 ||
        waiting > std::min<std::size_t>(kFew, lanes_))
      return;
    noteReady(hub, account_);
    try {
      take(hub, 0, waiting);
    } catch (const DeviceError& error) {
      recover(hub, error.what());
    }
  }

  void appendHeld(std::vector<HeldSlices>& held) override { batches_.appendHeld(held); }
  [[nodiscard]] std::uint64_t uncommittedSteps() const override { return batches_.uncommittedSteps(); }
  [[nodiscard]] bool hasCommitted(std::uint64_t wanted) const override {
    return batches_.hasCommitted(wanted);
  }
  void mergeInto(const WordLayout& layout, std::uint64_t* words) const override {
    batches_.mergeInto(layout, words);
  }
  std::vector<WorkerAccount*> accounts() override { return {&account_}; }
  [[nodiscard]] std::size_t deviceBytes() const override { return deviceBytes_; }
  [[nodiscard]] std::uint32_t blockSize() const override {
    return account_.kind == "gpu" ? pacer_.settledBlockSize() : 0;
  }
  [[nodiscard]] const std::string& kind() const override { return account_.kind; }
  [[nodiscard]] double rowRate() const override { return batches_.rowRate(); }
  [[nodiscard]] bool failed() const override { return failed_; }

 private:
  using Batch = BatchTransactions::Batch;

  [[nodiscard]] static bool hasSizes(const Problem& problem) {
    const std::vector<std::byte>& roots = problem.roots();
    return !roots.empty() && std::isfinite(problem.size(roots.data()));
  }

  void driveUntilStopped(Hub& hub) {
    if (mayRecall())
      setRecalling(hub, recalls(hub.cpuRate(), options_.expectedRate, options_.expectedCpuRate));
    for (;;) {
      bool busy = false;
      for (int slot = 0; slot < kBatchSlots; ++slot) {
        Batch& batch = batches_[static_cast<std::size_t>(slot)];
        if (batch.inFlight) collect(hub, slot);
        if (!hub.stopping()) exchange(hub, slot);
        if (batch.live != 0 && !hub.stopping() && !waitsForHalf(hub, slot)) launch(hub, slot);
        if (batch.commit.open) batches_.endCommit(hub, slot);
        busy = busy || batch.inFlight;
        batches_.noteCommits();
        hub.betweenTransactions();
      }
      const bool needy = needs(hub, busy);
      setNeedy(hub, needy);
      setStarving(hub,
                  needy || (busy && asksForMore(runView(hub), deviceView(), batchView(0), batchView(1))));
      if (!busy) setRecalling(hub, false);
      if (hub.stopping() && !busy) {
        for (int slot = 0; slot < kBatchSlots; ++slot) batches_.park(hub, slot);
        return;
      }
      // A batch that waits for its half is not in flight either.
      if (!busy && batches_.live() == 0) {
        account_.stepsPerSecond.store(lastRate_, std::memory_order_relaxed);
        const auto begin = hub.now();
        // While it rests, or leaves what waits to the CPU workers, it does not ask them for more.
        const bool refuses = hub.elapsed() < restsUntil_ || hub.pooled() != 0;
        if (refuses) batches_.outside([&] { hub.sleepFor(kRestLook); });
        const bool more = refuses || batches_.outside([&] { return hub.waitForWork(true); });
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
          wanted, sized ? std::min(batch.fillTarget, device().info().busyLanes) : device().info().busyLanes);
    }
    return lastRate_ > 0 && slices < kStarving * wanted;
  }

  /// Whether other workers should give to it, devices as well.
  [[nodiscard]] bool needs(const Hub& hub, bool busy) const { return lacks(hub) || (busy && starves()); }

  [[nodiscard]] bool lacks(const Hub& hub) const {
    // Rows are written by CPU workers as soon as they are copied.
    if (options_.cpuWorkers != 0 && problem_.places().rowBytes != 0) return false;
    return needsMore(runView(hub), deviceView(), batchView(0), batchView(1));
  }

  /// Where sizes are known, CPU workers split off what is the device's.
  [[nodiscard]] bool mayRecall() const {
    return options_.recalls && options_.cpuWorkers != 0 && batches_.live() == 0 && !hasSizes(problem_) &&
           problem_.places().rowBytes == 0;
  }

  void setRecalling(Hub& hub, bool recalling) {
    if (recalling) recallsSince_ = hub.elapsed();
    owes_ = owes_ || recalling;
    if (std::exchange(recalling_, recalling) != recalling) hub.setRecalling(recalling);
  }

  /// A batch with next to nothing is not launched while the other one, which will give it half, is in flight.
  [[nodiscard]] bool waitsForHalf(const Hub& hub, int slot) const {
    const Batch& other = batches_[static_cast<std::size_t>(1 - slot)];
    return other.inFlight &&
           worthHalving(runView(hub), deviceView(), batchView(1 - slot), batchView(slot), lastHalved_);
  }

  void setStarving(Hub& hub, bool starving) {
    if (std::exchange(starving_, starving) != starving) hub.setStarving(starving);
  }

  void setNeedy(Hub& hub, bool needy) {
    if (std::exchange(needy_, needy) != needy) hub.setNeedy(needy);
  }

  void launch(Hub& hub, int slot) {
    Batch& batch = batches_[static_cast<std::size_t>(slot)];
    batch.budget = pacer_.budget();
    batch.blockSize = pacer_.nextBlockSize();
    batch.launched = hub.now();
    batch.launchedLive = batch.live;
    sharedWord_ = device().exchangeShared(hub.exchangeShared(sharedWord_));
    batch.fillTarget = fillTarget(deviceView(), batch.work, splitLimit_);
    // One launch that exhausts every slice leaves whole ranges: their copy can be queued with it.
    const bool last = batch.largest <= static_cast<double>(batch.budget);
    const std::vector<RankRange> rows = last ? batches_.rowRanges(batch) : std::vector<RankRange>{};
    device().launch(slot, {batch.budget, batch.blockSize, batch.fillTarget, rows});
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
    const BatchSummary summary = batches_.outside([&] { return device().wait(slot); });
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
    mostLive_ = std::max(mostLive_, batches_.live());
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
    learn(hub, slot, summary, seconds);
    batches_.takeResults(slot, batch, summary.resultCount);
  }

  void learn(Hub& hub, int slot, const BatchSummary& summary, double seconds) {
    const Batch& batch = batches_[static_cast<std::size_t>(slot)];
    if (summary.steps != 0 && seconds > 0) {
      const double observed = static_cast<double>(summary.steps) / seconds;
      lastRate_ = lastRate_ <= 0 ? observed
                                 : 0.7 * lastRate_ + 0.3 * std::clamp(observed, lastRate_ / 4, lastRate_ * 4);
      fullRate_ = std::max(fullRate_, lastRate_);
      account_.stepsPerSecond.store(lastRate_, std::memory_order_relaxed);
      const std::uint32_t slices = std::max(batch.launchedLive, summary.live);
      if (slices < kStarving * device().info().busyLanes) laneRate_ = observed / std::max(1U, slices);
    }
    const double rate = hub.totalRate();
    const double left = rate > 0 ? hub.remainingSteps() / rate : std::nan("");
    const bool paused = summary.live != 0 && summary.sinkFull == 0;
    const bool spent = paused && !summary.early;
    const bool loaded = paused && summary.live >= device().info().busyLanes;
    wasLoaded_ = wasLoaded_ || loaded;
    launchSeconds_ = seconds;
    if (summary.live >= kStarving * device().info().busyLanes) handsOver_ = true;
    if (recalling_ && endsRecall(deviceView(), batchView(slot), hub.elapsed() - recallsSince_))
      setRecalling(hub, false);
    pacer_.learn({batch.blockSize, batch.budget, summary.steps, summary.milliseconds, loaded, spent,
                  useful(batch, summary), hub.elapsed(), left, othersWaitFor(hub, batch)});
  }

  /// The share of the slices that were wanted, times the share of the budget that they took.
  [[nodiscard]] double useful(const Batch& batch, const BatchSummary& summary) const {
    const double slices = static_cast<double>(batch.launchedLive) + static_cast<double>(summary.splits);
    const double wanted = std::min(batch.fillTarget, device().info().busyLanes);
    const auto budget = static_cast<double>(batch.budget);
    const auto steps = static_cast<double>(summary.steps);
    if (device().info().endsEarly) return 1;
    if (device().info().refills) return kStepsOfPasses * steps / (std::max(1.0, wanted) * budget);
    return steps / (slices * budget) * std::min(1.0, 2 * slices / std::max(1.0, wanted));
  }

  /// Commits when it is time, gives slices to idle CPU workers, takes slices from the pool.
  void exchange(Hub& hub, int slot) {
    Batch& batch = batches_[static_cast<std::size_t>(slot)];
    const double now = hub.elapsed();
    bool gave = false;  // a gift is not for the giver
    if (batch.live == 0 && batch.tokens != 0) {
      batches_.commit(hub, slot);
      batches_.settle(hub, batch);
      batch.work = 0;
    } else if (batch.live != 0) {
      const RunView run = runView(hub);
      learnGift(run);
      const DeviceView device = deviceView();
      const std::size_t given = slicesToGive(run, device, batchView(slot), batchView(1 - slot));
      const std::size_t dealt = dealt_ || !options_.deals ? 0 : slicesToDeal(run, batchView(slot));
      if (dealt != 0) {
        dealt_ = true;
        batches_.giveSpread(hub, slot, static_cast<std::uint32_t>(dealt), true);
      } else if (!batches_[static_cast<std::size_t>(1 - slot)].inFlight &&
                 worthHalving(run, device, batchView(slot), batchView(1 - slot), lastHalved_)) {
        batches_.halve(hub, slot);
        lastHalved_ = hub.elapsed();
      } else if (given != 0) {
        give(hub, slot, static_cast<std::uint32_t>(given), givesToDevices(run, device, batchView(slot)));
        gave = true;
      } else if (problem_.mayDecide() ||
                 now - batch.lastCommit > commitInterval(batches_.commitSeconds(), !batch.results.empty()) ||
                 batch.results.size() > kMaximumUncommittedBytes || batch.epoch < hub.commitsWanted()) {
        if (batches_.overlaps(batch, 0))
          batches_.beginCommit(hub, slot, 0);
        else
          batches_.commit(hub, slot);
      }
    }
    if (!hub.stopping() && !gave && !batch.commit.open) refill(hub, slot);
  }

  void give(Hub& hub, int slot, std::uint32_t count, bool toDevices) {
    Batch& batch = batches_[static_cast<std::size_t>(slot)];
    const double now = hub.elapsed();
    lastGift_ = {now, static_cast<double>(count) / batch.live};
    owes_ = false;
    if (count == batch.live && options_.cpuWorkers != 0) rest(now);
    if (count < batch.live && batch.live * problem_.sliceBytes() <= options_.spreadBytes)
      batches_.giveSpread(hub, slot, count, toDevices);
    else if (batches_.overlaps(batch, count))
      batches_.beginCommit(hub, slot, count);
    else
      batches_.giveAway(hub, slot, count);
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
    if (run.cpuWorkers == 0 || lastGift_.part <= 0 || 2 * run.hungryWorkers < run.cpuWorkers) return;
    cpuSecondsForAll_ = (run.now - lastGift_.at) / std::exchange(lastGift_.part, 0.0);
  }

  /// Other devices that are idle or starve.
  [[nodiscard]] std::size_t othersNeed(const Hub& hub) const {
    const std::size_t all = hub.needyDevices();
    return all - (needy_ && all != 0 ? 1 : 0);
  }

  /// Whether they are to get some of the batch soon.
  [[nodiscard]] bool othersWaitFor(const Hub& hub, const Batch& batch) const {
    return othersNeed(hub) != 0 && !lacks(hub) && batches_.hasRoomToCommit(batch);
  }

  [[nodiscard]] RunView runView(const Hub& hub) const {
    RunView run;
    run.cpuWorkers = options_.cpuWorkers;
    run.hungryWorkers = hub.hungryWorkers();
    run.hungryDevices = hub.hungryDevices();
    run.otherDevices = options_.otherDevices;
    run.needyDevices = othersNeed(hub);
    if (options_.cpuWorkers != 0) run.fastest = hub.fastest(account_.device);
    run.waiting = hub.pooled();
    run.devicesToCome = hub.devicesToCome();
    run.recalling = recalling_;
    run.owes = owes_;
    run.totalRate = hub.totalRate();
    run.cpuRate = hub.cpuRate();
    run.stepsLeft = hub.remainingSteps();
    run.now = hub.elapsed();
    return run;
  }

  [[nodiscard]] DeviceView deviceView() const {
    DeviceView view;
    view.lanes = lanes_;
    view.busyLanes = device().info().busyLanes;
    view.rate = lastRate_;
    view.fullRate = fullRate_;
    view.laneRate = laneRate_;
    view.launchSeconds = launchSeconds_;
    view.wasLoaded = wasLoaded_;
    view.handsOver = handsOver_;
    view.starving = starving_;
    view.endsEarly = device().info().endsEarly;
    view.commitSeconds = batches_.commitSeconds();
    view.mostLive = mostLive_;
    view.restsUntil = restsUntil_;
    view.taken = batches_.live() == 0 ? 0 : taken_;  // all were given
    view.cpuSecondsForAll = cpuSecondsForAll_;
    return view;
  }

  [[nodiscard]] BatchView batchView(int slot) const {
    const Batch& batch = batches_[static_cast<std::size_t>(slot)];
    const bool room = batches_.hasRoomToCommit(batch);
    const bool spare = !room && batches_.hasSpareMemory(batch);
    return {batch.live, batch.stuck, batch.growing, batch.tokens != 0,
            room,       spare,       batch.work,    batch.lastGive};
  }

  void refill(Hub& hub, int slot) {
    const RunView run = runView(hub);
    mostWaiting_ = std::max(mostWaiting_, run.waiting);
    const std::size_t count =
        slicesToTake(run, deviceView(), batchView(slot), batchView(1 - slot), rowView(), mostWaiting_);
    if (count != 0) take(hub, slot, count);
  }

  void take(Hub& hub, int slot, std::size_t maximum) {
    const bool empty = batches_.live() == 0;
    const std::size_t count = batches_.take(hub, slot, maximum);
    if (count == 0) return;
    taken_ = empty ? count : taken_ + count;
    mostLive_ = batches_.live();
  }

  /// It takes no more work.
  void recover(Hub& hub, const std::string& what) {
    failed_ = true;
    batches_.recover(hub, what);
    inFlight_ = 0;
  }

  [[nodiscard]] BatchDevice& device() const { return batches_.device(); }

  [[nodiscard]] RowView rowView() const {
    const Places places = problem_.places();
    if (places.rowBytes == 0) return {};
    const double bytes =
        static_cast<double>(places.window.end - places.window.begin) * static_cast<double>(places.rowBytes);
    const double rate = batches_.rowRate();
    return {bytes / static_cast<double>(mostWaiting_), rate > 0 ? rate : options_.expectedRate,
            options_.expectedCpuRate};
  }

  const Problem& problem_;
  BatchDriverOptions options_;
  LaunchPacer pacer_;
  WorkerAccount account_;
  BatchTransactions batches_;
  std::uint32_t lanes_ = 0;
  std::uint32_t splitLimit_ = 0;  ///< fill target while sizes are unknown
  std::size_t deviceBytes_ = 0;
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
  bool starving_ = false;  ///< CPU workers split for it
  bool needy_ = false;     ///< other devices give to it
  bool recalling_ = false;
  bool owes_ = false;  ///< it has called all slices back, and given nothing since
  double recallsSince_ = 0;
  bool dealt_ = false;  ///< has put slices aside for devices that will join
  bool wasLoaded_ = false;
  std::atomic<bool> failed_{false};
};

}  // namespace

std::unique_ptr<BatchDriver> makeBatchDriver(const Problem& problem, std::unique_ptr<BatchDevice> device,
                                             const BatchDriverOptions& options, int index) {
  return std::make_unique<Driver>(problem, std::move(device), options, index);
}

}  // namespace slicepool
