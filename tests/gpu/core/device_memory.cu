// Memory of a device: buffers that grow in place, copies through the pinned ring, replicas of words and their
// merges.
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "kernels/core/device_buffer.cuh"
#include "kernels/core/grow_buffer.cuh"
#include "kernels/core/pinned_ring.cuh"
#include "kernels/core/word_replicas.cuh"
#include "slicepool/core/error.hpp"
#include "slicepool/core/session.hpp"
#include "support/gpu.hpp"

using namespace slicepool;

namespace {

std::vector<std::uint64_t> randomWords(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> words(count);
  for (auto& word : words) word = random();
  return words;
}

/// Every thread adds its number to the first word and merges it into the others.
__global__ void mergeNumbers(std::uint64_t* replicas, std::uint32_t stride, std::uint32_t count,
                             std::uint32_t threads) {
  const std::uint32_t index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= threads) return;
  std::uint64_t* words = replicas + static_cast<std::size_t>(blockIdx.x % count) * stride;
  mergeWord<Merge::add>(words, index);
  mergeWord<Merge::minimum>(words + 1, index + 5);
  mergeWord<Merge::maximum>(words + 2, index);
  mergeWord<Merge::exclusiveOr>(words + 3, index);
}

}  // namespace

TEST_SUITE_BEGIN("gpu-small");

TEST_CASE("a device buffer that grows keeps its address and its contents") {
  if (!test::gpuUsable()) return;
  cuda::useDevice(0);
  cuda::GrowBuffer buffer;
  CHECK(buffer.bytes() == 0);
  const auto words = randomWords(100'000, 1);
  buffer.reserve(words.size() * 8);
  REQUIRE(buffer.bytes() >= words.size() * 8);
  auto* const address = buffer.as<std::uint64_t>();
  REQUIRE(cudaMemcpy(address, words.data(), words.size() * 8, cudaMemcpyHostToDevice) == cudaSuccess);
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{3} << 20, std::size_t{50} << 20, std::size_t{51} << 20}) {
    buffer.reserve(bytes);
    REQUIRE(buffer.bytes() >= bytes);
    CHECK(buffer.as<std::uint64_t>() == address);
    // To its last byte it is memory.
    REQUIRE(cudaMemset(buffer.as<>() + buffer.bytes() - 64, 0x5a, 64) == cudaSuccess);
    std::vector<std::uint64_t> found(words.size());
    REQUIRE(cudaMemcpy(found.data(), address, found.size() * 8, cudaMemcpyDeviceToHost) == cudaSuccess);
    found.resize(words.size() - 8);
    CHECK(found == std::vector<std::uint64_t>(words.begin(), words.end() - 8));
  }
  CHECK_THROWS_AS(buffer.reserve(std::numeric_limits<std::size_t>::max() / 4), LimitError);
  CHECK(buffer.as<std::uint64_t>() == address);
  buffer.release();
  CHECK(buffer.bytes() == 0);
}

TEST_CASE("copies of any size and alignment through the ring are those of memcpy, both ways") {
  if (!test::gpuUsable()) return;
  cuda::useDevice(0);
  cuda::PinnedRing ring;
  const std::size_t most = (std::size_t{48} << 20) + 77;  // several chunks
  cuda::DeviceBuffer device(most + 16);
  const cuda::Stream stream;
  const auto words = randomWords(most / 8 + 8, 2);
  const auto* const host = reinterpret_cast<const std::byte*>(words.data());
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{4095}, std::size_t{1} << 20, most}) {
    for (const std::size_t shift : {std::size_t{0}, std::size_t{3}}) {
      CAPTURE(bytes);
      CAPTURE(shift);
      ring.toDevice(device.as<>() + shift, host + shift, bytes, stream);
      std::vector<std::byte> found(bytes + 1, std::byte{0x77});
      ring.toHost(found.data(), device.as<>() + shift, bytes, stream);
      CHECK(found.back() == std::byte{0x77});
      found.pop_back();
      const bool same = std::equal(found.begin(), found.end(), host + shift);
      CHECK(same);
    }
  }
  const cuda::PinnedBuffer pinned(4096);
  CHECK(cuda::PinnedRing::isPinned(pinned.as<>(), 4096));
  CHECK_FALSE(cuda::PinnedRing::isPinned(host, 4096));
}

