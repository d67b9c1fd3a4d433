// A lattice that is given by its Gram matrix, G_ij = <b_i, b_j>: read, checked, and as a basis in
// coordinates. Called by given_lattice.cpp, gram_reduction.cpp and tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/lattice/integer_basis.hpp"

namespace slicepool::lattice {

/// The unit matrix with the inner products that the text has, in the forms that parseBasis reads. Throws
/// ConfigError with row, column and values for a matrix that is not square, not symmetric or has a diagonal
/// element below 1; whether it is positive definite is requireDefinite's to say. O(d^2).
[[nodiscard]] IntegerBasis parseGram(std::string_view text, const std::string& name,
                                     int maximumRows = kMaximumDimension);
/// Reads a file. Throws ConfigError for field "gram" when it cannot be read.
[[nodiscard]] IntegerBasis readGram(const std::string& path, int maximumRows = kMaximumDimension);

/// Gram-Schmidt data of a symmetric matrix in integers (de Weger 1987; Cohen, A Course in Computational
/// Algebraic Number Theory, section 2.6.3): the leading minors, and lambda_ij = minor_{j-1} <b_i, b*_j>.
struct IntegerGramSchmidt {
  std::vector<Integer> lambda;  ///< d * d, row by row, for j <= i; lambda_ii = minors[i]
  std::vector<Integer> minors;  ///< of order 1, 2, ..; d of them, or those up to the first below 1
};

/// Stops at the first minor that is below 1. O(d^3) products of integers of up to d times the digits of G.
[[nodiscard]] IntegerGramSchmidt integerGramSchmidt(const std::vector<Integer>& gram, int dimension);

/// Throws ConfigError naming `name` and the first leading minor below 1 unless the matrix is positive
/// definite.
void requireDefinite(const std::vector<Integer>& gram, int dimension, const std::string& name);

}  // namespace slicepool::lattice
