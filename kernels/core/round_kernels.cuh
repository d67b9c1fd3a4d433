// advanceBatch for searches whose slices are of very different sizes (W::kDeviceRound): a thread does not
// stay with one slice.
//
// The threads that the device runs at once advance their slices in rounds of a few steps. Between two rounds
// a thread whose slice is exhausted takes the next one of the batch; when the batch has none left, the
// threads of its warp that have work split their slices for it. So a launch can last for milliseconds,
// although most slices end after microseconds, and no thread waits for the longest slice of its warp. No
// thread waits for another warp.
#pragma once

#include "batch_kernels.cuh"

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

/// Threads of a warp that are idle get parts of what the others have. `places` are slices in global memory,
/// one for each thread of the warp, that only these threads use. All 32 threads must call. Returns whether
/// this thread has work now; adds to `splits`.
template <class W>
__device__ __forceinline__ bool splitInWarp(const typename W::View& view, typename W::Slice& slice,
                                            typename W::Slice* places, bool works, bool wants,
                                            std::uint32_t& splits) {
  const unsigned lane = threadIdx.x % kWarpSize;
  const unsigned below = (1U << lane) - 1U;
  const bool gives = works && W::splittable(view, slice);
  const unsigned givers = __ballot_sync(kFullMask, gives);
  const unsigned takers = __ballot_sync(kFullMask, wants);
  // The i-th that gives serves the i-th that wants.
  const auto number = static_cast<unsigned>(__popc(givers & below));
  bool given = false;
  if (gives && number < static_cast<unsigned>(__popc(takers))) {
    given = W::split(view, slice, places[placeOfBit(takers, number)]);
    splits += given ? 1U : 0U;
  }
  const unsigned gave = __ballot_sync(kFullMask, given);
  __syncwarp();  // what was given is read
  const auto place = static_cast<unsigned>(__popc(takers & below));
  const bool gets =
      wants && place < static_cast<unsigned>(__popc(givers)) && (gave >> placeOfBit(givers, place) & 1U) != 0;
  if (gets) copyUsed<W>(slice, places[lane]);
  __syncwarp();  // before these places are written again
  return works || gets;
}

/// Advances the slices of a batch by at most `budget` steps a thread. Blocks of whole warps; no more of them
/// than run at once are of use. Slices that nobody took, and those whose result a full sink refused, are kept
/// as they are.
template <class W, class S>
__global__ void __launch_bounds__(kThreadsOf<W>, kBlocksOf<W>)
    advanceInRounds(const __grid_constant__ AdvanceArguments<W, S> arguments) {
  static_assert(HasUsedBytes<W>, "a workload with rounds has slices with used bytes");
  LaunchState& state = *arguments.state;
  const std::uint32_t live = state.live;
  const std::uint32_t threads = gridDim.x * blockDim.x;
  const std::uint32_t index = blockIdx.x * blockDim.x + threadIdx.x;
  const std::uint32_t firstOfWarp = index - threadIdx.x % kWarpSize;
  if (firstOfWarp >= live) return;

  typename W::Slice slice;  // local memory: the words of a warp lie side by side there
  SinkMemory memory = arguments.memory;
  memory.words += static_cast<std::size_t>(blockIdx.x & arguments.replicaMask) * arguments.replicaStride;
  typename S::Emitter emit(arguments.sinkView, memory);
  bool works = index < live;
  if (works) copyUsed<W>(slice, arguments.from[index]);
  // From here on the places of this warp in `from` are free. A warp at the end of the batch has fewer.
  __syncwarp();
  const bool wholeWarp = firstOfWarp + kWarpSize <= live;

  bool full = false;
  bool dry = threads >= live;  // nothing is left to be taken
  std::uint64_t left = arguments.budget;
  std::uint64_t steps = 0;
  std::uint32_t splits = 0;
  while (left != 0) {
    const std::uint64_t round = left < W::kDeviceRound ? left : W::kDeviceRound;
    left -= round;
    if (works && !full) {
      Budget budget{round};
      const Turn turn = W::advance(arguments.view, slice, budget, emit);
      steps += round - budget.left;
      works = turn != Turn::exhausted;
      full = turn == Turn::sinkFull;
    }
    const unsigned idle = __ballot_sync(kFullMask, !works);
    if (idle == 0) continue;
    if (!dry) {
      const std::uint32_t next = threads + reserveInWarp(&state.taken, !works);
      if (!works && next < live) {
        copyUsed<W>(slice, arguments.from[next]);
        works = true;
      }
      dry = __any_sync(kFullMask, !works);
    } else if (idle == kFullMask) {
      break;
    } else if (wholeWarp && __popc(idle) >= kIdleLanes) {
      works = splitInWarp<W>(arguments.view, slice, arguments.from + firstOfWarp, works, !works, splits);
    }
  }
  emit.flush();
  __syncwarp();

  const std::uint32_t place = reserveInWarp(&state.kept, works);
  if (works) copyUsed<W>(arguments.to[place], slice);
  // What nobody took.
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
