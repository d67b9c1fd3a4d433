// Tells the library which GPUs there are (slicepool/core/devices.hpp) and makes their contexts in advance.
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

#include "cuda_check.hpp"
#include "cuda_seat.cuh"
#include "device_buffer.cuh"
#include "registration.hpp"
#include "slicepool/core/devices.hpp"

namespace slicepool {

namespace {

std::string versionText(int version) {  // 13000 -> "13.0"
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string driverText() {
  int driver = 0;
  int runtime = 0;
  static_cast<void>(cudaDriverGetVersion(&driver));
  static_cast<void>(cudaRuntimeGetVersion(&runtime));
  const std::string driverVersion = driver == 0 ? "no driver" : "driver for CUDA " + versionText(driver);
  return driverVersion + ", runtime " + versionText(runtime);
}

std::string whyNoGpu(cudaError_t status) {
  static_cast<void>(cudaGetLastError());
  switch (status) {
    case cudaSuccess:
    case cudaErrorNoDevice: return "no NVIDIA GPU was found (" + driverText() + ")";
    case cudaErrorInsufficientDriver:
      return "no NVIDIA driver, or one older than this program's CUDA runtime (" + driverText() + ")";
    default:
      return std::string("the NVIDIA driver does not answer: ") + cudaGetErrorString(status) + " (" +
             driverText() + ")";
  }
}

/// What does not change. Asking takes about a millisecond, so each device is asked once a process.
GpuDescription staticDescription(int index) {
  static std::mutex mutex;
  static std::map<int, GpuDescription> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(index);
  if (found != known.end()) return found->second;
  cudaDeviceProp properties{};
  SLICEPOOL_CUDA_CHECK(cudaGetDeviceProperties(&properties, index));
  GpuDescription gpu;
  gpu.index = index;
  gpu.name = properties.name;
  gpu.computeMajor = properties.major;
  gpu.computeMinor = properties.minor;
  gpu.multiprocessors = properties.multiProcessorCount;
  gpu.totalBytes = properties.totalGlobalMem;
  gpu.driver = driverText();
  known.emplace(index, gpu);
  return gpu;
}

GpuDescription describeGpu(int index) {
  GpuDescription gpu = staticDescription(index);
  cuda::useDevice(index);
  std::size_t totalBytes = 0;
  SLICEPOOL_CUDA_CHECK(cudaMemGetInfo(&gpu.freeBytes, &totalBytes));
  return gpu;
}

/// Without a context where `describe` makes none.
template <class Describe>
GpuList listWith(Describe&& describe) {
  GpuList list;
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    list.whyNone = whyNoGpu(status);
    return list;
  }
  for (int index = 0; index < count; ++index) {
    try {
      list.gpus.push_back(describe(index));
    } catch (const CudaError& error) {
      // One broken device does not hide the others.
      list.whyNone += "GPU " + std::to_string(index) + ": " + error.what() + "; ";
    }
  }
  if (!list.gpus.empty()) list.whyNone.clear();
  return list;
}

GpuList listCudaGpus() {
  int current = 0;
  const bool known = cudaGetDevice(&current) == cudaSuccess;
  GpuList list = listWith(describeGpu);
  if (known) static_cast<void>(cudaSetDevice(current));
  return list;
}
GpuList describeCudaGpus() { return listWith(staticDescription); }
std::size_t freeCudaBytes(int index) { return describeGpu(index).freeBytes; }

/// The nodes through which a process reaches a GPU: Linux, Windows' subsystem, Tegra. None where all GPUs are
/// hidden: the driver takes an empty list, and anything from the first entry that is no GPU on, for no GPU.
bool hasDeviceNode() {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible != nullptr && (*visible == '\0' || *visible == '-')) return false;
  for (const char* node : {"/dev/nvidiactl", "/dev/dxg", "/dev/nvmap"})
    if (access(node, F_OK) == 0) return true;
  return false;
}

void warmUpCudaGpu(int index) {
  cuda::useDevice(index);
  // The first call that needs the context makes it.
  SLICEPOOL_CUDA_CHECK(cudaFree(nullptr));
}

/// Null when the system has no memory left to lock: plain memory is slower, not wrong.
std::shared_ptr<std::byte[]> pinnedMemory(std::size_t bytes) {
  try {
    auto buffer = std::make_shared<cuda::PinnedBuffer>(bytes);
    return {buffer, buffer->as<>()};
  } catch (const LimitError&) {
    return nullptr;
  }
}

std::unique_ptr<DeviceSeat> cudaSeat(int index) { return std::make_unique<cuda::CudaSeat>(index); }
void keepCudaMemory(std::size_t deviceBytes, std::size_t hostBytes) {
  cuda::MemoryCache::instance().setLimits(deviceBytes, hostBytes);
}
UnusedGpuMemory unusedCudaMemory() { return cuda::MemoryCache::instance().unused(); }

}  // namespace

void registerCudaProvider() {
  static std::once_flag once;
  std::call_once(once, [] {
    registerGpuProvider({listCudaGpus, warmUpCudaGpu, pinnedMemory, describeCudaGpus, freeCudaBytes,
                         hasDeviceNode, cudaSeat, keepCudaMemory, unusedCudaMemory});
  });
}

}  // namespace slicepool
