// A CUDA device for one type of problem: the kernels of batch_kernels.cuh behind the BatchDevice interface.
// Made by the factory that registerKernels() (register.hpp) puts into the registry.
#pragma once

#include <algorithm>
#include <span>

#include "batch_kernels.cuh"
#include "cuda_device_base.cuh"
#include "device_tables.cuh"
#include "per_device.cuh"
#include "round_kernels.cuh"
#include "slicepool/core/error.hpp"
#include "slicepool/core/problem.hpp"
#include "warp_launch.cuh"
#include "warp_step.cuh"

namespace slicepool::cuda {

/// Batches of W::Slice advanced into sink S on one GPU. Construction copies the problem's tables to the
/// device; the problem must outlive the object. Throws DeviceError, CudaError, LimitError, and ConfigError
/// where warps are asked for that this workload cannot use.
template <class W, class S>
class CudaDevice final : public CudaDeviceBase {
 public:
  CudaDevice(const TypedProblem<W, S>& problem, const DeviceOptions& options)
      : CudaDeviceBase(problem, options), byWarps_(usesWarps(problem, options.granularity)) {
    allocate(limits(), problem.tables());
    view_ = problem.viewOver(std::span<const void* const>(tableAddresses()));
    sinkView_ = problem.sinkViewOver(rowsAddress());
    if constexpr (DeviceTables<W>::kExists) DeviceTables<W>::enqueue(view_, stream(0));
    endSetUp();
  }

 private:
  using Slice = typename W::Slice;

  [[nodiscard]] static bool usesWarps(const TypedProblem<W, S>& problem, Granularity granularity) {
    if constexpr (WarpStep<W, S>::kExists) {
      if (WarpStep<W, S>::available(problem.viewOnHost())) {
        return granularity == Granularity::automatic ? WarpStep<W, S>::kPreferred
                                                     : granularity == Granularity::warp;
      }
    }
    if (granularity == Granularity::warp) {
      throw ConfigError("engine.gpu_granularity", "warp",
                        "auto or thread: this search has no steps by warps");
    }
    return false;
  }

  [[nodiscard]] KernelLimits limits() const {
    static PerDevice<KernelLimits> byThreads;
    static PerDevice<KernelLimits> byWarps;
    return (byWarps_ ? byWarps : byThreads).get(device(), [this] { return askLimits(); });
  }

  [[nodiscard]] KernelLimits askLimits() const {
    cudaFuncAttributes attributes{};
    // Kernels are loaded at their first use; asking for them here keeps that out of the first launch.
    SLICEPOOL_CUDA_CHECK(cudaFuncGetAttributes(&attributes, beginBatch<W>));
    if constexpr (HasCuts<W>)
      SLICEPOOL_CUDA_CHECK(cudaFuncGetAttributes(&attributes, cutBatch<W>));
    else
      SLICEPOOL_CUDA_CHECK(cudaFuncGetAttributes(&attributes, splitBatch<W>));
    if constexpr (WarpStep<W, S>::kExists) {
      if (byWarps_) return warpLimits();
    }
    SLICEPOOL_CUDA_CHECK(cudaFuncGetAttributes(&attributes, advanceKernel()));
    if (sharedBytes(1) != 0)
      SLICEPOOL_CUDA_CHECK(cudaFuncSetAttribute(
          advanceKernel(), cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
    constexpr int kThreads = 64;
    int blocks = 0;
    SLICEPOOL_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, advanceKernel(), kThreads,
                                                                       sharedBytes(kThreads)));
    KernelLimits limits;
    limits.maximumThreads = static_cast<std::uint32_t>(attributes.maxThreadsPerBlock);
    limits.residentThreads = static_cast<std::uint32_t>(blocks * kThreads * multiprocessors());
    limits.slicesAreLarge = HasUsedBytes<W>;
    limits.refills = HasRounds<W>;
    return limits;
  }

  /// The kernel by which a thread advances slices.
  [[nodiscard]] static constexpr auto advanceKernel() {
    if constexpr (HasRounds<W>)
      return advanceInRounds<W, S>;
    else
      return advanceBatch<W, S>;
  }

