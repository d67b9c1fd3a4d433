// Sets of small numbers as words of 64 bits: what node.hpp needs of them, for host and device.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"

namespace slicepool::numerical_semigroups {

SLICEPOOL_INLINE int populationOf(std::uint64_t word) {
#if SLICEPOOL_ON_DEVICE
  return __popcll(word);
#else
  return __builtin_popcountll(word);
#endif
}

/// Place of the lowest bit; the word is not zero.
SLICEPOOL_INLINE int lowestOf(std::uint64_t word) {
#if SLICEPOOL_ON_DEVICE
  return __ffsll(static_cast<long long>(word)) - 1;
#else
  return __builtin_ctzll(word);
#endif
}

/// A set of numbers below 64 * kWords. Bit b of word w is the number 64 w + b.
template <int kWords>
struct Bits {
  static constexpr int kSize = 64 * kWords;

  std::uint64_t words[kWords];

  /// The numbers below `count`, 0 <= count <= kSize.
  SLICEPOOL_INLINE static Bits below(int count) {
    Bits bits;
    for (int w = 0; w < kWords; ++w) {
      const int here = count - 64 * w;
      bits.words[w] = here >= 64 ? ~std::uint64_t{0} : here <= 0 ? 0 : (std::uint64_t{1} << here) - 1;
    }
    return bits;
  }
  SLICEPOOL_INLINE static Bits full() { return below(kSize); }

  [[nodiscard]] SLICEPOOL_INLINE bool empty() const {
    std::uint64_t any = 0;
    for (int w = 0; w < kWords; ++w) any |= words[w];
    return any == 0;
  }
  [[nodiscard]] SLICEPOOL_INLINE int population() const {
    int sum = 0;
    for (int w = 0; w < kWords; ++w) sum += populationOf(words[w]);
    return sum;
  }
  /// The smallest number; the set is not empty.
  [[nodiscard]] SLICEPOOL_INLINE int lowest() const {
    for (int w = 0; w + 1 < kWords; ++w)
      if (words[w] != 0) return 64 * w + lowestOf(words[w]);
    return 64 * (kWords - 1) + lowestOf(words[kWords - 1]);
  }
  SLICEPOOL_INLINE void removeLowest() {
    for (int w = 0; w < kWords; ++w) {
      const std::uint64_t word = words[w];
      words[w] = word & (word - 1);
      if (word != 0) return;
    }
  }
  [[nodiscard]] SLICEPOOL_INLINE bool has(int number) const {
    return (words[number / 64] >> (number % 64) & 1U) != 0;
  }
  SLICEPOOL_INLINE void add(int number) { words[number / 64] |= std::uint64_t{1} << (number % 64); }
  SLICEPOOL_INLINE void remove(int number) { words[number / 64] &= ~(std::uint64_t{1} << (number % 64)); }

  /// Every number grows by `by`, 0 <= by < kSize; those beyond the end are lost.
  [[nodiscard]] SLICEPOOL_INLINE Bits up(int by) const {
    if constexpr (kWords == 1) {
      return {{words[0] << by}};
    } else {
      Bits moved;
      const int whole = by / 64;
      const int part = by % 64;
      SLICEPOOL_UNROLL
      for (int w = kWords - 1; w >= 0; --w) {
        std::uint64_t word = at(w - whole) << part;
        if (part != 0) word |= at(w - whole - 1) >> (64 - part);
        moved.words[w] = word;
      }
      return moved;
    }
  }
  /// Every number shrinks by `by`, 0 <= by < kSize; those below are lost.
  [[nodiscard]] SLICEPOOL_INLINE Bits down(int by) const {
    if constexpr (kWords == 1) {
      return {{words[0] >> by}};
    } else {
      Bits moved;
      const int whole = by / 64;
      const int part = by % 64;
      SLICEPOOL_UNROLL
      for (int w = 0; w < kWords; ++w) {
        std::uint64_t word = at(w + whole) >> part;
        if (part != 0) word |= at(w + whole + 1) << (64 - part);
        moved.words[w] = word;
      }
      return moved;
    }
  }
  /// The lower words alone.
  template <int kFewer>
  [[nodiscard]] SLICEPOOL_INLINE Bits<kFewer> low() const {
    Bits<kFewer> bits;
    for (int w = 0; w < kFewer; ++w) bits.words[w] = words[w];
    return bits;
  }
  [[nodiscard]] SLICEPOOL_INLINE Bits without(const Bits& other) const {
    Bits bits;
    for (int w = 0; w < kWords; ++w) bits.words[w] = words[w] & ~other.words[w];
    return bits;
  }

  friend SLICEPOOL_INLINE Bits operator&(const Bits& a, const Bits& b) {
    Bits bits;
    for (int w = 0; w < kWords; ++w) bits.words[w] = a.words[w] & b.words[w];
    return bits;
  }
  friend SLICEPOOL_INLINE Bits operator|(const Bits& a, const Bits& b) {
    Bits bits;
    for (int w = 0; w < kWords; ++w) bits.words[w] = a.words[w] | b.words[w];
    return bits;
  }
  friend bool operator==(const Bits&, const Bits&) = default;

 private:
  [[nodiscard]] SLICEPOOL_INLINE std::uint64_t at(int word) const {
    return word >= 0 && word < kWords ? words[word] : 0;
  }
};

}  // namespace slicepool::numerical_semigroups
