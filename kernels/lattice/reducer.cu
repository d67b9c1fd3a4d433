// Reduces many small lattices at once, a warp each (slicepool/lattice/steps/warp_reduction.hpp), for the
// search of many lattices, whose cores would take longer for this than for the searches.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "kernels/core/cuda_check.hpp"
#include "kernels/core/device_buffer.cuh"
#include "kernels/lattice/factories.hpp"
#include "slicepool/detail/lattice_reducer.hpp"
#include "slicepool/lattice/steps/warp_reduction.hpp"

namespace slicepool::cuda {
namespace {

using lattice::LatticeReducer;
using lattice::ReducerItem;
using lattice::WarpReduction;
using lattice::WarpReductionShape;

/// Blocks of one warp, which take lattices until there are none: `next` is 0 before a launch.
__global__ void __launch_bounds__(kWarpSize)
    reduceLattices(ReducerItem* items, std::uint32_t count, std::int32_t* entries, std::uint32_t* next) {
  extern __shared__ double reducerShared[];
  for (;;) {
    const std::uint32_t number = DeviceLanes::first([&] { return fetchAdd(next, 1U); });
    if (number >= count) return;
    const ReducerItem item = items[number];
    WarpReduction<DeviceLanes> reduction(WarpReductionShape{item.rows, item.columns},
                                         reinterpret_cast<std::byte*>(reducerShared));
    const bool reduced = reduction.run(entries + item.first);
    if (threadIdx.x == 0) items[number].reduced = reduced ? 1 : 0;
    __syncwarp();  // the next lattice takes the same memory
  }
}

/// Allows blocks of a device as much shared memory as it has; its multiprocessors.
int prepare(int device) {
  int most = 0;
  int multiprocessors = 0;
  SLICEPOOL_CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  SLICEPOOL_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  SLICEPOOL_CUDA_CHECK(
      cudaFuncSetAttribute(reduceLattices, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  return multiprocessors;
}

class CudaReducer final : public LatticeReducer {
 public:
  explicit CudaReducer(int device)
      : device_(device), selected_(device), multiprocessors_(prepare(device)), next_(sizeof(std::uint32_t)) {}

  void reduce(std::span<std::int32_t> entries, std::span<ReducerItem> items) override {
    if (items.empty()) return;
    useDevice(device_);
    fit(pinnedEntries_, deviceEntries_, entries.size_bytes());
    fit(pinnedItems_, deviceItems_, items.size_bytes());
    std::copy(entries.begin(), entries.end(), pinnedEntries_.as<std::int32_t>());
    std::copy(items.begin(), items.end(), pinnedItems_.as<ReducerItem>());
    copy(deviceEntries_.as<>(), pinnedEntries_.as<>(), entries.size_bytes(), cudaMemcpyHostToDevice);
    copy(deviceItems_.as<>(), pinnedItems_.as<>(), items.size_bytes(), cudaMemcpyHostToDevice);
    SLICEPOOL_CUDA_CHECK(cudaMemsetAsync(next_.as<>(), 0, sizeof(std::uint32_t), stream_.get()));
    launch(items);
    copy(pinnedEntries_.as<>(), deviceEntries_.as<>(), entries.size_bytes(), cudaMemcpyDeviceToHost);
    copy(pinnedItems_.as<>(), deviceItems_.as<>(), items.size_bytes(), cudaMemcpyDeviceToHost);
    done_.record(stream_);
    done_.wait();
    std::copy_n(pinnedEntries_.as<std::int32_t>(), entries.size(), entries.begin());
    std::copy_n(pinnedItems_.as<ReducerItem>(), items.size(), items.begin());
  }

 private:
  static void fit(PinnedBuffer& pinned, DeviceBuffer& device, std::size_t bytes) {
    if (pinned.bytes() < bytes) pinned = PinnedBuffer(bytes);
    if (device.bytes() < bytes) device = DeviceBuffer(bytes);
  }
  void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) const {
    SLICEPOOL_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, kind, stream_.get()));
  }

  void launch(std::span<const ReducerItem> items) const {
    std::size_t shared = 0;
    for (const ReducerItem& item : items)
      shared = std::max(shared, WarpReductionShape{item.rows, item.columns}.bytes());
    int resident = 0;
    SLICEPOOL_CUDA_CHECK(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, reduceLattices, kWarpSize, shared));
    const auto all = static_cast<std::uint32_t>(std::max(1, resident) * multiprocessors_);
    const auto count = static_cast<std::uint32_t>(items.size());
    reduceLattices<<<std::min(count, all), kWarpSize, shared, stream_.get()>>>(
        deviceItems_.as<ReducerItem>(), count, deviceEntries_.as<std::int32_t>(), next_.as<std::uint32_t>());
    checkLaunch("reduceLattices");
  }

  int device_;
  SelectedDevice selected_;
  int multiprocessors_;
  PinnedBuffer pinnedEntries_, pinnedItems_;
  DeviceBuffer deviceEntries_, deviceItems_, next_;
  Event done_;
  Stream stream_;  ///< behind what it works on, so that it ends first
};

}  // namespace

void registerLatticeReducer() {
  lattice::registerLatticeReducerMaker(
      [](int device) -> std::unique_ptr<LatticeReducer> { return std::make_unique<CudaReducer>(device); });
}

}  // namespace slicepool::cuda
