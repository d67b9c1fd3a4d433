// The kernel of device_rows.hpp, for the dimensions of each unit in instances.cmake. Called by
// device_rows.cu.
#pragma once

#include "device_rows_kernel.hpp"
#include "kernels/core/cuda_check.hpp"
#include "rows.cuh"

namespace slicepool::cuda {

inline constexpr unsigned kDeviceRowsThreads = 128;
inline constexpr unsigned kDeviceRowsBlocks = 8;  // of a multiprocessor: 64 registers a thread

template <int D>
struct DeviceRowsArguments {
  factorizations::RankedView<D, std::uint32_t> view;
  DeviceRowsRange range;
};

template <int D>
__global__ void __launch_bounds__(kDeviceRowsThreads, kDeviceRowsBlocks)
    writeDeviceRows(const __grid_constant__ DeviceRowsArguments<D> arguments) {
  __shared__ RowPatterns<D> patterns;
  RowWriter<D>::prepare(arguments.view, patterns);
  __syncthreads();
  const DeviceRowsRange& range = arguments.range;
  const std::uint32_t warp = blockIdx.x * (kDeviceRowsThreads / kWarpSize) + threadIdx.x / kWarpSize;
  if (warp >= range.slices) return;
  const std::uint64_t* const slice = range.boundaries + range.slice + warp;
  const std::uint64_t first = max(range.first, slice[0]);
  const std::uint64_t last = min(range.last, slice[1]);
  if (first >= last) return;
  expandRows<D>(arguments.view, patterns, range.to, range.first, first, last, nullptr);
}

template <int D>
void launchDeviceRows(const DeviceRowsTables& tables, const DeviceRowsRange& range, cudaStream_t stream) {
  DeviceRowsArguments<D> arguments{};
  auto& view = arguments.view;
  view = factorizations::rankedView<D, std::uint32_t>(tables.generators, tables.element);
  view.levels = tables.levels;
  view.chain = tables.chain;
  view.tail = tables.tail;
  arguments.range = range;
  constexpr std::uint32_t kWarps = kDeviceRowsThreads / kWarpSize;
  writeDeviceRows<D><<<(range.slices - 1) / kWarps + 1, kDeviceRowsThreads, 0, stream>>>(arguments);
  checkLaunch("writeDeviceRows");
}

#define X(D) template void launchDeviceRows<D>(const DeviceRowsTables&, const DeviceRowsRange&, cudaStream_t);
SLICEPOOL_INSTANCES
#undef X

}  // namespace slicepool::cuda
