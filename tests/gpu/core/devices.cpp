// The list of GPUs: an answer in every case, and a reason when it is empty.
#include <doctest/doctest.h>

#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "support/gpu.hpp"

using namespace slicepool;

TEST_SUITE_BEGIN("gpu-small");

TEST_CASE("devices: a list without GPUs says why") {
  const GpuList list = listGpus();
  CHECK(list.gpus.empty() == !list.whyNone.empty());
}

TEST_CASE("devices: each GPU is described and can be warmed up") {
  if (!test::gpuUsable()) return;
  for (const auto& gpu : listGpus().gpus) {
    CHECK(!gpu.name.empty());
    CHECK(gpu.multiprocessors > 0);
    CHECK(gpu.totalBytes >= gpu.freeBytes);
    CHECK(gpu.computeMajor >= 7);
    CHECK_NOTHROW(warmUpGpu(gpu.index));
  }
  CHECK_THROWS_AS(warmUpGpu(4096), DeviceError);
}

TEST_SUITE_END();
