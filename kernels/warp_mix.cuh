// The fingerprint of windows of rows, by warps: lanes take rows, whose hashes are the mix of a linear form
// with a stored or progressing tail part. Used by expand_rows.cuh and reduce_rows.cuh.
#pragma once

#include <cstdint>

#include "ranked_windows.cuh"
#include "slicepool/core/fingerprint.hpp"
#include "slicepool/core/words.hpp"
#include "warp_step.cuh"

namespace slicepool::cuda {

template <int D>
class WarpMix {
 public:
  using View = factorizations::RankedView<D, std::uint32_t>;

  __device__ void beginPrefix(const View& view, const WarpPrefix<D>& prefix) {
    const int axis = D - view.tail.tail - 1;
    base_ = kRowHashOffset;
#pragma unroll
    for (int k = 0; k < D; ++k) {
      if (k < axis) base_ += coordinateMultiplier(static_cast<unsigned>(k)) * prefix.coordinates()[k];
      if (k == axis) axisWeight_ = coordinateMultiplier(static_cast<unsigned>(k));
    }
  }

  /// By all lanes of the warp.
  __device__ void add(const View& view, const RowWindow& window, const WindowRange& range) {
    const std::uint64_t first = coordinateMultiplier(D - 2);
    const std::uint64_t second = coordinateMultiplier(D - 1);
    int index = 0;
    for (std::uint32_t row = threadIdx.x % kWarpLanes; row < range.rows; row += kWarpLanes) {
      index = blockOf(window, index, row);
      const RowBlock block = window.blocks[index];
      const std::uint64_t base = base_ + axisWeight_ * block.axis;
      const std::uint64_t tail =
          view.tail.offsets != nullptr
              ? __ldg(view.tail.values + static_cast<std::uint32_t>(block.from + row))
              : first * static_cast<std::uint32_t>(block.from - row * view.pair.firstStep) +
                    second * static_cast<std::uint32_t>(block.y + row * view.pair.secondStep);
      const std::uint64_t mixed = mix64(base + tail);
      sum_ += mixed;
      exclusiveOr_ ^= mixed;
    }
  }

  /// Adds the warp's totals to sum and exclusive-or at `words`. By all lanes.
  __device__ void flush(std::uint64_t* words) {
    auto sum = static_cast<unsigned long long>(sum_);
    auto bits = static_cast<unsigned long long>(exclusiveOr_);
    for (unsigned distance = kWarpLanes / 2; distance != 0; distance /= 2) {
      sum += __shfl_down_sync(0xffffffffU, sum, distance);
      bits ^= __shfl_down_sync(0xffffffffU, bits, distance);
    }
    if (threadIdx.x % kWarpLanes == 0) {
      mergeWord<Merge::add>(words, sum);
      mergeWord<Merge::exclusiveOr>(words + 1, bits);
    }
    sum_ = exclusiveOr_ = 0;
  }

 private:
  std::uint64_t base_ = 0;
  std::uint64_t axisWeight_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t exclusiveOr_ = 0;
};

}  // namespace slicepool::cuda
