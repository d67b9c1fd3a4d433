// Integer bases as matrices of fplll and back. Included by the files that call fplll (reduction.cpp, and
// runtime/svp/trial_reduction.cpp), in builds that have it.
#pragma once

#include <string>

#include <fplll/fplll.h>

#include "cpu_workers/core/setup_stop.hpp"
#include "runtime/lattice/integer_basis.hpp"
#include "runtime/lattice/leading_digits.hpp"

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

/// LLL of independent rows; returns fplll's status. LLL goes from row to row, so that prefixes of the rows,
/// one a little longer than the other, come to the same basis in the same time, and a run can be stopped
/// between them (checkSetup). At d = 160 and 1600 bits all rows take 18 s, the longest of these calls 2.5 s.
inline int lllByPrefixes(fplll::ZZ_mat<mpz_t>& matrix, double delta) {
  constexpr int kFirstRows = 64;
  constexpr long kLongNumbers = 256;  ///< bits; a row of such takes some hundred milliseconds
  const int d = matrix.get_rows();
  if (matrix.get_max_exp() > kLongNumbers) reduceByLeadingDigits(matrix);
  const int step = matrix.get_max_exp() > kLongNumbers ? 8 : 32;
  const auto copyRows = [&](const fplll::ZZ_mat<mpz_t>& from, fplll::ZZ_mat<mpz_t>& to, int rows) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < matrix.get_cols(); ++j) to(i, j) = from(i, j);
  };
  for (int rows = kFirstRows; rows < d; rows += step) {
    fplll::ZZ_mat<mpz_t> prefix(rows, matrix.get_cols());
    copyRows(matrix, prefix, rows);
    if (const int status = fplll::lll_reduction(prefix, delta); status != fplll::RED_SUCCESS) return status;
    copyRows(prefix, matrix, rows);
    checkSetup();
  }
  return fplll::lll_reduction(matrix, delta);
}

}  // namespace slicepool::lattice
