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

}  // namespace slicepool::test
