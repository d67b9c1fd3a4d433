// Turns CUDA error codes into typed exceptions. Every CUDA call of this folder goes through here.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>

#include "slicepool/core/error.hpp"

namespace slicepool::cuda {

/// Throws CudaError(call, text of `status`, status). Clears the calling thread's last CUDA error first, so
/// that an error which does not end the context is not reported a second time by a later, innocent call.
[[noreturn]] void throwCudaError(const char* call, cudaError_t status);

/// Returns when `status` is success, else throws CudaError naming `call`.
inline void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throwCudaError(call, status);
}

/// Checks the launch that was just made in this thread (configuration errors; execution errors come later).
inline void checkLaunch(const char* kernel) { check(cudaGetLastError(), kernel); }

/// "12.3 MiB" and the like, for messages with numbers.
[[nodiscard]] std::string describeBytes(std::size_t bytes);

}  // namespace slicepool::cuda

/// Checks one CUDA call; the message of the exception is the source text of the call.
#define SLICEPOOL_CUDA_CHECK(call) ::slicepool::cuda::check((call), #call)
