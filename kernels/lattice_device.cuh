// The lattice search on a GPU: lattice/warp_turn.hpp as a kernel, behind the BatchDevice interface. The plain
// step by one thread a slice would diverge at every node; here a warp searches many slices at once, those of
// one depth together. Included by lattice_*.cu.
//
// A batch is slices of the shared format in a buffer, as for every device; a launch turns them into the
// warps' lists, searches, and turns the lists into slices again. Lists do not outlive a launch.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "batch_state.cuh"
#include "cuda_check.hpp"
#include "cuda_device_base.cuh"
#include "registration.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/lattice/search.hpp"
#include "slicepool/lattice/sinks.hpp"
#include "slicepool/lattice/warp_turn.hpp"

namespace slicepool::cuda {

/// Warps of a block; a multiprocessor runs one block. The lists of all warps together are larger than the
/// second cache: fewer warps wait less for memory than more warps hide (k60 on an H200, 1e9 nodes/s: 8
/// warps 13.8, 12 warps 11.8, 16 warps 10.8, 20 warps 10.5). Small lattices have small lists.
template <int kCapacity>
inline constexpr std::uint32_t kLatticeWarps = kCapacity > 32 ? 8 : 12;

/// Parameters of searchLattice, in constant memory.
template <int kCapacity, class S>
struct LatticeArguments {
  using Slice = typename lattice::Search<kCapacity>::Slice;
  lattice::SearchView view;
  typename S::View sinkView;
  SinkMemory memory;                ///< `words`: the first replica
  std::uint32_t replicaMask = 0;    ///< replicas - 1, replicas a power of two
  std::uint32_t replicaStride = 0;  ///< words from one replica to the next
  lattice::WarpBatch<Slice> batch;  ///< `live` is read from the state
  RoundState* state = nullptr;
  std::byte* lists = nullptr;
  std::size_t listBytes = 0;  ///< of one warp
};

/// Opens a round. One thread. The counters of splitting belong to the warps here, which share out slices by
/// them.
template <int kCapacity>
__global__ void beginLattice(BeginArguments begin) {
  RoundState& state = *begin.state;
  state.live = begin.live;
  state.limit = state.arrived = state.kept = state.sinkFull = 0;
  state.resultCount = min(state.resultCount, begin.resultCapacity);
  state.steps = state.splits = 0;
  atomicMin(reinterpret_cast<unsigned long long*>(begin.shared),
            static_cast<unsigned long long>(begin.sharedValue));
}

/// Shared memory of a block: the columns of mu, norms and pruning factors, then each warp's part of its
/// lists.
template <int kBits>
struct LatticeShared {
  static std::size_t bytes(int dimension, std::uint32_t warps) {
    return tableBytes(dimension) + warps * warpBytes(dimension);
  }
  __host__ __device__ static std::size_t tableBytes(int dimension) {
    return sizeof(double) *
           (lattice::packedColumns<kBits>(dimension) + 2 * static_cast<std::size_t>(dimension));
  }
  __host__ __device__ static std::size_t warpBytes(int dimension) {
    return (lattice::WarpLists<kBits>::sharedBytes(dimension) + 7) / 8 * 8;
  }
};

/// Copies the tables that every step reads to shared memory. Returns the view over the copies.
template <int kBits>
__device__ __forceinline__ lattice::SearchView stageTables(const lattice::SearchView& view, double* columns) {
  const int d = view.dimension;
  double* const norms = columns + lattice::packedColumns<kBits>(d);
  double* const pruning = norms + d;
  const int warps = static_cast<int>(blockDim.x) / kLanes;
  for (int depth = 1 + static_cast<int>(threadIdx.x) / kLanes; depth < d; depth += warps)
    lattice::packColumn<kBits>(view, depth, static_cast<int>(threadIdx.x) % kLanes, kLanes, columns);
  for (int i = static_cast<int>(threadIdx.x); i < d; i += static_cast<int>(blockDim.x)) {
    norms[i] = view.norms[i];
    pruning[i] = view.pruning[i];
  }
  __syncthreads();
  lattice::SearchView staged = view;
  staged.norms = norms;
  staged.pruning = pruning;
  return staged;
}

/// One launch. Blocks of kLatticeWarps<kCapacity> warps, of which the first batch.warps of the grid work.
template <int kCapacity, int kBits, class S>
__global__ void __launch_bounds__(kLatticeWarps<kCapacity>* kLanes, 1)
    searchLattice(const __grid_constant__ LatticeArguments<kCapacity, S> arguments) {
  extern __shared__ double latticeShared[];
  using Emit = typename S::Emitter;
  const lattice::SearchView view = stageTables<kBits>(arguments.view, latticeShared);
  const std::uint32_t inBlock = threadIdx.x / kLanes;
  const std::uint32_t warp = blockIdx.x * (blockDim.x / kLanes) + inBlock;
  if (warp >= arguments.batch.warps) return;

  lattice::WarpLists<kBits> lists{};
  lists.dimension = view.dimension;
  lists.memory = arguments.lists + warp * arguments.listBytes;
  lists.place(reinterpret_cast<std::byte*>(latticeShared) + LatticeShared<kBits>::tableBytes(view.dimension) +
              inBlock * LatticeShared<kBits>::warpBytes(view.dimension));
  lattice::WarpSearch<DeviceLanes, kCapacity, kBits> search(view, latticeShared, lists);

  SinkMemory memory = arguments.memory;
  memory.words += static_cast<std::size_t>(blockIdx.x & arguments.replicaMask) * arguments.replicaStride;
  Emit emit(arguments.sinkView, memory);
  lattice::WarpTurn<DeviceLanes, kCapacity, kBits, Emit> turn(search, arguments.batch, emit);
  turn.run();
  emit.flush();
}

/// Batches of lattice slices on one GPU. Throws as CudaDeviceBase does.
template <int kCapacity, class S>
class LatticeDevice final : public CudaDeviceBase {
 public:
  using W = lattice::Search<kCapacity>;
  using Slice = typename W::Slice;

