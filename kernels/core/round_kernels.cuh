// advanceBatch for searches whose slices are of very different sizes (W::kDeviceRound): a thread does not
// stay with one slice.
//
// The threads that the device runs at once advance their slices in rounds of a few steps. Between two rounds
// a thread whose slice is exhausted takes the next one of the batch; when the batch has none left, the
// threads of its warp that have work split their slices for it. So a launch can last for milliseconds,
// although most slices end after microseconds, and no thread waits for the longest slice of its warp. No
// thread waits for another warp.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "batch_kernels.cuh"
#include "slicepool/detail/spilling_stack.hpp"

namespace slicepool::cuda {

/// Idle threads of a warp for which the others split. Splitting stops the whole warp, so a few idle ones are
/// cheaper.
inline constexpr int kIdleLanes = 8;

/// The place of set bit number `number` of a mask that has more than `number` of them.
__device__ __forceinline__ unsigned placeOfBit(unsigned mask, unsigned number) {
  unsigned place = 0;
#pragma unroll
  for (unsigned width = kWarpSize / 2; width != 0; width /= 2) {
    const auto lower = static_cast<unsigned>(__popc(mask & ((1U << width) - 1U)));
    if (number >= lower) {
      number -= lower;
      place += width;
      mask >>= width;
    }
  }
  return place;
}

/// Of a lane that needs none.
struct NoStack {
  static constexpr std::uint32_t kBytes = 0;
  struct Others {};
  __device__ __forceinline__ explicit NoStack(Others&) {}
};

/// A slice as one thread works on it for many rounds: W::Lane where the workload has a form of its own for
/// that (docs/adding-a-workload.md), else the slice itself.
template <class W>
class PlainLane {
 public:
  using Stack = NoStack;

  __device__ __forceinline__ void load(const typename W::View&, const typename W::Slice& slice, Stack&) {
    copyUsed<W>(slice_, slice);
  }
  template <class Emit>
  __device__ __forceinline__ Turn advance(const typename W::View& view, unsigned passes, std::uint64_t& steps,
                                          Stack&, Emit& emit) {
    Budget budget{passes};
    const Turn turn = W::advance(view, slice_, budget, emit);
    steps += passes - budget.left;
    return turn;
  }
  template <class Emit>
  __device__ __forceinline__ bool finish(Stack&, Emit&) {
    return true;
  }
  __device__ __forceinline__ void store(const typename W::View&, typename W::Slice& slice,
                                        const Stack&) const {
    copyUsed<W>(slice, slice_);
  }
  __device__ __forceinline__ bool splittable(const typename W::View& view, const Stack&) const {
    return W::splittable(view, slice_);
  }
  __device__ __forceinline__ void split(const typename W::View& view, typename W::Slice& given, Stack&) {
    static_cast<void>(W::split(view, slice_, given));
  }

 private:
  typename W::Slice slice_;  // local memory: the words of a warp lie side by side there
};

/// Frames of one thread in shared memory. Their words of 64 bits lie side by side for the threads of a block:
/// so they are in different banks whatever frame each of these threads looks at. In local memory, every
/// thread of a warp with another frame would cost a sector for each word.
template <class Frame>
class SharedFrames {
 public:
  static_assert(sizeof(Frame) % sizeof(std::uint64_t) == 0);
  static constexpr std::uint32_t kWords = sizeof(Frame) / sizeof(std::uint64_t);

  __device__ __forceinline__ SharedFrames() {
    extern __shared__ std::uint64_t framesOfBlock[];
    words_ = framesOfBlock + threadIdx.x;
  }
  [[nodiscard]] __device__ __forceinline__ Frame get(int place) const {
    std::uint64_t words[kWords];
#pragma unroll
    for (std::uint32_t i = 0; i < kWords; ++i) words[i] = words_[at(place, i)];
    Frame frame;
    memcpy(&frame, words, sizeof frame);
    return frame;
  }
  __device__ __forceinline__ void put(int place, const Frame& frame) {
    std::uint64_t words[kWords];
    memcpy(words, &frame, sizeof frame);
#pragma unroll
    for (std::uint32_t i = 0; i < kWords; ++i) words_[at(place, i)] = words[i];
  }

