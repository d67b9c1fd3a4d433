// Reduces many small lattices at once, a warp each (slicepool/lattice/steps/warp_reduction.hpp), for the
// search of many lattices, whose cores would take longer for this than for the searches.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/core/cuda_check.hpp"
#include "kernels/core/device_buffer.cuh"
#include "kernels/lattice/factories.hpp"
#include "kernels/lattice/mirrored_buffer.cuh"
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
    entries_.send(entries, stream_);
    items_.send(items, stream_);
    SLICEPOOL_CUDA_CHECK(cudaMemsetAsync(next_.as<>(), 0, sizeof(std::uint32_t), stream_.get()));
    launch(items);
    entries_.fetch(entries.size(), stream_);
    items_.fetch(items.size(), stream_);
    done_.record(stream_);
    done_.wait();
    entries_.giveTo(entries);
    items_.giveTo(items);
  }

 private:
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
        items_.onDevice(), count, entries_.onDevice(), next_.as<std::uint32_t>());
    checkLaunch("reduceLattices");
  }

  int device_;
  SelectedDevice selected_;
  int multiprocessors_;
  MirroredBuffer<std::int32_t> entries_;
  MirroredBuffer<ReducerItem> items_;
  DeviceBuffer next_;
  Event done_;
  Stream stream_;  ///< behind what it works on, so that it ends first
};

}  // namespace

void registerLatticeReducer() {
  lattice::registerLatticeReducerMaker(
      [](int device) -> std::unique_ptr<LatticeReducer> { return std::make_unique<CudaReducer>(device); });
}

}  // namespace slicepool::cuda
