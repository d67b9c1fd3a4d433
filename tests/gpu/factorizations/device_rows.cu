// Rows written straight into device memory against the plain step on the host.
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "slicepool/core/error.hpp"
#include "slicepool/cuda/device_rows.hpp"
#include "slicepool/factorizations/problem_factory.hpp"
#include "support/gpu.hpp"
#include "tests/gpu/batch_runner.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;

namespace {

std::vector<std::byte> hostRows(const std::vector<std::uint64_t>& generators, std::uint64_t element,
                                RankRange ranks, unsigned elementBytes) {
  ProblemSpec spec;
  spec.generators = generators;
  spec.element = element;
  spec.algorithm = Algorithm::ranked;
  std::vector<std::byte> rows((ranks.end - ranks.begin) * generators.size() * elementBytes);
  spec.rows = ProblemSpec::Rows{rows.data(), ranks, elementBytes};
  (void)test::runOnHost(*makeProblem(spec));
  return rows;
}

/// The rows with guards of 16 bytes around them, written `misalignment` bytes behind an aligned address.
void checkRange(const cuda::DeviceRows& rows, RankRange ranks, const std::vector<std::byte>& expected,
                std::size_t misalignment) {
  constexpr std::size_t kGuard = 16;
  const std::size_t bytes = (ranks.end - ranks.begin) * rows.rowBytes();
  std::vector<std::byte> found(2 * kGuard + misalignment + bytes, std::byte{0xee});
  std::vector<std::byte> wanted = found;
  std::memcpy(wanted.data() + kGuard + misalignment, expected.data(), bytes);
  void* device = nullptr;
  REQUIRE(cudaMalloc(&device, found.size()) == cudaSuccess);
  REQUIRE(cudaMemcpy(device, found.data(), found.size(), cudaMemcpyHostToDevice) == cudaSuccess);
  rows.write(ranks, static_cast<std::byte*>(device) + kGuard + misalignment, nullptr);
  REQUIRE(cudaMemcpy(found.data(), device, found.size(), cudaMemcpyDeviceToHost) == cudaSuccess);
  REQUIRE(cudaFree(device) == cudaSuccess);
  CHECK(found == wanted);
}

}  // namespace

TEST_SUITE_BEGIN("gpu-small");

TEST_CASE("rows into device memory are the host's, for every width, tail, range and alignment") {
  if (!test::gpuUsable()) return;
  const std::vector<std::pair<std::vector<std::uint64_t>, std::uint64_t>> sets = {
      {{13, 37, 38}, 5000},
      {{13, 37, 38, 40}, 2000},
      {{12, 18, 30, 45, 8}, 600},
      {{13, 37, 38, 40, 41, 42, 43, 44, 45}, 420},
      {{9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, 90}};
  for (const auto& set : sets) {
    const auto& generators = set.first;
    const auto& element = set.second;
    for (unsigned tail = 2; tail < generators.size() && tail <= 5; ++tail) {
      for (const unsigned bytes : {0U, 2U, 4U, 8U}) {
        cuda::DeviceRowsOptions options;
        options.elementBytes = bytes;
        options.tail = tail;
        options.bytesPerWarp = 512;
        const cuda::DeviceRows rows(generators, element, options);
        INFO("d = " << generators.size() << ", tail " << tail << ", bytes " << rows.elementBytes());
        const std::uint64_t total = rows.rows();
        for (const RankRange ranks : {RankRange{0, total}, RankRange{total / 5, total / 2 + 1},
                                      RankRange{total - 1, total}, RankRange{total, total}}) {
          checkRange(rows, ranks, hostRows(generators, element, ranks, rows.elementBytes()),
                     rows.elementBytes() * (ranks.begin % 3));
        }
      }
    }
  }
}

TEST_CASE("rows into device memory refuse what they cannot do") {
  if (!test::gpuUsable()) return;
  CHECK_THROWS_AS(cuda::DeviceRows({6, 9}, 100), ConfigError);
  CHECK_THROWS_AS(cuda::DeviceRows({6, 9, 0}, 100), ConfigError);
  CHECK_THROWS_AS(cuda::DeviceRows({6, 9, 20}, std::uint64_t{1} << 31U), ConfigError);
  cuda::DeviceRowsOptions narrow;
  narrow.elementBytes = 1;
  CHECK_THROWS_AS(cuda::DeviceRows({1, 9, 20}, 1000, narrow), ConfigError);
  const cuda::DeviceRows rows({6, 9, 20}, 100);
  CHECK_THROWS_AS(rows.write({0, rows.rows() + 1}, nullptr, nullptr), ConfigError);
}

TEST_SUITE_END();
