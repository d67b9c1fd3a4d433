// Sets of cells held by the 32 lanes of a warp together, and their images. Used by lane_board.hpp.
//
// A lane holds one row: bit b of lane l is the cell in row position 31 - l and column position 31 - b, so
// that lanes and bits are numbered alike and a vote over the lanes is a word of rows. A set is held twice, by
// rows and by columns: what is asked of a row is then asked of a column by the same instruction, and an image
// that exchanges rows with columns costs nothing.
//
// The code is written over `Lanes`, which is a warp on a GPU (kernels/core/warp_lanes.cuh) and an array of 32
// words in tests (tests/support/array_lanes.hpp). Lanes::Word is a word of each lane; everything else is the
// same in all lanes, conditions of branches above all. A condition of each lane is a Word that is zero or
// not.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/three_in_line/steps/board.hpp"

// Into registers on a device. On a host, where this is for tests, the compiler decides: 32 words for each of
// a warp's take long to compile otherwise.
#if defined(__CUDACC__)
#define SLICEPOOL_LANES_INLINE __host__ __device__ __forceinline__
#else
#define SLICEPOOL_LANES_INLINE inline
#endif

namespace slicepool::three_in_line {

/// A set of cells, by rows and by columns.
template <class Lanes>
struct LaneCells {
  typename Lanes::Word rows;
  typename Lanes::Word columns;

