// Reduction of a lattice that is given by its Gram matrix. Called by prepared_search.cpp and tests.
#pragma once

#include "runtime/lattice/integer_basis.hpp"

namespace slicepool::lattice {

/// A basis of the same lattice in the same coordinates, which is reduced as `reduced` (reduction.hpp) does:
/// LLL, or BKZ with that block size. `basis` has a Gram matrix, which is positive definite. Throws as
/// `reduced`. An approximate basis in integers, the rows of the Cholesky factor times a power of two that
/// tells all vectors of interest apart, is reduced by fplll; the unimodular matrix between the two is applied
/// to the rows exactly.
[[nodiscard]] IntegerBasis reducedByGram(const IntegerBasis& basis, int blockSize = 0);

}  // namespace slicepool::lattice