  LatticeDevice(const TypedProblem<W, S>& problem, const DeviceOptions& options)
      : CudaDeviceBase(problem, options) {
    const lattice::SearchView& host = problem.viewOnHost();
    dimension_ = host.dimension;
    // One less for the rounding of the bound.
    narrow_ = lattice::greatestCoefficient(host) <= lattice::Packing<8>::kMost - 1;
    blockWarps_ = fittingWarps(options.deviceIndex);
    allocate(limits(), problem.tables());
    view_ = problem.viewOver(std::span<const void* const>(tableAddresses()));
    sinkView_ = problem.sinkViewOver(nullptr);
    // Small batches, which tests ask for, are for few warps: each needs room for what it leaves behind.
    warps_ = std::clamp(info().lanes / leastSlices(), 1U, residentWarps());
    for (auto& slot : extra_) {
      slot.lists = DeviceBuffer(listBytes() * warps_);
      for (auto& states : slot.states) states = DeviceBuffer(info().lanes * sizeof(lattice::PathState));
    }
  }

  /// Lists are given back before the base class waits for its streams.
  ~LatticeDevice() override {
    for (int slot = 0; slot < kBatchSlots; ++slot) static_cast<void>(cudaStreamSynchronize(stream(slot)));
  }
  LatticeDevice(const LatticeDevice&) = delete;
  LatticeDevice& operator=(const LatticeDevice&) = delete;

  [[nodiscard]] std::size_t deviceBytes() const override {
    return CudaDeviceBase::deviceBytes() + extraBytes(warps_, info().lanes);
  }
  void upload(int slot, const std::byte* slices, std::uint32_t count) override {
    CudaDeviceBase::upload(slot, slices, count);
    at(slot).live += count;
  }
  void download(int slot, std::byte* slices, std::uint32_t count, bool remove) override {
    CudaDeviceBase::download(slot, slices, count, remove);
    if (!remove) return;
    at(slot).live -= count;
    at(slot).known = std::min(at(slot).known, at(slot).live);
  }
  BatchSummary wait(int slot) override {
    const BatchSummary summary = CudaDeviceBase::wait(slot);
    if (summary.live > info().lanes) {
      throw DeviceError("lattice search: a launch left " + std::to_string(summary.live) +
                        " slices, a batch holds " + std::to_string(info().lanes));
    }
    Extra& extra = at(slot);
    if (extra.launched) {
      extra.current = 1 - extra.current;
      extra.known = summary.live;
      extra.launched = false;
    }
    extra.live = summary.live;
    return summary;
  }

 private:
  /// What a slot has beside what the base class keeps.
  struct Extra {
    DeviceBuffer lists;
    DeviceBuffer states[2];  ///< beside the slices, for the first `known` of them
    int current = 0;
    std::uint32_t live = 0;
    std::uint32_t known = 0;
    bool launched = false;
  };
  static constexpr std::uint32_t kWarps = kLatticeWarps<kCapacity>;
  static constexpr std::uint32_t kBusySlices = 32;  ///< of a warp

