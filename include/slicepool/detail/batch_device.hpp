// The interface between the batch driver (runtime) and whatever executes batches of slices: a CUDA device
// (kernels/) or the lane emulator (runtime/). A device owns two batches ("slots") so that one can run
// while the host handles the other; slices stay in a batch between launches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <typeindex>
#include <vector>

#include "slicepool/core/problem.hpp"

namespace slicepool {

class DeviceSeat;

inline constexpr int kBatchSlots = 2;

/// One launch: advance every live slice of a batch by at most `budget` steps, drop the exhausted ones,
/// then split live ones until about `fillTarget` are live (or none can be cut).
struct BatchLaunch {
  std::uint64_t budget = 0;      ///< steps per slice; at least 1
  std::uint32_t blockSize = 0;   ///< threads per block; 0: the device's default
  std::uint32_t fillTarget = 0;  ///< live slices wanted after splitting; 0: do not split
  /// Rows that this launch will finish, if it goes as expected: a device that can copies them to the host
  /// right behind the launch. Valid during the call.
  std::span<const RankRange> rows{};
};

/// What a launch left behind.
struct BatchSummary {
  std::uint32_t live = 0;         ///< slices still in the batch
  std::uint32_t resultCount = 0;  ///< buffered results (at most the capacity)
  std::uint64_t steps = 0;        ///< steps taken by this launch
  std::uint64_t splits = 0;       ///< splits made by this launch
  std::uint32_t sinkFull = 0;     ///< slices whose turn ended because the buffer was full
  double milliseconds = 0;        ///< device time of the launch, without copies of rows
  bool rowsCopied = false;        ///< BatchLaunch::rows are on the host
  bool early = false;             ///< it ended before its budget (DeviceInfo::endsEarly)
};

struct DeviceInfo {
  std::string name;                       ///< e.g. "NVIDIA H200"
  std::string kind;                       ///< "gpu" or "emulated"
  std::uint32_t lanes = 0;                ///< slices a batch can hold
  std::uint32_t busyLanes = 0;            ///< slices at which the device is well loaded
  std::vector<std::uint32_t> blockSizes;  ///< block sizes worth trying in a warm-up
  /// A lane whose slice ends goes on with another one within a launch: long launches stay useful.
  bool refills = false;
  /// A launch ends by itself when much of the device has nothing to do (BatchSummary::early): it may be long.
  bool endsEarly = false;
};

/// What of a GPU advances a slice. `automatic`: whichever is faster for the workload.
enum class Granularity : std::uint8_t { automatic, thread, warp };

/// How a device is set up for one run.
struct DeviceOptions {
  int deviceIndex = 0;
  std::uint32_t lanes = 0;           ///< slices per batch; 0: the device's choice
  std::size_t memoryLimit = 0;       ///< bytes of device memory; 0: a share of what is free
  std::uint32_t resultCapacity = 0;  ///< buffered results per batch; 0: the device's choice
  Granularity granularity = Granularity::automatic;
  /// What the device uses and gives back (device_seat.hpp); empty: it makes its own.
  std::shared_ptr<DeviceSeat> seat{};
};

/// Calls come from one driver thread. Every failure of the device is an exception derived from DeviceError;
/// after one, the object may only be destroyed.
class BatchDevice {
 public:
  virtual ~BatchDevice() = default;

  [[nodiscard]] virtual const DeviceInfo& info() const = 0;
  /// Bytes of device memory held by this object.
  [[nodiscard]] virtual std::size_t deviceBytes() const = 0;

  /// Appends `count` slices to batch `slot`. live + count must not exceed lanes. No launch may be in flight.
  /// `slices` may be changed as soon as the call returns.
  virtual void upload(int slot, const std::byte* slices, std::uint32_t count) = 0;
  /// Starts a launch on batch `slot`; returns at once.
  virtual void launch(int slot, const BatchLaunch& settings) = 0;
  /// Blocks until the launch on `slot` is done; sleeps when that takes long.
  virtual BatchSummary wait(int slot) = 0;
  /// Copies `count` live slices, those at [live - count, live), to the host; `remove` takes them out of the
  /// batch.
  virtual void download(int slot, std::byte* slices, std::uint32_t count, bool remove) = 0;
  /// Whether a launch leaves the slices that it starts from where they are, so that they can be copied while
  /// it runs.
  [[nodiscard]] virtual bool copiesDuringLaunch() const { return false; }
  /// Only of such a device: starts to copy all live slices to `slices`, memory of hostMemory(), and takes the
  /// last `remove` of them out of the batch. One launch on the batch may begin before endDownload, and
  /// nothing else may.
  virtual void beginDownload(int slot, std::byte* slices, std::uint32_t remove) {
    (void)slot, (void)slices, (void)remove;
  }
  /// Blocks until they are there.
  virtual void endDownload(int slot) { (void)slot; }
  /// Host memory of `bytes` bytes, contents undefined, from and to which this device copies fastest (pinned
  /// on a GPU). It may outlive the device. Any thread may call it.
  [[nodiscard]] virtual std::shared_ptr<std::byte[]> hostMemory(std::size_t bytes) {
    return std::shared_ptr<std::byte[]>(new std::byte[bytes]);
  }
  /// Whether hostMemory(bytes) takes no time, because that much lies unused. Another device may be quicker to
  /// take it.
  [[nodiscard]] virtual bool hasHostMemory(std::size_t bytes) const {
    (void)bytes;
    return false;
  }
  /// Copies the reduction words that batch `slot` accumulated since the start to the host.
  virtual void readWords(int slot, std::uint64_t* words) = 0;
  /// Copies `count` buffered results to the host and empties the buffer.
  virtual void takeResults(int slot, std::byte* results, std::uint32_t count) = 0;
  /// Copies rows [ranks.begin, ranks.end) of the window from the device to their final place on the host.
  virtual void copyRows(int slot, RankRange ranks) = 0;
  /// Mirrors the shared monotone word: lowers the device's copy to `value`, returns the lower of both.
  virtual std::uint64_t exchangeShared(std::uint64_t value) { return value; }
};

/// Makes devices for problems of one type. Registered by the .cu file that instantiates the kernels.
using DeviceFactory = std::function<std::unique_ptr<BatchDevice>(const Problem&, const DeviceOptions&)>;

/// Thread-safe registry, filled during static initialisation of the .cu files (or by an explicit call).
void registerDeviceFactory(std::type_index problemType, DeviceFactory factory);
/// Null when no kernels were built for this type of problem.
[[nodiscard]] const DeviceFactory* findDeviceFactory(std::type_index problemType);

}  // namespace slicepool
