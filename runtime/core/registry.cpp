// Implementation of slicepool/detail/registry.hpp, and its use for batches of slices (batch_device.hpp).
#include "slicepool/detail/registry.hpp"

#include <mutex>
#include <unordered_map>

#include "slicepool/detail/batch_device.hpp"

namespace slicepool {
namespace {

struct Makers {
  std::mutex mutex;
  std::unordered_map<std::type_index, std::any> byType;
};

Makers& makers() {
  static Makers instance;  // constructed on first use: registrars run during static initialisation
  return instance;
}

}  // namespace

void registerMaker(std::type_index made, std::any maker) {
  const std::lock_guard lock(makers().mutex);
  makers().byType[made] = std::move(maker);
}

const std::any* findMaker(std::type_index made) {
  const std::lock_guard lock(makers().mutex);
  const auto found = makers().byType.find(made);
  return found == makers().byType.end() ? nullptr : &found->second;
}

void registerDeviceFactory(std::type_index problemType, DeviceFactory factory) {
  registerMaker(problemType, std::move(factory));
}

const DeviceFactory* findDeviceFactory(std::type_index problemType) {
  return std::any_cast<DeviceFactory>(findMaker(problemType));
}

}  // namespace slicepool
