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

/// The image that undoes another: the quarter turns undo each other.
SLICEPOOL_INLINE int inverseImage(int image) { return image == 5 ? 6 : image == 6 ? 5 : image; }

/// Calls visit(image, its number) for the images 1..7 of `cells` (numbers as in symmetry.hpp) that are in the
/// mask `images`, until one returns true; returns whether one did.
template <class Shape, class Visit>
SLICEPOOL_INLINE bool anyImage(const Geometry& geometry, const Cells<Shape>& cells, unsigned images,
                               Visit visit) {
  const auto wants = [images](int image) { return (images >> image & 1U) != 0; };
  const Cells<Shape> columns = exchangeColumns(cells, geometry);
  if (wants(1) && visit(columns, 1)) return true;
  if (wants(2) && visit(exchangeRows(cells, geometry), 2)) return true;
  if (wants(3) && visit(exchangeRows(columns, geometry), 3)) return true;
  if ((images & 0xf0U) == 0) return false;
  const Cells<Shape> turned = transpose(cells);
  if (wants(4) && visit(turned, 4)) return true;
  const Cells<Shape> turnedColumns = exchangeColumns(turned, geometry);
  if (wants(5) && visit(turnedColumns, 5)) return true;
  if (wants(6) && visit(exchangeRows(turned, geometry), 6)) return true;
  return wants(7) && visit(exchangeRows(turnedColumns, geometry), 7);
}

/// What follows from `possible` >= `image` for the cells of a board and for those of its image: a board must
/// be all that it can be for as long as that is no more than the image is already, and the image nothing
/// else. Sets `mustBeOn`, cells of the board, and `mustBeOff`, cells of the image; false if the image is
/// greater anyway.
template <class Shape>
SLICEPOOL_INLINE bool compareWithImage(const Cells<Shape>& possible, const Cells<Shape>& image,
                                       Cells<Shape>& mustBeOn, Cells<Shape>& mustBeOff) {
  SLICEPOOL_UNROLL
  for (int w = 0; w < Shape::kWords; ++w) {
    const std::uint32_t difference = possible.words[w] ^ image.words[w];
    const std::uint32_t equal = difference == 0 ? ~0U : ~(~0U >> leadingZeros(difference));
    mustBeOn.words[w] |= possible.words[w] & equal;
    mustBeOff.words[w] = ~image.words[w] & equal;
    if (difference != 0) return possible.words[w] > image.words[w];
  }
  return true;
}

/// Whether a board may still become one that no image exceeds, and what it must be for that.
template <class Shape>
SLICEPOOL_INLINE bool forceCanonical(const Geometry& geometry, const Cells<Shape>& on,
                                     const Cells<Shape>& off, unsigned images, Cells<Shape>& mustBeOn,
                                     Cells<Shape>& mustBeOff) {
  Cells<Shape> possible;
  SLICEPOOL_UNROLL
  for (int w = 0; w < Shape::kWords; ++w) possible.words[w] = ~off.words[w];
  return !anyImage(geometry, on, images, [&](const Cells<Shape>& image, int number) {
    Cells<Shape> imageOff{};
    if (!compareWithImage<Shape>(possible, image, mustBeOn, imageOff)) return true;
    if (number == 0) return false;
    anyImage(geometry, imageOff, 1U << inverseImage(number), [&](const Cells<Shape>& cells, int) {
      SLICEPOOL_UNROLL
      for (int w = 0; w < Shape::kWords; ++w) mustBeOff.words[w] |= cells.words[w];
      return false;
    });
    return false;
  });
}

}  // namespace slicepool::three_in_line
