// GPUs that join a search which is under way. CPU workers do not wait for a driver that takes a quarter of a
// second to start, nor for contexts and device memory: the engine asks now and then which devices are ready.
#pragma once

#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <vector>

#include "slicepool/core/devices.hpp"
#include "slicepool/core/options.hpp"
#include "slicepool/detail/batch_device.hpp"

namespace slicepool {

/// Until the driver of a GPU has started and it can work, as a process sees it (H200).
inline constexpr double kDriverSeconds = 0.35;

/// When a search asks for the driver of its GPUs, in seconds. A process whose driver is starting takes 0.1 s
/// to leave, so that it pays for searches of some tenths of a second (bench/gpu/modes.py).
struct DriverStart {
  double firstRates;   ///< of search: before this a rate says little
  double worthIt;      ///< of search that is left by the rate so far
  double longEnough;   ///< of search, where nothing is known of the rest
  double earlierRuns;  ///< of searches of the session that have ended without GPUs
};

/// `automatic` may do without GPUs, and weighs the start against what it saves. Who says `hybrid` wants them
/// in every search that they may still join: the driver of one GPU is there after a quarter of a second.
/// A session of many short searches in mode `hybrid` gets them, too.
inline constexpr DriverStart kAutomaticStart{0.02, 0.4, 0.075, std::numeric_limits<double>::infinity()};
inline constexpr DriverStart kHybridStart{0.02, 0.2, 0.04, 0.3};

/// Whether a run starts the driver of its GPUs now: mode `gpu` at once, `hybrid` and `automatic` when the
/// search is seen to last long enough or, where nothing is known, has lasted. `left`: seconds by the rate so
/// far; NaN: unknown. `earlier`: seconds of searches of the session before this one, without GPUs.
[[nodiscard]] bool worthStartingGpus(Mode mode, double secondsPassed, double left, double earlier = 0);
/// Those of the mode; `hybrid` and `automatic` only.
[[nodiscard]] const DriverStart& driverStart(Mode mode);

/// When a search that may use all GPUs asks for those behind the first one, in seconds since that has begun.
/// Their contexts are made one after the other, 0.14 s each, and the first GPU waits when it allocates
/// meanwhile (docs/performance/runtime.md).
inline constexpr DriverStart kFurtherStart{0.05, 0.5, 0.3, 1.0};

/// As worthStartingGpus(), of the GPUs behind the first one. `earlier`: seconds of searches of the session
/// without them.
[[nodiscard]] bool worthFurtherGpus(double secondsPassed, double left, double earlier = 0);

/// Steps/s of all workers, from the rates of each: those in their first turn (0) count like the others. 0:
/// none has one yet.
[[nodiscard]] double foreseenRate(const std::vector<double>& rates);

/// Whether a GPU that is ready is still worth a device, which takes 20 ms to make. NaN: unknown, so it is.
[[nodiscard]] bool worthJoining(double left);

/// Used by the thread that supervises a run.
class JoiningDevices {
 public:
  struct Device {
    int index = 0;
    std::unique_ptr<BatchDevice> device;
    std::exception_ptr error;  ///< set instead of `device` when it could not be made
  };
  /// Makes the device of GPU `index`; called on a thread of its own, one for each GPU.
  using Make = std::function<std::unique_ptr<BatchDevice>(int index)>;

  /// GPUs from `first` on, `count` of them; 0: all that there are.
  JoiningDevices(int first, int count, Make make);
  /// Begins to start them, once. True the first time.
  bool start();
  /// Waits for devices that are being made (milliseconds), not for the driver.
  ~JoiningDevices() = default;

  /// Devices that have been made since the last call. `worth`: the rest of the run is long enough to begin
  /// with further ones. Waits for nothing.
  [[nodiscard]] std::vector<Device> ready(bool worth);
  /// False when no further device can come.
  [[nodiscard]] bool pending() const {
    return !listed_ || !waiting_.empty() || !made_.empty() || !missing_.empty();
  }
  /// Those that are known to come: 0 before the driver has said which there are, and without those that it
  /// does not have. `worth`: as for ready().
  [[nodiscard]] std::size_t expected(bool worth) const {
    return (worth ? waiting_.size() : 0) + made_.size();
  }
  /// The driver has started and there is no GPU: why. Null before, and with one.
  [[nodiscard]] const GpuList* none() const { return none_; }

 private:
  struct Making {
    int index = 0;
    std::future<std::unique_ptr<BatchDevice>> device;
  };
  void list();
  static void collect(std::vector<Making>& making, std::vector<Device>& devices);

  int first_;
  int count_;
  Make make_;
  bool started_ = false;
  bool listed_ = false;
  const GpuList* none_ = nullptr;
  std::vector<int> waiting_;  ///< no context yet, or not worth it yet
  std::vector<Making> made_;
  std::vector<Making> missing_;  ///< asked for, but not there: each of them becomes an error
};

}  // namespace slicepool
