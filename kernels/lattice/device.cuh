// The lattice search on a GPU: lattice/team_turn.hpp or lattice/compacted_turn.hpp as a kernel, behind the
// BatchDevice interface. The plain step by one thread a slice would diverge at every node; here a team of
// warps, or a warp, searches many slices at once, those of one depth together. Included by
// device_instances.cuh and compacted_instances.cuh.
//
// A batch is slices of the shared format in a buffer, as for every device; a launch turns them into the lists
// of its units (teams or warps), searches, and turns the lists into slices again. Lists do not outlive a
// launch.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/core/batch_state.cuh"
#include "kernels/core/cuda_check.hpp"
#include "kernels/core/cuda_device_base.cuh"
#include "slicepool/core/problem.hpp"
#include "slicepool/lattice/sinks.hpp"
#include "slicepool/lattice/steps/coefficient_bounds.hpp"
#include "slicepool/lattice/steps/search.hpp"
#include "slicepool/lattice/steps/start_nodes.hpp"
#include "slicepool/lattice/steps/team_paths.hpp"
#include "slicepool/lattice/steps/team_turn.hpp"
#include "slicepool/lattice/steps/warp_turn.hpp"

namespace slicepool::cuda {

/// Blocks of a multiprocessor at most. While the warps of a team wait for each other, those of another work;
/// but lanes need registers for their paths, and the entries of two teams with long paths have no room in the
/// second cache.
template <class Algorithm, int kCapacity, class Layout>
inline constexpr std::uint32_t kLatticeBlocks = Algorithm::kTeams &&
                                                        (kCapacity <= 64 || Layout::mostFours(kCapacity) <= 4)
                                                    ? 2
                                                    : 1;

/// Warps of a block: of teams as many as registers allow. Where each warp has lists of its own, these are
/// together larger than the second cache, and fewer warps wait less for memory than more warps hide.
template <class Algorithm, int kCapacity>
constexpr std::uint32_t latticeWarps(std::uint32_t blocks) {
  if (!Algorithm::kTeams) return kCapacity > 32 ? 8 : 12;
  return kCapacity > 64 && blocks == 1 ? 20 : 12;
}

/// What a kernel is compiled for. Shared memory may have room for one of two teams only where the tables are
/// large, beyond dimension 64: that one has more warps.
template <class Algorithm, int kCapacity, class Layout>
struct LatticeBounds {
  static constexpr std::uint32_t kMost = kLatticeBlocks<Algorithm, kCapacity, Layout>;
  static constexpr bool kEither = kMost > 1 && kCapacity > 64;
  static constexpr std::uint32_t kBlocks = kEither ? 1 : kMost;
  static constexpr std::uint32_t kWarps =
      kEither ? kMost * latticeWarps<Algorithm, kCapacity>(kMost) : latticeWarps<Algorithm, kCapacity>(kMost);
};

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
  LaunchState* state = nullptr;
  std::byte* lists = nullptr;
  std::size_t listBytes = 0;  ///< of one unit
  int narrow = 0;             ///< PathLayout::narrow
  int places = 0;             ///< entries of a team
};

/// Opens a launch. One thread. The counters of splitting belong to the warps here, which share out slices by
/// them.
template <int kCapacity>
__global__ void beginLattice(BeginArguments begin) {
  LaunchState& state = *begin.state;
  state.live = state.limit = state.arrived = state.kept = state.sinkFull = state.taken = 0;
  state.resultCount = min(state.resultCount, begin.resultCapacity);
  state.steps = state.splits = 0;
  atomicMin(reinterpret_cast<unsigned long long*>(begin.shared),
            static_cast<unsigned long long>(begin.sharedValue));
}

/// After a launch of teams: its slices become one part of the buffer, and are counted.
template <int kCapacity>
__global__ void putLatticeTogether(typename lattice::Search<kCapacity>::Slice* slices,
                                   lattice::PathState* states, LaunchState* state, std::uint32_t capacity) {
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  lattice::putTogether(slices, states, state->taken, state->live, capacity, thread, gridDim.x * blockDim.x);
  if (thread == 0) state->kept = state->taken + state->live;
}

