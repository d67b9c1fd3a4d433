// Integer bases as matrices of fplll and back. Included by the files that call fplll (reduction.cpp, and
// runtime/svp/trial_reduction.cpp), in builds that have it.
#pragma once

#include <string>

#include <fplll/fplll.h>

#include "runtime/lattice/integer_basis.hpp"

namespace slicepool::lattice {

inline Integer toInteger(const fplll::Z_NR<mpz_t>& value) {
  std::string text(mpz_sizeinbase(value.get_data(), 10) + 2, '\0');
  mpz_get_str(text.data(), 10, value.get_data());
  text.resize(text.find('\0'));
  return Integer(text);
}

inline fplll::ZZ_mat<mpz_t> toMatrix(const IntegerBasis& basis) {
  fplll::ZZ_mat<mpz_t> matrix(basis.dimension, basis.columns);
  for (int i = 0; i < basis.dimension; ++i)
    for (int j = 0; j < basis.columns; ++j)
      mpz_set_str(matrix(i, j).get_data(), basis.at(i, j).str().c_str(), 10);
  return matrix;
}

inline IntegerBasis toBasis(const fplll::ZZ_mat<mpz_t>& matrix) {
  IntegerBasis basis;
  basis.dimension = matrix.get_rows();
  basis.columns = matrix.get_cols();
  for (int i = 0; i < basis.dimension; ++i)
    for (int j = 0; j < basis.columns; ++j) basis.entries.push_back(toInteger(matrix(i, j)));
  return basis;
}

}  // namespace slicepool::lattice
