// The vocabulary of the no-three-in-line workload: place 2n points on an n x n grid, two in every row and
// every column, so that no three lie on a line of any slope. Used by the step functions, the runtime and the
// kernels.
#pragma once

#include <cstdint>

namespace slicepool::three_in_line {

/// Largest grid: a row is a word of 32 bits.
inline constexpr int kMaximumSize = 32;

/// A set of cells of the grid. Bit x of rows[y] is the cell in column x of row y; rows from n on are zero.
struct Configuration {
  std::uint32_t rows[kMaximumSize];

  friend bool operator==(const Configuration&, const Configuration&) = default;
};

/// A board to start a search from: cells known to hold a point, and cells known to be empty. Cells outside of
/// the n x n grid are in neither.
struct RootBoard {
  Configuration on;
  Configuration off;
};

/// The subgroups of the square's symmetries, up to conjugation. The names are those of the literature for a
/// configuration of exactly this symmetry (Flammenkamp's classes, the columns of the tables of A000769).
enum class SymmetryClass : std::uint8_t {
  iden,  ///< no symmetry
  rot2,  ///< half turn
  dia1,  ///< one diagonal reflection
  ort1,  ///< one orthogonal reflection
  rot4,  ///< quarter turns
  dia2,  ///< both diagonal reflections
  ort2,  ///< both orthogonal reflections
  full   ///< all eight
};
inline constexpr int kSymmetryClasses = 8;

/// Symmetries that every configuration of a search has at least.
enum class Group : std::uint8_t { none, c2, c4, diagonal, orthogonal, diagonals, orthogonals, full };

/// How the cells that a pair of points forbids are found. The nodes visited are the same.
enum class Algorithm : std::uint8_t {
  automatic,  ///< the fastest
  table,      ///< a mask of the whole line for every pair of cells
  posts       ///< computed: one-hop reflection, and a table of greatest common divisors for the rest
};

/// A complete configuration as found: `points` is the lexicographically first of its images (symmetry.hpp).
struct Solution {
  Configuration points;
  SymmetryClass symmetry;
};

}  // namespace slicepool::three_in_line
