// Vectors of doubles for expand_kernels.hpp: four lanes of AVX2, eight of AVX-512. Only what is needed, under
// one name, in the namespace of the instruction set.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#if defined(__AVX512F__)

namespace slicepool::SLICEPOOL_KERNEL_NAMESPACE {

struct Lanes {
  static constexpr std::size_t kCount = 8;
  using Mask = __mmask8;
  __m512d v;

  static Lanes load(const double* from) { return {_mm512_loadu_pd(from)}; }
  static Lanes all(double value) { return {_mm512_set1_pd(value)}; }
  void store(double* to) const { _mm512_storeu_pd(to, v); }
  friend Lanes operator-(Lanes a, Lanes b) { return {_mm512_sub_pd(a.v, b.v)}; }
  friend Lanes operator*(Lanes a, Lanes b) { return {_mm512_mul_pd(a.v, b.v)}; }
  /// a * b + c, c - a * b.
  static Lanes multiplyAdd(Lanes a, Lanes b, Lanes c) { return {_mm512_fmadd_pd(a.v, b.v, c.v)}; }
  static Lanes multiplySubtract(Lanes a, Lanes b, Lanes c) { return {_mm512_fnmadd_pd(a.v, b.v, c.v)}; }
  static Lanes round(Lanes a) {
    // The form without a mask warns of an uninitialized value in GCC 12.
    return {_mm512_maskz_roundscale_pd(0xff, a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
  }
  /// 1 with the sign of a, and -a.
  static Lanes signOf(Lanes a) {
    const __m512d sign = _mm512_and_pd(a.v, _mm512_set1_pd(-0.0));
    return {_mm512_or_pd(sign, _mm512_set1_pd(1.0))};
  }
  static Lanes negative(Lanes a) { return {_mm512_xor_pd(a.v, _mm512_set1_pd(-0.0))}; }

  static Mask first(std::size_t count) { return static_cast<Mask>((1U << count) - 1U); }
  static Mask atMost(Lanes a, Lanes b, Mask among) {
    return _mm512_mask_cmp_pd_mask(among, a.v, b.v, _CMP_LE_OQ);
  }
  static unsigned bits(Mask mask) { return mask; }
  /// Stores the lanes of the mask one after another; the lanes after them are overwritten, too.
  struct Order {
    Mask mask;
    explicit Order(Mask wanted) : mask(wanted) {}
  };
  void storeInOrder(double* to, Order order) const {
    _mm512_storeu_pd(to, _mm512_maskz_compress_pd(order.mask, v));
  }
  static void storeIndices(std::int64_t* to, std::int64_t base, Order order) {
    const __m512i index = _mm512_add_epi64(_mm512_set1_epi64(base), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(order.mask, index));
  }
};

}  // namespace slicepool::SLICEPOOL_KERNEL_NAMESPACE

#elif defined(__AVX2__)

namespace slicepool::SLICEPOOL_KERNEL_NAMESPACE {

/// For each set of four lanes, the halves of its lanes in order, and then anything.
struct LaneOrders {
  alignas(32) std::int32_t halves[16][8];
  constexpr LaneOrders() : halves() {
    for (int mask = 0; mask < 16; ++mask) {
      std::size_t at = 0;
      for (int lane = 0; lane < 4; ++lane) {
        if ((mask >> lane & 1) == 0) continue;
        halves[mask][2 * at] = 2 * lane;
        halves[mask][2 * at + 1] = 2 * lane + 1;
        ++at;
      }
    }
  }
};
inline constexpr LaneOrders kLaneOrders;

struct Lanes {
  static constexpr std::size_t kCount = 4;
  using Mask = __m256d;
  __m256d v;

  static Lanes load(const double* from) { return {_mm256_loadu_pd(from)}; }
  static Lanes all(double value) { return {_mm256_set1_pd(value)}; }
  void store(double* to) const { _mm256_storeu_pd(to, v); }
  friend Lanes operator-(Lanes a, Lanes b) { return {_mm256_sub_pd(a.v, b.v)}; }
  friend Lanes operator*(Lanes a, Lanes b) { return {_mm256_mul_pd(a.v, b.v)}; }
  /// a * b + c, c - a * b.
  static Lanes multiplyAdd(Lanes a, Lanes b, Lanes c) { return {_mm256_fmadd_pd(a.v, b.v, c.v)}; }
  static Lanes multiplySubtract(Lanes a, Lanes b, Lanes c) { return {_mm256_fnmadd_pd(a.v, b.v, c.v)}; }
  static Lanes round(Lanes a) {
    return {_mm256_round_pd(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
  }
  /// 1 with the sign of a, and -a.
  static Lanes signOf(Lanes a) {
    return {_mm256_or_pd(_mm256_and_pd(a.v, _mm256_set1_pd(-0.0)), _mm256_set1_pd(1.0))};
  }
  static Lanes negative(Lanes a) { return {_mm256_xor_pd(a.v, _mm256_set1_pd(-0.0))}; }

  static Mask first(std::size_t count) {
    const __m256i index = _mm256_set_epi64x(3, 2, 1, 0);
    return _mm256_castsi256_pd(
        _mm256_cmpgt_epi64(_mm256_set1_epi64x(static_cast<std::int64_t>(count)), index));
  }
  static Mask atMost(Lanes a, Lanes b, Mask among) {
    return _mm256_and_pd(_mm256_cmp_pd(a.v, b.v, _CMP_LE_OQ), among);
  }
  static unsigned bits(Mask mask) { return static_cast<unsigned>(_mm256_movemask_pd(mask)); }
  /// Stores the lanes of the mask one after another; the lanes after them are overwritten, too.
  struct Order {
    __m256i halves;
    explicit Order(Mask mask)
        : halves(_mm256_load_si256(reinterpret_cast<const __m256i*>(kLaneOrders.halves[bits(mask)]))) {}
  };
  void storeInOrder(double* to, Order order) const {
    _mm256_storeu_ps(reinterpret_cast<float*>(to),
                     _mm256_permutevar8x32_ps(_mm256_castpd_ps(v), order.halves));
  }
  static void storeIndices(std::int64_t* to, std::int64_t base, Order order) {
    const __m256i index = _mm256_add_epi64(_mm256_set1_epi64x(base), _mm256_set_epi64x(3, 2, 1, 0));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(index, order.halves));
  }
};

}  // namespace slicepool::SLICEPOOL_KERNEL_NAMESPACE

#endif
