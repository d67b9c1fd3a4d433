// Pinned host memory from the operating system and back. Called by the memory cache (device_buffer.cu).
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace slicepool::cuda {

/// Pinned host memory of `bytes` bytes for every device of the process, contents undefined. Large blocks are
/// huge pages that are touched by several threads and then registered: cudaHostAlloc touches small pages one
/// by one, at some 3 GB/s. Returns what the CUDA call returned; *address is null unless that is cudaSuccess.
[[nodiscard]] cudaError_t allocatePinned(void** address, std::size_t bytes);

/// Frees what allocatePinned gave for this size.
void freePinned(void* address, std::size_t bytes) noexcept;

}  // namespace slicepool::cuda