/// Shared memory of a block: the table of mu, norms and pruning factors, then each unit's part of its lists.
/// Of `lists` the shape is read.
template <class Searcher>
struct LatticeShared {
  using Lists = typename Searcher::Lists;
  static std::size_t bytes(const Lists& lists, std::uint32_t units) {
    return tableBytes(lists) + units * unitBytes(lists);
  }
  __host__ __device__ static std::size_t tableBytes(const Lists& lists) {
    return sizeof(double) * (Searcher::tableSize(lists) + 2 * static_cast<std::size_t>(lists.dimension));
  }
  __host__ __device__ static std::size_t unitBytes(const Lists& lists) {
    return (lists.sharedBytes() + 7) / 8 * 8;
  }
};

/// Copies the tables that every step reads to shared memory. Returns the view over the copies.
template <class Searcher>
__device__ __forceinline__ lattice::SearchView copyTables(const typename Searcher::Lists& lists,
                                                          const lattice::SearchView& view, double* table) {
  const int d = view.dimension;
  double* const norms = table + Searcher::tableSize(lists);
  double* const pruning = norms + d;
  const int warps = static_cast<int>(blockDim.x) / kWarpSize;
  for (int part = static_cast<int>(threadIdx.x) / kWarpSize; part < Searcher::tableParts(d); part += warps)
    Searcher::fillTable(lists, view, part, static_cast<int>(threadIdx.x) % kWarpSize, kWarpSize, table);
  for (int i = static_cast<int>(threadIdx.x); i < d; i += static_cast<int>(blockDim.x)) {
    norms[i] = view.norms[i];
    pruning[i] = view.pruning[i];
  }
  __syncthreads();
  lattice::SearchView copied = view;
  copied.norms = norms;
  copied.pruning = pruning;
  return copied;
}

/// One launch. Each block is a team or each warp of it for itself, of which units the first batch.units of
/// the grid work. Algorithm: lattice::AutomaticTeams or lattice::CompactedWarps.
template <class Algorithm, int kCapacity, class Layout, class S>
__global__ void __launch_bounds__(LatticeBounds<Algorithm, kCapacity, Layout>::kWarps* kWarpSize,
                                  LatticeBounds<Algorithm, kCapacity, Layout>::kBlocks)
    searchLattice(const __grid_constant__ LatticeArguments<kCapacity, S> arguments) {
  extern __shared__ __align__(16) double latticeShared[];
  using Emit = typename S::Emitter;
  using Searcher = typename Algorithm::template Searcher<DeviceLanes, kCapacity, Layout>;
  using Shared = LatticeShared<Searcher>;
  typename Searcher::Lists lists{};
  lists.shape(arguments.view.dimension, arguments.narrow);
  std::uint32_t inBlock = 0;
  std::uint32_t unit = blockIdx.x;
  if constexpr (Algorithm::kTeams) {
    using Bounds = LatticeBounds<Algorithm, kCapacity, Layout>;
    static_assert(Bounds::kWarps <= Searcher::Lists::kMostWarps);
    lists.warps = static_cast<int>(Bounds::kEither ? blockDim.x / kWarpSize : Bounds::kWarps);
    lists.places = arguments.places;
  } else {
    inBlock = threadIdx.x / kWarpSize;
    unit = blockIdx.x * (blockDim.x / kWarpSize) + inBlock;
  }
  const lattice::SearchView view = copyTables<Searcher>(lists, arguments.view, latticeShared);
  if (unit >= arguments.batch.units) return;

  lists.memory = arguments.lists + unit * arguments.listBytes;
  lists.place(reinterpret_cast<std::byte*>(latticeShared) + Shared::tableBytes(lists) +
              inBlock * Shared::unitBytes(lists));
  Searcher search(view, latticeShared, lists);

  SinkMemory memory = arguments.memory;
  memory.words += static_cast<std::size_t>(blockIdx.x & arguments.replicaMask) * arguments.replicaStride;
  Emit emit(arguments.sinkView, memory);
  typename Algorithm::template Turn<Searcher, Emit> turn(search, arguments.batch, unit, emit);
  turn.run();
  emit.flush();
}

/// Batches of lattice slices on one GPU. Throws as CudaDeviceBase does.
template <class Algorithm, int kCapacity, class S>
class LatticeDevice final : public CudaDeviceBase {
 public:
  using W = lattice::Search<kCapacity>;
  using Slice = typename W::Slice;
  template <class Layout>
  using Searcher = typename Algorithm::template Searcher<DeviceLanes, kCapacity, Layout>;

