// The eight symmetries of the square on configurations: images, the canonical one, symmetry classes. Called
// once per solution by the search, by the output and by checkers; boards within the search have their own
// images (board.hpp).
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/three_in_line/types.hpp"

namespace slicepool::three_in_line {

/// An image is a number 0..7 of three bits, applied in this order: 4 transposes (x, y) -> (y, x), 2 reverses
/// the order of rows y -> n-1-y, 1 reverses the order of columns x -> n-1-x. So 3 is the half turn, 5 and 6
/// are the quarter turns, 4 and 7 reflect in the two diagonals.
inline constexpr int kImages = 8;

/// Image number `image` of a configuration on the n x n grid. O(n), transposing O(n^2).
SLICEPOOL_HD inline Configuration imageOf(const Configuration& from, int n, int image) {
  Configuration result{};
  for (int y = 0; y < n; ++y) {
    std::uint32_t row = 0;
    if ((image & 4) != 0)
      for (int x = 0; x < n; ++x) row |= ((from.rows[x] >> y) & 1U) << x;
    else
      row = from.rows[y];
    if ((image & 1) != 0) {
      std::uint32_t reversed = 0;
      for (int x = 0; x < n; ++x) reversed |= ((row >> x) & 1U) << (n - 1 - x);
      row = reversed;
    }
    result.rows[(image & 2) != 0 ? n - 1 - y : y] = row;
  }
  return result;
}

/// Compares row by row from row 0, rows as numbers: negative, zero or positive.
SLICEPOOL_HD inline int compare(const Configuration& left, const Configuration& right, int n) {
  for (int y = 0; y < n; ++y)
    if (left.rows[y] != right.rows[y]) return left.rows[y] < right.rows[y] ? -1 : 1;
  return 0;
}

/// The images under which a set is closed, as a mask with bit 0 (identity) always set, to its class.
SLICEPOOL_HD inline SymmetryClass classOfImages(unsigned images) {
  const bool quarter = (images & (1U << 5)) != 0;
  const bool diagonal = (images & (1U << 4 | 1U << 7)) != 0;
  const bool orthogonal = (images & (1U << 1 | 1U << 2)) != 0;
  if (quarter) return diagonal ? SymmetryClass::full : SymmetryClass::rot4;
  const bool half = (images & (1U << 3)) != 0;
  if (diagonal) return half ? SymmetryClass::dia2 : SymmetryClass::dia1;
  if (orthogonal) return half ? SymmetryClass::ort2 : SymmetryClass::ort1;
  return half ? SymmetryClass::rot2 : SymmetryClass::iden;
}

/// The image that compare() puts first, and the class. O(n^2).
SLICEPOOL_HD inline Solution canonicalSolution(const Configuration& points, int n) {
  Solution solution{points, SymmetryClass::iden};
  unsigned images = 1;
  for (int image = 1; image < kImages; ++image) {
    const Configuration candidate = imageOf(points, n, image);
    if (compare(candidate, points, n) == 0) images |= 1U << image;
    if (compare(candidate, solution.points, n) < 0) solution.points = candidate;
  }
  solution.symmetry = classOfImages(images);
  return solution;
}

/// The images that make up a group, as a mask with bit 0 set. Of two conjugate groups it is the one with the
/// reflection of rows (2), or in the main diagonal (4).
SLICEPOOL_HD inline unsigned imagesOf(Group group) {
  switch (group) {
    case Group::c2: return 1U | 1U << 3;
    case Group::c4: return 1U | 1U << 3 | 1U << 5 | 1U << 6;
    case Group::diagonal: return 1U | 1U << 4;
    case Group::orthogonal: return 1U | 1U << 2;
    case Group::diagonals: return 1U | 1U << 3 | 1U << 4 | 1U << 7;
    case Group::orthogonals: return 1U | 1U << 1 | 1U << 2 | 1U << 3;
    case Group::full: return 0xffU;
    default: return 1U;
  }
}

}  // namespace slicepool::three_in_line
