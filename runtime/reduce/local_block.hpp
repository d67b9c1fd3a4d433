// One block of a basis as a lattice of its own: scaled integers near its projected rows, which fplll reduces,
// and the transformation that this was. Pure functions, for any number of threads. Called by
// block_search.cpp, block_step.cpp and basis_rows.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/lattice/integer_basis.hpp"

namespace slicepool::reduce {

/// Rows in the directions of their own b*_i: a lower triangle with the |b*_i| on its diagonal.
struct ProjectedBlock {
  int size = 0;
  std::vector<double> triangle;  ///< size * size, row by row

  [[nodiscard]] double at(int row, int column) const {
    return triangle[static_cast<std::size_t>(row) * static_cast<std::size_t>(size) +
                    static_cast<std::size_t>(column)];
  }
};

/// An integer matrix of determinant 1 or -1: row i says what the new row i is made of.
struct Transformation {
  int size = 0;
  std::vector<std::int64_t> entries;  ///< size * size, row by row

  [[nodiscard]] std::int64_t at(int row, int column) const {
    return entries[static_cast<std::size_t>(row) * static_cast<std::size_t>(size) +
                   static_cast<std::size_t>(column)];
  }
  [[nodiscard]] bool isIdentity() const;
};

/// Gram-Schmidt data as the search takes them.
struct BlockData {
  std::vector<double> mu;     ///< size * size, row by row, below the diagonal
  std::vector<double> norms;  ///< |b*_i|^2
};

/// The block, scaled and rounded: a lower triangle of integers. Where |b*_i| differ little, entries have some
/// 20 bits, so that fplll works with machine integers.
[[nodiscard]] lattice::IntegerBasis scaledBlock(const ProjectedBlock& block);

/// The transformation from `scaled` (as scaledBlock() makes it) to another basis of its lattice. Exact, by
/// substitution in the triangle. Throws Error when the rows are not of this lattice, or a coefficient is
/// beyond 64 bits. O(size^3).
[[nodiscard]] Transformation transformationTo(const lattice::IntegerBasis& scaled,
                                              const lattice::IntegerBasis& other);

/// Gram-Schmidt data of the transformed block.
[[nodiscard]] BlockData dataOf(const ProjectedBlock& block, const Transformation& transformation);

/// |sum_i x_i b_i|^2 within the block.
[[nodiscard]] double squaredNormOf(const ProjectedBlock& block, const std::vector<std::int64_t>& x);

/// sum_i x_i (row i of `transformation`).
[[nodiscard]] std::vector<std::int64_t> combined(const Transformation& transformation,
                                                 const std::vector<std::int64_t>& x);
/// sum_i x_i (row i of `basis`).
[[nodiscard]] std::vector<lattice::Integer> combined(const lattice::IntegerBasis& basis,
                                                     const std::vector<std::int64_t>& x);

}  // namespace slicepool::reduce
