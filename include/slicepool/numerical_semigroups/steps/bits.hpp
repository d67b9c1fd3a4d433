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

/// Bit b becomes bit 63 - b.
SLICEPOOL_INLINE std::uint64_t reversedWord(std::uint64_t word) {
#if SLICEPOOL_ON_DEVICE
  return __brevll(word);
#else
  word = (word >> 1 & 0x5555555555555555U) | (word & 0x5555555555555555U) << 1;
  word = (word >> 2 & 0x3333333333333333U) | (word & 0x3333333333333333U) << 2;
  word = (word >> 4 & 0x0F0F0F0F0F0F0F0FU) | (word & 0x0F0F0F0F0F0F0F0FU) << 4;
  return __builtin_bswap64(word);
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
  /// The numbers from `first` on, first >= 0.
  SLICEPOOL_INLINE static Bits from(int first) {
    if constexpr (kWords == 1)
      return {{first >= 64 ? 0 : ~std::uint64_t{0} << first}};
    else
      return first >= kSize ? below(0) : full().without(below(first));
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
    return (words[wordOf(number)] >> (static_cast<unsigned>(number) % 64) & 1U) != 0;
  }
  SLICEPOOL_INLINE void add(int number) {
    const std::uint64_t bit = std::uint64_t{1} << (static_cast<unsigned>(number) % 64);
    if constexpr (kInRegisters) {
      SLICEPOOL_UNROLL
      for (int w = 0; w < kWords; ++w) words[w] |= wordOf(number) == w ? bit : 0;
    } else {
      words[wordOf(number)] |= bit;
    }
  }
  SLICEPOOL_INLINE void remove(int number) {
    const std::uint64_t bit = std::uint64_t{1} << (static_cast<unsigned>(number) % 64);
    if constexpr (kInRegisters) {
      SLICEPOOL_UNROLL
      for (int w = 0; w < kWords; ++w) words[w] &= ~(wordOf(number) == w ? bit : 0);
    } else {
      words[wordOf(number)] &= ~bit;
    }
  }

  /// Every number grows by `by`, 0 <= by < 64 * kSpan; those beyond the end are lost. A small span is faster.
  template <int kSpan = kWords>
  [[nodiscard]] SLICEPOOL_INLINE Bits up(int by) const {
    Bits moved;
    const int whole = kSpan == 1 ? 0 : by / 64;
    const int part = kSpan == 1 ? by : by % 64;
    SLICEPOOL_UNROLL
    for (int w = kWords - 1; w >= 0; --w)
      moved.words[w] = at(w - whole) << part | at(w - whole - 1) >> 1 >> (63 - part);
    return moved;
  }
  /// Every number shrinks by `by`, 0 <= by < 64 * kSpan; those below are lost.
  template <int kSpan = kWords>
  [[nodiscard]] SLICEPOOL_INLINE Bits down(int by) const {
    Bits moved;
    const int whole = kSpan == 1 ? 0 : by / 64;
    const int part = kSpan == 1 ? by : by % 64;
    SLICEPOOL_UNROLL
    for (int w = 0; w < kWords; ++w)
      moved.words[w] = at(w + whole) >> part | at(w + whole + 1) << 1 << (63 - part);
    return moved;
  }
  /// The lower words alone.
  template <int kFewer>
  [[nodiscard]] SLICEPOOL_INLINE Bits<kFewer> low() const {
    Bits<kFewer> bits;
    for (int w = 0; w < kFewer; ++w) bits.words[w] = words[w];
    return bits;
  }
  /// Number b becomes kSize - 1 - b.
  [[nodiscard]] SLICEPOOL_INLINE Bits reversed() const {
    Bits bits;
    for (int w = 0; w < kWords; ++w) bits.words[w] = reversedWord(words[kWords - 1 - w]);
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
  // A word whose number is not known when compiling would keep the whole set, and the object that it is a
  // member of, in a GPU thread's local memory.
  static constexpr bool kInRegisters = SLICEPOOL_ON_DEVICE != 0 && kWords <= 4;
  [[nodiscard]] SLICEPOOL_INLINE static int wordOf(int number) { return kWords == 1 ? 0 : number / 64; }
  [[nodiscard]] SLICEPOOL_INLINE std::uint64_t at(int word) const {
    if constexpr (kInRegisters && kWords > 1) {
      std::uint64_t found = 0;
      SLICEPOOL_UNROLL
      for (int w = 0; w < kWords; ++w) {
        const std::uint64_t here = words[w];
        found = w == word ? here : found;
      }
      return found;
    } else {
      return word >= 0 && word < kWords ? words[word] : 0;
    }
  }
};

}  // namespace slicepool::numerical_semigroups
