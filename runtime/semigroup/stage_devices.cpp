// The registries of slicepool/detail/stage_device.hpp, one factory for each kind of keys, and of
// slicepool/detail/words_device.hpp.
#include <mutex>
#include <utility>

#include "slicepool/detail/stage_device.hpp"
#include "slicepool/detail/words_device.hpp"

namespace slicepool::semigroup {
namespace {

template <class Factory>
class Registered {
 public:
  static Registered& instance() {
    static Registered only;  // constructed on first use: registrars may run during static initialisation
    return only;
  }
  void set(Factory factory) {
    const std::lock_guard lock(mutex_);
    factory_ = std::move(factory);
  }
  [[nodiscard]] Factory get() {
    const std::lock_guard lock(mutex_);
    return factory_;
  }

 private:
  std::mutex mutex_;
  Factory factory_;
};

}  // namespace

template <class Keys>
void registerStageDevice(StageDeviceFactory<Keys> factory) {
  Registered<StageDeviceFactory<Keys>>::instance().set(std::move(factory));
}

template <class Keys>
StageDeviceFactory<Keys> stageDeviceFactory() {
  return Registered<StageDeviceFactory<Keys>>::instance().get();
}

void registerWordsDevice(WordsDeviceFactory factory) {
  Registered<WordsDeviceFactory>::instance().set(std::move(factory));
}

WordsDeviceFactory wordsDeviceFactory() { return Registered<WordsDeviceFactory>::instance().get(); }

template void registerStageDevice(StageDeviceFactory<PackedKeys>);
template void registerStageDevice(StageDeviceFactory<ImageKeys<std::uint8_t>>);
template void registerStageDevice(StageDeviceFactory<ImageKeys<std::uint16_t>>);
template void registerStageDevice(StageDeviceFactory<ImageKeys<std::uint32_t>>);
template StageDeviceFactory<PackedKeys> stageDeviceFactory();
template StageDeviceFactory<ImageKeys<std::uint8_t>> stageDeviceFactory();
template StageDeviceFactory<ImageKeys<std::uint16_t>> stageDeviceFactory();
template StageDeviceFactory<ImageKeys<std::uint32_t>> stageDeviceFactory();

}  // namespace slicepool::semigroup
