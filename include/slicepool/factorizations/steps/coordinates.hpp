// Small arrays of coordinates that live in registers on a device. A dynamically indexed register array goes
// to local memory there, so that the helpers below unroll into selects on a device and index plainly on the
// host. Used by every step function of the factorizations workload.
//
// A family <D, Word> is either D = 1..16 coordinates known at compile time, or D = 0: the dimension is a
// run-time value up to kGenericCapacity.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"

namespace slicepool::factorizations {

inline constexpr int kGenericCapacity = 64;
inline constexpr int kMaximumCompiledDimension = 16;

template <int D>
inline constexpr int kCapacity = D > 0 ? D : kGenericCapacity;

template <int D, class Word>
using Coordinates = Word[kCapacity<D>];

/// Calls f(k) for k = 0..dimension-1; unrolled when D is known.
template <int D, class F>
SLICEPOOL_INLINE void forCoordinates(int dimension, F&& f) {
  if constexpr (D > 0) {
    (void)dimension;
    SLICEPOOL_UNROLL
    for (int k = 0; k < D; ++k) f(k);
  } else {
    SLICEPOOL_NO_UNROLL
    for (int k = 0; k < dimension; ++k) f(k);
  }
}

/// array[index], 0 <= index < capacity.
template <int D, class Word>
SLICEPOOL_INLINE Word pick(const Coordinates<D, Word>& array, int index) {
#if SLICEPOOL_ON_DEVICE
  if constexpr (D > 0) {
    Word value = array[0];
    SLICEPOOL_UNROLL
    for (int k = 1; k < D; ++k) value = k == index ? array[k] : value;
    return value;
  } else {
    return array[index];
  }
#else
  return array[index];
#endif
}

/// array[index] = value.
template <int D, class Word>
SLICEPOOL_INLINE void put(Coordinates<D, Word>& array, int index, Word value) {
#if SLICEPOOL_ON_DEVICE
  if constexpr (D > 0) {
    SLICEPOOL_UNROLL
    for (int k = 0; k < D; ++k) array[k] = k == index ? value : array[k];
  } else {
    array[index] = value;
  }
#else
  array[index] = value;
#endif
}

/// Largest k <= top with array[k] > 0, or -1.
template <int D, class Word>
SLICEPOOL_INLINE int lastNonZero(const Coordinates<D, Word>& array, int top) {
#if SLICEPOOL_ON_DEVICE
  if constexpr (D > 0) {
    int found = -1;
    SLICEPOOL_UNROLL
    for (int k = 0; k < D; ++k) found = (k <= top && array[k] != 0) ? k : found;
    return found;
  }
#endif
  int k = top;
  while (k >= 0 && array[k] == 0) --k;
  return k;
}

/// First k with a[k] != b[k], or `dimension`.
template <int D, class Word>
SLICEPOOL_INLINE int firstDifference(const Coordinates<D, Word>& a, const Coordinates<D, Word>& b,
                                     int dimension) {
  if constexpr (D > 0) {
    int found = D;
    SLICEPOOL_UNROLL
    for (int k = D - 1; k >= 0; --k) found = a[k] != b[k] ? k : found;
    return found;
  } else {
    int k = 0;
    while (k < dimension && a[k] == b[k]) ++k;
    return k;
  }
}

/// a > b in lexicographic order.
template <int D, class Word>
SLICEPOOL_INLINE bool lexicographicallyGreater(const Coordinates<D, Word>& a, const Coordinates<D, Word>& b,
                                               int dimension) {
  const int k = firstDifference<D, Word>(a, b, dimension);
  return k < dimension && pick<D, Word>(a, k) > pick<D, Word>(b, k);
}

/// Index of the lowest set bit; mask != 0.
SLICEPOOL_INLINE int lowestBit(std::uint32_t mask) {
#if SLICEPOOL_ON_DEVICE
  return __ffs(static_cast<int>(mask)) - 1;
#else
  return __builtin_ctz(mask);
#endif
}

SLICEPOOL_INLINE unsigned bitCount(std::uint32_t mask) {
#if SLICEPOOL_ON_DEVICE
  return static_cast<unsigned>(__popc(mask));
#else
  return static_cast<unsigned>(__builtin_popcount(mask));
#endif
}

}  // namespace slicepool::factorizations