  friend SLICEPOOL_LANES_INLINE LaneCells operator|(const LaneCells& x, const LaneCells& y) {
    return {x.rows | y.rows, x.columns | y.columns};
  }
  friend SLICEPOOL_LANES_INLINE LaneCells operator~(const LaneCells& x) { return {~x.rows, ~x.columns}; }
};

/// The positions that exist, of rows and of columns: position p is bit 31 - p.
template <class Shape>
SLICEPOOL_LANES_INLINE std::uint32_t existingLines(const Geometry& geometry) {
  return Shape::kRowsInWord == 2 ? geometry.columns & 0xffff0000U : geometry.columns;
}

namespace detail {

/// One step of a transposition: lanes and bits exchange the bit kDistance of their numbers. kClear: the bits
/// whose number does not have it.
template <class Lanes, int kDistance, std::uint32_t kClear>
SLICEPOOL_LANES_INLINE typename Lanes::Word transposeLanes(typename Lanes::Word word) {
  using Word = typename Lanes::Word;
  const Word upper = Lanes::lane() & Word{kDistance};
  const Word kept = Lanes::choose(upper, Word{~kClear}, Word{kClear});
  // What a rotation brings round the end is not taken.
  const Word moved = Lanes::rotateLeft(Lanes::exchange(word, kDistance),
                                       Lanes::choose(upper, Word{32 - kDistance}, Word{kDistance}));
  return (word & kept) | (moved & ~kept);
}

}  // namespace detail

/// Rows to columns and back. Shapes of at most 16 lines leave the other lanes and bits where they are.
template <class Lanes, class Shape>
SLICEPOOL_LANES_INLINE typename Lanes::Word transposed(typename Lanes::Word word) {
  if constexpr (Shape::kLines > 16) word = detail::transposeLanes<Lanes, 16, 0x0000ffffU>(word);
  word = detail::transposeLanes<Lanes, 8, 0x00ff00ffU>(word);
  word = detail::transposeLanes<Lanes, 4, 0x0f0f0f0fU>(word);
  word = detail::transposeLanes<Lanes, 2, 0x33333333U>(word);
  return detail::transposeLanes<Lanes, 1, 0x55555555U>(word);
}

template <class Lanes, class Shape>
SLICEPOOL_LANES_INLINE LaneCells<Lanes> bothWays(typename Lanes::Word rows) {
  return {rows, transposed<Lanes, Shape>(rows)};
}

/// The one cell at a row and column position.
template <class Lanes>
SLICEPOOL_LANES_INLINE LaneCells<Lanes> oneCell(int row, int column) {
  using Word = typename Lanes::Word;
  const std::uint32_t rowBit = 0x80000000U >> row;
  const std::uint32_t columnBit = 0x80000000U >> column;
  return {Lanes::choose(Lanes::member(rowBit), Word{columnBit}, Word{0}),
          Lanes::choose(Lanes::member(columnBit), Word{rowBit}, Word{0})};
}

/// Image `image` (a number as in symmetry.hpp) of a set.
template <class Lanes>
SLICEPOOL_LANES_INLINE LaneCells<Lanes> imageOf(const Geometry& geometry, LaneCells<Lanes> cells, int image) {
  using Word = typename Lanes::Word;
  const auto exchangeBits = [&](const Word& word) {
    return (word & Word{geometry.exchanged}) << 1 | (word >> 1 & Word{geometry.exchanged}) |
           (word & Word{geometry.fixed});
  };
  // The central line of an odd size stays; its partner does not exist.
  const Word staying = Lanes::member(geometry.fixed != 0 ? 0xc0000000U : 0U);
  const auto exchangeLanes = [&](const Word& word) {
    return Lanes::choose(staying, word, Lanes::exchange(word, 1));
  };
  if ((image & 4) != 0) cells = {cells.columns, cells.rows};
  if ((image & 2) != 0) cells = {exchangeLanes(cells.rows), exchangeBits(cells.columns)};
  if ((image & 1) != 0) cells = {exchangeBits(cells.rows), exchangeLanes(cells.columns)};
  return cells;
}

/// By rows: the cells that an image leaves where they are, as fixedCells of canonical.hpp; cells that do not
/// exist may be among them.
template <class Lanes>
SLICEPOOL_LANES_INLINE typename Lanes::Word fixedCellsOf(const Geometry& geometry, int image) {
  using Word = typename Lanes::Word;
  const bool odd = geometry.fixed != 0;
  const Word central = Lanes::member(odd ? 0x80000000U : 0U);
  switch (image) {
    case 1: return Word{geometry.fixed};
    case 2: return Lanes::choose(central, Word{~0U}, Word{0});
    case 4: return Word{1} << Lanes::lane();
    case 7: return Lanes::choose(central, Word{0x80000000U}, Word{1} << (Lanes::lane() ^ Word{1}));
    default: return Lanes::choose(central, Word{0x80000000U}, Word{0});
  }
}

/// The word of a board, or of an entry of the table of lines, in which a lane's row is.
template <class Lanes, class Shape>
SLICEPOOL_LANES_INLINE typename Lanes::Word wordOfLane() {
  // Lanes without a row read the last word: no further bytes, and they do not use it.
  return Lanes::map(
      [](std::uint32_t lane) {
        const std::uint32_t word = (31 - lane) / Shape::kRowsInWord;
        return word < Shape::kWords ? word : Shape::kWords - 1U;
      },
      Lanes::lane());
}

/// A lane's row out of that word.
template <class Lanes, class Shape>
SLICEPOOL_LANES_INLINE typename Lanes::Word rowOfWord(typename Lanes::Word word) {
  if constexpr (Shape::kRowsInWord == 1) return word;
  using Word = typename Lanes::Word;
  return Lanes::choose(Lanes::lane() & Word{1}, word & Word{0xffff0000U}, word << 16);
}

/// The rows of cells in memory: `outside` in lanes, and in bits, that a shape has not.
template <class Lanes, class Shape>
SLICEPOOL_LANES_INLINE typename Lanes::Word readRows(const Cells<Shape>& cells, std::uint32_t outside) {
  using Word = typename Lanes::Word;
  constexpr std::uint32_t kRows = ~0U << (32 - Shape::kLines) % 32;
  const Word row = rowOfWord<Lanes, Shape>(Lanes::read(cells.words, wordOfLane<Lanes, Shape>()));
  return Lanes::choose(Lanes::member(kRows), row | Word{Shape::kRowsInWord == 2 ? outside & 0x0000ffffU : 0U},
                       Word{outside});
}

template <class Lanes, class Shape>
SLICEPOOL_LANES_INLINE void writeRows(typename Lanes::Word rows, Cells<Shape>& cells) {
  using Word = typename Lanes::Word;
  constexpr std::uint32_t kRows = ~0U << (32 - Shape::kLines) % 32;
  if constexpr (Shape::kRowsInWord == 2) {
    const Word word = (rows & Word{0xffff0000U}) | Lanes::exchange(rows, 1) >> 16;
    Lanes::write(cells.words, wordOfLane<Lanes, Shape>(), word, Lanes::member(kRows & 0xaaaaaaaaU));
  } else {
    Lanes::write(cells.words, wordOfLane<Lanes, Shape>(), rows, Lanes::member(kRows));
  }
}

}  // namespace slicepool::three_in_line
