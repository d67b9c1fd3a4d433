// Boards of the search: cells known to be on and cells known to be off, as words of bits, and their images.
// Used by all step functions of the workload.
//
// Rows and columns are numbered from the centre outwards, not from the edge: position 0, 1 are the two
// central lines of an even grid, 2, 3 the next two, and so on; a grid of odd size has its central line at
// position 0 and nothing at position 1. Two lines that a reflection exchanges are thus always an even
// position and the next one, the cell nearest to the centre is simply the first one, and comparing boards as
// numbers compares central cells first, which is where the search decides first. Only the table of lines and
// this file know the numbering.
//
// Two shapes. Packed<P>: up to 16 x 16, two rows of 16 bits in a word, the even position in the high half.
// Wide<R>: up to 32 x 32, a row in a word. Column 0 is the highest bit of a row.
#pragma once

#include <cstdint>
#include <type_traits>

#include "slicepool/core/platform.hpp"

namespace slicepool::three_in_line {

/// P words of two rows: grids of size 2P - 1 and 2P.
template <int P>
struct Packed {
  static_assert(P >= 1 && P <= 8);
  static constexpr int kWords = P;
  static constexpr int kRowsInWord = 2;
  static constexpr int kLines = 2 * P;  ///< positions of rows and of columns
  static constexpr int kPitch = 16;     ///< cell numbers from one row to the next
  static constexpr int kMaximumPoints = 2 * kLines;
  using Cell = std::uint8_t;  ///< row position * kPitch + column position
};

/// R words of one row: grids of size R and less.
template <int R>
struct Wide {
  static_assert(R >= 2 && R <= 32 && R % 2 == 0);
  static constexpr int kWords = R;
  static constexpr int kRowsInWord = 1;
  static constexpr int kLines = R;
  static constexpr int kPitch = R;
  static constexpr int kMaximumPoints = 2 * kLines;
  using Cell = std::uint16_t;
};

// Loops over the words of a board. On a device a packed board is unrolled into registers; a wide one has too
// many words for that, and its unrolled code takes minutes to compile; on a host the compiler decides.
#if SLICEPOOL_ON_DEVICE
#define SLICEPOOL_FOR_WORDS _Pragma("unroll (Shape::kWords <= 8 ? 64 : 1)")
#else
#define SLICEPOOL_FOR_WORDS
#endif

/// Words of one entry of the table of lines: whole 128-bit loads.
template <class Shape>
inline constexpr int kLineWords = (Shape::kWords + 3) / 4 * 4;

/// Position of line `coordinate` (0..n-1 from the edge), and back. An odd size has no position 1.
SLICEPOOL_HD constexpr int positionOf(int coordinate, int n) {
  const int right = n / 2;  // the line at position 0
  if (n % 2 != 0) {
    if (coordinate == right) return 0;
    return coordinate > right ? 2 * (coordinate - right) : 2 * (right - coordinate) + 1;
  }
  return coordinate >= right ? 2 * (coordinate - right) : 2 * (right - 1 - coordinate) + 1;
}
SLICEPOOL_HD constexpr int coordinateOf(int position, int n) {
  const int right = n / 2;
  const int distance = position / 2;
  if (position % 2 == 0) return right + distance;
  return n % 2 != 0 ? right - distance : right - 1 - distance;
}

/// The bits below bit n, n <= 32.
SLICEPOOL_HD constexpr std::uint32_t firstBits(int n) { return ~0U >> (32 - n); }
/// Every second bit of a word, from bit 0 on, as the low half of the result; and back.
SLICEPOOL_HD constexpr std::uint32_t everySecondBit(std::uint32_t word) {
  word &= 0x55555555U;
  word = (word | word >> 1) & 0x33333333U;
  word = (word | word >> 2) & 0x0f0f0f0fU;
  word = (word | word >> 4) & 0x00ff00ffU;
  return (word | word >> 8) & 0x0000ffffU;
}
SLICEPOOL_HD constexpr std::uint32_t toEverySecondBit(std::uint32_t half) {
  half = (half | half << 8) & 0x00ff00ffU;
  half = (half | half << 4) & 0x0f0f0f0fU;
  half = (half | half << 2) & 0x33333333U;
  return (half | half << 1) & 0x55555555U;
}
SLICEPOOL_HD constexpr std::uint32_t reversedHalf(std::uint32_t half) {
  half = (half >> 1 & 0x5555U) | (half & 0x5555U) << 1;
  half = (half >> 2 & 0x3333U) | (half & 0x3333U) << 2;
  half = (half >> 4 & 0x0f0fU) | (half & 0x0f0fU) << 4;
  return half >> 8 | (half & 0xffU) << 8;
}

/// Bit x: column x < n, of a row that has the column at position p in bit 31 - p. Even positions go to the
/// right of the centre, odd ones to the left. Bits of cells that do not exist are left out. And back.
SLICEPOOL_HD constexpr std::uint32_t columnsOfRow(std::uint32_t row, int n) {
  const int right = n / 2;
  const std::uint32_t toTheRight = reversedHalf(everySecondBit(row >> 1));
  // Position 2j + 1 is at bit 15 - j here, and belongs to bit right - 1 - j, of odd sizes right - j.
  const std::uint32_t toTheLeft = everySecondBit(row) >> (n % 2 != 0 ? 15 - right : 16 - right);
  return (toTheRight << right | (toTheLeft & ((1U << right) - 1))) & firstBits(n);
}
SLICEPOOL_HD constexpr std::uint32_t rowOfColumns(std::uint32_t columns, int n) {
  const int right = n / 2;
  const std::uint32_t toTheRight = reversedHalf((columns & firstBits(n)) >> right);
  const std::uint32_t toTheLeft = (columns & ((1U << right) - 1)) << (n % 2 != 0 ? 15 - right : 16 - right);
  return toEverySecondBit(toTheRight) << 1 | toEverySecondBit(toTheLeft);
}

/// A set of cells. Value semantics; all loops over it are unrolled, so that it lives in registers.
template <class Shape>
struct Cells {
  std::uint32_t words[Shape::kWords];
};

/// What a size fixes about a shape; part of the search's View.
struct Geometry {
  std::uint32_t columns;    ///< the cells of a word whose rows all exist
  std::uint32_t firstRows;  ///< the same of the word(s) with positions 0 and 1: Packed: word 0, Wide: word 1
  std::uint32_t exchanged;  ///< odd column positions that a reflection exchanges with the one before
  std::uint32_t fixed;      ///< column positions that a reflection leaves in place
  std::int32_t n;
};

template <class Shape>
SLICEPOOL_HD constexpr Geometry geometryOf(int n) {
  constexpr bool kPacked = Shape::kRowsInWord == 2;
  constexpr int kBits = kPacked ? 16 : 32;
  const bool odd = n % 2 != 0;
  Geometry geometry{};
  std::uint32_t row = 0;
  for (int x = 0; x < n; ++x) row |= 1U << (kBits - 1 - positionOf(x, n));
  const std::uint32_t central = odd ? 3U << (kBits - 2) : 0;
  const std::uint32_t exchanged = (kPacked ? 0x5555U : 0x55555555U) & ~central;
  geometry.n = n;
  geometry.columns = kPacked ? row << 16 | row : row;
  geometry.firstRows = kPacked ? (odd ? row << 16 : row << 16 | row) : (odd ? 0 : row);
  geometry.exchanged = kPacked ? exchanged << 16 | exchanged : exchanged;
  geometry.fixed = kPacked ? central << 16 | central : central;
  return geometry;
}

/// The cells of word `w` that exist.
template <class Shape>
SLICEPOOL_INLINE std::uint32_t existing(const Geometry& geometry, int w) {
  if (w == (Shape::kRowsInWord == 2 ? 0 : 1)) return geometry.firstRows;
  return Shape::kRowsInWord == 2 || w < geometry.n + (geometry.n & 1) ? geometry.columns : 0;
}

/// Number of zeros above the highest set bit; the word is not zero.
SLICEPOOL_INLINE int leadingZeros(std::uint32_t word) {
#if SLICEPOOL_ON_DEVICE
  return __clz(static_cast<int>(word));
#else
  return __builtin_clz(word);
#endif
}
SLICEPOOL_INLINE int bitCount(std::uint32_t word) {
#if SLICEPOOL_ON_DEVICE
  return __popc(word);
#else
  return __builtin_popcount(word);
#endif
}
SLICEPOOL_INLINE std::uint32_t exchangeHalves(std::uint32_t word) { return word << 16 | word >> 16; }

/// Number of the cell at bit 31 - `zeros` of word `w`.
template <class Shape>
SLICEPOOL_INLINE int cellAt(int w, int zeros) {
  return Shape::kRowsInWord == 2 ? 32 * w + zeros : Shape::kPitch * w + zeros;
}
/// Word and bit of a cell.
template <class Shape>
SLICEPOOL_INLINE int wordOf(int cell) {
  return Shape::kRowsInWord == 2 ? cell / 32 : cell / Shape::kPitch;
}
template <class Shape>
SLICEPOOL_INLINE std::uint32_t bitOf(int cell) {
  return 0x80000000U >> (Shape::kRowsInWord == 2 ? cell % 32 : cell % Shape::kPitch);
}

/// Sets one cell, without indexing the words by a variable.
template <class Shape>
SLICEPOOL_INLINE void addCell(Cells<Shape>& cells, int cell) {
  const int word = wordOf<Shape>(cell);
  const std::uint32_t bit = bitOf<Shape>(cell);
  SLICEPOOL_FOR_WORDS
  for (int w = 0; w < Shape::kWords; ++w) cells.words[w] |= w == word ? bit : 0;
}

/// Sets cells of one row, its column c at bit 31 - c. For hosts: it indexes the words by a variable.
template <class Shape>
SLICEPOOL_INLINE void addRow(Cells<Shape>& cells, int row, std::uint32_t bits) {
  const bool low = Shape::kRowsInWord == 2 && row % 2 != 0;
  cells.words[row / Shape::kRowsInWord] |= low ? bits >> 16 : bits;
}

/// Reflection that exchanges rows.
template <class Shape>
SLICEPOOL_INLINE Cells<Shape> exchangeRows(const Cells<Shape>& from, const Geometry& geometry) {
  Cells<Shape> to;
  const bool odd = geometry.fixed != 0;
  if constexpr (Shape::kRowsInWord == 2) {
    SLICEPOOL_FOR_WORDS
    for (int w = 0; w < Shape::kWords; ++w)
      to.words[w] = w == 0 && odd ? from.words[w] : exchangeHalves(from.words[w]);
  } else {
    SLICEPOOL_FOR_WORDS
    for (int w = 0; w < Shape::kWords; ++w) to.words[w] = from.words[w < 2 && odd ? w : w ^ 1];
  }
  return to;
}

/// Reflection that exchanges columns.
template <class Shape>
SLICEPOOL_INLINE Cells<Shape> exchangeColumns(const Cells<Shape>& from, const Geometry& geometry) {
  Cells<Shape> to;
  SLICEPOOL_FOR_WORDS
  for (int w = 0; w < Shape::kWords; ++w) {
    const std::uint32_t word = from.words[w];
    to.words[w] =
        (word & geometry.exchanged) << 1 | ((word >> 1) & geometry.exchanged) | (word & geometry.fixed);
  }
  return to;
}

/// Exchanges the bits of `high` where `kMask` is clear, shifted up by kShift, with those of `low` where it is
/// set.
template <int kShift, std::uint32_t kMask>
SLICEPOOL_INLINE void exchangeBits(std::uint32_t& high, std::uint32_t& low) {
  const std::uint32_t difference = ((high << kShift) ^ low) & kMask;
  low ^= difference;
  high ^= difference >> kShift;
}

/// One step of a transposition: rows and columns exchange bit log2(kShift) of their positions.
template <int kWordDistance, int kShift, std::uint32_t kMask, int kCount>
SLICEPOOL_INLINE void transposeStep(std::uint32_t (&words)[kCount]) {
  SLICEPOOL_UNROLL
  for (int w = 0; w < kCount; ++w)
    if ((w & kWordDistance) == 0) exchangeBits<kShift, kMask>(words[w], words[w + kWordDistance]);
}

/// Reflection in the main diagonal: rows become columns. Steps that exchange bits of row and column
/// positions.
template <class Shape>
SLICEPOOL_HD inline Cells<Shape> transpose(const Cells<Shape>& from) {
  constexpr int kCount = Shape::kRowsInWord == 2 ? 8 : 32;
  std::uint32_t words[kCount];
  SLICEPOOL_UNROLL
  for (int w = 0; w < kCount; ++w) words[w] = w < Shape::kWords ? from.words[w] : 0;
  if constexpr (Shape::kRowsInWord == 2) {
    if constexpr (Shape::kWords > 4) transposeStep<4, 8, 0xff00ff00U>(words);
    if constexpr (Shape::kWords > 2) transposeStep<2, 4, 0xf0f0f0f0U>(words);
    if constexpr (Shape::kWords > 1) transposeStep<1, 2, 0xccccccccU>(words);
    SLICEPOOL_UNROLL
    for (int w = 0; w < kCount;
         ++w) {  // rows of one word: even columns of the high half, odd ones of the low
      const std::uint32_t difference = ((words[w] >> 15) ^ words[w]) & 0x0000aaaaU;
      words[w] ^= difference ^ difference << 15;
    }
  } else {
    transposeStep<16, 16, 0xffff0000U>(words);
    transposeStep<8, 8, 0xff00ff00U>(words);
    transposeStep<4, 4, 0xf0f0f0f0U>(words);
    transposeStep<2, 2, 0xccccccccU>(words);
    transposeStep<1, 1, 0xaaaaaaaaU>(words);
  }
  Cells<Shape> to;
  SLICEPOOL_FOR_WORDS
  for (int w = 0; w < Shape::kWords; ++w) to.words[w] = words[w];
  return to;
}

}  // namespace slicepool::three_in_line
