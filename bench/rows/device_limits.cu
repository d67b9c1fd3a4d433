// See device_limits.hpp.
#include "bench/rows/device_limits.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "kernels/core/cuda_check.hpp"
#include "kernels/core/device_buffer.cuh"

namespace slicepool::bench {
namespace {

constexpr unsigned kBlockSize = 256;
constexpr unsigned kStoresPerThread = 4;
constexpr int kFillsPerSample = 5;

/// A block writes kBlockSize * kStoresPerThread neighbouring units of 16 bytes; streaming, as nothing of it
/// is read.
__global__ void fillUnits(uint4* units, std::size_t count, unsigned word) {
  const std::size_t first = std::size_t{blockIdx.x} * kBlockSize * kStoresPerThread + threadIdx.x;
#pragma unroll
  for (unsigned i = 0; i < kStoresPerThread; ++i) {
    const std::size_t unit = first + std::size_t{i} * kBlockSize;
    if (unit < count) __stcs(units + unit, make_uint4(word, word, word, word));
  }
}

}  // namespace

PinnedMemory::PinnedMemory(std::size_t bytes) : bytes_(bytes) {
  void* address = nullptr;
  SLICEPOOL_CUDA_CHECK(cudaHostAlloc(&address, std::max<std::size_t>(bytes, 1), cudaHostAllocDefault));
  data_ = static_cast<std::byte*>(address);
  std::memset(data_, 0, bytes);
}

PinnedMemory::~PinnedMemory() { static_cast<void>(cudaFreeHost(data_)); }

struct DeviceLimits::State {
  std::size_t bytes = 0;  ///< a multiple of 16, so that the fill has no tail
  unsigned char value = 0;
  cuda::DeviceBuffer memory;
  cuda::Event begin{cuda::Event::Timing::yes};
  cuda::Event end{cuda::Event::Timing::yes};
  cuda::Stream stream;
};

DeviceLimits::DeviceLimits(std::size_t bytes) {
  cuda::useDevice(0);
  state_ = std::make_unique<State>();
  state_->bytes = std::max<std::size_t>(bytes / sizeof(uint4), 1) * sizeof(uint4);
  state_->memory = cuda::DeviceBuffer(state_->bytes);
}

DeviceLimits::~DeviceLimits() = default;

double DeviceLimits::fillMilliseconds() {
  State& state = *state_;
  const std::size_t units = state.bytes / sizeof(uint4);
  const std::size_t perBlock = std::size_t{kBlockSize} * kStoresPerThread;
  const auto blocks = static_cast<unsigned>((units + perBlock - 1) / perBlock);
  state.begin.record(state.stream);
  for (int fill = 0; fill < kFillsPerSample; ++fill) {
    ++state.value;
    fillUnits<<<blocks, kBlockSize, 0, state.stream.get()>>>(state.memory.as<uint4>(), units,
                                                             0x01010101U * state.value);
    cuda::checkLaunch("fillUnits");
  }
  state.end.record(state.stream);
  state.end.wait();
  return state.end.millisecondsSince(state.begin) / kFillsPerSample;
}

double DeviceLimits::copyMilliseconds(std::byte* pinned) {
  State& state = *state_;
  state.begin.record(state.stream);
  SLICEPOOL_CUDA_CHECK(
      cudaMemcpyAsync(pinned, state.memory.as<>(), state.bytes, cudaMemcpyDeviceToHost, state.stream.get()));
  state.end.record(state.stream);
  state.end.wait();
  return state.end.millisecondsSince(state.begin);
}

bool DeviceLimits::lastFillIsThere() const {
  const State& state = *state_;
  std::array<unsigned char, sizeof(uint4)> read{};
  for (const std::size_t unit :
       {std::size_t{0}, state.bytes / sizeof(uint4) / 2, state.bytes / sizeof(uint4) - 1}) {
    SLICEPOOL_CUDA_CHECK(cudaMemcpy(read.data(), state.memory.as<>() + unit * sizeof(uint4), read.size(),
                                    cudaMemcpyDeviceToHost));
    if (std::any_of(read.begin(), read.end(), [&](unsigned char byte) { return byte != state.value; }))
      return false;
  }
  return true;
}

}  // namespace slicepool::bench
