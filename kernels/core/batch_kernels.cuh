// The generic kernels of a launch on a batch of slices, for a workload W and a sink S. Launched by
// CudaDevice.
//
// A launch of a batch is: begin (and the first splits, in one block), split passes over the whole grid while
// too few slices are live - or one pass of cuts, where slices can be cut anywhere -, advance. Splitting comes
// first, so that a fresh root and a thinned-out batch fill the lanes before the budget is spent on them. A
// slice is one thread's for the whole turn; slices that are not exhausted are moved to the front of the other
// buffer, so that the next launch has no idle lanes in between. No kernel waits for another one of the same
// launch: what one leaves in LaunchState, the next reads.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "batch_state.cuh"
#include "slicepool/core/sink.hpp"
#include "slicepool/core/turn.hpp"
#include "slicepool/core/workload.hpp"
#include "slicepool/detail/lanes.hpp"
#include "warp_step.cuh"

namespace slicepool::cuda {

/// Most threads of a block of advanceBatch; leaves the compiler 255 registers a thread.
inline constexpr std::uint32_t kMaximumThreads = 256;
inline constexpr std::uint32_t kSplitThreads = 256;

/// Launch bounds of advanceBatch: those that the workload asks for (W::kDeviceThreads, W::kDeviceBlocks), or
/// as many registers as a thread can have.
template <class W>
inline constexpr std::uint32_t kThreadsOf = [] {
  if constexpr (
      requires { W::kDeviceThreads; })
    return W::kDeviceThreads;
  else
    return kMaximumThreads;
}();
template <class W>
inline constexpr std::uint32_t kBlocksOf = [] {
  if constexpr (requires { W::kDeviceBlocks; })
    return W::kDeviceBlocks;
  else
    return 1U;
}();

/// Parameters of advanceBatch, in constant memory.
template <class W, class S>
struct AdvanceArguments {
  typename W::View view;
  typename S::View sinkView;
  SinkMemory memory;                ///< `words`: the first replica
  std::uint32_t replicaMask = 0;    ///< replicas - 1, replicas a power of two
  std::uint32_t replicaStride = 0;  ///< words from one replica to the next
  typename W::Slice* from = nullptr;
  typename W::Slice* to = nullptr;
  LaunchState* state = nullptr;
  std::uint64_t budget = 0;
};

template <class W>
struct SplitArguments {
  typename W::View view;
  typename W::Slice* slices = nullptr;
  LaunchState* state = nullptr;
  std::uint32_t capacity = 0;  ///< slices that there is room for (the fill target)
};

/// Reserves one place after *counter for each thread of the warp that wants one, by one atomic operation.
/// All 32 threads must call. The result is meaningless for threads that want none.
__device__ __forceinline__ std::uint32_t reserveInWarp(std::uint32_t* counter, bool want) {
  const unsigned wanting = __ballot_sync(kFullMask, want);
  const unsigned lane = threadIdx.x % kWarpSize;
  std::uint32_t first = 0;
  if (lane == 0 && wanting != 0) first = atomicAdd(counter, static_cast<std::uint32_t>(__popc(wanting)));
  first = __shfl_sync(kFullMask, first, 0);
  return first + static_cast<std::uint32_t>(__popc(wanting & ((1U << lane) - 1U)));
}

__device__ __forceinline__ std::uint64_t sumOverWarp(std::uint64_t value) {
  auto sum = static_cast<unsigned long long>(value);
  for (unsigned distance = kWarpSize / 2; distance != 0; distance /= 2)
    sum += __shfl_down_sync(kFullMask, sum, distance);
  return sum;
}

/// Splits slice `index` (if `mine`) and appends the given part at *tail while there is room; without room the
/// slice is left whole. All threads of the warp must call.
template <class W>
__device__ __forceinline__ void splitOne(const typename W::View& view, typename W::Slice* slices,
                                         std::uint32_t index, bool mine, std::uint32_t* tail,
                                         std::uint32_t capacity) {
  if constexpr (HasUsedBytes<W>) {
    const bool cut = mine && W::splittable(view, slices[index]);
    const std::uint32_t place = reserveInWarp(tail, cut);
    if (cut && place < capacity) static_cast<void>(W::split(view, slices[index], slices[place]));
  } else {
    typename W::Slice kept;
    typename W::Slice given;
    bool cut = false;
    if (mine) {
      kept = slices[index];
      cut = W::split(view, kept, given);
    }
    const std::uint32_t place = reserveInWarp(tail, cut);
    if (cut && place < capacity) {
      slices[index] = kept;
      slices[place] = given;
    }
  }
}

/// A pass of splits that adds less than an eighth is the last one: most slices cannot be cut any more, and
/// finding that out costs a split's whole time again.
__device__ __forceinline__ bool poorlyGrown(std::uint32_t before, std::uint32_t after) {
  return after - before <= before / 8;
}

/// Opens a launch. One block of kSplitThreads threads. Doubles a small batch up to `seedTarget` slices on its
/// own, because a launch for every doubling from one slice on would take longer than the doubling.
template <class W>
__global__ void __launch_bounds__(kSplitThreads)
    beginBatch(const __grid_constant__ SplitArguments<W> arguments, const BeginArguments begin) {
  __shared__ std::uint32_t tail;
  if (threadIdx.x == 0) tail = begin.live;
  __syncthreads();
  std::uint32_t live = begin.live;
  bool stuck = live == 0;
  while (!stuck && live < begin.seedTarget) {
    // Whole warps take part in every pass: splitOne votes.
    for (std::uint32_t base = 0; base < live; base += blockDim.x) {
      const std::uint32_t index = base + threadIdx.x;
      splitOne<W>(arguments.view, arguments.slices, index, index < live, &tail, arguments.capacity);
    }
    __syncthreads();
    const std::uint32_t grown = min(tail, arguments.capacity);
    __syncthreads();
    if (threadIdx.x == 0) tail = grown;
    __syncthreads();
    stuck = poorlyGrown(live, grown);
    live = grown;
  }
  if (threadIdx.x == 0) {
    LaunchState& state = *begin.state;
    state.live = live;
    state.limit = stuck || live > begin.target / 2 ? 0 : live;
    state.arrived = 0;
    state.kept = 0;
    state.taken = 0;
    state.sinkFull = 0;
    state.resultCount = min(state.resultCount, begin.resultCapacity);
    state.steps = 0;
    state.splits = live - begin.live;
    atomicMin(reinterpret_cast<unsigned long long*>(begin.shared),
              static_cast<unsigned long long>(begin.sharedValue));
  }
}

/// One split pass: every slice below `limit` is cut once while there is room. Does nothing when an earlier
/// pass passed half of the target or found little to cut, so the host can queue passes without looking.
template <class W>
__global__ void __launch_bounds__(kSplitThreads)
    splitBatch(const __grid_constant__ SplitArguments<W> arguments) {
  LaunchState& state = *arguments.state;
  const std::uint32_t limit = state.limit;
  if (limit == 0) return;
  const std::uint32_t index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index - threadIdx.x < limit)
    splitOne<W>(arguments.view, arguments.slices, index, index < limit, &state.live, arguments.capacity);
  // The last block to arrive closes the pass: only then have all blocks read `limit` and appended.
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicAdd(&state.arrived, 1U) + 1 != gridDim.x) return;
  const std::uint32_t live = min(atomicAdd(&state.live, 0U), arguments.capacity);
  state.live = live;
  state.splits += live - limit;
  state.limit = poorlyGrown(limit, live) || live > arguments.capacity / 2 ? 0 : live;
  state.arrived = 0;
}

