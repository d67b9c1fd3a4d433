// The host's side of advanceBatchByWarps. A class template, so that its instantiation can be declared in one
// translation unit and compiled in another, which a kernel's cannot. Used by cuda_device.cuh.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "batch_kernels.cuh"
#include "cuda_check.hpp"

namespace slicepool::cuda {

template <class W, class S>
struct WarpLaunch {
  static constexpr std::uint32_t kThreads = kMaximumThreads;
  static constexpr std::uint32_t kWarps = kThreads / kWarpSize;

  /// Blocks that a multiprocessor runs at once. Loads the kernel.
  static int residentBlocks();
  /// Queues a turn on at most `slices` slices.
  static void enqueue(std::uint32_t slices, const AdvanceArguments<W, S>& arguments, cudaStream_t stream);
};

template <class W, class S>
int WarpLaunch<W, S>::residentBlocks() {
  int blocks = 0;
  SLICEPOOL_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, advanceBatchByWarps<W, S>,
                                                                     static_cast<int>(kThreads), 0));
  return blocks;
}

template <class W, class S>
void WarpLaunch<W, S>::enqueue(std::uint32_t slices, const AdvanceArguments<W, S>& arguments,
                               cudaStream_t stream) {
  advanceBatchByWarps<W, S><<<(slices - 1) / kWarps + 1, kThreads, 0, stream>>>(arguments);
}

}  // namespace slicepool::cuda
