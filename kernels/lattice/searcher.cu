// Searches many small lattices at once, a warp each (slicepool/lattice/steps/warp_shortest.hpp), for the
// search of many lattices, of whose time searches are the larger part once a device reduces.
#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>

#include "kernels/core/cuda_check.hpp"
#include "kernels/core/device_buffer.cuh"
#include "kernels/lattice/factories.hpp"
#include "kernels/lattice/mirrored_buffer.cuh"
#include "slicepool/detail/lattice_searcher.hpp"
#include "slicepool/lattice/steps/warp_shortest.hpp"

namespace slicepool::cuda {
namespace {

using lattice::LatticeSearcher;
using lattice::SearcherItem;
using lattice::WarpShortest;
using lattice::WarpShortestShape;

struct SearchArguments {
  SearcherItem* items;
  const double* numbers;
  std::int16_t* coefficients;
  std::byte* lists;
  std::size_t listBytes;  ///< of a block
  std::uint32_t count;
  std::uint32_t* next;                 ///< 0 before a launch
  const volatile std::uint32_t* stop;  ///< of the host; not 0: it wants the end
};

/// Blocks of one warp, which take lattices until there are none.
template <int kCapacity>
__global__ void __launch_bounds__(kWarpSize) searchShortest(SearchArguments arguments) {
  extern __shared__ double searcherShared[];
  const WarpShortest<DeviceLanes, kCapacity> warp(reinterpret_cast<std::byte*>(searcherShared),
                                                  arguments.lists + blockIdx.x * arguments.listBytes);
  for (;;) {
    const std::uint32_t number = DeviceLanes::first([&] { return fetchAdd(arguments.next, 1U); });
    if (number >= arguments.count) return;
    const SearcherItem item = arguments.items[number];
    const auto answer =
        warp.run(item, arguments.numbers + item.first,
                 arguments.coefficients + std::size_t{number} * WarpShortestShape::kMaximumDimension,
                 [&] { return DeviceLanes::first([&] { return *arguments.stop; }) != 0; });
    if (threadIdx.x == 0) {
      arguments.items[number].squaredNorm = static_cast<double>(answer.squaredNorm);
      arguments.items[number].nodes = answer.nodes;
    }
  }
}

class CudaSearcher final : public LatticeSearcher {
 public:
  explicit CudaSearcher(int device)
      : device_(device), selected_(device), next_(sizeof(std::uint32_t)), stop_(sizeof(std::uint32_t)) {
    SLICEPOOL_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device));
  }

  bool search(std::span<const double> numbers, std::span<SearcherItem> items,
              std::span<std::int16_t> coefficients, const std::atomic<bool>& stop) override {
    if (items.empty()) return true;
    useDevice(device_);
    numbers_.send(numbers, stream_);
    items_.send(items, stream_);
    found_.fit(coefficients.size());
    SLICEPOOL_CUDA_CHECK(cudaMemsetAsync(next_.as<>(), 0, sizeof(std::uint32_t), stream_.get()));
    stopWord() = 0;
    int most = 0;
    for (const SearcherItem& item : items) most = std::max(most, static_cast<int>(item.dimension));
    if (most <= 32)
      launch<32>(items);
    else
      launch<64>(items);
    items_.fetch(items.size(), stream_);
    found_.fetch(coefficients.size(), stream_);
    done_.record(stream_);
    waitUnless(stop);
    if (stopWord() != 0) return false;
    items_.giveTo(items);
    found_.giveTo(coefficients);
    return true;
  }

 private:
  /// Blocks of a multiprocessor at most, so that lists stay below a gigabyte. Groups are smaller than that
  /// today.
  static constexpr int kBlocks = 16;

  [[nodiscard]] volatile std::uint32_t& stopWord() const { return *stop_.as<std::uint32_t>(); }

  /// Until the device is done. It sees what the host writes to pinned memory, and ends soon.
  void waitUnless(const std::atomic<bool>& stop) {
    using namespace std::chrono_literals;
    for (;;) {
      const cudaError_t state = cudaEventQuery(done_.get());
      if (state != cudaErrorNotReady) {
        SLICEPOOL_CUDA_CHECK(state);
        return;
      }
      static_cast<void>(cudaGetLastError());  // that it is not ready is no error of anybody's
      if (stop.load(std::memory_order_relaxed)) stopWord() = 1;
      std::this_thread::sleep_for(200us);
    }
  }

  template <int kCapacity>
  void launch(std::span<const SearcherItem> items) {
    std::size_t shared = 0;
    std::size_t memory = 0;
    for (const SearcherItem& item : items) {
      const WarpShortestShape shape{item.dimension};
      shared = std::max(shared, shape.sharedBytes());
      memory = std::max(memory, shape.memoryBytes());
    }
    int resident = 0;
    SLICEPOOL_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, searchShortest<kCapacity>,
                                                                       kWarpSize, shared));
    const auto count = static_cast<std::uint32_t>(items.size());
    const auto all = static_cast<std::uint32_t>(std::clamp(resident, 1, kBlocks) * multiprocessors_);
    const std::uint32_t blocks = std::min(count, all);
    if (lists_.bytes() < memory * blocks) lists_ = DeviceBuffer(memory * blocks);
    searchShortest<kCapacity><<<blocks, kWarpSize, shared, stream_.get()>>>(
        {items_.onDevice(), numbers_.onDevice(), found_.onDevice(), lists_.as<std::byte>(), memory, count,
         next_.as<std::uint32_t>(), stop_.as<std::uint32_t>()});
    checkLaunch("searchShortest");
  }

  int device_;
  SelectedDevice selected_;
  int multiprocessors_ = 0;
  MirroredBuffer<double> numbers_;
  MirroredBuffer<SearcherItem> items_;
  MirroredBuffer<std::int16_t> found_;
  DeviceBuffer lists_, next_;
  PinnedBuffer stop_;
  Event done_;
  Stream stream_;  ///< behind what it works on, so that it ends first
};

}  // namespace

void registerLatticeSearcher() {
  lattice::registerLatticeSearcherMaker(
      [](int device) -> std::unique_ptr<LatticeSearcher> { return std::make_unique<CudaSearcher>(device); });
}

}  // namespace slicepool::cuda
