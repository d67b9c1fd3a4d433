// What a batch driver decides, as functions of numbers: how many slices a batch gives and takes, into how
// many it is cut, when it commits. The driver measures, asks, and does what it is told (batch_driver.cpp).
// docs/balancing.md explains the policy, tests/unit/core/exchange_policy.cpp is its decision table.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace slicepool {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// The run as a driver sees it.
struct RunView {
  std::size_t cpuWorkers = 0;     ///< that drain the same pool
  std::size_t hungryWorkers = 0;  ///< CPU workers asleep for want of slices, less what waits
  std::size_t hungryDevices = 0;  ///< other devices that are idle
  std::size_t needyDevices = 0;   ///< other devices that are idle, or whose slices do not load them
  std::size_t waiting = 0;        ///< slices in the pool
  std::size_t devicesToCome = 0;  ///< that are being made, and will join
  bool otherDevices = false;      ///< there are, or will be
  bool recalling = false;         ///< this device calls all slices back
  bool owes = false;              ///< it has done so, and given nothing since
  double totalRate = 0;           ///< steps/s of all workers
  double cpuRate = 0;             ///< of the CPU workers, when they have work
  double fastest = 0;             ///< of a device of this kind, the highest rate; beside CPU workers
  double stepsLeft = kUnknown;    ///< of the run
  double now = 0;                 ///< s since its start
};

/// The device.
struct DeviceView {
  std::uint32_t lanes = 0;      ///< slices that a batch can hold
  std::uint32_t busyLanes = 0;  ///< slices at which the device is well loaded
  double rate = 0;              ///< steps/s, smoothed; 0: unknown
  double fullRate = 0;          ///< steps/s, the highest that `rate` has been
  double laneRate = 0;          ///< steps/s of a slice when there are few; 0: unknown
  double launchSeconds = 0;     ///< of the last launch
  bool wasLoaded = false;       ///< it has had slices enough once: before, its rate says nothing
  bool handsOver = true;        ///< it has had slices enough since it last gave all that it had
  bool starving = false;        ///< far too few slices, however they were cut
  bool endsEarly = false;       ///< its launches end when lanes run out: one batch loads it
  double commitSeconds = 0;     ///< that a commit costs it
  std::uint32_t mostLive = 0;   ///< the most slices in both batches since it last took some
  /// Slices taken since it last had none at all.
  std::size_t taken = 0;
  double restsUntil = 0;  ///< s since the start of the run: it has just given all that it had
  /// Seconds that the CPU workers would need for all slices of a batch, by how long the last gift lasted; 0:
  /// unknown.
  double cpuSecondsForAll = 0;
};

/// One of its batches.
struct BatchView {
  std::uint32_t live = 0;
  bool stuck = false;      ///< the last launch cut nothing although there was room
  bool growing = false;    ///< the last launch left more slices than it found
  bool shares = false;     ///< has slices that are counted for it, live or just exhausted
  bool room = true;        ///< a commit needs no new host memory, or little
  bool spare = false;      ///< what it needs lies unused
  double work = kUnknown;  ///< steps, estimated
  double lastGive = 0;     ///< s since the start of the run
};

/// Slices that the batch gives to the pool: equal parts for devices that are idle or lack slices; for CPU
/// workers, when most of them are idle, their share by rate; all of a batch that cannot be cut or that CPU
/// workers finish sooner.
[[nodiscard]] std::size_t slicesToGive(const RunView& run, const DeviceView& device, const BatchView& batch,
                                       const BatchView& other = {});

/// Whether they are for devices, which take them together.
[[nodiscard]] bool givesToDevices(const RunView& run, const DeviceView& device, const BatchView& batch);

/// Slices of its first ones that the device puts aside for those that will join, so that they have large
/// ones; 0: none, or not yet. Once in a run, and only where there are no CPU workers that would take them.
[[nodiscard]] std::size_t slicesToDeal(const RunView& run, const BatchView& batch);

/// Whether a device beside others needs more slices than it has, or soon will. What it has no longer loads
/// it: its rate says so before the number of its slices does, for the last ones of a tree are many that hold
/// next to nothing. Beside CPU workers it may never have been loaded, and the rate of its like tells.
[[nodiscard]] bool needsMore(const RunView& run, const DeviceView& device, const BatchView& batch,
                             const BatchView& other);

/// Whether half of the batch should go to the other one, which has run out or has next to nothing: two
/// batches in flight hide each other's ends, when many lanes have nothing to do.
[[nodiscard]] bool worthHalving(const RunView& run, const DeviceView& device, const BatchView& batch,
                                const BatchView& other, double lastHalved);

/// Rows that a window's slices bring.
struct RowView {
  double bytesEach = 0;  ///< of a waiting slice, about; 0: no rows
  /// Steps/s with the copies of rows, as the run or an earlier one saw them; 0: nothing copied yet.
  double rate = 0;
  double expectedCpuRate = 0;  ///< of earlier runs; 0: unknown
};

/// Whether a device that ran dry beside CPU workers has not got its part yet. Where sizes are unknown any
/// slice may be the one that holds nearly everything, so that a device needs as many, for each that a CPU
/// worker holds, as it is faster. CPU workers split while it asks.
[[nodiscard]] bool asksForMore(const RunView& run, const DeviceView& device, const BatchView& batch,
                               const BatchView& other);

/// Whether a device that joins a search of CPU workers calls all their slices back. What they split off for
/// it otherwise is a part of what each of them holds, and nobody knows which part is large: they would be
/// left with more than their share. Rates are those of earlier runs; 0: unknown, and a device is faster.
[[nodiscard]] bool recalls(double cpuRate, double expectedRate, double expectedCpuRate);

/// Whether it has enough to give them their share, or they have waited long enough: then they go on.
[[nodiscard]] bool endsRecall(const DeviceView& device, const BatchView& batch, double seconds);

/// Slices that the batch takes from the pool, 0: none. `mostWaiting`: the most that ever waited.
[[nodiscard]] std::size_t slicesToTake(const RunView& run, const DeviceView& device, const BatchView& batch,
                                       const BatchView& other, const RowView& rows, std::size_t mostWaiting);

/// Live slices worth having: to cut what little is left into a slice for every lane costs more than it saves.
/// `splitLimit` holds where sizes are unknown.
[[nodiscard]] std::uint32_t fillTarget(const DeviceView& device, double work, std::uint32_t splitLimit);

/// Whether a device beside CPU workers has memory pinned for commits of all its lanes before it begins, which
/// takes a tenth of a second. In a search that keeps it busy for less it is better without. `steps` of the
/// search, 0: unknown; the rate of earlier runs, 0: unknown.
[[nodiscard]] bool makesRoomAtOnce(double steps, double expectedRate, double cpuSecondsLeft);

/// Whether a device that copies rows at this rate leaves them to the CPU workers, whose rate is that of all.
[[nodiscard]] bool leavesRows(double rate, double cpuRate);

/// Seconds between two commits that no worker waits for. `hasResults`: the batch has results that the run has
/// not seen. Each commit keeps a copy of the batch on the host: it takes memory, and the first ones wait for
/// the driver to pin that, one device after the other.
[[nodiscard]] double commitInterval(double commitSeconds, bool hasResults);

}  // namespace slicepool
