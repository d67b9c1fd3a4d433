// How a test that needs a GPU skips itself: visibly, and as a failure when SLICEPOOL_REQUIRE_GPU=1.
// Included by tests/gpu/ and by CLI tests of GPU modes.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "slicepool/core/devices.hpp"
#include "support/skip.hpp"

namespace slicepool::test {

/// True when a GPU is usable. Otherwise prints why and returns false:
///     if (!gpuUsable()) return;
inline bool gpuUsable() {
  const GpuList list = listGpus();
  if (!list.gpus.empty()) return true;
  const char* required = std::getenv("SLICEPOOL_REQUIRE_GPU");
  if (required != nullptr && std::string(required) == "1")
    FAIL("SLICEPOOL_REQUIRE_GPU=1, but there is no usable GPU: " << list.whyNone);
  skip("no usable GPU: " + list.whyNone);
  return false;
}

}  // namespace slicepool::test
