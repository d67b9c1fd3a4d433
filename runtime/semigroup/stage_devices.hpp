// The device beside the host that an explorer of stages gets for its mode. Used by staged_explorer.hpp.
#pragma once

#include <memory>

#include "runtime/semigroup/emulated_stage_device.hpp"
#include "runtime/semigroup/explorer.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/stage_device.hpp"

namespace slicepool::semigroup {

/// Null for mode `cpu`. `keys` has the generators. Throws DeviceError when there is no usable device.
template <class Store>
[[nodiscard]] std::unique_ptr<StageDevice<typename Store::Keys>> makeStageDevice(
    const Generators& generators, const typename Store::Keys& keys, StagedRun& run,
    const ExplorerOptions& options) {
  switch (options.mode) {
    case Mode::emulated: return std::make_unique<EmulatedStageDevice<Store>>(generators, run, options);
    case Mode::gpu:
    case Mode::hybrid:
    case Mode::automatic: {
      const auto make = stageDeviceFactory<typename Store::Keys>();
      if (!make) throw DeviceError("no GPU: this build has no kernels for transformation semigroups");
      return make(keys, options.device);
    }
    default: return nullptr;
  }
}

}  // namespace slicepool::semigroup
