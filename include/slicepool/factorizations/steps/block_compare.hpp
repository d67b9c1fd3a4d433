// Compares one value with 16 at once on x86-64 hosts, for the inner run of the lexicographic step function.
// The plain loop beside it (lexicographic_advance.hpp) is what devices and other hosts execute.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"

#if defined(__SSE2__) && !defined(__CUDACC__)
#define SLICEPOOL_FACTORIZATIONS_SSE2 1
#include <emmintrin.h>
#else
#define SLICEPOOL_FACTORIZATIONS_SSE2 0
#endif

#if SLICEPOOL_FACTORIZATIONS_SSE2
namespace slicepool::factorizations {

/// Bit t is set iff values[t] == value, 0 <= t < 16.
SLICEPOOL_INLINE std::uint32_t equalOf16(const std::uint32_t* values, std::uint32_t value) {
  const __m128i wanted = _mm_set1_epi32(static_cast<int>(value));
  const auto equal = [&](int quarter) {
    return _mm_cmpeq_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(values) + quarter), wanted);
  };
  const __m128i low = _mm_packs_epi32(equal(0), equal(1));
  const __m128i high = _mm_packs_epi32(equal(2), equal(3));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
}

}  // namespace slicepool::factorizations
#endif
