// Registries that the CUDA part of the library fills: device factories by problem type, and the GPU list.
#include "slicepool/core/devices.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>

#include "slicepool/core/batch_device.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

struct Registry {
  std::mutex mutex;
  std::unordered_map<std::type_index, DeviceFactory> factories;
  std::function<GpuList()> list;
  std::function<void(int)> warmUp;
};

Registry& registry() {
  static Registry instance;  // constructed on first use: registrars run during static initialisation
  return instance;
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

void registerGpuProvider(std::function<GpuList()> list, std::function<void(int)> warmUp) {
  const std::lock_guard lock(registry().mutex);
  registry().list = std::move(list);
  registry().warmUp = std::move(warmUp);
}

bool builtWithCuda() {
  const std::lock_guard lock(registry().mutex);
  return static_cast<bool>(registry().list);
}

GpuList listGpus() {
  std::function<GpuList()> list;
  {
    const std::lock_guard lock(registry().mutex);
    list = registry().list;
  }
  if (!list) return {{}, "this build has no CUDA support"};
  return list();
}

GpuList knownGpus() {
  static std::mutex mutex;
  static GpuList known;
  const std::lock_guard lock(mutex);
  if (known.gpus.empty()) known = listGpus();
  return known;
}

void warmUpGpu(int index) {
  std::function<void(int)> warmUp;
  {
    const std::lock_guard lock(registry().mutex);
    warmUp = registry().warmUp;
  }
  if (!warmUp) throw DeviceError("no GPU: this build has no CUDA support");
  warmUp(index);
}

}  // namespace slicepool
