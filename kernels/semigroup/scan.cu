// See scan.cuh. In a file of its own, because the library behind it takes long to compile.
#include "scan.cuh"

#include <cub/device/device_scan.cuh>

#include "kernels/core/cuda_check.hpp"

namespace slicepool::cuda {

namespace {

struct Plus {  // the library's own has changed its name between versions
  __host__ __device__ std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a + b; }
};

}  // namespace

std::uint64_t scanBlocks(std::uint32_t* numbers, std::uint32_t count, std::uint32_t first,
                         DeviceBuffer& scratch, std::uint64_t* host, cudaStream_t stream) {
  if (count == 0) return first;
  auto* const words = reinterpret_cast<std::uint32_t*>(host);
  const std::uint32_t* const last = numbers + (count - 1);
  SLICEPOOL_CUDA_CHECK(cudaMemcpyAsync(words, last, sizeof(*words), cudaMemcpyDeviceToHost, stream));
  std::size_t bytes = 0;
  SLICEPOOL_CUDA_CHECK(
      cub::DeviceScan::ExclusiveScan(nullptr, bytes, numbers, numbers, Plus{}, first, count, stream));
  if (scratch.bytes() < bytes) {
    SLICEPOOL_CUDA_CHECK(cudaStreamSynchronize(stream));
    scratch = DeviceBuffer(bytes);
  }
  SLICEPOOL_CUDA_CHECK(
      cub::DeviceScan::ExclusiveScan(scratch.as<>(), bytes, numbers, numbers, Plus{}, first, count, stream));
  SLICEPOOL_CUDA_CHECK(cudaMemcpyAsync(words + 1, last, sizeof(*words), cudaMemcpyDeviceToHost, stream));
  SLICEPOOL_CUDA_CHECK(cudaStreamSynchronize(stream));
  return std::uint64_t{words[0]} + words[1];
}

}  // namespace slicepool::cuda
