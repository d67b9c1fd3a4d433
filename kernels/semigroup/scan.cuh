// The prefix sum between counting and numbering new elements. Used by device.cuh.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/core/device_buffer.cuh"

namespace slicepool::cuda {

/// Replaces each of `count` numbers by `first` plus the sum of those before it; returns the sum of all and
/// `first`. `scratch` is kept between calls; `host` is one pinned word. Sums must be below 2^32. Waits for
/// the stream.
std::uint64_t scanBlocks(std::uint32_t* numbers, std::uint32_t count, std::uint32_t first,
                         DeviceBuffer& scratch, std::uint64_t* host, cudaStream_t stream);

}  // namespace slicepool::cuda
