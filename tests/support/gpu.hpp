// How a test that needs a GPU skips itself: visibly, and as a failure when SLICEPOOL_REQUIRE_GPU=1.
// Included by tests/gpu/ and by CLI tests of GPU modes.
#pragma once

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "slicepool/core/devices.hpp"

namespace slicepool::test {

/// Set by the first test that found no GPU; main() turns it into the exit status that CTest shows as skipped.
inline bool gpuTestsWereSkipped = false;

/// True when a GPU is usable. Otherwise prints why and returns false:
///     if (!gpuUsable()) return;
inline bool gpuUsable() {
  const GpuList list = listGpus();
  if (!list.gpus.empty()) return true;
  const char* required = std::getenv("SLICEPOOL_REQUIRE_GPU");
  if (required != nullptr && std::string(required) == "1") {
    FAIL("SLICEPOOL_REQUIRE_GPU=1, but there is no usable GPU: " << list.whyNone);
  }
  gpuTestsWereSkipped = true;
  std::printf("[skipped] no usable GPU: %s\n", list.whyNone.c_str());
  return false;
}

}  // namespace slicepool::test
