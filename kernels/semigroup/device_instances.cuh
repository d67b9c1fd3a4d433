// Semigroups on a GPU, for the kind of key of each unit in instances.cmake. Called by register.cu.
#pragma once

#include "device.cuh"
#include "factories.hpp"

namespace slicepool::cuda {

template <class Keys>
void registerSemigroupDevice() {
  sg::registerStageDevice<Keys>([](const Keys& host, const DeviceOptions& options) {
    return std::make_unique<SemigroupDevice<Keys>>(host, options);
  });
}

#define X(Keys) template void registerSemigroupDevice<sg::Keys>();
SLICEPOOL_INSTANCES
#undef X

}  // namespace slicepool::cuda