  LatticeDevice(const TypedProblem<W, S>& problem, const DeviceOptions& options)
      : CudaDeviceBase(problem, options), host_(problem.viewOnHost()), layout_(problem.words()) {
    dimension_ = host_.dimension;
    if constexpr (Algorithm::kTeams)
      paths_ = lattice::TeamPaths::of<kCapacity>(host_, rootsOf(problem));
    else
      fewBits_ = lattice::leadingWithin(lattice::coefficientBounds(host_), Algorithm::kNarrow) >= dimension_;
    fit(options.deviceIndex);
    allocate(limits(), problem.tables());
    view_ = problem.viewOver(std::span<const void* const>(tableAddresses()));
    sinkView_ = problem.sinkViewOver(nullptr);
    endSetUp();
    for (auto& slot : extra_) slot.startWords = layout_.fresh();
    // Small batches, which tests ask for, are for few units: each needs room for what it leaves behind.
    units_ = std::clamp(info().lanes / minimumSlices(), 1U, residentUnits());
    for (auto& slot : extra_) {
      slot.lists = DeviceBuffer(listBytes() * units_);
      slot.own = DeviceBuffer(units_ * sizeof(lattice::TeamSlices));
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
    return CudaDeviceBase::deviceBytes() + extraBytes(units_, info().lanes);
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
  [[nodiscard]] bool copiesDuringLaunch() const override { return true; }
  void beginDownload(int slot, std::byte* slices, std::uint32_t remove) override {
    CudaDeviceBase::beginDownload(slot, slices, remove);
    at(slot).live -= remove;
    at(slot).known = std::min(at(slot).known, at(slot).live);
  }
  void launch(int slot, const BatchLaunch& settings) override {
    if constexpr (Algorithm::kStartsOnHost) {
      if (at(slot).live != 0 && at(slot).live < lattice::WarpPlan::kSeeds) makeStartNodes(slot);
    }
    CudaDeviceBase::launch(slot, settings);
  }
  void readWords(int slot, std::uint64_t* words) override {
    CudaDeviceBase::readWords(slot, words);
    mergeWords(layout_, words, at(slot).startWords.data());
  }
  BatchSummary wait(int slot) override {
    BatchSummary summary = CudaDeviceBase::wait(slot);
    if (summary.live > info().lanes) {
      throw DeviceError("lattice search: a launch left " + std::to_string(summary.live) +
                        " slices, a batch holds " + std::to_string(info().lanes));
    }
    Extra& extra = at(slot);
    if (extra.launched) {
      extra.current = 1 - extra.current;
      extra.known = summary.live;
      extra.launched = false;
      // `limit` counts units with too little to do, see enqueueAdvance.
      summary.early = lastState(slot).limit > units_ / lattice::WarpPlan::kIdleShare;
      extra.ofTeams = summary.early ? 0 : lastState(slot).taken;  // without teams: 0
    }
    extra.live = summary.live;
    summary.steps += std::exchange(extra.startSteps, 0);
    summary.splits += std::exchange(extra.startSplits, 0);
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
    DeviceBuffer own;           ///< TeamSlices of each unit
    std::uint32_t ofTeams = 0;  ///< WarpBatch::ofTeams
    bool launched = false;
    std::vector<std::uint64_t> startWords;  ///< of the nodes that the host passed
    std::uint64_t startSteps = 0;           ///< since the last launch
    std::uint64_t startSplits = 0;
  };
  static constexpr std::uint32_t kBusySlices = Algorithm::kTeams ? 128 : kWarpSize;  ///< of a unit
  [[nodiscard]] Extra& at(int slot) { return extra_[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] std::uint32_t residentUnits() const {
    return static_cast<std::uint32_t>(multiprocessors()) * ownUnits();
  }
  /// Of a multiprocessor and of a block.
  [[nodiscard]] std::uint32_t ownUnits() const { return Algorithm::kTeams ? blocks_ : blockWarps_; }
  [[nodiscard]] std::uint32_t blockUnits() const { return Algorithm::kTeams ? 1 : blockWarps_; }
  /// Entries of a team, or warps of a block, for which the device has shared memory.
  void fit(int device) {
    const auto attribute = [device](cudaDeviceAttr which) {
      int value = 0;
      SLICEPOOL_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
      return static_cast<std::size_t>(value);
    };
    std::size_t there = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    const auto missing = [&](std::size_t needed) {
      throw LimitError("shared memory of a multiprocessor: " + describeBytes(needed) + " needed, " +
                       describeBytes(there) + " there");
    };
    if constexpr (Algorithm::kTeams) {
      const std::size_t all = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
      const std::size_t reserved = attribute(cudaDevAttrReservedSharedMemoryPerBlock);
      const std::size_t most = there;
      for (blocks_ = mostBlocks();; --blocks_) {
        blockWarps_ = latticeWarps<Algorithm, kCapacity>(blocks_);
        there = std::min(most, all / blocks_ - reserved);
        places_ = placesIn(there);
        if (blocks_ == 1 || places_ >= manyPlaces()) break;
      }
      if (places_ < leastPlaces()) {
        places_ = leastPlaces();
        missing(sharedBytes());
      }
    } else {
      while (blockWarps_ > 1 && sharedBytes() > there) --blockWarps_;
      if (sharedBytes() > there) missing(sharedBytes());
    }
  }
  /// Entries of a team in so much shared memory; 0: not even its tables fit.
  [[nodiscard]] int placesIn(std::size_t bytes) {
    places_ = 0;
    const std::size_t tables = sharedBytes();
    if (tables >= bytes) return 0;
    const auto places =
        static_cast<int>((bytes - tables) / lattice::TeamLists<lattice::BytePaths>::kPlaceBytes);
    return std::min(places / 8 * 8, wantedPlaces());
  }
  /// Up to 31 entries wait at each depth. With places for fewer a team has to go on with tasks that do not
  /// fill its lanes; more only take room in the second cache.
  [[nodiscard]] int wantedPlaces() const {
    return kCapacity > 64 && blocks_ == 1 ? std::max(4000, 40 * dimension_) : 3072;
  }
  [[nodiscard]] int leastPlaces() const { return 2 * dimension_ + kWarpSize; }
  /// Of lists that each have some twenty entries when nothing is missing, and those that the warps work on.
  [[nodiscard]] int manyPlaces() const { return 20 * dimension_ + kWarpSize * static_cast<int>(blockWarps_); }
  [[nodiscard]] std::uint32_t mostBlocks() const {
    return atPaths([](auto layout) { return kLatticeBlocks<Algorithm, kCapacity, decltype(layout)>; });
  }
  /// Of a unit. A team leaves at most half as many.
  [[nodiscard]] std::uint32_t wantedSlices() const {
    if constexpr (Algorithm::kTeams)
      return 2 * static_cast<std::uint32_t>(places_);
    else
      return Algorithm::slicesPerWarp(dimension_);
  }
  [[nodiscard]] std::uint32_t minimumSlices() const { return wantedSlices() / (Algorithm::kTeams ? 16 : 4); }
  static std::vector<Slice> rootsOf(const TypedProblem<W, S>& problem) {
    const auto& bytes = problem.roots();
    std::vector<Slice> roots(bytes.size() / sizeof(Slice));
    std::memcpy(roots.data(), bytes.data(), roots.size() * sizeof(Slice));
    return roots;
  }
  /// call(Layout()) for the layout of this lattice's paths.
  template <class Call>
  auto atPaths(const Call& call) const {
    if constexpr (Algorithm::kTeams)
      return paths_.atLayout<kCapacity>(call);
    else
      return fewBits_ ? call(lattice::BytePaths()) : call(lattice::LongPaths());
  }
  [[nodiscard]] std::size_t listBytes() const {
    constexpr std::size_t kLine = 128;
    return atPaths(
        [&](auto layout) { return (shaped<decltype(layout)>().memoryBytes() + kLine - 1) / kLine * kLine; });
  }
  template <class Layout>
  [[nodiscard]] typename Searcher<Layout>::Lists shaped() const {
    typename Searcher<Layout>::Lists lists{};
    lists.shape(dimension_, paths_.narrow);
    if constexpr (Algorithm::kTeams) {
      lists.warps = static_cast<int>(blockWarps_);
      lists.places = places_;
    }
    return lists;
  }
  [[nodiscard]] std::size_t extraBytes(std::uint32_t units, std::uint32_t lanes) const {
    return kBatchSlots * (listBytes() * units + std::size_t{2} * lanes * sizeof(lattice::PathState));
  }
  [[nodiscard]] std::size_t sharedBytes() const {
    return atPaths([&](auto layout) {
      using Layout = decltype(layout);
      return LatticeShared<Searcher<Layout>>::bytes(shaped<Layout>(), blockUnits());
    });
  }

  /// Replaces the few slices of a batch by start nodes.
  void makeStartNodes(int slot) {
    Extra& extra = at(slot);
    CudaDeviceBase::endDownload(slot);  // of the slices that are replaced here
    std::vector<Slice> slices(extra.live);
    CudaDeviceBase::download(slot, reinterpret_cast<std::byte*>(slices.data()), extra.live, true);
    std::uint64_t shared = exchangeShared(~std::uint64_t{0});
    SinkMemory memory;
    memory.words = extra.startWords.data();
    memory.shared = &shared;
    typename S::Emitter emit(sinkView_, memory);
    lattice::StartNodes<kCapacity, typename S::Emitter> start(host_, emit);
    extra.startSteps =
        start.expand(slices, lattice::WarpPlan::kSlicesPerWarp * std::size_t{units_}, info().lanes / 2);
    emit.flush();
    if (slices.size() > extra.live) extra.startSplits = slices.size() - extra.live;
    extra.live = static_cast<std::uint32_t>(slices.size());
    extra.known = 0;
    if (extra.live != 0)
      CudaDeviceBase::upload(slot, reinterpret_cast<const std::byte*>(slices.data()), extra.live);
  }

  template <class Layout>
  void prepareKernel() const {
    const auto kernel = searchLattice<Algorithm, kCapacity, Layout, S>;
    cudaFuncAttributes attributes{};
    SLICEPOOL_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
    // Not what this lattice needs: one that is searched at the same time may need more.
    int most = 0;
    SLICEPOOL_CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device()));
    SLICEPOOL_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              most - static_cast<int>(attributes.sharedSizeBytes)));
  }

  [[nodiscard]] KernelLimits limits() const {
    atPaths([&](auto layout) { prepareKernel<decltype(layout)>(); });
    KernelLimits limits;
    limits.maximumThreads = blockWarps_ * kWarpSize;
    limits.residentThreads = residentUnits() * kBusySlices;
    limits.slices = residentUnits() * wantedSlices();
    limits.endsEarly = true;
    limits.extraBytes = extraBytes(residentUnits(), limits.slices);
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
    LaunchState* const launch = state(slot);
    arguments.state = launch;
    arguments.batch = {reinterpret_cast<const Slice*>(liveSlices(slot)),
                       extra.states[extra.current].template as<const lattice::PathState>(),
                       extra.live,
                       extra.known,
                       extra.ofTeams <= extra.known ? extra.ofTeams : 0,
                       reinterpret_cast<Slice*>(otherSlices(slot)),
                       extra.states[1 - extra.current].template as<lattice::PathState>(),
                       info().lanes,
                       units_,
                       budget,
                       extra.own.template as<lattice::TeamSlices>(),
                       {&launch->arrived, &launch->limit, Algorithm::kTeams ? &launch->taken : &launch->kept,
                        &launch->sinkFull, &launch->steps, &launch->splits, &launch->live}};
    arguments.lists = extra.lists.template as<>();
    arguments.listBytes = listBytes();
    arguments.narrow = paths_.narrow;
    arguments.places = places_;
    extra.launched = true;
    atPaths([&](auto layout) { start<decltype(layout)>(slot, arguments); });
  }

  template <class Layout>
  void start(int slot, const LatticeArguments<kCapacity, S>& arguments) const {
    const std::uint32_t blocks = (units_ + blockUnits() - 1) / blockUnits();
    searchLattice<Algorithm, kCapacity, Layout, S>
        <<<blocks, blockWarps_ * kWarpSize, sharedBytes(), stream(slot)>>>(arguments);
    checkLaunch("searchLattice");
    if constexpr (Algorithm::kTeams) {
      putLatticeTogether<kCapacity><<<2 * multiprocessors(), 256, 0, stream(slot)>>>(
          arguments.batch.to, arguments.batch.toStates, arguments.state, arguments.batch.capacity);
      checkLaunch("putLatticeTogether");
    }
  }

  lattice::SearchView host_;
  const WordLayout& layout_;  ///< of the problem
  int dimension_ = 0;
  lattice::TeamPaths paths_;  ///< without teams: the default
  bool fewBits_ = false;      ///< without teams: all coefficients are at most Algorithm::kNarrow
  std::uint32_t blockWarps_ = latticeWarps<Algorithm, kCapacity>(1);
  std::uint32_t blocks_ = 1;  ///< of a multiprocessor
  int places_ = 0;            ///< entries of a team
  std::uint32_t units_ = 1;   ///< of the grid, that work: teams or warps
  lattice::SearchView view_{};
  typename S::View sinkView_{};
  std::array<Extra, kBatchSlots> extra_;
};

}  // namespace slicepool::cuda
