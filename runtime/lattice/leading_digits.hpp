// LLL of a basis with long integers in few of its columns, from their leading digits down, so that all but
// exact sums is done in machine integers and doubles. Called before fplll's LLL (fplll_matrix.hpp), in builds
// that have it.
#pragma once

#include <fplll/fplll.h>

namespace slicepool::lattice {

/// Leaves another basis of the same lattice: nearly LLL-reduced, with a delta of 0.75, or as far as machine
/// numbers are enough. Where no columns are long, or many, it is the matrix as it was. Independent rows.
///
/// The first b bits of the long columns, beside the whole short ones, are a matrix of machine integers. Its
/// LLL needs few exchanges after that of b - 20 bits, whose transformation has been applied to all digits:
/// d^2 sums of long integers for each 20 bits. Calls checkSetup() between the steps.
///
/// Digits one after the other: A. Novocin, D. Stehle, G. Villard, "An LLL-reduction algorithm with
/// quasi-linear time complexity", 2011.
void reduceByLeadingDigits(fplll::ZZ_mat<mpz_t>& matrix);

}  // namespace slicepool::lattice
