// See exchange_policy.hpp. Where a constant was measured, docs/performance/runtime.md has the figures; the
// others are guesses that held.
#include "runtime/core/batch/exchange_policy.hpp"

#include <algorithm>

namespace slicepool {
namespace {

// ---- giving
constexpr std::uint32_t kStragglers = 256;   // slices that CPU workers advance sooner than a launch begins
constexpr std::size_t kMaximumGiven = 8192;  // CPU workers take slices one by one: more does not fit the pool
constexpr double kGuessedWorkerShare = 1.0 / 128;  // of a CPU worker, before both rates are known
constexpr double kMaximumGuessedShare = 1.0 / 8;
// A gift saves at least the time of so many commits. Where it is known what is left it may save less to CPU
// workers, since a commit is made beside a launch; but where the total alone is known, and the device is much
// faster than they are, what they get is a guess. Found by tests/unit/core/balancing_cases.cpp.
constexpr double kCommitsSaved = 2;
constexpr double kKnownCommitsSaved = 0.5;
constexpr double kGuessedCommitsSaved = 8;
constexpr double kGuessedFaster = 4;
constexpr double kMuchFaster = 2;
constexpr std::uint32_t kMuchMore = 2;         // times as many slices in the other batch
constexpr double kAtWork = 0.6;                // of the highest rate: below it a device lacks slices
constexpr double kBetweenGiftsSeconds = 0.03;  // to devices that still work
constexpr double kLongSeconds = 0.1;  // of a search: in a shorter one such gifts cost more than they bring
constexpr double kWorthMakingRoom =
    0.1;  // seconds: to pin memory for a million slices takes tens of milliseconds
constexpr std::size_t kFirstGiftSlices = 16;  // for each CPU worker
constexpr double kFirstGiftSeconds = 0.01;    // that it saves: a guess, more than a commit of few slices
constexpr double kQuickLaunch =
    2.5e-4;                        // seconds: a device that ends few slices so soon ends all of them soon
constexpr double kCpuAhead = 0.5;  // of the CPU workers' rate: what a hand-over costs is theirs
constexpr double kTakenSeconds = 5e-7;  // for each slice that threads take at once

constexpr std::uint32_t kDealtSlices = 1024;  // enough for parts that are about equal

// ---- taking
constexpr std::size_t kPlenty = 64;    // waiting slices that are not just a hand-over between CPU workers
constexpr std::size_t kManyMore = 4;   // times as many slices in the batches as in the pool
constexpr double kMaximumFaster = 32;  // than all CPU workers: more slices than that are too many to ask for
constexpr double kLeaveToCpuSeconds = 3e-4;  // so little work that a launch would not pay
constexpr double kStepsPerTakenLane = 8192;  // below that filling the lanes costs more than the work on them
constexpr double kRowBytesPerTake = 32e6;    // the copy of one batch overlaps the kernels of the other
constexpr double kWorthCopying = 0.5;        // of the CPU workers' rate
constexpr double kFirstRowBytes = 8e6;       // while the rate of copies is unknown, and CPU workers wait

// ---- cutting
constexpr double kLaneSeconds = 1e-3;       // a slice worth a lane keeps it busy for about that long
constexpr double kFirstStepsPerLane = 512;  // before the rate is known; a larger share is never needed
constexpr double kMinimumStepsPerLane = 16;
constexpr double kHalvingSeconds = 0.1;       // of work that is left, and between two halvings
constexpr std::uint32_t kNextToNothing = 16;  // times as many slices has the other batch

// ---- calling back
constexpr double kRecallSeconds = 0.03;  // at most
constexpr double kFastEnough = 2;        // times the CPU workers' rate

// ---- committing
constexpr double kCommitIntervalSeconds = 0.5;  // results wait for it
constexpr double kQuietIntervalSeconds = 4;     // what a failure of the device costs at most
constexpr double kCommitShare = 0.02;           // of the time, at most
constexpr double kRoomSteps = 3e9;
constexpr double kRoomSeconds = 0.5;    // of the device
constexpr double kRoomCpuSeconds = 10;  // of the CPU workers: a guess of a GPU's half second

/// CPU workers cut slices for each other, which costs the device nothing, as long as half of them have some.
/// But where the device took the roots, they get the first slices as soon as there are enough for all of
/// them, when a gift is cheap, also if they have not got round to falling asleep.
bool isDry(const RunView& run, const BatchView& batch) {
  if (run.cpuRate <= 0 && run.waiting == 0) return batch.live >= kFirstGiftSlices * run.cpuWorkers;
  return run.hungryWorkers != 0 && 2 * run.hungryWorkers >= run.cpuWorkers;
}

/// The part of all work that is the CPU workers', by rate.
double cpuShare(const RunView& run, const DeviceView& device) {
  // A device that was never loaded says nothing about what it can do.
  if (run.cpuRate > 0 && device.rate > 0 && device.wasLoaded)
    return std::clamp(run.cpuRate / run.totalRate, 0.0, 0.5);
  // Of all that they had called back they get little: what they hold to the end is what the device waits for.
  const double each = run.owes ? kGuessedWorkerShare / 2 : kGuessedWorkerShare;
  return std::clamp(static_cast<double>(run.cpuWorkers) * each, each, kMaximumGuessedShare);
}

/// The part of a batch that other devices get.
double shareOfDevices(const RunView& run) {
  const auto others = static_cast<double>(std::max<std::size_t>(1, run.needyDevices));
  return others / (others + 1);
}

/// Whether devices whose slices no longer load them get some before they are idle. The giver does not end up
/// like them, a commit is cheap, and enough is left for the gift to pay.
bool givesToOnesAtWork(const RunView& run, const DeviceView& device, const BatchView& batch) {
  if (!batch.room || device.starving || device.rate < kAtWork * device.fullRate) return false;
  if (run.now < kLongSeconds || run.now - batch.lastGive < kBetweenGiftsSeconds) return false;
  // Where it is unknown how much is left, once.
  return std::isfinite(run.stepsLeft) ? run.stepsLeft > kLongSeconds * run.totalRate : batch.lastGive <= 0;
}

/// Whether the CPU workers, which are idle, are done with the batch before the device would be: few slices
/// are advanced at the speed of single lanes.
bool finishesSooner(const RunView& run, const DeviceView& device, const BatchView& batch) {
  if (batch.growing || !device.handsOver || batch.live > kMaximumGiven) return false;
  if (device.launchSeconds < kQuickLaunch) return false;
  // The last slices of a tree are many that hold next to nothing.
  if (batch.live * kTakenSeconds > device.launchSeconds) return false;
  return device.laneRate > 0 && batch.live * device.laneRate < kCpuAhead * run.cpuRate;
}

/// Seconds of the run that a gift saves: the share of the time left in which its receivers work. Without a
/// known total the last gift says how long one lasts, and before the first one the best guess is that as much
/// is left as has passed.
double secondsSaved(const RunView& run, const DeviceView& device, const BatchView& batch, double share) {
  if (std::isfinite(run.stepsLeft) && run.totalRate > 0) return share * run.stepsLeft / run.totalRate;
  const double passed = share * (run.now - batch.lastGive);
  if (run.cpuRate <= 0 && batch.lastGive <= 0) return kFirstGiftSeconds;
  if (run.hungryDevices != 0 || device.cpuSecondsForAll <= 0) return passed;
  const double part = std::min(share, static_cast<double>(kMaximumGiven) / batch.live);
  // What the last gift lasted may have been little by chance: the device has needed longer since. Beside a
  // device that is much faster than they are, CPU workers do better without a further gift.
  if (device.rate < kMuchFaster * run.cpuRate)
    return share * part *
           std::max(device.cpuSecondsForAll, (run.now - batch.lastGive) * device.rate / run.cpuRate);
  return share * part * device.cpuSecondsForAll;
}

/// Of a gift to CPU workers: the commits whose time it saves at least.
double commitsToSave(const RunView& run, const DeviceView& device, const BatchView& batch) {
  if (std::isfinite(batch.work)) return kKnownCommitsSaved;
  if (!std::isfinite(run.stepsLeft) || run.cpuRate <= 0 || !device.wasLoaded || run.owes)
    return kCommitsSaved;
  return device.rate < kGuessedFaster * run.cpuRate ? kKnownCommitsSaved : kGuessedCommitsSaved;
}

/// Whether a device that still works should take more: it has half of the slices left that it had, and they
/// no longer load it. A device that waits until the last slice is exhausted has idle lanes for some launches.
bool runsLow(const DeviceView& device, const BatchView& batch, const BatchView& other) {
  const std::uint32_t live = batch.live + other.live;
  return !batch.growing && !other.growing && 2 * live < device.busyLanes && 2 * live < device.mostLive;
}

/// The most that a device with CPU workers beside it takes.
std::size_t shareOfWaiting(const RunView& run, const DeviceView& device, const BatchView& batch,
                           const BatchView& other, const RowView& rows, bool low) {
  const std::uint32_t live = batch.live + other.live;
  const bool hasRows = rows.bytesEach > 0;
  const double rate = hasRows ? rows.rate : device.rate;
  const auto waiting = static_cast<double>(run.waiting);
  // Copies that come from a device slow the cores down by more than such a device does itself.
  const double cpuRate = std::max(run.cpuRate, rows.expectedCpuRate);  // some have only begun
  if (hasRows && leavesRows(rate, cpuRate)) return 0;
  // The first rows tell how fast they are copied; until then one small batch is enough.
  if (hasRows && rate <= 0) {
    if (other.shares) return 0;
    return static_cast<std::size_t>(std::clamp(kFirstRowBytes / rows.bytesEach, 1.0, 0.5 * waiting + 1));
  }
  // What CPU workers split off for each other, or were just given, is not for a device that has work.
  if (other.live >= device.busyLanes && run.waiting < kPlenty) return 0;
  if (!device.starving && !low && live > kManyMore * run.waiting) return 0;
  if (low && batch.live != 0 && run.waiting < kManyMore * run.cpuWorkers) return 0;
  // Leave the CPU workers their share of what waits, and all of it when they are done with it in no time.
  if (rate > 0 && run.cpuRate > 0 && run.stepsLeft / run.cpuRate < kLeaveToCpuSeconds) return 0;
  const double total = hasRows ? rate + cpuRate : run.totalRate;
  const double share = total > 0 && rate > 0 ? std::clamp(rate / total, 0.1, 1.0) : 0.5;
  if (!hasRows) return static_cast<std::size_t>(std::ceil(share * waiting));
  const double planned = share * (waiting + live) - live;
  return planned < 1 ? 0 : static_cast<std::size_t>(planned);
}

/// A quarter of what waits: the pieces become smaller towards the end, so that both batches end together. But
/// not so little that filling the lanes costs more than the work on them.
std::size_t partOf(std::size_t waiting, double stepsLeft, std::uint32_t lanes, std::size_t mostWaiting) {
  const std::size_t least = std::max<std::size_t>(1, mostWaiting / 16);
  const double each = stepsLeft / static_cast<double>(waiting);
  const double worth = std::isfinite(each) ? kStepsPerTakenLane * lanes / std::max(each, 1.0) : 0;
  if (worth >= static_cast<double>(waiting)) return waiting;
  return std::max({waiting / 4, least, static_cast<std::size_t>(worth)});
}

}  // namespace

std::size_t slicesToGive(const RunView& run, const DeviceView& device, const BatchView& batch,
                         const BatchView& other) {
  const bool withCpu = run.cpuWorkers != 0;
  if (withCpu && batch.stuck && batch.live <= kStragglers) return batch.live;
  const bool cpuIsDry = withCpu && isDry(run, batch);
  const bool devicesAreDry = givesToDevices(run, device, batch);
  if ((!cpuIsDry && !devicesAreDry) || batch.live < 2) return 0;
  if (cpuIsDry && finishesSooner(run, device, batch)) return batch.live;
  // The batch with few slices is the one that has little left.
  if (!cpuIsDry && other.live / kMuchMore > batch.live) return 0;
  const double share = devicesAreDry ? shareOfDevices(run) : cpuShare(run, device);
  const double seconds = secondsSaved(run, device, batch, share);
  const double commits = devicesAreDry ? kCommitsSaved : commitsToSave(run, device, batch);
  if (seconds < commits * device.commitSeconds) return 0;
  if (!batch.room && !batch.spare && seconds <= kWorthMakingRoom) return 0;
  auto wanted = static_cast<std::size_t>(std::ceil(share * static_cast<double>(batch.live)));
  if (devicesAreDry) return std::clamp<std::size_t>(wanted, 1, batch.live - 1);
  wanted = std::min(wanted, kMaximumGiven);
  const std::size_t half = batch.live / 2;
  return std::clamp(wanted, std::min(run.hungryWorkers, half), std::max<std::size_t>(1, half));
}

bool givesToDevices(const RunView& run, const DeviceView& device, const BatchView& batch) {
  // CPU workers would take most of the first few.
  if (run.hungryDevices != 0)
    return run.cpuWorkers == 0 || !batch.growing || batch.live >= kDealtSlices || std::isfinite(batch.work);
  return run.needyDevices != 0 && givesToOnesAtWork(run, device, batch);
}

std::size_t slicesToDeal(const RunView& run, const BatchView& batch) {
  if (run.devicesToCome == 0 || run.cpuWorkers != 0 || batch.live < kDealtSlices) return 0;
  return batch.live * run.devicesToCome / (run.devicesToCome + 1);
}

bool needsMore(const RunView& run, const DeviceView& device, const BatchView& batch, const BatchView& other) {
  if (run.cpuWorkers != 0 && (!run.otherDevices || run.now < device.restsUntil)) return false;
  if (batch.live + other.live == 0) return true;
  if (std::isfinite(batch.work) && std::isfinite(other.work)) return false;
  const double full = std::max(device.wasLoaded ? device.fullRate : 0, run.fastest);
  return !batch.growing && !other.growing && device.rate < kAtWork * full;
}

bool worthHalving(const RunView& run, const DeviceView& device, const BatchView& batch,
                  const BatchView& other, double lastHalved) {
  // More slices than the device has lanes keep it busy on their own.
  // What is left is known by the rate of a device that has not been loaded yet.
  if (device.endsEarly && !device.wasLoaded && run.cpuWorkers != 0 && std::isfinite(run.stepsLeft))
    return false;
  const bool poor = !device.endsEarly && other.live != 0 && kNextToNothing * other.live < batch.live;
  if (other.shares && !poor) return false;
  if (batch.live < device.busyLanes / 4 || batch.live > device.busyLanes) return false;
  if (run.waiting > batch.live / kManyMore || run.now - lastHalved < kHalvingSeconds) return false;
  return !std::isfinite(run.stepsLeft) ||
         (run.totalRate > 0 && run.stepsLeft / run.totalRate > kHalvingSeconds);
}

bool recalls(double cpuRate, double expectedRate, double expectedCpuRate) {
  return cpuRate > 0 && (expectedRate <= 0 || expectedRate >= kFastEnough * expectedCpuRate);
}

bool endsRecall(const DeviceView& device, const BatchView& batch, double seconds) {
  return seconds > kRecallSeconds || (device.wasLoaded && 2 * batch.live >= device.busyLanes);
}

bool asksForMore(const RunView& run, const DeviceView& device, const BatchView& batch,
                 const BatchView& other) {
  if (run.cpuWorkers == 0 || run.cpuRate <= 0 || device.rate <= 0 || device.taken == 0) return false;
  if (std::isfinite(batch.work) && std::isfinite(other.work)) return false;
  const double faster = std::min(device.fullRate / run.cpuRate, kMaximumFaster);
  return static_cast<double>(device.taken) < faster * static_cast<double>(run.cpuWorkers);
}

std::size_t slicesToTake(const RunView& run, const DeviceView& device, const BatchView& batch,
                         const BatchView& other, const RowView& rows, std::size_t mostWaiting) {
  const bool low = rows.bytesEach <= 0 && runsLow(device, batch, other);
  const bool asks = rows.bytesEach <= 0 && asksForMore(run, device, batch, other);
  const bool wants = batch.live == 0 || run.recalling || device.starving || low || asks ||
                     (batch.stuck && batch.live < device.busyLanes);
  if (run.waiting == 0 || !wants || run.now < device.restsUntil) return 0;
  // What another device is to get must not come back here.
  const bool lacks =
      run.cpuWorkers != 0 && rows.bytesEach <= 0 && run.otherDevices && needsMore(run, device, batch, other);
  if (other.live != 0 && (run.hungryDevices != 0 || (run.cpuWorkers != 0 && run.needyDevices != 0 && !lacks)))
    return 0;
  std::size_t maximum = device.lanes - batch.live;
  // Of a device that calls all back one batch takes all; its half goes to the other one when there is enough.
  if (run.recalling) return batch.live == 0 && other.live != 0 ? 0 : std::min(maximum, run.waiting);
  // Beside a batch that multiplies its slices an empty one would take what CPU workers split off: some few,
  // so that it has next to nothing from then on.
  if (run.cpuWorkers != 0 && !device.endsEarly && batch.live == 0 && other.growing &&
      other.live > kManyMore * run.waiting)
    return 0;
  // Those that will join have nothing else.
  if (run.devicesToCome != 0 && run.cpuWorkers == 0) {
    if (batch.live + other.live != 0) return 0;
    maximum = std::min(maximum, run.waiting / (run.devicesToCome + 1) + 1);
  }
  // What devices give is for all that need it.
  if (run.hungryDevices != 0 && run.cpuWorkers == 0)
    maximum = std::min(maximum, run.waiting / (run.hungryDevices + 1) + 1);
  const double full = std::max(device.fullRate, run.fastest);
  if (asks || (lacks && full > 0)) {
    const double share = full / (full + run.cpuRate);
    return std::min(maximum, static_cast<std::size_t>(std::ceil(share * static_cast<double>(run.waiting))));
  }
  if (run.cpuWorkers != 0) maximum = std::min(maximum, shareOfWaiting(run, device, batch, other, rows, low));
  if (maximum == 0) return 0;
  std::size_t part = partOf(run.waiting, run.stepsLeft, device.lanes, mostWaiting);
  // Without sizes nothing but this says that the end is near: what waits is worth more now than later.
  if (low && !std::isfinite(run.stepsLeft)) part = std::max(part, (run.waiting + 1) / 2);
  maximum = std::min(maximum, part);
  if (rows.bytesEach > 0)
    maximum = std::min(maximum, static_cast<std::size_t>(std::max(1.0, kRowBytesPerTake / rows.bytesEach)));
  return std::max<std::size_t>(1, maximum);
}

std::uint32_t fillTarget(const DeviceView& device, double work, std::uint32_t splitLimit) {
  if (!std::isfinite(work)) return splitLimit;
  const double lanes = device.lanes;
  const double stepsPerLane = device.rate > 0 ? device.rate / lanes * kLaneSeconds : kFirstStepsPerLane;
  const double worth = work / std::clamp(stepsPerLane, kMinimumStepsPerLane, kFirstStepsPerLane);
  return static_cast<std::uint32_t>(std::clamp(worth, 1.0, lanes));
}

bool makesRoomAtOnce(double steps, double expectedRate, double cpuSecondsLeft) {
  if (!(steps >= kRoomSteps)) return false;
  if (expectedRate > 0) return steps >= kRoomSeconds * expectedRate;
  return !(cpuSecondsLeft < kRoomCpuSeconds);
}

bool leavesRows(double rate, double cpuRate) { return rate > 0 && rate < kWorthCopying * cpuRate; }

double commitInterval(double commitSeconds, bool hasResults) {
  return std::max(hasResults ? kCommitIntervalSeconds : kQuietIntervalSeconds, commitSeconds / kCommitShare);
}

}  // namespace slicepool
