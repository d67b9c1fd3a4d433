// Of the eight images of a configuration, the search keeps the one that is least as a number: rows from
// the centre outwards, the most central column first (board.hpp). Called by search.hpp for every visited
// board.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/three_in_line/board.hpp"

namespace slicepool::three_in_line {

/// Boards are compared with their images, until they are complete, only while they have at most this many
/// points before their closure: later it hardly ever tells, and costs as much. Part of what a node is.
inline constexpr int kOrderedPoints = 8;

/// True if `left` is less than `right`, as numbers.
template <class Shape>
SLICEPOOL_INLINE bool isLess(const Cells<Shape>& left, const Cells<Shape>& right) {
  SLICEPOOL_FOR_WORDS
  for (int w = 0; w < Shape::kWords; ++w) {
    if (left.words[w] != right.words[w]) return left.words[w] < right.words[w];
  }
  return false;
}

/// Calls visit(image) for the images 1..7 of `cells` (numbers as in symmetry.hpp) that are in the
/// mask `images`, until one returns true; returns whether one did.
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

/// The first four rows of a board. What they cannot decide is left to complete boards: looking further
/// changes the number of nodes by a thousandth.
template <class Shape>
struct Head {
  static constexpr int kWords =
      Shape::kWords < 4 / Shape::kRowsInWord ? Shape::kWords : 4 / Shape::kRowsInWord;
  std::uint32_t words[kWords];

  static SLICEPOOL_INLINE Head of(const Cells<Shape>& cells) {
    Head head;
    SLICEPOOL_UNROLL
    for (int w = 0; w < kWords; ++w) head.words[w] = cells.words[w];
    return head;
  }
  [[nodiscard]] SLICEPOOL_INLINE Cells<Shape> cells() const {
    Cells<Shape> cells{};
    SLICEPOOL_UNROLL
    for (int w = 0; w < kWords; ++w) cells.words[w] = words[w];
    return cells;
  }
  /// The reflections of an image: 1 exchanges columns, 2 rows. Four rows have their images among themselves.
  [[nodiscard]] SLICEPOOL_INLINE Head reflected(const Geometry& geometry, int image) const {
    Cells<Shape> moved = cells();
    if ((image & 1) != 0) moved = exchangeColumns(moved, geometry);
    if ((image & 2) != 0) moved = exchangeRows(moved, geometry);
    return of(moved);
  }
  SLICEPOOL_INLINE void add(const Head& other) {
    SLICEPOOL_UNROLL
    for (int w = 0; w < kWords; ++w) words[w] |= other.words[w];
  }
};

/// What follows from board <= image for their first rows, where `on` is the least that the board can be and
/// `possible` the most that the image can be: for as long as these are equal, the board is nothing else, and
/// the image is nothing less. Sets the cells of the board that must be off, and the cells of the image that
/// must be on; false if the board is greater anyway.
template <class Shape>
SLICEPOOL_INLINE bool compareWithImage(const Geometry& geometry, const Head<Shape>& on,
                                       const Head<Shape>& possible, int image, Head<Shape>& mustBeOff,
                                       Head<Shape>& mustBeOn) {
  SLICEPOOL_UNROLL
  for (int w = 0; w < Head<Shape>::kWords; ++w) {
    const std::uint32_t compared = existing<Shape>(geometry, w) & ~fixedCells<Shape>(geometry, image, w);
    const std::uint32_t difference = (on.words[w] ^ possible.words[w]) & compared;
    const std::uint32_t equal = difference == 0 ? compared : compared & ~(~0U >> leadingZeros(difference));
    mustBeOff.words[w] |= ~on.words[w] & equal;
    mustBeOn.words[w] = possible.words[w] & equal;
    if (difference != 0) return (possible.words[w] << leadingZeros(difference) >> 31) != 0;
  }
  return true;
}

/// Whether a board may still become one that exceeds none of its images, by their first rows, and what it
/// must be for that. `images`: those to compare with. The rule is monotone, and so part of the closure.
template <class Shape>
SLICEPOOL_INLINE bool forceCanonical(const Geometry& geometry, const Cells<Shape>& on,
                                     const Cells<Shape>& off, unsigned images, Cells<Shape>& mustBeOn,
                                     Cells<Shape>& mustBeOff) {
  Cells<Shape> possible;
  SLICEPOOL_FOR_WORDS
  for (int w = 0; w < Shape::kWords; ++w) possible.words[w] = ~off.words[w];
  const auto least = Head<Shape>::of(on);
  const auto rows = Head<Shape>::of(possible);
  const auto columns = Head<Shape>::of(transposeInline(possible));
  Head<Shape> offHere{};
  Head<Shape> onHere{};
  Head<Shape> onTransposed{};
  SLICEPOOL_UNROLL
  for (int image = 1; image < 8; ++image) {
    if ((images >> image & 1U) == 0) continue;
    Head<Shape> onInImage{};
    const auto moved = (image < 4 ? rows : columns).reflected(geometry, image);
    if (!compareWithImage<Shape>(geometry, least, moved, image, offHere, onInImage)) return false;
    (image < 4 ? onHere : onTransposed).add(onInImage.reflected(geometry, image));
  }
  mustBeOff = offHere.cells();
  mustBeOn = onHere.cells();
  // Mostly the first cells are off, and nothing must be on.
  std::uint32_t some = 0;
  SLICEPOOL_UNROLL
  for (int w = 0; w < Head<Shape>::kWords; ++w) some |= onTransposed.words[w];
  if (some != 0) {
    const Cells<Shape> turned = transpose(onTransposed.cells());
    SLICEPOOL_FOR_WORDS
    for (int w = 0; w < Shape::kWords; ++w) mustBeOn.words[w] |= turned.words[w];
  }
  return true;
}

/// True if one of these images of a complete board is less than the board.
template <class Shape>
SLICEPOOL_HD bool hasLesserImage(const Geometry& geometry, const Cells<Shape>& on, unsigned images) {
  return anyImage(geometry, on, images, [&](const Cells<Shape>& image) { return isLess<Shape>(image, on); });
}

}  // namespace slicepool::three_in_line
