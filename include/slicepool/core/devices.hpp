// What GPUs there are, asked without including a CUDA header. The CUDA build registers a provider;
// without it the list is empty and `whyNone` says so.
#pragma once

#include <cstddef>
#include <functional>
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
/// Creates the context of GPU `index` so that a following run does not pay for it. Throws DeviceError.
void warmUpGpu(int index);
/// True when this library was built with CUDA.
[[nodiscard]] bool builtWithCuda();

/// Called once by the CUDA part of the library.
void registerGpuProvider(std::function<GpuList()> list, std::function<void(int)> warmUp);

}  // namespace slicepool
