// The Gram matrix of a basis, as a request takes it, and what a row of coefficients is. Included by unit
// tests of svp and reduce.
#pragma once

#include <string>

#include "runtime/lattice/integer_basis.hpp"

namespace slicepool::test {

inline lattice::IntegerBasis gramOf(const lattice::IntegerBasis& basis) {
  return {basis.dimension, basis.dimension, lattice::gramMatrix(basis)};
}

/// Divided by `scale`, which must divide all of it.
inline std::string gramText(const lattice::IntegerBasis& basis, const lattice::Integer& scale = 1) {
  lattice::IntegerBasis gram = gramOf(basis);
  for (auto& entry : gram.entries) entry /= scale;
  return lattice::basisText(gram);
}

/// x G x.
inline lattice::Integer normByGram(const lattice::IntegerBasis& gram, const lattice::IntegerBasis& rows,
                                   int row) {
  lattice::Integer sum = 0;
  for (int i = 0; i < gram.dimension; ++i)
    for (int j = 0; j < gram.dimension; ++j) sum += rows.at(row, i) * gram.at(i, j) * rows.at(row, j);
  return sum;
}

}  // namespace slicepool::test