TEST_CASE("pieces that go through the ring together come to their places") {
  if (!test::gpuUsable()) return;
  cuda::useDevice(0);
  cuda::PinnedRing ring;
  const cuda::Stream stream;
  const auto words = randomWords(4096, 3);
  const auto* const host = reinterpret_cast<const std::byte*>(words.data());
  const std::vector<cuda::PinnedRing::Piece> pieces{
      {host, 1, 0}, {host + 8, 255, 256}, {host + 1024, 9000, 512}};
  cuda::DeviceBuffer device(10'000);
  ring.toDevice(pieces, stream, device.as<>());
  ring.toDevice({}, stream, device.as<>());
  std::vector<std::byte> found(512 + 9000);
  ring.toHost(found.data(), device.as<>(), found.size(), stream);
  for (const auto& piece : pieces) {
    const auto* const from = static_cast<const std::byte*>(piece.host);
    const bool same =
        std::equal(from, from + piece.bytes, found.begin() + static_cast<std::ptrdiff_t>(piece.offset));
    CHECK(same);
  }
}

TEST_CASE("device memory is zeros, or what an earlier user left") {
  if (!test::gpuUsable()) return;
  cuda::useDevice(0);
  cuda::MemoryCache::instance().releaseAll();
  constexpr std::size_t kBytes = std::size_t{3} << 20;
  std::vector<std::byte> found(kBytes, std::byte{1});
  const auto all = [&](std::byte value) {
    return std::all_of(found.begin(), found.end(), [value](std::byte each) { return each == value; });
  };
  for (const std::byte expected : {std::byte{0}, std::byte{0x5a}}) {
    const cuda::DeviceBuffer buffer(kBytes);
    REQUIRE(cudaMemcpy(found.data(), buffer.as<>(), kBytes, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(all(expected));
    REQUIRE(cudaMemset(buffer.as<>(), 0x5a, buffer.bytes()) == cudaSuccess);
  }
}

TEST_CASE("words of a layout of many ranges begin at their neutral values") {
  if (!test::gpuUsable()) return;
  cuda::useDevice(0);
  for (const std::size_t ranges : {1, 7, 8, 9, 16, 21}) {
    CAPTURE(ranges);
    WordLayout layout;
    for (std::size_t i = 0; i < ranges; ++i) {
      const std::uint64_t neutral = i % 2 == 0 ? 0 : ~std::uint64_t{0};
      layout.ranges.push_back({i % 2 == 0 ? Merge::maximum : Merge::minimum, (i + 1) % 5, neutral});
    }
    const cuda::WordPlan plan(layout);
    cuda::PinnedRing ring;
    const cuda::Stream stream;
    for (int round = 0; round < 2; ++round) {  // the second one in memory that was used
      cuda::WordReplicas replicas(plan, stream);
      std::vector<std::uint64_t> words(plan.words());
      replicas.read(words.data(), ring, stream);
      CHECK(words == layout.fresh());
      REQUIRE(cudaMemset(replicas.data(), 0x33, plan.bytes()) == cudaSuccess);
      REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    }
  }
}

TEST_CASE("as much pinned memory stays unused for each GPU that was used as the limit says") {
  if (!test::gpuUsable()) return;
  constexpr std::size_t kBlock = std::size_t{8} << 20;
  auto& cache = cuda::MemoryCache::instance();
  int devices = 0;
  REQUIRE(cudaGetDeviceCount(&devices) == cudaSuccess);
  for (int device = 0; device < devices; ++device) {
    cuda::useDevice(device);
    const cuda::DeviceBuffer used(1);
  }
  cuda::useDevice(0);
  cache.releaseAll();
  CHECK_FALSE(cache.hasPinned(kBlock));
  cache.setLimits(kBlock, 2 * kBlock);
  {
    std::vector<cuda::PinnedBuffer> blocks;
    for (int i = 0; i < 2 * devices + 2; ++i) blocks.emplace_back(kBlock);
    CHECK_FALSE(cache.hasPinned(kBlock));
  }
  CHECK(cache.unused().hostBytes == 2 * static_cast<std::size_t>(devices) * kBlock);
  CHECK(cache.hasPinned(kBlock));
  CHECK(cache.hasPinned(kBlock / 2 + 1));
  CHECK_FALSE(cache.hasPinned(kBlock / 4));  // more than half would lie idle
  CHECK_FALSE(cache.hasPinned(kBlock + 1));
  const SessionOptions usual;
  cache.setLimits(usual.deviceBytes, usual.hostBytes);
}

TEST_CASE("words merged by many blocks into replicas are the words merged one by one") {
  if (!test::gpuUsable()) return;
  cuda::useDevice(0);
  // Few words have many replicas and are merged on the host, many words have few and are merged on the
  // device.
  for (const std::size_t more : {std::size_t{0}, std::size_t{10'000}, std::size_t{300'000}}) {
    CAPTURE(more);
    WordLayout layout{{{Merge::add, 1, 0},
                       {Merge::minimum, 1, ~std::uint64_t{0}},
                       {Merge::maximum, 1, 0},
                       {Merge::exclusiveOr, 1, 0},
                       {Merge::add, more, 0}}};
    const cuda::WordPlan plan(layout);
    CHECK(plan.words() == 4 + more);
    cuda::PinnedRing ring;
    const cuda::Stream stream;
    cuda::WordReplicas replicas(plan, stream);
    std::vector<std::uint64_t> words(plan.words());
    replicas.read(words.data(), ring, stream);
    CHECK(words == layout.fresh());
    constexpr std::uint32_t kThreads = 100'000;
    mergeNumbers<<<(kThreads + 127) / 128, 128, 0, stream.get()>>>(replicas.data(), plan.stride(),
                                                                   plan.replicas(), kThreads);
    auto expected = layout.fresh();
    for (std::uint64_t i = 0; i < kThreads; ++i) {
      expected[0] += i;
      expected[1] = std::min(expected[1], i + 5);
      expected[2] = std::max(expected[2], i);
      expected[3] ^= i;
    }
    replicas.read(words.data(), ring, stream);
    CHECK(words == expected);
    if (!replicas.capture(stream)) continue;  // too large for that
    REQUIRE(cudaStreamSynchronize(stream.get()) == cudaSuccess);
    words.assign(words.size(), 1);
    replicas.readCaptured(words.data());
    CHECK(words == expected);
  }
}

TEST_SUITE_END();
