// Sixteen bytes of rows at a time: a row's coordinates repeat with its length, so that what stands in 16
// bytes depends on where in a row they begin (their phase). The pieces of every phase are prepared once, and
// the 16 bytes are their sum, field by field. Used by rows.cuh.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/core/warp_step.cuh"

namespace slicepool::cuda {

/// 16 bytes as little-endian words.
struct Words {
  std::uint32_t w[4];
};

__device__ __forceinline__ Words loadWords(const Words* shared) {
  const uint4 v = *reinterpret_cast<const uint4*>(shared);
  return {{v.x, v.y, v.z, v.w}};
}

/// Sums of fields of 8, 16 or 32 bits in a word, each modulo its width: bytes in front of a block are noise,
/// and a carry out of them must not reach the block.
class FieldAdder {
 public:
  __device__ explicit FieldAdder(int elementShift)
      : high_(elementShift == 0   ? 0x80808080U
              : elementShift == 1 ? 0x80008000U
                                  : 0x80000000U) {}
  __device__ __forceinline__ std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    return ((a & ~high_) + (b & ~high_)) ^ ((a ^ b) & high_);
  }
  __device__ __forceinline__ void add(Words& to, const Words& from) const {
#pragma unroll
    for (int i = 0; i < 4; ++i) to.w[i] = (*this)(to.w[i], from.w[i]);
  }

 private:
  std::uint32_t high_;
};

/// to += factor * from, where neither a product nor a sum leaves its field.
__device__ __forceinline__ void accumulate(Words& to, const Words& from, std::uint32_t factor) {
#pragma unroll
  for (int i = 0; i < 4; ++i) to.w[i] += factor * from.w[i];
}

/// Puts the bytes of `from` behind the first `kept` ones of `to`.
__device__ __forceinline__ void mergeBehind(Words& to, const Words& from, int kept) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int bytes = min(4, max(0, kept - 4 * i));
    const std::uint32_t mask = bytes == 4 ? 0xffffffffU : (1U << (8 * bytes)) - 1U;
    to.w[i] = (to.w[i] & mask) | (from.w[i] & ~mask);
  }
}

/// Word `index` of the 16 bytes that begin at coordinate `phase` of a row, when coordinate c of the row that
/// is `row` rows further down has the value valueOf(c, row). D coordinates of 2^elementShift bytes. With
/// kCarry a negative value borrows from the next field, otherwise it is taken modulo the field's width.
template <int D, bool kCarry = false, class ValueOf>
__device__ __forceinline__ std::uint32_t patternWord(int phase, int index, int elementShift,
                                                     ValueOf valueOf) {
  const int elementBytes = 1 << elementShift;
  if (elementBytes == 8 && index % 2 != 0) return 0;  // coordinates of this family fit 32 bits
  const int first = elementBytes <= 4 ? index * (4 >> elementShift) : index / 2;
  const int count = elementBytes < 4 ? 4 >> elementShift : 1;
  const std::uint32_t field = elementBytes >= 4 ? 0xffffffffU : (1U << (8 * elementBytes)) - 1U;
  std::uint32_t word = 0;
  for (int j = 0; j < count; ++j) {
    const int coordinate = (phase + first + j) % D;
    const int row = (phase + first + j) / D;
    const auto value = static_cast<std::uint32_t>(valueOf(coordinate, row));
    word += (kCarry ? value : value & field) << (8 * elementBytes * j);
  }
  return word;
}

/// Stores bytes [begin, end) of 16 bytes to target (16-byte aligned), in naturally aligned pieces.
__device__ __forceinline__ void storePart(std::byte* target, const Words& words, unsigned begin,
                                          unsigned end) {
  const std::uint64_t low = words.w[0] | static_cast<std::uint64_t>(words.w[1]) << 32;
  const std::uint64_t high = words.w[2] | static_cast<std::uint64_t>(words.w[3]) << 32;
  while (begin < end) {
    const std::uint64_t value = (begin < 8 ? low : high) >> (8 * (begin % 8));
    const unsigned left = end - begin;
    if (begin % 8 == 0 && left >= 8) {
      *reinterpret_cast<std::uint64_t*>(target + begin) = value;
      begin += 8;
    } else if (begin % 4 == 0 && left >= 4) {
      *reinterpret_cast<std::uint32_t*>(target + begin) = static_cast<std::uint32_t>(value);
      begin += 4;
    } else if (begin % 2 == 0 && left >= 2) {
      *reinterpret_cast<std::uint16_t*>(target + begin) = static_cast<std::uint16_t>(value);
      begin += 2;
    } else {
      *reinterpret_cast<std::uint8_t*>(target + begin) = static_cast<std::uint8_t>(value);
      begin += 1;
    }
  }
}

/// The two aligned vectors that hold the 16 bytes at an address.
struct Straddle {
  uint4 low;
  uint4 high;
};

__device__ __forceinline__ Straddle loadStraddle(const std::byte* address) {
  const auto* aligned =
      reinterpret_cast<const uint4*>(reinterpret_cast<std::uintptr_t>(address) & ~std::uintptr_t{15});
  return {__ldg(aligned), __ldg(aligned + 1)};
}

/// The 16 bytes at `address` out of what loadStraddle(address) returned.
__device__ __forceinline__ Words shifted(const Straddle& straddle, const std::byte* address) {
  const uint4 a = straddle.low;
  const uint4 b = straddle.high;
  const auto shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(address)) % 16U;
  const bool two = (shift & 8U) != 0;
  const std::uint32_t w0 = two ? a.z : a.x;
  const std::uint32_t w1 = two ? a.w : a.y;
  const std::uint32_t w2 = two ? b.x : a.z;
  const std::uint32_t w3 = two ? b.y : a.w;
  const std::uint32_t w4 = two ? b.z : b.x;
  const std::uint32_t w5 = two ? b.w : b.y;
  const bool one = (shift & 4U) != 0;
  const std::uint32_t v0 = one ? w1 : w0;
  const std::uint32_t v1 = one ? w2 : w1;
  const std::uint32_t v2 = one ? w3 : w2;
  const std::uint32_t v3 = one ? w4 : w3;
  const std::uint32_t v4 = one ? w5 : w4;
  const unsigned bits = 8 * (shift & 3U);
  return {{__funnelshift_r(v0, v1, bits), __funnelshift_r(v1, v2, bits), __funnelshift_r(v2, v3, bits),
           __funnelshift_r(v3, v4, bits)}};
}

}  // namespace slicepool::cuda
