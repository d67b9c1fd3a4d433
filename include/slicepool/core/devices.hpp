// What GPUs there are, asked without including a CUDA header. The CUDA build registers a provider;
// without it the list is empty and `whyNone` says so. A process that was forked from one that had asked for
// GPUs has none: a driver does not survive a fork. It is told so, and its CPU workers run.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slicepool {

class DeviceSeat;

struct GpuDescription {
  int index = 0;
  std::string name;
  int computeMajor = 0;
  int computeMinor = 0;
  int multiprocessors = 0;
  std::size_t totalBytes = 0;
  std::size_t freeBytes = 0;
  std::string driver;  ///< driver and runtime version
};

struct GpuList {
  std::vector<GpuDescription> gpus;
  std::string whyNone;  ///< set when `gpus` is empty: what is missing
};

/// Usable GPUs. The first call may take a few hundred ms (driver start). Thread-safe.
[[nodiscard]] GpuList listGpus();
/// The same without `freeBytes` (0), as it was when it was first asked and not empty: no context is made, and
/// the driver is not asked again.
[[nodiscard]] GpuList knownGpus();
/// The same, for a mode that needs one: never empty. Throws DeviceError that says what is missing.
[[nodiscard]] GpuList requireGpus();
/// Free memory of GPU `index` in bytes; 0 when it is not known. Makes its context.
[[nodiscard]] std::size_t freeGpuBytes(int index);

// --- GPUs that start while other work goes on: the driver takes 0.2 s for one GPU and seconds for eight.
/// Begins to start the driver and the contexts of `count` GPUs from `first` on (0: all), in a thread of its
/// own. Returns at once. A process that leaves meanwhile waits for that thread; one that must not ends with
/// std::_Exit (see gpusAreStarting).
void startGpus(int first = 0, int count = 0);
/// The GPUs, as knownGpus() gives them, when the driver has started; null while it has not. Waits for
/// nothing.
[[nodiscard]] const GpuList* startedGpus();
/// True when GPU `index` has a context: a device on it is made in milliseconds. Waits for nothing.
[[nodiscard]] bool gpuIsReady(int index);
/// What the thread of startGpus() has done so far, in order: "driver", then "context of GPU 0" and so on.
struct GpuStartStep {
  std::string what;
  std::chrono::steady_clock::time_point begin;
  std::optional<std::chrono::steady_clock::time_point> end;  ///< empty: it is at this
};
[[nodiscard]] std::vector<GpuStartStep> gpuStartSteps();
/// True while the thread of startGpus() is at work.
[[nodiscard]] bool gpusAreStarting();
/// Waits until that thread has ended. A program that may leave by exit() or a return from main() while it is
/// at work calls this first: drivers do not bear it that exit handlers run under them. The other way is
/// std::_Exit.
void awaitGpuStart();
/// False when it is clear without asking the driver that this process has no GPU.
[[nodiscard]] bool gpusAreLikely();
/// For a mode that needs a GPU and does not have to wait for it: begins the start as startGpus(). Throws
/// DeviceError when it is clear that there is none.
void expectGpus(int first = 0, int count = 0);

/// Creates the context of GPU `index` so that a following run does not pay for it. Throws DeviceError.
void warmUpGpu(int index);
/// Host memory of `bytes` bytes for tables that a GPU is to copy, contents undefined. Where there is a GPU it
/// is pinned and taken again by later runs: a copy needs no detour, and pages are touched for the first time
/// once a process. Plain memory otherwise. Throws std::bad_alloc.
[[nodiscard]] std::shared_ptr<std::byte[]> transferMemory(std::size_t bytes);
/// For a program that has hidden all GPUs but one from the driver before it starts (CUDA_VISIBLE_DEVICES):
/// the driver calls it 0, and reports call it `index` as the user does. Until the next provider is
/// registered.
void showOnlyGpu(int index);
/// That one; empty: none was hidden.
[[nodiscard]] std::optional<int> onlyGpu();
/// What reports call GPU `index` of the driver.
[[nodiscard]] int shownGpu(int index);
/// Whether this process has asked the driver: what it sees is settled then.
[[nodiscard]] bool driverWasAsked();
/// True when this library was built with CUDA.
[[nodiscard]] bool builtWithCuda();

/// Memory of GPUs that no run uses and that is kept for the next one.
struct UnusedGpuMemory {
  std::size_t deviceBytes = 0;  ///< of all GPUs
  std::size_t hostBytes = 0;    ///< pinned
};

/// What the CUDA part of the library knows; the functions above ask it.
struct GpuProvider {
  std::function<GpuList()> list;
  std::function<void(int)> warmUp;
  std::function<std::shared_ptr<std::byte[]>(std::size_t)> transferMemory;  ///< null when there is none
  std::function<GpuList()> describe;          ///< as `list`, without contexts and free bytes; empty: `list`
  std::function<std::size_t(int)> freeBytes;  ///< of one GPU; empty: unknown
  std::function<bool()> likely;               ///< whether asking the driver can find anything; empty: yes
  /// Of GPU `index`, for sessions; empty: devices make what they need.
  std::function<std::unique_ptr<DeviceSeat>(int)> makeSeat{};
  /// Bounds of the memory that is kept, on each GPU and of the host; what is beyond goes back at once.
  std::function<void(std::size_t deviceBytes, std::size_t hostBytes)> keepMemory{};
  std::function<UnusedGpuMemory()> unusedMemory{};
};

// --- for sessions (session.hpp)
/// A seat of GPU `index`; null where there is none to be had. Throws DeviceError.
[[nodiscard]] std::unique_ptr<DeviceSeat> makeGpuSeat(int index);
/// For the end of a process that was forked from one that had asked for GPUs: exit() leaves out what was
/// registered before this call, such as the handlers of a driver, which may wait for its threads for ever.
/// Output of C streams is written. Nothing in other processes.
void leaveWithoutDriver() noexcept;

/// As GpuProvider::keepMemory and unusedMemory; nothing without a provider, and in a forked process.
void keepGpuMemory(std::size_t deviceBytes, std::size_t hostBytes);
[[nodiscard]] UnusedGpuMemory unusedGpuMemory();

/// Called once by the CUDA part of the library; tests put a stand-in there.
void registerGpuProvider(GpuProvider provider);

}  // namespace slicepool
