// Of the eight images of a configuration, the search keeps the one that is least as a number: rows from
// the centre outwards, the most central column first (board.hpp). Called by search.hpp for every visited
// board.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/three_in_line/steps/board.hpp"

namespace slicepool::three_in_line {

/// Boards are compared with their images, until they are complete, only while they have at most this many
/// points before their closure: later it hardly ever tells, and costs as much. Part of what a node is.
inline constexpr int kOrderedPoints = 8;

/// True if `left` is less than `right`, as numbers.
template <class Shape>
SLICEPOOL_INLINE bool isLess(const Cells<Shape>& left, const Cells<Shape>& right) {
  SLICEPOOL_FOR_WORDS
  for (int w = 0; w < Shape::kWords; ++w)
    if (left.words[w] != right.words[w]) return left.words[w] < right.words[w];
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

/// The cells of word w that an image leaves where they are: these never tell a board from its image.
template <class Shape>
SLICEPOOL_INLINE std::uint32_t fixedCells(const Geometry& geometry, int image, int w) {
  constexpr bool kPacked = Shape::kRowsInWord == 2;
  const bool odd = geometry.fixed != 0;
  const std::uint32_t centre = odd && w == 0 ? 0x80000000U : 0;
  switch (image) {
    case 1: return geometry.fixed;
    case 2: return odd && w == 0 ? ~0U : 0;
    case 4: return kPacked ? 0x80004000U >> (2 * w) : 0x80000000U >> w;
    case 7:
      if (centre != 0) return centre;
      return kPacked ? 0x40008000U >> (2 * w) : 0x80000000U >> (w ^ 1);
    default: return centre;
  }
}

/// What follows from board <= image for the first words of both, where `on` is the least that the board can
/// be and `possible` the most that the image can be: for as long as these are equal, the board is nothing
/// else, and the image is nothing less. Sets the cells of the board that must be off, and cells of the image
/// that must be on; false if the board is greater anyway.
template <class Shape>
SLICEPOOL_INLINE bool compareWithImage(const Geometry& geometry, const Cells<Shape>& on,
                                       const Cells<Shape>& possible, int image, Cells<Shape>& mustBeOff,
                                       Cells<Shape>& mustBeOn) {
  SLICEPOOL_FOR_WORDS
  for (int w = 0; w < Shape::kWords; ++w) {
    const std::uint32_t compared = existing<Shape>(geometry, w) & ~fixedCells<Shape>(geometry, image, w);
    const std::uint32_t difference = (on.words[w] ^ possible.words[w]) & compared;
    const std::uint32_t equal = difference == 0 ? compared : compared & ~(~0U >> leadingZeros(difference));
    mustBeOff.words[w] |= ~on.words[w] & equal;
    mustBeOn.words[w] = possible.words[w] & equal;
    if (difference != 0) return (possible.words[w] << leadingZeros(difference) >> 31) != 0;
  }
  return true;
}

/// Whether a board may still become one that exceeds none of its images, and what it must be for that.
/// `images`: those to compare with. Exact for complete boards. The rule is monotone: it is part of the
/// closure.
template <class Shape>
SLICEPOOL_INLINE bool forceCanonical(const Geometry& geometry, const Cells<Shape>& on,
                                     const Cells<Shape>& off, unsigned images, Cells<Shape>& mustBeOn,
                                     Cells<Shape>& mustBeOff) {
  Cells<Shape> possible;
  SLICEPOOL_FOR_WORDS
  for (int w = 0; w < Shape::kWords; ++w) possible.words[w] = ~off.words[w];
  return !anyImage(geometry, possible, images, [&](const Cells<Shape>& image, int number) {
    Cells<Shape> imageOn{};
    if (!compareWithImage<Shape>(geometry, on, image, number, mustBeOff, imageOn)) return true;
    // Mostly the first cells are off, and nothing must be on.
    std::uint32_t some = 0;
    SLICEPOOL_FOR_WORDS
    for (int w = 0; w < Shape::kWords; ++w) some |= imageOn.words[w];
    if (some == 0) return false;
    anyImage(geometry, imageOn, 1U << inverseImage(number), [&](const Cells<Shape>& cells, int) {
      SLICEPOOL_FOR_WORDS
      for (int w = 0; w < Shape::kWords; ++w) mustBeOn.words[w] |= cells.words[w];
      return false;
    });
    return false;
  });
}

}  // namespace slicepool::three_in_line
