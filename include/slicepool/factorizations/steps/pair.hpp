// The factorizations over the last two generators in closed form: x g + y h = p. Used by the step function of
// `ranked` (host and device) and by the tables that the fast paths start from.
#pragma once

#include <cstdint>
#include <numeric>

#include "slicepool/core/platform.hpp"
#include "slicepool/factorizations/steps/division.hpp"

namespace slicepool::factorizations {

/// Solutions of x * first + y * second = p, x and y nonnegative: an arithmetic progression that starts with
/// the greatest x and the smallest y, with steps (-second / c, +first / c), c = gcd(first, second).
template <class Word>
struct Pair {
  Word first = 1;
  Word second = 1;
  Word common = 1;      ///< gcd
  Word firstStep = 1;   ///< second / common: x goes down by it
  Word secondStep = 1;  ///< first / common: y goes up by it
  Word inverse = 0;     ///< of second / common modulo first / common
  Divider<Word> byCommon = Divider<Word>::by(1);
  Divider<Word> byFirstStep = Divider<Word>::by(1);
  Divider<Word> bySecondStep = Divider<Word>::by(1);

  /// The first solution and how many there are (none: `count` = 0).
  struct Solutions {
    Word x;
    Word y;
    Word count;
  };

  /// Host only. O(log) by the extended Euclidean algorithm.
  static Pair of(Word first, Word second) {
    Pair pair;
    pair.first = first;
    pair.second = second;
    pair.common = std::gcd(first, second);
    pair.firstStep = second / pair.common;
    pair.secondStep = first / pair.common;
    pair.inverse = inverseModulo(pair.firstStep, pair.secondStep);
    pair.byCommon = Divider<Word>::by(pair.common);
    pair.byFirstStep = Divider<Word>::by(pair.firstStep);
    pair.bySecondStep = Divider<Word>::by(pair.secondStep);
    return pair;
  }

  /// O(1); with 64-bit words a modular product by doubling where it may not fit.
  [[nodiscard]] SLICEPOOL_HD Solutions solve(Word p) const {
    const Word q = byCommon.quotient(p);
    if (q * common != p) return {0, 0, 0};
    const Word residue = static_cast<Word>(q - bySecondStep.quotient(q) * secondStep);
    const Word y = multiplyModulo(residue, inverse, secondStep, bySecondStep);
    // y * firstStep <= q, without overflow.
    if (y > byFirstStep.quotient(q)) return {0, 0, 0};
    const Word x = bySecondStep.quotient(static_cast<Word>(q - y * firstStep));
    return {x, y, static_cast<Word>(byFirstStep.quotient(x) + 1)};
  }
  [[nodiscard]] SLICEPOOL_INLINE Word count(Word p) const { return solve(p).count; }

  /// value^-1 modulo `modulus`, to which it is prime; 0 for modulus 1. Host only.
  static Word inverseModulo(Word value, Word modulus) {
    // Signed 128 bits hold every intermediate coefficient of 64-bit words.
    __extension__ using Wide = __int128;
    Wide r0 = modulus, r1 = value % modulus, t0 = 0, t1 = 1;
    while (r1 != 0) {
      const Wide quotient = r0 / r1;
      const Wide r = r0 - quotient * r1;
      r0 = r1;
      r1 = r;
      const Wide t = t0 - quotient * t1;
      t0 = t1;
      t1 = t;
    }
    return static_cast<Word>(t0 < 0 ? t0 + modulus : t0) % modulus;
  }
};

}  // namespace slicepool::factorizations
