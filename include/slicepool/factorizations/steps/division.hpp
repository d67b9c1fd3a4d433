// Division by generators that are fixed for a whole run, and the congruence behind the modulo jump.
// Used by the step functions (host and device); prepared once on the host.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"

namespace slicepool::factorizations {

/// Divides by a fixed divisor. 64-bit words use the machine's division.
template <class Word>
struct Divider {
  Word divisor;
  static Divider by(Word g) { return {g}; }
  [[nodiscard]] SLICEPOOL_INLINE Word quotient(Word p) const { return p / divisor; }
};

/// 32-bit words: q = (p * multiplier) >> shift, exact for p < 2^31 and divisors in [1, 2^31).
/// With l = ceil(log2 g) and shift = 31 + l the multiplier ceil(2^shift / g) is below 2^32, and its error
/// multiplier * g - 2^shift is below g <= 2^l, so that error * p < 2^shift (Granlund and Montgomery 1994).
template <>
struct Divider<std::uint32_t> {
  std::uint32_t multiplier;
  std::uint32_t shift;
  static Divider by(std::uint32_t g) {
    std::uint32_t log = 0;
    while ((std::uint64_t{1} << log) < g) ++log;
    const std::uint64_t power = std::uint64_t{1} << (31 + log);
    return {static_cast<std::uint32_t>((power + g - 1) / g), 31 + log};
  }
  [[nodiscard]] SLICEPOOL_INLINE std::uint32_t quotient(std::uint32_t p) const {
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(p) * multiplier) >> shift);
  }
};

/// (a * b) mod m for a, b < m.
SLICEPOOL_INLINE std::uint32_t multiplyModulo(std::uint32_t a, std::uint32_t b, std::uint32_t m,
                                              const Divider<std::uint32_t>& byM) {
  constexpr std::uint32_t kProductFits31Bits = 46340;
  if (m <= kProductFits31Bits) return a * b - byM.quotient(a * b) * m;
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(a) * b % m);
}
/// The same for m < 2^63, by doubling when the product may not fit 64 bits.
SLICEPOOL_INLINE std::uint64_t multiplyModulo(std::uint64_t a, std::uint64_t b, std::uint64_t m,
                                              const Divider<std::uint64_t>&) {
  if (((a | b) >> 32) == 0) return a * b % m;
  std::uint64_t result = 0;
  while (b != 0) {
    if ((b & 1) != 0) {
      result += a;
      if (result >= m) result -= m;
    }
    a += a;
    if (a >= m) a -= m;
    b >>= 1;
  }
  return result;
}

/// Answers for one coordinate i: how many further decrements of a_i until the residual, which grows by g_i
/// with each, is divisible by `modulus` = gcd(g_{i+1}..g_d)? (Barron 2024a, 3.2.4, for the last k
/// generators.)
template <class Word>
struct Jump {
  Word modulus = 1;  ///< gcd of the generators to the right
  Word common = 1;   ///< gcd(g_i, modulus)
  Word period = 1;   ///< modulus / common
  Word inverse = 0;  ///< of g_i / common modulo period
  Divider<Word> byPeriod = Divider<Word>::by(1);

  /// Returned when no number of decrements ever helps.
  static constexpr Word kNever = ~Word{0};

  /// `missing` = (-residual) mod modulus, below modulus.
  [[nodiscard]] SLICEPOOL_INLINE Word decrements(Word missing) const {
    if (missing == 0) return 0;
    Word reduced = missing;
    if (common != 1) {
      reduced = missing / common;
      if (reduced * common != missing) return kNever;
    }
    return multiplyModulo(reduced, inverse, period, byPeriod);
  }
  [[nodiscard]] SLICEPOOL_INLINE Word decrementsAt(Word residual) const {
    if (modulus == 1) return 0;
    const Word over = residual % modulus;
    return over == 0 ? Word{0} : decrements(modulus - over);
  }
};

}  // namespace slicepool::factorizations
