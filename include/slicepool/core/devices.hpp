// What GPUs there are, asked without including a CUDA header. The CUDA build registers a provider;
// without it the list is empty and `whyNone` says so.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace slicepool {

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
/// The same as it was when it was first asked and not empty: without a call to the driver, for what does not
/// change. `freeBytes` are of then.
[[nodiscard]] GpuList knownGpus();
/// The same, for a mode that needs one: never empty. Throws DeviceError that says what is missing.
[[nodiscard]] GpuList requireGpus();
/// Creates the context of GPU `index` so that a following run does not pay for it. Throws DeviceError.
void warmUpGpu(int index);
/// Host memory of `bytes` bytes for tables that a GPU is to copy, contents undefined. Where there is a GPU it
/// is pinned and taken again by later runs: a copy needs no detour, and pages are touched for the first time
/// once a process. Plain memory otherwise. Throws std::bad_alloc.
[[nodiscard]] std::shared_ptr<std::byte[]> transferMemory(std::size_t bytes);
/// True when this library was built with CUDA.
[[nodiscard]] bool builtWithCuda();

/// What the CUDA part of the library knows; the functions above ask it.
struct GpuProvider {
  std::function<GpuList()> list;
  std::function<void(int)> warmUp;
  std::function<std::shared_ptr<std::byte[]>(std::size_t)> transferMemory;  ///< null when there is none
};

/// Called once by the CUDA part of the library.
void registerGpuProvider(GpuProvider provider);

}  // namespace slicepool