  /// Dynamic shared memory of a block.
  [[nodiscard]] static constexpr std::uint32_t sharedBytes(std::uint32_t threads) {
    if constexpr (HasRounds<W>)
      return threads * LaneOf<W>::Stack::kBytes + kNearWordsOf<S> * NearWords::kBytes;
    else
      return 0;
  }

  /// Slices are warps: a batch has as many as the device runs warps at once.
  [[nodiscard]] KernelLimits warpLimits() const {
    using Launch = WarpLaunch<W, S>;
    KernelLimits limits;
    limits.maximumThreads = Launch::kThreads;
    limits.residentThreads =
        static_cast<std::uint32_t>(Launch::residentBlocks() * multiprocessors()) * Launch::kWarps;
    limits.slicesAreWarps = true;
    return limits;
  }

  [[nodiscard]] SplitArguments<W> splitArguments(int slot, std::uint32_t capacity) const {
    SplitArguments<W> arguments{};
    arguments.view = view_;
    arguments.slices = reinterpret_cast<Slice*>(liveSlices(slot));
    arguments.state = state(slot);
    arguments.capacity = capacity;
    return arguments;
  }

  void enqueueBegin(int slot, const BeginArguments& begin) override {
    beginBatch<W><<<1, kSplitThreads, 0, stream(slot)>>>(splitArguments(slot, begin.target), begin);
    checkLaunch("beginBatch");
  }

  void enqueueSplit([[maybe_unused]] int slot, [[maybe_unused]] Grid grid,
                    [[maybe_unused]] std::uint32_t capacity) override {
    if constexpr (!HasCuts<W>) {
      splitBatch<W><<<grid.blocks, grid.threads, 0, stream(slot)>>>(splitArguments(slot, capacity));
      checkLaunch("splitBatch");
    }
  }

  [[nodiscard]] bool cutsAnywhere() const override { return HasCuts<W>; }

  void enqueueCuts([[maybe_unused]] int slot, [[maybe_unused]] std::uint32_t live,
                   [[maybe_unused]] std::uint32_t parts) override {
    if constexpr (HasCuts<W>) {
      CutArguments<W> arguments{};
      arguments.view = view_;
      arguments.from = reinterpret_cast<const Slice*>(liveSlices(slot));
      arguments.to = reinterpret_cast<Slice*>(otherSlices(slot));
      arguments.state = state(slot);
      arguments.live = live;
      arguments.parts = parts;
      constexpr std::uint32_t kThreads = 64;  // a chain of reads each: as many multiprocessors as there are
      const std::uint32_t warps = (live * parts - 1) / kPartsOfWarp + 1;
      cutBatch<W><<<(warps * kWarpSize - 1) / kThreads + 1, kThreads, 0, stream(slot)>>>(arguments);
      checkLaunch("cutBatch");
    }
  }

  void enqueueAdvance(int slot, Grid grid, std::uint64_t budget) override {
    AdvanceArguments<W, S> arguments{};
    arguments.view = view_;
    arguments.sinkView = sinkView_;
    arguments.memory = sinkMemory(slot);
    arguments.replicaMask = wordPlan().replicas() - 1;
    arguments.replicaStride = wordPlan().stride();
    arguments.from = reinterpret_cast<Slice*>(liveSlices(slot));
    arguments.to = reinterpret_cast<Slice*>(otherSlices(slot));
    arguments.state = state(slot);
    arguments.budget = budget;
    if constexpr (WarpStep<W, S>::kExists) {
      if (byWarps_) {
        // The grid was made for a thread per slice.
        WarpLaunch<W, S>::enqueue(grid.blocks * grid.threads, arguments, stream(slot));
        return checkLaunch("advanceBatchByWarps");
      }
    }
    // All that run at once: threads without a slice get parts of others.
    if constexpr (HasRounds<W>) grid.blocks = std::max(info().busyLanes / grid.threads, 1U);
    advanceKernel()<<<grid.blocks, grid.threads, sharedBytes(grid.threads), stream(slot)>>>(arguments);
    checkLaunch("advanceBatch");
  }

  typename W::View view_{};
  typename S::View sinkView_{};
  bool byWarps_;  ///< a warp advances a slice, not a thread
};

}  // namespace slicepool::cuda
