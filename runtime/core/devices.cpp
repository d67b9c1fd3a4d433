// Registries that the CUDA part of the library fills: device factories by problem type, and the GPU list.
#include "slicepool/core/devices.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>

#include "slicepool/core/error.hpp"
#include "slicepool/detail/batch_device.hpp"

namespace slicepool {
namespace {

#ifdef SLICEPOOL_HAVE_CUDA
constexpr const char* kNoProvider =
    "this program has no GPU worker: link slicepool::cuda and call slicepool::registerCudaKernels()";
#else
constexpr const char* kNoProvider = "this build has no CUDA support";
#endif

struct Registry {
  std::mutex mutex;
  std::unordered_map<std::type_index, DeviceFactory> factories;
  GpuProvider provider;
};

Registry& registry() {
  static Registry instance;  // constructed on first use: registrars run during static initialisation
  return instance;
}

GpuProvider provider() {
  const std::lock_guard lock(registry().mutex);
  return registry().provider;
}

}  // namespace

void registerDeviceFactory(std::type_index problemType, DeviceFactory factory) {
  const std::lock_guard lock(registry().mutex);
  registry().factories[problemType] = std::move(factory);
}

const DeviceFactory* findDeviceFactory(std::type_index problemType) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().factories.find(problemType);
  return found == registry().factories.end() ? nullptr : &found->second;
}

void registerGpuProvider(GpuProvider provider) {
  const std::lock_guard lock(registry().mutex);
  registry().provider = std::move(provider);
}

bool builtWithCuda() { return static_cast<bool>(provider().list); }

GpuList listGpus() {
  const auto list = provider().list;
  if (!list) return {{}, kNoProvider};
  return list();
}

GpuList knownGpus() {
  static std::mutex mutex;
  static GpuList known;
  const std::lock_guard lock(mutex);
  if (known.gpus.empty()) known = listGpus();
  return known;
}

GpuList requireGpus() {
  GpuList list = knownGpus();
  if (list.gpus.empty()) throw DeviceError("no usable GPU: " + list.whyNone);
  return list;
}

void warmUpGpu(int index) {
  const auto warmUp = provider().warmUp;
  if (!warmUp) throw DeviceError(std::string("no GPU: ") + kNoProvider);
  warmUp(index);
}

std::shared_ptr<std::byte[]> transferMemory(std::size_t bytes) {
  const auto pinned = provider().transferMemory;
  if (pinned && !knownGpus().gpus.empty()) {
    if (auto memory = pinned(bytes)) return memory;
  }
  return std::shared_ptr<std::byte[]>(new std::byte[bytes]);
}

}  // namespace slicepool
