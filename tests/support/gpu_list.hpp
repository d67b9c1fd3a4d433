// What a stand-in for a driver says that there is. Included by unit tests of devices.
#pragma once

#include <string>

#include "slicepool/core/devices.hpp"

namespace slicepool::test {

/// GPUs 0 .. count - 1.
inline GpuList gpuList(int count) {
  GpuList list;
  for (int i = 0; i < count; ++i) list.gpus.emplace_back().index = i;
  if (count == 0) list.whyNone = "the stand-in has none";
  return list;
}

/// A driver that can be there, but has no GPU.
class DriverWithoutGpus {
 public:
  DriverWithoutGpus() {
    GpuProvider provider;
    provider.list = [] { return gpuList(0); };
    registerGpuProvider(provider);
  }
  ~DriverWithoutGpus() { registerGpuProvider({}); }
  DriverWithoutGpus(const DriverWithoutGpus&) = delete;
  DriverWithoutGpus& operator=(const DriverWithoutGpus&) = delete;
};

}  // namespace slicepool::test
