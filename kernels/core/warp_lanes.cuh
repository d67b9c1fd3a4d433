// The lanes of a warp for code over `Lanes` (slicepool/three_in_line/steps/lane_cells.hpp). All 32 lanes
// call.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "warp_step.cuh"

namespace slicepool::cuda {

struct WarpLanes {
  using Word = std::uint32_t;  ///< this lane's

  static __device__ __forceinline__ Word lane() { return threadIdx.x % kWarpSize; }
  /// Whether a lane is in a mask of lanes.
  static __device__ __forceinline__ Word member(std::uint32_t mask) { return mask >> lane() & 1U; }
  static __device__ __forceinline__ Word choose(Word condition, Word yes, Word no) {
    return condition != 0 ? yes : no;
  }
  template <class F, class... Words>
  static __device__ __forceinline__ Word map(F f, Words... words) {
    return f(words...);
  }
  static __device__ __forceinline__ std::uint32_t ballot(Word word) {
    return __ballot_sync(kFullMask, word != 0);
  }
  static __device__ __forceinline__ bool any(Word word) { return __any_sync(kFullMask, word != 0) != 0; }
  static __device__ __forceinline__ std::uint32_t least(Word word) {
    return __reduce_min_sync(kFullMask, word);
  }
  static __device__ __forceinline__ std::uint32_t broadcast(Word word, int lane) {
    return __shfl_sync(kFullMask, word, lane);
  }
  static __device__ __forceinline__ Word exchange(Word word, int distance) {
    return __shfl_xor_sync(kFullMask, word, distance);
  }
  static __device__ __forceinline__ Word leadingZeros(Word word) {
    return static_cast<Word>(__clz(static_cast<int>(word)));
  }
  static __device__ __forceinline__ Word rotateLeft(Word word, Word by) {
    return __funnelshift_l(word, word, by);
  }
  template <class T>
  static __device__ __forceinline__ Word read(const T* from, Word place) {
    return from[place];
  }
  /// From memory that no thread writes to.
  static __device__ __forceinline__ Word readTable(const std::uint32_t* from, Word place) {
    return __ldg(from + place);
  }
  template <class T>
  static __device__ __forceinline__ void write(T* to, Word place, Word value, Word condition) {
    if (condition != 0) to[place] = static_cast<T>(value);
  }
  static __device__ __forceinline__ void sync() { __syncwarp(); }
};

}  // namespace slicepool::cuda
