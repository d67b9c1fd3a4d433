// The 64-bit mix behind every fingerprint. A fingerprint of a multiset is the sum (mod 2^64) and the
// exclusive-or of the mix of each member: independent of order, of slicing and of workers.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"

namespace slicepool {

/// Finalizer of SplitMix64 (Steele, Lea, Flood 2014; constants by Stafford, variant 13): a bijection.
SLICEPOOL_INLINE std::uint64_t mix64(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  x ^= x >> 31;
  return x;
}

/// The odd multiplier of coordinate `index` in the linear part of a row's hash.
SLICEPOOL_INLINE std::uint64_t coordinateMultiplier(unsigned index) {
  return mix64(0x9e3779b97f4a7c15ULL * (static_cast<std::uint64_t>(index) + 1)) | 1ULL;
}

/// Constant term of a row's hash, so that the zero row does not hash to zero.
inline constexpr std::uint64_t kRowHashOffset = 0x243f6a8885a308d3ULL;

/// Sum and exclusive-or over the mixed hashes of all results.
struct Fingerprint {
  std::uint64_t sum = 0;
  std::uint64_t exclusiveOr = 0;
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

}  // namespace slicepool
