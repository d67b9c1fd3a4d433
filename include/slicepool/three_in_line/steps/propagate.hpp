// The closure of a board under everything that is forced. Called by search.hpp for every visited board; the
// CPU fast paths compute the same closure.
//
// The rules: no third point on the line of two points; a row or a column with two points has no other; one
// with two possible cells left has both. They are monotone, so the closure, and whether there is a
// contradiction, do not depend on the order in which they are applied.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/three_in_line/steps/board.hpp"
#include "slicepool/three_in_line/steps/canonical.hpp"
#include "slicepool/three_in_line/steps/counters.hpp"
#include "slicepool/three_in_line/steps/lines.hpp"

namespace slicepool::three_in_line {

/// A board while it is worked on. Cells that do not exist are off. `points` lists the cells that are on; the
/// lines of the first `closed` ones are off already.
template <class Shape>
struct Board {
  Cells<Shape> on;
  Cells<Shape> off;
  typename Shape::Cell* points;
  int count;
  int closed;
};

/// What one look at all rows and columns forces.
template <class Shape>
struct Forced {
  Cells<Shape> on;
  Cells<Shape> off;
  bool contradiction;
};

template <class Shape>
SLICEPOOL_INLINE Forced<Shape> forceLinesOfTwo(const Geometry& geometry, const Board<Shape>& board) {
  Forced<Shape> forced;
  Cells<Shape> possible;
  SLICEPOOL_FOR_WORDS
  for (int w = 0; w < Shape::kWords; ++w) possible.words[w] = ~board.off.words[w];
  const ToTwo onColumns = countColumns<ToTwo>(board.on);
  const ToTwo possibleColumns = countColumns<ToTwo>(possible);
  const std::uint32_t full = onColumns.two();
  const std::uint32_t scarce = possibleColumns.two();
  std::uint32_t wrong = (onColumns.more() | possibleColumns.less()) & geometry.columns;
  if constexpr (Shape::kRowsInWord == 2) {
    const ToTwo onRows = countRows<ToTwo>(board.on);
    const ToTwo possibleRows = countRows<ToTwo>(possible);
    wrong |= (onRows.more() | possibleRows.less()) & existingRowFlags<Shape>(geometry);
    SLICEPOOL_FOR_WORDS
    for (int w = 0; w < Shape::kWords; ++w) {
      forced.off.words[w] = ~board.on.words[w] & (full | spreadRowFlags(onRows.two(), w));
      forced.on.words[w] = possible.words[w] & (scarce | spreadRowFlags(possibleRows.two(), w));
    }
  } else {
    SLICEPOOL_FOR_WORDS
    for (int w = 0; w < Shape::kWords; ++w) {
      const int onInRow = bitCount(board.on.words[w]);
      const int possibleInRow = bitCount(possible.words[w]);
      const bool exists = existing<Shape>(geometry, w) != 0;
      wrong |= exists && (onInRow > 2 || possibleInRow < 2) ? 1U : 0U;
      forced.off.words[w] = ~board.on.words[w] & (onInRow == 2 ? ~0U : full);
      forced.on.words[w] = possible.words[w] & (possibleInRow == 2 ? ~0U : scarce);
    }
  }
  forced.contradiction = wrong != 0;
  return forced;
}

/// What a group of images forces: everything that is true of a cell is true of its images.
template <class Shape>
SLICEPOOL_HD inline Forced<Shape> forceImages(const Geometry& geometry, const Board<Shape>& board,
                                              unsigned group) {
  Forced<Shape> forced{};
  const auto collect = [&](const Cells<Shape>& from, Cells<Shape>& to) {
    anyImage(geometry, from, group, [&](const Cells<Shape>& image, int) {
      SLICEPOOL_FOR_WORDS
      for (int w = 0; w < Shape::kWords; ++w) to.words[w] |= image.words[w];
      return false;
    });
  };
  collect(board.on, forced.on);
  collect(board.off, forced.off);
  return forced;
}

/// Merges what is forced into the board and lists new points. Returns true if anything is new.
template <class Shape>
SLICEPOOL_INLINE bool merge(const Forced<Shape>& forced, Board<Shape>& board) {
  std::uint32_t change = 0;
  SLICEPOOL_FOR_WORDS
  for (int w = 0; w < Shape::kWords; ++w) {
    std::uint32_t fresh = forced.on.words[w] & ~board.on.words[w];
    change |= fresh | (forced.off.words[w] & ~board.off.words[w]);
    board.on.words[w] |= fresh;
    board.off.words[w] |= forced.off.words[w];
    while (fresh != 0) {
      const int zeros = leadingZeros(fresh);
      fresh ^= 0x80000000U >> zeros;
      // More points than the list has room for are three in some column, which the next look finds.
      if (board.count == Shape::kMaximumPoints) continue;
      board.points[board.count++] = static_cast<typename Shape::Cell>(cellAt<Shape>(w, zeros));
    }
  }
  return change != 0;
}

template <class Shape>
SLICEPOOL_INLINE bool contradicts(const Board<Shape>& board) {
  std::uint32_t both = 0;
  SLICEPOOL_FOR_WORDS
  for (int w = 0; w < Shape::kWords; ++w) both |= board.on.words[w] & board.off.words[w];
  return both != 0;
}

/// Takes the lines of one more point with all before it off the board. Several at a time, so that their loads
/// are under way together; the line of a point with itself is empty.
template <class Shape, class Lines>
SLICEPOOL_INLINE void closeOnePoint(const Geometry& geometry, const Lines& lines, Board<Shape>& board) {
  static_assert(Shape::kMaximumPoints % Lines::kTogether == 0,
                "a group of points does not run past the list");
  const int point = board.points[board.closed];
  SLICEPOOL_NO_UNROLL
  for (int i = 0; i < board.closed; i += Lines::kTogether) {
    SLICEPOOL_UNROLL
    for (int j = 0; j < Lines::kTogether; ++j) {
      const int other = board.points[i + j];
      lines.add(geometry, point, i + j < board.closed ? other : point, board.off);
    }
  }
  ++board.closed;
}

/// Replaces the board by its closure; false if it has none, and the board is then of no use. `group`: the
/// images under which the board is to be closed (bits 1..7), 0 for a search without a group.
template <class Shape, class Lines>
SLICEPOOL_INLINE bool propagate(const Geometry& geometry, const Lines& lines, unsigned group, unsigned rivals,
                                Board<Shape>& board) {
  const bool ordered = board.count <= kOrderedPoints;
  SLICEPOOL_NO_UNROLL
  for (;;) {
    SLICEPOOL_NO_UNROLL
    while (board.closed < board.count) {
      closeOnePoint(geometry, lines, board);
      if (contradicts(board)) return false;
    }
    const Forced<Shape> forced = forceLinesOfTwo(geometry, board);
    if (forced.contradiction) return false;
    bool changed = merge(forced, board);
    if (group != 0) changed |= merge(forceImages(geometry, board, group), board);
    if (!changed) {
      if (!ordered && board.count != 2 * geometry.n) return true;
      Forced<Shape> order{};
      if (!forceCanonical(geometry, board.on, board.off, rivals, order.on, order.off)) return false;
      if (!merge(order, board)) return true;
    }
    if (contradicts(board)) return false;
  }
}

}  // namespace slicepool::three_in_line
