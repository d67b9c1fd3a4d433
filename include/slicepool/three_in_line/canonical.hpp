// Of the eight images of a configuration, the search keeps the one that is greatest as a number: rows from
// the centre outwards, the most central column first (board.hpp). Called by search.hpp for every visited
// board.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/three_in_line/board.hpp"

namespace slicepool::three_in_line {

/// True if `left` is less than `right`, as numbers.
template <class Shape>
SLICEPOOL_INLINE bool isLess(const Cells<Shape>& left, const Cells<Shape>& right) {
  SLICEPOOL_UNROLL
  for (int w = 0; w < Shape::kWords; ++w) {
    if (left.words[w] != right.words[w]) return left.words[w] < right.words[w];
  }
  return false;
}

/// Calls visit(image) for the images 1..7 of `cells` (numbers as in symmetry.hpp) that are in the mask
/// `images`, until one returns true; returns whether one did.
template <class Shape, class Visit>
SLICEPOOL_INLINE bool anyImage(const Geometry& geometry, const Cells<Shape>& cells, unsigned images,
                               Visit visit) {
  const auto wants = [images](int image) { return (images >> image & 1U) != 0; };
  const Cells<Shape> columns = exchangeColumns(cells, geometry);
  if (wants(1) && visit(columns)) return true;
  if (wants(2) && visit(exchangeRows(cells, geometry))) return true;
  if (wants(3) && visit(exchangeRows(columns, geometry))) return true;
  if ((images & 0xf0U) == 0) return false;
  const Cells<Shape> turned = transpose(cells);
  if (wants(4) && visit(turned)) return true;
  const Cells<Shape> turnedColumns = exchangeColumns(turned, geometry);
  if (wants(5) && visit(turnedColumns)) return true;
  if (wants(6) && visit(exchangeRows(turned, geometry))) return true;
  return wants(7) && visit(exchangeRows(turnedColumns, geometry));
}

/// True if every completion of the board is less than one of its images, so that none of them is to be found
/// here: the most that the board can become is less than the least that an image can become. Exact for
/// complete boards.
template <class Shape>
SLICEPOOL_INLINE bool isBeaten(const Geometry& geometry, const Cells<Shape>& on, const Cells<Shape>& off,
                               unsigned images) {
  Cells<Shape> possible;
  SLICEPOOL_UNROLL
  for (int w = 0; w < Shape::kWords; ++w) possible.words[w] = ~off.words[w];
  return anyImage(geometry, on, images,
                  [&](const Cells<Shape>& image) { return isLess<Shape>(possible, image); });
}

}  // namespace slicepool::three_in_line
