// The batch worker: one host thread that drives a BatchDevice (a GPU or the lane emulator) with two batches
// in flight. It moves slices between the pool and the device, paces launches, and makes every exchange with
// the rest of the run a transaction (batch_transaction.hpp), so that a failing device loses nothing. Made by
// the engine.
#pragma once

#include <limits>
#include <memory>
#include <string>

#include "slicepool/detail/batch_device.hpp"
#include "slicepool/detail/worker.hpp"

namespace slicepool {

struct BatchDriverOptions {
  double launchMilliseconds = 12;  ///< target length of a launch
  std::uint64_t fixedBudget = 0;   ///< steps per slice and launch; 0: tuned
  std::uint32_t blockSize = 0;     ///< 0: found by a warm-up on real work
  std::size_t cpuWorkers = 0;      ///< that drain the same pool
  bool otherDevices = false;       ///< do so too, or will
  /// A batch of no more bytes gives every n-th of its slices, a larger one its last ones.
  std::size_t spreadBytes = 8U << 20;
  /// A gift of so many slices is a parcel: fewer are sooner copied than their memory is replaced.
  std::size_t parcelSlices = 4096;
  /// Puts slices aside for devices that will join.
  bool deals = true;
  /// Calls back all slices of CPU workers whose search it joins, unless earlier rates speak against it.
  bool recalls = false;
  /// Steps/s of the device, with the copies of rows, and of all CPU workers, as earlier runs had them; 0:
  /// unknown.
  double expectedRate = 0;
  double expectedCpuRate = 0;
  /// What the search would take the CPU workers from here on; not finite: unknown.
  double cpuSecondsLeft = std::numeric_limits<double>::quiet_NaN();
};

class BatchDriver : public Worker {
 public:
  /// Before the workers start: takes the few slices that a search begins with, if the device makes thousands
  /// of them in a launch. CPU workers get their share once there are many. If CPU workers split the
  /// first slices instead, halving by halving, they end with most of the tree and have to hand it back.
  virtual void takeFirst(Hub& hub) = 0;
  /// Block size in use (0 before the warm-up is over and for the emulator).
  [[nodiscard]] virtual std::uint32_t blockSize() const = 0;
  /// Of the device: "gpu", "emulated".
  [[nodiscard]] virtual const std::string& kind() const = 0;
  /// Steps/s of committed rows with their copies; 0: there were none.
  [[nodiscard]] virtual double rowRate() const = 0;
  /// True after the device failed; the driver then takes no more work.
  [[nodiscard]] virtual bool failed() const = 0;
};

/// `index` numbers devices of a kind in names such as "gpu0".
[[nodiscard]] std::unique_ptr<BatchDriver> makeBatchDriver(const Problem& problem,
                                                           std::unique_ptr<BatchDevice> device,
                                                           const BatchDriverOptions& options, int index);

}  // namespace slicepool
