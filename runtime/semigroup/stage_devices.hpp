// The device that an explorer of stages gets for its mode. Used by staged_explorer.hpp.
#pragma once

#include <memory>

#include "runtime/semigroup/explorer.hpp"
#include "runtime/semigroup/host_stage_device.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/stage_device.hpp"

namespace slicepool::semigroup {

/// Null for mode `cpu`. `keys` has the generators. Throws DeviceError when there is no usable device.
template <class Keys>
[[nodiscard]] std::unique_ptr<StageDevice<Keys>> makeStageDevice(const Keys& keys,
                                                                 const ExplorerOptions& options) {
  switch (options.mode) {
    case Mode::emulated:
      return std::make_unique<HostStageDevice<Keys>>(options.emulator, options.device.memoryLimit);
    case Mode::gpu:
    case Mode::hybrid: {
      const auto make = stageDeviceFactory<Keys>();
      if (!make) throw DeviceError("no GPU: this build has no kernels for transformation semigroups");
      return make(keys, options.device);
    }
    default: return nullptr;
  }
}

}  // namespace slicepool::semigroup
