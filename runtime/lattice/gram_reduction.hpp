// Reduction of a lattice that is given by its Gram matrix. Called by prepared_search.cpp, the workloads svp
// and reduce, and tests.
#pragma once

#include "runtime/lattice/integer_basis.hpp"

namespace slicepool::lattice {

/// A basis of the same lattice in the same coordinates, which is reduced as `reduced` (reduction.hpp) does:
/// LLL, or BKZ with that block size. `basis` has a Gram matrix, which is positive definite. Throws as
/// `reduced`. An approximate basis in integers, the rows of the Cholesky factor times a power of two that
/// tells all vectors of interest apart, is reduced by fplll; the unimodular matrix between the two is applied
/// to the rows exactly.
[[nodiscard]] IntegerBasis reducedByGram(const IntegerBasis& basis, int blockSize = 0);

/// A basis with integer entries in place of one that has a Gram matrix: the rows of the Cholesky factor,
/// lower triangular, times a power of two. O(d^3) products of integers of up to d times the digits of G.
struct ApproximateRows {
  IntegerBasis rows;
  int bits = 0;  ///< the power
};
/// For a basis that is LLL-reduced: entries have some 38 bits, and more only where the Gram-Schmidt norms are
/// too far apart for it.
[[nodiscard]] ApproximateRows approximateRows(const IntegerBasis& basis);
/// T of `rows` = T `triangle`, with the lattice of the rows of a lower triangular matrix. Throws Error for
/// rows that are not of it. O(d^3).
[[nodiscard]] IntegerBasis transformOf(const IntegerBasis& rows, const IntegerBasis& triangle);
/// The rows T B, with their Gram matrix T G T^t. T has as many columns as `basis` has rows. O(d^3).
[[nodiscard]] IntegerBasis transformed(const IntegerBasis& transform, const IntegerBasis& basis);

}  // namespace slicepool::lattice
