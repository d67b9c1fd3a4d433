// Counting cells of rows and columns by bit planes. Used by propagate.hpp.
//
// A counter is a bit in each of two words ("planes"), so that one instruction works on the counters of all
// columns. Its states are 0, 1, 2 and more; no more is asked.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/three_in_line/steps/board.hpp"

namespace slicepool::three_in_line {

SLICEPOOL_INLINE std::uint32_t majority(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
#if SLICEPOOL_ON_DEVICE
  std::uint32_t result;  // the compiler does not find the single instruction
  asm("lop3.b32 %0, %1, %2, %3, 0xE8;" : "=r"(result) : "r"(x), "r"(y), "r"(z));
  return result;
#else
  return (x & y) | (z & (x | y));
#endif
}

/// Saturating counters of two bits: 0, 1, 2, more than two.
struct ToTwo {
  std::uint32_t low;
  std::uint32_t high;

  static SLICEPOOL_INLINE ToTwo of(std::uint32_t cells) { return {cells, 0}; }
  template <class Move>
  SLICEPOOL_INLINE ToTwo transform(Move move) const {
    return {move(low), move(high)};
  }
  template <class Join>
  SLICEPOOL_INLINE ToTwo zip(const ToTwo& other, Join join) const {
    return {join(low, other.low), join(high, other.high)};
  }
  /// Two sets of cells at once.
  static SLICEPOOL_INLINE ToTwo sum(std::uint32_t x, std::uint32_t y) { return {x ^ y, x & y}; }
  friend SLICEPOOL_INLINE ToTwo operator+(const ToTwo& x, const ToTwo& y) {
    return {majority(x.high, y.low, y.high) | (x.low ^ y.low), x.high | y.high | (x.low & y.low)};
  }
  [[nodiscard]] SLICEPOOL_INLINE std::uint32_t two() const { return high & ~low; }
  [[nodiscard]] SLICEPOOL_INLINE std::uint32_t more() const { return high & low; }
  [[nodiscard]] SLICEPOOL_INLINE std::uint32_t less() const { return ~high; }
};

/// Counts in every column; bit c of the planes is column c. Packed shapes have the result in both halves.
template <class Counter, class Shape>
SLICEPOOL_INLINE Counter countColumns(const Cells<Shape>& cells) {
  if constexpr (Shape::kWords == 1) {
    const Counter one = Counter::of(cells.words[0]);
    return one + one.transform([](std::uint32_t plane) { return exchangeHalves(plane); });
  } else {
    Counter total = Counter::sum(cells.words[0], cells.words[1]);
    SLICEPOOL_FOR_WORDS
    for (int w = 2; w < Shape::kWords; w += 2) {
      total = total + (w + 1 < Shape::kWords ? Counter::sum(cells.words[w], cells.words[w + 1])
                                             : Counter::of(cells.words[w]));
    }
    if constexpr (Shape::kRowsInWord == 2)
      total = total + total.transform([](std::uint32_t plane) { return exchangeHalves(plane); });
    return total;
  }
}

/// Counters of rows of a packed shape: bit rowFlagShift(w) + 16 of the planes is the first row of word w, bit
/// rowFlagShift(w) the second. Other bits mean nothing.
SLICEPOOL_INLINE constexpr int rowFlagShift(int w) {
  return 8 * (w & 1) + 4 * ((w >> 1) & 1) + 2 * ((w >> 2) & 1);
}
inline constexpr std::uint32_t kRowFlags = 0x00010001U;

namespace detail {

/// Adds the upper and the lower kBits columns of every group, and puts the sums of two words side by side.
template <int kBits, std::uint32_t kLower, class Counter>
SLICEPOOL_INLINE Counter foldTwo(const Counter& first, const Counter& second) {
  const auto join = [](std::uint32_t x, std::uint32_t y) { return (x & kLower) | (y & ~kLower); };
  const Counter lower = first.zip(second.transform([](std::uint32_t plane) { return plane << kBits; }), join);
  const Counter upper = first.transform([](std::uint32_t plane) { return plane >> kBits; }).zip(second, join);
  return lower + upper;
}

template <int kBits, std::uint32_t kLower, class Counter, int kCount>
SLICEPOOL_INLINE void foldLevel(Counter (&counters)[kCount], int live) {
  SLICEPOOL_UNROLL
  for (int i = 0; i < kCount / 2; ++i) {
    if (2 * i >= live) continue;
    counters[i] =
        foldTwo<kBits, kLower>(counters[2 * i], 2 * i + 1 < live ? counters[2 * i + 1] : Counter::of(0));
  }
}

}  // namespace detail

template <class Counter, class Shape>
SLICEPOOL_INLINE Counter countRows(const Cells<Shape>& cells) {
  static_assert(Shape::kRowsInWord == 2);
  Counter counters[8];
  SLICEPOOL_UNROLL
  for (int w = 0; w < 8; ++w) counters[w] = Counter::of(w < Shape::kWords ? cells.words[w] : 0);
  constexpr int kWords = Shape::kWords;
  detail::foldLevel<8, 0x00ff00ffU>(counters, kWords);
  detail::foldLevel<4, 0x0f0f0f0fU>(counters, (kWords + 1) / 2);
  detail::foldLevel<2, 0x33333333U>(counters, (kWords + 3) / 4);
  return counters[0] + counters[0].transform([](std::uint32_t plane) { return plane >> 1; });
}

/// All bits of the rows of word w whose flags are set.
SLICEPOOL_INLINE std::uint32_t spreadRowFlags(std::uint32_t flags, int w) {
  return ((flags >> rowFlagShift(w)) & kRowFlags) * 0xffffU;
}

/// The flags of rows that exist.
template <class Shape>
SLICEPOOL_INLINE std::uint32_t existingRowFlags(const Geometry& geometry) {
  std::uint32_t flags = 0;
  SLICEPOOL_FOR_WORDS
  for (int w = 0; w < Shape::kWords; ++w) flags |= kRowFlags << rowFlagShift(w);
  return geometry.fixed != 0 ? flags & ~1U : flags;
}

}  // namespace slicepool::three_in_line
