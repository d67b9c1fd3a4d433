// How the search goes on from a board that is closed but not complete, as a function of the board alone.
// Called by search.hpp.
//
// First a cell of a row or column with three possible cells: whatever its value, something is forced. Then
// one of a row or column with no point and four possible cells. Of several the first in the order of
// board.hpp, central rows first. If there is none, a row, that with the fewest ways to place its missing
// points, and of several the first: its ways are the children.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/three_in_line/board.hpp"
#include "slicepool/three_in_line/counters.hpp"

namespace slicepool::three_in_line {

/// What remains of a branch: kind and place in `head`, open columns in `open`. A row's columns are bits 31 -
/// c.
struct Branch {
  std::uint32_t head;
  std::uint32_t open;  ///< columns to be tried for the (second) point

  enum Kind : std::uint32_t {
    whole,      ///< the board itself is to be visited
    cell,       ///< the cell `place` on, then off
    cellOn,     ///< only on
    cellOff,    ///< only off
    rowOne,     ///< one point in the row `place`
    rowTwo,     ///< two points in the row `place`: `first` with one of `open`, then later firsts
    rowTwoHere  ///< only `first` with one of `open`
  };
  // head: bits 0..2 kind, 3..12 place, 13..17 first, 18..27 number of points on the board
  static SLICEPOOL_INLINE Branch make(Kind kind, int place, int first, int points, std::uint32_t open) {
    return {static_cast<std::uint32_t>(kind) | static_cast<std::uint32_t>(place) << 3 |
                static_cast<std::uint32_t>(first) << 13 | static_cast<std::uint32_t>(points) << 18,
            open};
  }
  [[nodiscard]] SLICEPOOL_INLINE Kind kind() const { return static_cast<Kind>(head & 7U); }
  [[nodiscard]] SLICEPOOL_INLINE int place() const { return static_cast<int>(head >> 3 & 0x3ffU); }
  [[nodiscard]] SLICEPOOL_INLINE int first() const { return static_cast<int>(head >> 13 & 31U); }
  [[nodiscard]] SLICEPOOL_INLINE int points() const { return static_cast<int>(head >> 18 & 0x3ffU); }
};

/// The cells of one row, column c at bit 31 - c. Without indexing the words by a variable.
template <class Shape>
SLICEPOOL_INLINE std::uint32_t rowOf(const Cells<Shape>& cells, int row) {
  std::uint32_t result = 0;
  SLICEPOOL_UNROLL
  for (int w = 0; w < Shape::kWords; ++w) {
    if constexpr (Shape::kRowsInWord == 2) {
      if (w == row / 2) result = row % 2 == 0 ? cells.words[w] & 0xffff0000U : cells.words[w] << 16;
    } else {
      if (w == row) result = cells.words[w];
    }
  }
  return result;
}

/// The columns after `column`.
SLICEPOOL_INLINE std::uint32_t columnsAfter(int column) { return 0x7fffffffU >> column; }

/// The first undecided cell that is in one of the marked rows or columns, -1 if there is none.
template <class Shape, class RowMask>
SLICEPOOL_INLINE int firstUndecided(const Cells<Shape>& undecided, std::uint32_t columns, RowMask rowMask) {
  int cell = -1;
  SLICEPOOL_UNROLL
  for (int w = Shape::kWords - 1; w >= 0; --w) {
    const std::uint32_t candidates = undecided.words[w] & (columns | rowMask(w));
    if (candidates != 0) cell = cellAt<Shape>(w, leadingZeros(candidates));
  }
  return cell;
}

/// The branch on the row with the fewest placements. There is an undecided cell.
template <class Shape>
SLICEPOOL_INLINE Branch branchOnRow(const Cells<Shape>& on, const Cells<Shape>& undecided, int points) {
  int best = 0;
  int fewest = 1 << 20;
  SLICEPOOL_UNROLL
  for (int row = 0; row < Shape::kLines; ++row) {
    const int open = bitCount(rowOf<Shape>(undecided, row));
    const int placements = rowOf<Shape>(on, row) != 0 ? open : open * (open - 1) / 2;
    if (open != 0 && placements < fewest) {
      fewest = placements;
      best = row;
    }
  }
  const std::uint32_t open = rowOf<Shape>(undecided, best);
  if (rowOf<Shape>(on, best) != 0) return Branch::make(Branch::rowOne, best, 0, points, open);
  const int first = leadingZeros(open);
  return Branch::make(Branch::rowTwo, best, first, points, open & columnsAfter(first));
}

template <class Shape>
SLICEPOOL_INLINE Branch chooseBranch(const Cells<Shape>& on, const Cells<Shape>& off, int points) {
  Cells<Shape> possible;
  Cells<Shape> undecided;
  SLICEPOOL_UNROLL
  for (int w = 0; w < Shape::kWords; ++w) {
    possible.words[w] = ~off.words[w];
    undecided.words[w] = possible.words[w] & ~on.words[w];
  }
  // Rows and columns that are full have no undecided cell, those with two possible cells are full.
  const ToSeven columns = countColumns<ToSeven>(possible);
  const std::uint32_t emptyColumns = ~(countColumns<ToTwo>(on).low | countColumns<ToTwo>(on).high);
  int cell;
  if constexpr (Shape::kRowsInWord == 2) {
    const ToSeven rows = countRows<ToSeven>(possible);
    const ToTwo onRows = countRows<ToTwo>(on);
    const std::uint32_t semi = rows.four() & ~(onRows.low | onRows.high);
    cell = firstUndecided(undecided, columns.three(), [&](int w) { return spreadRowFlags(rows.three(), w); });
    if (cell < 0) {
      cell = firstUndecided(undecided, columns.four() & emptyColumns,
                            [&](int w) { return spreadRowFlags(semi, w); });
    }
  } else {
    cell = firstUndecided(undecided, columns.three(),
                          [&](int w) { return bitCount(possible.words[w]) == 3 ? ~0U : 0U; });
    if (cell < 0) {
      cell = firstUndecided(undecided, columns.four() & emptyColumns, [&](int w) {
        return bitCount(possible.words[w]) == 4 && on.words[w] == 0 ? ~0U : 0U;
      });
    }
  }
  if (cell >= 0) return Branch::make(Branch::cell, cell, 0, points, 0);
  return branchOnRow(on, undecided, points);
}

}  // namespace slicepool::three_in_line
