// A warp walks a range of ranks window by window: up to 31 neighbouring blocks, a block being the rows with
// one prefix. A lane looks up one block - where its rows are in the output follows from the counting tables -
// and then all lanes share the window's rows evenly, however large or small its blocks are. Used by the warp
// steps of `ranked` (rows.cuh, reduce_rows.cuh, warp_linear.cuh).
#pragma once

#include <cstdint>

#include "kernels/core/warp_step.cuh"
#include "slicepool/factorizations/steps/ranked.hpp"

namespace slicepool::cuda {

/// So that places in a turn's output fit an int: rows are at most 128 bytes.
inline constexpr std::uint64_t kMaximumRowsOfTurn = (std::uint64_t{1} << 31U) / 128 - 1;

inline constexpr int kBlocksOfWindow = 31;  // the entry behind them ends the last one, and has a lane too

/// One block of a window, in shared memory. Rows are counted from the first one of the window.
struct alignas(16) RowBlock {
  std::uint32_t start;  ///< first row
  std::uint32_t axis;   ///< value of the prefix's last coordinate
  std::uint32_t
      from;         ///< stored tails: row r is number from + r; progressions: it has x = from - r * firstStep
  std::uint32_t y;  ///< progressions: row r has y + r * secondStep (all modulo 2^32)
};

/// The blocks of one warp. Entries behind the last block begin where it ends.
struct RowWindow {
  RowBlock blocks[kWarpSize];
};

/// What lanes know of the window at hand.
struct WindowRange {
  std::uint64_t rank = 0;  ///< of the first row
  std::uint32_t rows = 0;
  std::uint32_t blocks = 0;  ///< empty ones included
};

/// Bisection by 32 lanes at once: the same value in all of them.
template <int D>
struct WarpSearch {
  __device__ std::uint32_t operator()(const factorizations::RankedView<D, std::uint32_t>& view, int k,
                                      std::uint32_t residual, std::uint64_t rank) const {
    const std::uint32_t lane = threadIdx.x % kWarpSize;
    std::uint32_t low = 0;
    std::uint32_t high = view.dividers[k].quotient(residual);
    while (low < high) {
      const std::uint32_t step = (high - low + kWarpSize - 1) / kWarpSize;
      const std::uint32_t value = low + (lane + 1) * step;
      const bool enough = value <= high && view.count(k, residual - value * view.generators[k]) > rank;
      low += static_cast<std::uint32_t>(__popc(__ballot_sync(kFullMask, enough))) * step;
      high = min(high, low + step - 1);
    }
    return low;
  }
};

/// Axis coordinates of a prefix's blocks: from `top` down in steps of `stride`.
struct AxisValues {
  std::int32_t top;
  std::int32_t stride;
};

/// Those values up to `top` for which the tail can make up the rest.
__device__ __forceinline__ AxisValues axisValues(const factorizations::RankedTail& tail,
                                                 std::uint32_t residual, std::uint32_t top) {
  const std::uint32_t stride = tail.axisStride;
  if (stride == 1) return {static_cast<std::int32_t>(top), 1};
  const std::uint64_t rest = residual / tail.axisCommon % stride;
  const auto wanted = static_cast<std::uint32_t>(rest * tail.axisInverse % stride);
  const std::uint32_t above = (top % stride + stride - wanted) % stride;
  return {static_cast<std::int32_t>(top) - static_cast<std::int32_t>(above),
          static_cast<std::int32_t>(stride)};
}

template <int D>
using WarpPrefix = factorizations::PrefixCursor<factorizations::RankedView<D, std::uint32_t>, WarpSearch<D>>;

/// The block of one lane: that with axis coordinate `value` (negative: none), cut to ranks [first, last) of
/// rows whose prefix begins at rank `start`. `rank` is where it begins, `last` when it is empty.
template <int D>
__device__ __forceinline__ RowBlock lookUp(const factorizations::RankedView<D, std::uint32_t>& view, int axis,
                                           std::uint32_t residual, std::int32_t value, std::uint64_t start,
                                           std::uint64_t first, std::uint64_t last, std::uint64_t& rank) {
  RowBlock block{0, 0, 0, 0};
  rank = last;
  if (value < 0) return block;
  const std::uint32_t g = view.generators[axis];
  const std::uint32_t left = residual - static_cast<std::uint32_t>(value) * g;
  block.axis = static_cast<std::uint32_t>(value);
  // Rows with a greater axis coordinate come first.
  const std::uint64_t place = start + (left >= g ? view.count(axis, left - g) : 0);
  std::uint64_t skip = place < first ? first - place : 0;
  if (view.tail.offsets != nullptr) {
    const std::uint32_t from = view.tail.offsets[left];
    skip = min(skip, static_cast<std::uint64_t>(view.tail.offsets[left + 1] - from));
    block.from = from + static_cast<std::uint32_t>(skip);
  } else {
    const auto solutions = view.pair.solve(left);
    skip = min(skip, static_cast<std::uint64_t>(solutions.count));
    block.from = solutions.x - static_cast<std::uint32_t>(skip) * view.pair.firstStep;
    block.y = solutions.y + static_cast<std::uint32_t>(skip) * view.pair.secondStep;
  }
  rank = min(last, place + skip);
  return block;
}

/// Calls begin(prefix) for every prefix and take(range) for every window with rows in [first, last); the
/// blocks are in `window` then. All 32 lanes call with the same arguments and take part in every call.
template <int D, class Begin, class Take>
__device__ void forWindows(const factorizations::RankedView<D, std::uint32_t>& view, RowWindow& window,
                           std::uint64_t first, std::uint64_t last, Begin begin, Take take) {
  const int axis = D - view.tail.tail - 1;
  const auto lane = static_cast<std::int32_t>(threadIdx.x % kWarpSize);
  WarpPrefix<D> prefix(view, axis, first);
  std::uint64_t start = first - prefix.rank();  // rank of the first row with this prefix
  std::uint32_t top = WarpSearch<D>{}(view, axis, prefix.residual(), prefix.rank());
  std::uint64_t done = first;
  for (;;) {
    begin(prefix);
    const std::uint32_t residual = prefix.residual();
    const std::uint64_t rowsEnd = start + view.count(axis, residual);
    const std::uint64_t end = min(last, rowsEnd);
    const AxisValues values = axisValues(view.tail, residual, top);
    const std::int32_t windowStep = kBlocksOfWindow * values.stride;
    for (std::int32_t value = values.top; done < end; value -= windowStep) {
      std::uint64_t rank = 0;
      RowBlock block = lookUp<D>(view, axis, residual, value - lane * values.stride, start, first, end, rank);
      // The lane behind the last block has looked up where the next window begins.
      const std::uint64_t windowEnd = __shfl_sync(kFullMask, rank, kBlocksOfWindow);
      const auto begins = static_cast<std::uint32_t>(rank - done);
      block.start = begins;
      block.from += view.tail.offsets != nullptr ? 0U - begins : begins * view.pair.firstStep;
      block.y -= begins * view.pair.secondStep;
      __syncwarp();
      window.blocks[lane] = block;
      __syncwarp();
      if (windowEnd != done) {
        take(WindowRange{done, static_cast<std::uint32_t>(windowEnd - done),
                         static_cast<std::uint32_t>(min(value / values.stride + 1, kBlocksOfWindow))});
      }
      done = windowEnd;
    }
    if (done >= last) return;
    start = rowsEnd;
    (void)prefix.moveToNext();
    top = view.dividers[axis].quotient(prefix.residual());
  }
}

/// The block that holds row `row` of the window, starting to look at block `index`. A row further on in the
/// window is in the same block or in a later one.
__device__ __forceinline__ int blockOf(const RowWindow& window, int index, std::uint32_t row) {
  while (window.blocks[index + 1].start <= row) ++index;
  return index;
}

}  // namespace slicepool::cuda