 private:
  [[nodiscard]] __device__ __forceinline__ static std::uint32_t at(int place, std::uint32_t word) {
    return (static_cast<std::uint32_t>(place) * kWords + word) * blockDim.x;
  }
  std::uint64_t* words_;
};

template <class W>
struct LaneOf {
  using Type = PlainLane<W>;
  using Stack = NoStack;
};
template <class W>
requires(!std::is_void_v<typename W::Lane>) struct LaneOf<W> {
  using Type = typename W::Lane;
  struct Stack : SpillingStack<typename Type::Frame, Type::kFastFrames, SharedFrames<typename Type::Frame>> {
    /// Shared memory of a thread.
    static constexpr std::uint32_t kBytes = Type::kFastFrames * sizeof(typename Type::Frame);
    /// In local memory.
    struct Others {
      typename Type::Frame frames[Type::kMaximumFrames];
    };
    __device__ __forceinline__ explicit Stack(Others& others)
        : SpillingStack<typename Type::Frame, Type::kFastFrames, SharedFrames<typename Type::Frame>>(
              SharedFrames<typename Type::Frame>(), others.frames) {}
  };
};

/// Counters of sink S in the shared memory of a block: S::kNearWords, or none.
template <class S>
inline constexpr std::uint32_t kNearWordsOf = [] {
  if constexpr (requires { S::kNearWords; })
    return S::kNearWords;
  else
    return 0U;
}();
/// Rounds between two drains of them.
inline constexpr std::uint32_t kDrainRounds = 1024;

/// Those of this block, empty; behind the frames of its threads. All threads of the block must call.
template <class W, class S>
__device__ __forceinline__ NearWords nearWordsOfBlock() {
  constexpr std::uint32_t kSize = kNearWordsOf<S>;
  static_assert((kSize & (kSize - 1)) == 0, "S::kNearWords is a power of two");
  static_assert(std::uint64_t{kDrainRounds} * W::kDeviceRound * kThreadsOf<W> < std::uint64_t{1} << 32U,
                "a counter could overflow between two drains");
  if constexpr (kSize == 0) {
    return {};
  } else {
    extern __shared__ std::uint64_t framesOfBlock[];
    auto* const owners = reinterpret_cast<std::uint32_t*>(
        framesOfBlock + blockDim.x * (LaneOf<W>::Stack::kBytes / sizeof(std::uint64_t)));
    for (std::uint32_t i = threadIdx.x; i < 2 * kSize; i += blockDim.x) owners[i] = 0;
    __syncthreads();
    return {owners, owners + kSize, kSize};
  }
}

/// Threads of a warp that are idle get parts of what the others have. `places` are slices in global memory,
/// `stride` apart, one for each thread of the warp, that only these threads use. All 32 threads must call.
/// Returns whether this thread has work now; adds to `splits`.
template <class W, class Lane, class Stack>
__device__ __forceinline__ bool splitInWarp(const typename W::View& view, Lane& own, Stack& stack,
                                            typename W::Slice* places, std::uint32_t stride, bool works,
                                            bool wants, std::uint32_t& splits) {
  const unsigned lane = threadIdx.x % kWarpSize;
  const unsigned below = (1U << lane) - 1U;
  const bool can = works && own.splittable(view, stack);
  const unsigned givers = __ballot_sync(kFullMask, can);
  const unsigned takers = __ballot_sync(kFullMask, wants);
  // The i-th that gives serves the i-th that wants.
  const auto number = static_cast<unsigned>(__popc(givers & below));
  if (can && number < static_cast<unsigned>(__popc(takers))) {
    own.split(view, places[placeOfBit(takers, number) * stride], stack);
    ++splits;
  }
  __syncwarp();  // what was given is read
  const bool gets =
      wants && static_cast<unsigned>(__popc(takers & below)) < static_cast<unsigned>(__popc(givers));
  if (gets) own.load(view, places[lane * stride], stack);
  __syncwarp();  // before these places are written again
  return works || gets;
}

/// Advances the slices of a batch by at most `budget` steps a thread. Blocks of whole warps, as many as run
/// at once; `from` has room for a slice for each of their threads. Slices that no thread took, and those
/// whose result a full sink refused, are kept as they are.
template <class W, class S>
__global__ void __launch_bounds__(kThreadsOf<W>, kBlocksOf<W>)
    advanceInRounds(const __grid_constant__ AdvanceArguments<W, S> arguments) {
  static_assert(HasUsedBytes<W>, "a workload with rounds has slices with used bytes");
  LaunchState& state = *arguments.state;
  const std::uint32_t live = state.live;
  const std::uint32_t threads = gridDim.x * blockDim.x;
  // Slices are dealt to the warps one by one: few of them are enough for every warp to have something to cut,
  // and the largest ones, which lie side by side after splits, come to different warps.
  const std::uint32_t warps = threads / kWarpSize;
  const std::uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / kWarpSize;
  const std::uint32_t index = threadIdx.x % kWarpSize * warps + warp;
  const NearWords near = nearWordsOfBlock<W, S>();
  if (warp >= live) return;

  typename LaneOf<W>::Type lane;
  typename LaneOf<W>::Stack::Others others;
  typename LaneOf<W>::Stack stack(others);
  SinkMemory memory = arguments.memory;
  memory.words += static_cast<std::size_t>(blockIdx.x & arguments.replicaMask) * arguments.replicaStride;
  memory.near = near;
  typename S::Emitter emit(arguments.sinkView, memory);
  bool works = index < live;
  if (works) lane.load(arguments.view, arguments.from[index], stack);
  // From here on the places of this warp in `from` are free.
  __syncwarp();

  bool full = false;
  bool dry = threads >= live;  // nothing is left to be taken
  std::uint64_t left = arguments.budget;
  std::uint64_t steps = 0;
  std::uint32_t splits = 0;
  [[maybe_unused]] std::uint32_t rounds = 0;
  while (left != 0) {
    if constexpr (kNearWordsOf<S> != 0) {
      if (++rounds % kDrainRounds == 0) near.drain(memory.words, threadIdx.x % kWarpSize, kWarpSize);
    }
    const auto round = static_cast<unsigned>(left < W::kDeviceRound ? left : W::kDeviceRound);
    left -= round;
    if (works && !full) {
      const Turn turn = lane.advance(arguments.view, round, steps, stack, emit);
      works = turn != Turn::exhausted;
      full = turn == Turn::sinkFull;
    }
    const unsigned idle = __ballot_sync(kFullMask, !works);
    const unsigned stopped = __ballot_sync(kFullMask, full);
    if (idle == 0 && stopped == kFullMask) break;
    if (idle == 0) continue;
    if (!dry) {
      const std::uint32_t next = threads + reserveInWarp(&state.taken, !works);
      if (!works && next < live) {
        lane.load(arguments.view, arguments.from[next], stack);
        works = true;
      }
      dry = __any_sync(kFullMask, !works);
    } else if ((idle | stopped) == kFullMask) {
      break;
    } else if (__popc(idle) >= kIdleLanes) {
      works =
          splitInWarp<W>(arguments.view, lane, stack, arguments.from + warp, warps, works, !works, splits);
    }
  }
  works = works && lane.finish(stack, emit);
  emit.flush();
  __syncwarp();
  if constexpr (kNearWordsOf<S> != 0) near.drain(memory.words, threadIdx.x % kWarpSize, kWarpSize);

  const std::uint32_t place = reserveInWarp(&state.kept, works);
  if (works) lane.store(arguments.view, arguments.to[place], stack);
  // What no thread took.
  while (!dry) {
    const std::uint32_t next = threads + reserveInWarp(&state.taken, true);
    const bool keep = next < live;
    const std::uint32_t to = reserveInWarp(&state.kept, keep);
    if (keep) copyUsed<W>(arguments.to[to], arguments.from[next]);
    dry = __any_sync(kFullMask, !keep);
  }

  const unsigned refused = __ballot_sync(kFullMask, full);
  steps = sumOverWarp(steps);
  const std::uint64_t cuts = sumOverWarp(splits);
  if (threadIdx.x % kWarpSize == 0) {
    if (steps != 0)
      atomicAdd(reinterpret_cast<unsigned long long*>(&state.steps), static_cast<unsigned long long>(steps));
    if (cuts != 0)
      atomicAdd(reinterpret_cast<unsigned long long*>(&state.splits), static_cast<unsigned long long>(cuts));
    if (refused != 0) atomicAdd(&state.sinkFull, static_cast<std::uint32_t>(__popc(refused)));
  }
}

}  // namespace slicepool::cuda
