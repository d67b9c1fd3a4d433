// The leaf table filled on a GPU is, byte for byte, the one filled on the CPU.
#include <doctest/doctest.h>

#include <vector>

#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/steps/tables.hpp"
#include "support/gpu.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;

namespace {

constexpr std::size_t kLimit = std::size_t{1} << 32U;

void checkSame(const std::vector<std::uint64_t>& generators, unsigned dimension, std::uint64_t limit) {
  CAPTURE(generators);
  CAPTURE(dimension);
  CAPTURE(limit);
  const LeafTable host = makeLeafTable(generators, dimension, limit, FillMethod::sequential, 1, kLimit);
  const LeafTable device = makeLeafTableOnGpu(generators, dimension, limit, 0, kLimit);
  CHECK(device.dimension == host.dimension);
  CHECK(device.limit == host.limit);
  CHECK(device.offsets == host.offsets);
  CHECK(device.rows == host.rows);
}

}  // namespace

TEST_SUITE_BEGIN("gpu-small");

TEST_CASE("leaf table: GPU and CPU fills are equal") {
  if (!test::gpuUsable()) return;
  checkSame({13, 37, 38, 40}, 4, 400);
  checkSame({13, 37, 38, 40}, 2, 1000);
  checkSame({13, 37, 38, 40}, 1, 100);
  checkSame({5}, 1, 1);
  checkSame({7, 3, 3, 5}, 3, 120);  // repeated and unsorted
  checkSame({4, 6, 8}, 3, 200);     // most lists are empty
  checkSame({1000, 11}, 2, 900);    // a generator above the limit
  checkSame({1, 2, 3}, 3, 60);      // batches of one element
}

TEST_CASE("leaf table: a table above the memory limit is refused before it is filled") {
  if (!test::gpuUsable()) return;
  CHECK_THROWS_AS(static_cast<void>(makeLeafTableOnGpu({2, 3, 5}, 3, 5000, 0, 1000)), LimitError);
  CHECK_THROWS_AS(static_cast<void>(makeLeafTableOnGpu({2, 3, 5}, 3, 10, 4096, kLimit)), DeviceError);
}

TEST_SUITE_END();

TEST_CASE("leaf table: GPU and CPU fills are equal where launches fill the GPU") {
  if (!test::gpuUsable()) return;
  checkSame({101, 103, 107, 109, 113}, 5, 4000);
  checkSame({13, 37, 38}, 3, 8000);
}