template <class W>
struct CutArguments {
  typename W::View view;
  const typename W::Slice* from = nullptr;
  typename W::Slice* to = nullptr;
  LaunchState* state = nullptr;
  std::uint32_t live = 0;   ///< slices
  std::uint32_t parts = 0;  ///< of each
};

inline constexpr std::uint32_t kPartsOfWarp = kWarpSize - 1;  // the last lane finds where the last part ends

/// Makes `parts` slices of each of a few, where slices can be cut anywhere (W::cut). Blocks of whole warps.
template <class W>
__global__ void cutBatch(const __grid_constant__ CutArguments<W> arguments) {
  const std::uint32_t lane = threadIdx.x % kWarpSize;
  const std::uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / kWarpSize;
  const std::uint32_t parts = arguments.parts;
  const std::uint32_t all = arguments.live * parts;
  const std::uint32_t place = warp * kPartsOfWarp + lane;
  const std::uint32_t slice = min(place, all - 1) / parts;
  const typename W::Slice whole = arguments.from[slice];
  const std::uint64_t cut = W::cut(arguments.view, whole, min(place - slice * parts, parts), parts);
  std::uint64_t end = __shfl_down_sync(kFullMask, cut, 1);
  if (lane == kPartsOfWarp || place >= all) return;
  // The next lane has begun with the next slice.
  if (place + 1 == (slice + 1) * parts) end = W::cut(arguments.view, whole, parts, parts);
  arguments.to[place] = W::between(whole, cut, end);
  if (place != 0) return;
  arguments.state->live = all;
  arguments.state->splits = all - arguments.live;
}

template <bool kInPlace, class Slice>
__device__ __forceinline__ Slice* workedOn(Slice* inMemory, Slice* inRegisters) {
  return kInPlace ? inMemory : inRegisters;
}

/// Copies what is used of a slice, in pieces as large as its alignment allows; thread number `thread` of
/// `threads` that copy together.
template <class W>
__device__ __forceinline__ void copyUsed(typename W::Slice& to, const typename W::Slice& from,
                                         std::size_t thread = 0, std::size_t threads = 1) {
  using Piece = std::conditional_t<alignof(typename W::Slice) % alignof(uint4) == 0, uint4, std::uint32_t>;
  static_assert(sizeof(typename W::Slice) % sizeof(Piece) == 0 &&
                alignof(typename W::Slice) % sizeof(std::uint32_t) == 0);
  const std::size_t pieces = (W::usedBytes(from) + sizeof(Piece) - 1) / sizeof(Piece);
  auto* const target = reinterpret_cast<Piece*>(&to);
  const auto* const source = reinterpret_cast<const Piece*>(&from);
  for (std::size_t i = thread; i < pieces; i += threads) target[i] = source[i];
}

