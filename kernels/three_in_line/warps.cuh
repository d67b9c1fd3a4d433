// The no-three-in-line search with a warp for each slice: specialises WarpStep. The code of it is
// lane_search.hpp. Included by search_instances.cuh, which registers the search; the kernels are compiled in
// warps.cu.
#pragma once

#include <cstdint>

#include "kernels/core/batch_kernels.cuh"
#include "kernels/core/warp_lanes.cuh"
#include "kernels/core/warp_launch.cuh"
#include "kernels/core/warp_step.cuh"
#include "slicepool/three_in_line/sinks.hpp"
#include "slicepool/three_in_line/steps/lane_search.hpp"
#include "slicepool/three_in_line/steps/search.hpp"

namespace slicepool::cuda {

/// Solutions are rare: their code is kept out of the registers of the search.
template <class S>
__device__ __noinline__ bool emitRows(const typename S::View& sink, const SinkMemory& memory,
                                      const std::uint32_t* rows, int n) {
  typename S::Emitter emit(sink, memory);
  const bool taken = emit(three_in_line::solutionOfRows(rows, n));
  emit.flush();
  return taken;
}

/// Boards of 32-bit rows, for which a thread has not registers enough; packed ones where they are not small.
template <class Shape, class S>
struct WarpStep<three_in_line::Search<Shape, three_in_line::TableLines>, S> {
  static constexpr bool kExists = Shape::kRowsInWord == 1 || Shape::kWords >= 6;
  /// As measured (docs/performance/three-in-line.md): n = 11 and 12 are too short to fill the lanes of
  /// threads.
  static constexpr bool kPreferred = Shape::kRowsInWord == 1 || Shape::kWords == 6;
  /// 40 registers a thread: 48 warps of a multiprocessor hide each other's waiting for lines.
  static constexpr unsigned kBlocks = 6;

  using W = three_in_line::Search<Shape, three_in_line::TableLines>;
  static constexpr unsigned kMaximumWarps = kMaximumThreads / kWarpSize;

  struct Shared {
    three_in_line::LaneScratch<Shape> warps[kMaximumWarps];
  };

  /// What visits tell and solutions go to. The lanes count together; the first one emits.
  struct Emit {
    __device__ __forceinline__ bool solution(const std::uint32_t* rows) const {
      const bool leads = WarpLanes::lane() == 0;
      return WarpLanes::any(leads && emitRows<S>(sink, memory, rows, view.geometry.n) ? 1U : 0U);
    }
    __device__ __forceinline__ void visited() const {}
    const typename W::View& view;
    const typename S::View& sink;
    const SinkMemory& memory;
  };

  static bool available(const typename W::View&) { return true; }
  static __device__ void prepare(const typename W::View&, Shared&) {}
  static __device__ Turn advance(const typename W::View& view, const typename S::View& sink,
                                 const SinkMemory& memory, Shared& shared, typename W::Slice& slice,
                                 Budget& budget) {
    Emit emit{view, sink, memory};
    const std::uint64_t before = budget.left;
    three_in_line::LaneSearch<WarpLanes, Shape> search(view, slice, shared.warps[threadIdx.x / kWarpSize]);
    const Turn turn = search.advance(budget, emit);
    // A step is a visit.
    if (WarpLanes::lane() == 0 && budget.left != before)
      mergeWord<Merge::add>(memory.words + three_in_line::kNodesWord, before - budget.left);
    return turn;
  }
  static __device__ void finish(const typename S::View&, const SinkMemory&, Shared&) {}
};

/// X(shape): those whose warp kernels are compiled in warps.cu.
#define SLICEPOOL_THREE_IN_LINE_WARPS(X) \
  X(Packed<6>)                           \
  X(Packed<7>)                           \
  X(Packed<8>)                           \
  X(Wide<20>)                            \
  X(Wide<24>)                            \
  X(Wide<28>)                            \
  X(Wide<32>)

#define SLICEPOOL_DECLARE(S)                                                                        \
  extern template struct WarpLaunch<three_in_line::Search<three_in_line::S>, three_in_line::Tally>; \
  extern template struct WarpLaunch<three_in_line::Search<three_in_line::S>, three_in_line::CollectSolutions>;
SLICEPOOL_THREE_IN_LINE_WARPS(SLICEPOOL_DECLARE)
#undef SLICEPOOL_DECLARE

}  // namespace slicepool::cuda