  [[nodiscard]] Extra& at(int slot) { return extra_[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] std::uint32_t residentWarps() const {
    return static_cast<std::uint32_t>(multiprocessors()) * blockWarps_;
  }
  /// Warps of a block for which the device has shared memory.
  [[nodiscard]] std::uint32_t fittingWarps(int device) const {
    int most = 0;
    SLICEPOOL_CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    std::uint32_t warps = kWarps;
    while (warps > 0 && sharedBytes(warps) > static_cast<std::size_t>(most)) --warps;
    if (warps == 0) {
      throw LimitError("shared memory of a multiprocessor: " + describeBytes(sharedBytes(1)) + " needed, " +
                       describeBytes(static_cast<std::size_t>(most)) + " there");
    }
    return warps;
  }
  /// Lists are worked on from 32 entries on, so that more than these are rare.
  [[nodiscard]] std::uint32_t wantedSlices() const {
    return 32U * static_cast<std::uint32_t>(dimension_) + 64;
  }
  [[nodiscard]] std::uint32_t leastSlices() const { return wantedSlices() / 4; }
  [[nodiscard]] std::size_t listBytes() const {
    constexpr std::size_t kLine = 128;
    const std::size_t bytes = narrow_ ? lattice::WarpLists<8>::memoryBytes(dimension_)
                                      : lattice::WarpLists<16>::memoryBytes(dimension_);
    return (bytes + kLine - 1) / kLine * kLine;
  }
  [[nodiscard]] std::size_t extraBytes(std::uint32_t warps, std::uint32_t lanes) const {
    return kBatchSlots * (listBytes() * warps + std::size_t{2} * lanes * sizeof(lattice::PathState));
  }
  [[nodiscard]] std::size_t sharedBytes(std::uint32_t warps) const {
    return narrow_ ? LatticeShared<8>::bytes(dimension_, warps) : LatticeShared<16>::bytes(dimension_, warps);
  }

  template <int kBits>
  void prepareKernel() const {
    const auto kernel = searchLattice<kCapacity, kBits, S>;
    SLICEPOOL_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              static_cast<int>(sharedBytes(blockWarps_))));
    cudaFuncAttributes attributes{};
    SLICEPOOL_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  }

  [[nodiscard]] KernelLimits limits() const {
    if (narrow_) {
      prepareKernel<8>();
    } else {
      prepareKernel<16>();
    }
    KernelLimits limits;
    limits.mostThreads = blockWarps_ * kLanes;
    limits.residentThreads = residentWarps() * kBusySlices;
    limits.slices = residentWarps() * wantedSlices();
    limits.extraBytes = extraBytes(residentWarps(), limits.slices);
    return limits;
  }

  void enqueueBegin(int slot, const BeginArguments& begin) override {
    beginLattice<kCapacity><<<1, 1, 0, stream(slot)>>>(begin);
    checkLaunch("beginLattice");
  }
  /// A launch over few slices makes more of them by itself.
  void enqueueSplit(int, Grid, std::uint32_t) override {}

  void enqueueAdvance(int slot, Grid, std::uint64_t budget) override {
    Extra& extra = at(slot);
    LatticeArguments<kCapacity, S> arguments{};
    arguments.view = view_;
    arguments.sinkView = sinkView_;
    arguments.memory = sinkMemory(slot);
    arguments.replicaMask = wordPlan().replicas() - 1;
    arguments.replicaStride = wordPlan().stride();
    RoundState* const round = state(slot);
    arguments.state = round;
    arguments.batch = {
        reinterpret_cast<const Slice*>(liveSlices(slot)),
        extra.states[extra.current].template as<const lattice::PathState>(),
        extra.live,
        extra.known,
        reinterpret_cast<Slice*>(otherSlices(slot)),
        extra.states[1 - extra.current].template as<lattice::PathState>(),
        info().lanes,
        warps_,
        budget,
        {&round->arrived, &round->limit, &round->kept, &round->sinkFull, &round->steps, &round->splits}};
    arguments.lists = extra.lists.template as<>();
    arguments.listBytes = listBytes();
    extra.launched = true;
    if (narrow_) {
      start<8>(slot, arguments);
    } else {
      start<16>(slot, arguments);
    }
  }

  template <int kBits>
  void start(int slot, const LatticeArguments<kCapacity, S>& arguments) const {
    const std::uint32_t blocks = (warps_ + blockWarps_ - 1) / blockWarps_;
    searchLattice<kCapacity, kBits, S>
        <<<blocks, blockWarps_ * kLanes, sharedBytes(blockWarps_), stream(slot)>>>(arguments);
    checkLaunch("searchLattice");
  }

  int dimension_ = 0;
  bool narrow_ = true;  ///< all coefficients fit 8 bits
  std::uint32_t blockWarps_ = kWarps;
  std::uint32_t warps_ = 1;  ///< of the grid, that work
  lattice::SearchView view_{};
  typename S::View sinkView_{};
  std::array<Extra, kBatchSlots> extra_;
};

/// Registers the device for problems of this capacity and sink.
template <int kCapacity, class S>
void registerLatticeDevice() {
  using W = lattice::Search<kCapacity>;
  registerDeviceFactory(
      typeid(TypedProblem<W, S>),
      [](const Problem& problem, const DeviceOptions& options) -> std::unique_ptr<BatchDevice> {
        const auto& typed = dynamic_cast<const TypedProblem<W, S>&>(problem);
        return std::make_unique<LatticeDevice<kCapacity, S>>(typed, options);
      });
}

template <int kCapacity>
void registerLatticeDevices() {
  registerLatticeDevice<kCapacity, lattice::Tally<kCapacity>>();
  registerLatticeDevice<kCapacity, lattice::CollectVectors<kCapacity>>();
}

}  // namespace slicepool::cuda
