// Linear forms of rows, and the fingerprint made of them, by warps: lanes take the rows of a window, and a
// row's form is that of its prefix plus a stored or progressing part of its tail. Used by rows.cuh and
// reduce_rows.cuh.
#pragma once

#include <cstdint>

#include "kernels/core/warp_step.cuh"
#include "ranked_windows.cuh"
#include "slicepool/core/fingerprint.hpp"
#include "slicepool/core/words.hpp"

namespace slicepool::cuda {

/// sum of weight(k) * coordinate k (+ `constant`), modulo 2^64. Stored tails bring values of the same
/// weights.
template <int D, class Weight>
class WarpLinear {
 public:
  using View = factorizations::RankedView<D, std::uint32_t>;

  __device__ WarpLinear(const View& view, Weight weight, std::uint64_t constant)
      : view_(view), weight_(weight), constant_(constant) {}

  /// By all lanes of the warp.
  __device__ void beginPrefix(const WarpPrefix<D>& prefix) {
    const int axis = D - view_.tail.tail - 1;
    base_ = constant_;
#pragma unroll
    for (int k = 0; k < D; ++k) {
      if (k < axis) base_ += weight_(k) * prefix.coordinates()[k];
      if (k == axis) axisWeight_ = weight_(k);
    }
  }

  /// Calls take(form) for the rows of the window that are this lane's.
  template <class Take>
  __device__ void forRows(const RowWindow& window, const WindowRange& range, Take take) const {
    const std::uint64_t first = weight_(D - 2);
    const std::uint64_t second = weight_(D - 1);
    int index = 0;
    for (std::uint32_t row = threadIdx.x % kWarpSize; row < range.rows; row += kWarpSize) {
      index = blockOf(window, index, row);
      const RowBlock block = window.blocks[index];
      const std::uint64_t tail =
          view_.tail.offsets != nullptr
              ? __ldg(view_.tail.values + static_cast<std::uint32_t>(block.from + row))
              : first * static_cast<std::uint32_t>(block.from - row * view_.pair.firstStep) +
                    second * static_cast<std::uint32_t>(block.y + row * view_.pair.secondStep);
      take(base_ + axisWeight_ * block.axis + tail);
    }
  }

 private:
  const View& view_;
  Weight weight_;
  std::uint64_t constant_;
  std::uint64_t base_ = 0;
  std::uint64_t axisWeight_ = 0;
};

/// The weights of the fingerprint.
struct HashWeight {
  __device__ __forceinline__ std::uint64_t operator()(int k) const {
    return coordinateMultiplier(static_cast<unsigned>(k));
  }
};

__device__ __forceinline__ unsigned long long warpSum(unsigned long long value) {
  for (unsigned distance = kWarpSize / 2; distance != 0; distance /= 2)
    value += __shfl_down_sync(kFullMask, value, distance);
  return value;
}

template <int D>
class WarpMix {
 public:
  __device__ explicit WarpMix(const factorizations::RankedView<D, std::uint32_t>& view)
      : linear_(view, HashWeight{}, kRowHashOffset) {}

  __device__ void beginPrefix(const WarpPrefix<D>& prefix) { linear_.beginPrefix(prefix); }
  __device__ void add(const RowWindow& window, const WindowRange& range) {
    linear_.forRows(
        window, range,
        [&](std::uint64_t form) {
          const std::uint64_t mixed = mix64(form);
          sum_ += mixed;
          exclusiveOr_ ^= mixed;
        });
  }

  /// Adds the warp's totals to sum and exclusive-or at `words`. By all lanes.
  __device__ void flush(std::uint64_t* words) {
    const unsigned long long sum = warpSum(sum_);
    auto bits = static_cast<unsigned long long>(exclusiveOr_);
    for (unsigned distance = kWarpSize / 2; distance != 0; distance /= 2)
      bits ^= __shfl_down_sync(kFullMask, bits, distance);
    if (threadIdx.x % kWarpSize == 0) {
      mergeWord<Merge::add>(words, sum);
      mergeWord<Merge::exclusiveOr>(words + 1, bits);
    }
    sum_ = exclusiveOr_ = 0;
  }

 private:
  WarpLinear<D, HashWeight> linear_;
  std::uint64_t sum_ = 0;
  std::uint64_t exclusiveOr_ = 0;
};

}  // namespace slicepool::cuda
