// The registry of slicepool/semigroup/stage_device.hpp: one factory for each kind of keys.
#include <mutex>
#include <utility>

#include "slicepool/semigroup/stage_device.hpp"

namespace slicepool::semigroup {
namespace {

template <class Keys>
struct Registered {
  std::mutex mutex;
  StageDeviceFactory<Keys> factory;
};

template <class Keys>
Registered<Keys>& registered() {
  static Registered<Keys>
      instance;  // constructed on first use: registrars may run during static initialisation
  return instance;
}

}  // namespace

template <class Keys>
void registerStageDevice(StageDeviceFactory<Keys> factory) {
  const std::lock_guard lock(registered<Keys>().mutex);
  registered<Keys>().factory = std::move(factory);
}

template <class Keys>
StageDeviceFactory<Keys> stageDeviceFactory() {
  const std::lock_guard lock(registered<Keys>().mutex);
  return registered<Keys>().factory;
}

template void registerStageDevice(StageDeviceFactory<PackedKeys>);
template void registerStageDevice(StageDeviceFactory<ImageKeys<std::uint8_t>>);
template void registerStageDevice(StageDeviceFactory<ImageKeys<std::uint16_t>>);
template void registerStageDevice(StageDeviceFactory<ImageKeys<std::uint32_t>>);
template StageDeviceFactory<PackedKeys> stageDeviceFactory();
template StageDeviceFactory<ImageKeys<std::uint8_t>> stageDeviceFactory();
template StageDeviceFactory<ImageKeys<std::uint16_t>> stageDeviceFactory();
template StageDeviceFactory<ImageKeys<std::uint32_t>> stageDeviceFactory();

}  // namespace slicepool::semigroup
