// How the search goes on from a board that is closed but not complete, as a function of the board alone.
// Called by search.hpp.
//
// A branch is on the value of one cell, on first. The cell is the most central undecided one of the line -
// row or column - with the least score. The score says how little is open on a line (the weights are fitted
// to the number of nodes at n = 11 and 12), and among lines that are not nearly decided it grows towards the
// edge: the canonical order (canonical.hpp) begins at the centre, so that what is decided there prunes first.
// Of equal scores the more central line, of rows and columns at the same place the row.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/three_in_line/steps/board.hpp"

namespace slicepool::three_in_line {

/// What remains of a branch.
struct Branch {
  std::uint32_t bits;  ///< 0..1 kind, 2..11 cell, 12.. number of points on the board

  enum Kind : std::uint32_t {
    whole,   ///< the board itself is to be visited
    cell,    ///< the cell on, then off
    cellOn,  ///< only on
    cellOff  ///< only off
  };
  static SLICEPOOL_INLINE Branch make(Kind kind, int place, int points) {
    return {static_cast<std::uint32_t>(kind) | static_cast<std::uint32_t>(place) << 2 |
            static_cast<std::uint32_t>(points) << 12};
  }
  [[nodiscard]] SLICEPOOL_INLINE Kind kind() const { return static_cast<Kind>(bits & 3U); }
  [[nodiscard]] SLICEPOOL_INLINE int place() const { return static_cast<int>(bits >> 2 & 0x3ffU); }
  [[nodiscard]] SLICEPOOL_INLINE int points() const { return static_cast<int>(bits >> 12); }
};

/// The cells of one row, column c at bit 31 - c. On a device without indexing the words by a variable.
template <class Shape>
SLICEPOOL_INLINE std::uint32_t rowOf(const Cells<Shape>& cells, int row) {
#if SLICEPOOL_ON_DEVICE
  std::uint32_t word = 0;
  SLICEPOOL_FOR_WORDS
  for (int w = 0; w < Shape::kWords; ++w)
    if (w == row / Shape::kRowsInWord) word = cells.words[w];
#else
  const std::uint32_t word = cells.words[row / Shape::kRowsInWord];
#endif
  if constexpr (Shape::kRowsInWord == 2)
    return row % 2 == 0 ? word & 0xffff0000U : word << 16;
  else
    return word;
}

/// Scores by number of undecided cells, a byte each, of lines with no point and with one. The last is for 7
/// or more.
inline constexpr std::uint64_t kScoresOfTwo = 0x2d160c0803000000ULL;  // 3, 8, 12, 22, 45 for 3 .. 7 cells
inline constexpr std::uint64_t kScoresOfOne = 0xc8c8c87833070000ULL;  // 7, 51, 120, 200 for 2 .. 5 cells
/// From above this score on, a line's distance from the centre (in half lines) adds to it.
inline constexpr int kNearlyDecided = 12;
inline constexpr int kScoreOfDistance = 10;

SLICEPOOL_INLINE int scoreOfLine(int undecided, bool hasPoint, int distance) {
  const int capped = undecided < 7 ? undecided : 7;
  const int score = static_cast<int>((hasPoint ? kScoresOfOne : kScoresOfTwo) >> (8 * capped) & 0xffU);
  return score > kNearlyDecided ? score + kScoreOfDistance * distance : score;
}

/// Distance of a line from the centre, in half lines.
SLICEPOOL_INLINE constexpr int distanceOf(int position, int n) {
  return position / 2 * 2 + (n % 2 != 0 ? 0 : 1);
}

template <class Shape>
SLICEPOOL_INLINE Branch chooseBranch(const Geometry& geometry, const Cells<Shape>& on,
                                     const Cells<Shape>& off, int points) {
  Cells<Shape> undecided;
  SLICEPOOL_FOR_WORDS
  for (int w = 0; w < Shape::kWords; ++w) undecided.words[w] = ~(off.words[w] | on.words[w]);
  const Cells<Shape> turned = transpose(undecided);
  std::uint32_t occupied = 0;  // columns, in the high half for packed shapes
  SLICEPOOL_FOR_WORDS
  for (int w = 0; w < Shape::kWords; ++w) occupied |= on.words[w];
  if constexpr (Shape::kRowsInWord == 2) occupied |= occupied << 16;
  int best = 1 << 20;
  std::uint32_t line = 0;
  int place = 0;
  SLICEPOOL_FOR_WORDS
  for (int position = 0; position < Shape::kLines; ++position) {
    const int distance = distanceOf(position, geometry.n);
    for (int column = 0; column < 2; ++column) {
      const std::uint32_t open = rowOf<Shape>(column != 0 ? turned : undecided, position);
      const bool hasPoint = (column != 0 ? occupied << position >> 31 : rowOf<Shape>(on, position)) != 0;
      const int score = scoreOfLine(bitCount(open), hasPoint, distance);
      if (open != 0 && score < best) {
        best = score;
        line = open;
        place = 2 * position + column;
      }
    }
  }
  const int other = leadingZeros(line);
  const int cell = place % 2 != 0 ? other * Shape::kPitch + place / 2 : place / 2 * Shape::kPitch + other;
  return Branch::make(Branch::cell, cell, points);
}

}  // namespace slicepool::three_in_line