/// Advances every live slice by at most `budget` steps. A slice whose result was refused by a full sink is
/// kept as it is; it emits that result again in its next turn. Blocks of whole warps.
template <class W, class S>
__global__ void __launch_bounds__(kThreadsOf<W>, kBlocksOf<W>)
    advanceBatch(const __grid_constant__ AdvanceArguments<W, S> arguments) {
  LaunchState& state = *arguments.state;
  const std::uint32_t live = state.live;
  const std::uint32_t index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index - threadIdx.x >= live) return;

  // A small slice is worked on in registers, a large one where it lies: a thread's local memory would spread
  // its words over as many cache lines as there are threads in the warp.
  constexpr bool kInPlace = HasUsedBytes<W>;
  [[maybe_unused]] typename W::Slice copy;
  typename W::Slice& slice = *workedOn<kInPlace>(arguments.from + index, &copy);
  Turn turn = Turn::exhausted;
  std::uint64_t steps = 0;
  if (index < live) {
    if constexpr (!kInPlace) slice = arguments.from[index];
    SinkMemory memory = arguments.memory;
    memory.words += static_cast<std::size_t>(blockIdx.x & arguments.replicaMask) * arguments.replicaStride;
    typename S::Emitter emit(arguments.sinkView, memory);
    Budget budget{arguments.budget};
    turn = W::advance(arguments.view, slice, budget, emit);
    emit.flush();
    steps = arguments.budget - budget.left;
  }
  __syncwarp();
  const bool keep = turn != Turn::exhausted;
  const std::uint32_t place = reserveInWarp(&state.kept, keep);
  if constexpr (kInPlace) {
    if (keep) copyUsed<W>(arguments.to[place], slice);
  } else {
    if (keep) arguments.to[place] = slice;
  }

  const unsigned refused = __ballot_sync(kFullMask, turn == Turn::sinkFull);
  steps = sumOverWarp(steps);
  if (threadIdx.x % kWarpSize == 0) {
    if (steps != 0)
      atomicAdd(reinterpret_cast<unsigned long long*>(&state.steps), static_cast<unsigned long long>(steps));
    if (refused != 0) atomicAdd(&state.sinkFull, static_cast<std::uint32_t>(__popc(refused)));
  }
}

/// advanceBatch with a warp for each slice (warp_step.cuh). Blocks of at most kMaximumThreads threads.
template <class W, class S>
__global__ void __launch_bounds__(kMaximumThreads, WarpStep<W, S>::kBlocks)
    advanceBatchByWarps(const __grid_constant__ AdvanceArguments<W, S> arguments) {
  using Step = WarpStep<W, S>;
  __shared__ typename Step::Shared shared;
  LaunchState& state = *arguments.state;
  const std::uint32_t live = state.live;
  const std::uint32_t warps = blockDim.x / kWarpSize;
  if (blockIdx.x * warps >= live) return;
  Step::prepare(arguments.view, shared);
  __syncthreads();
  SinkMemory memory = arguments.memory;
  memory.words += static_cast<std::size_t>(blockIdx.x & arguments.replicaMask) * arguments.replicaStride;
  const std::uint32_t index = blockIdx.x * warps + threadIdx.x / kWarpSize;
  if (index < live) {
    constexpr bool kInPlace = HasUsedBytes<W>;
    [[maybe_unused]] typename W::Slice copy;
    typename W::Slice& slice = *workedOn<kInPlace>(arguments.from + index, &copy);
    if constexpr (!kInPlace) slice = arguments.from[index];
    Budget budget{arguments.budget};
    const Turn turn = Step::advance(arguments.view, arguments.sinkView, memory, shared, slice, budget);
    const unsigned lane = threadIdx.x % kWarpSize;
    std::uint32_t place = 0;
    if (lane == 0) {
      if (turn != Turn::exhausted) place = atomicAdd(&state.kept, 1U);
      atomicAdd(reinterpret_cast<unsigned long long*>(&state.steps),
                static_cast<unsigned long long>(arguments.budget - budget.left));
      if (turn == Turn::sinkFull) atomicAdd(&state.sinkFull, 1U);
    }
    if constexpr (kInPlace) {
      place = __shfl_sync(kFullMask, place, 0);
      if (turn != Turn::exhausted) copyUsed<W>(arguments.to[place], slice, lane, kWarpSize);
    } else {
      if (lane == 0 && turn != Turn::exhausted) arguments.to[place] = slice;
    }
  }
  __syncthreads();
  Step::finish(arguments.sinkView, memory, shared);
}

}  // namespace slicepool::cuda
