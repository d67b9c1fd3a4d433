// Bases of lattices as exact integers: fplll's matrix text in and out, checks, norms. Called by the front of
// the workload (enumeration.cpp), reduction and tests.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "slicepool/lattice/types.hpp"

namespace slicepool::lattice {

using Integer = boost::multiprecision::cpp_int;

/// Rows are basis vectors.
struct IntegerBasis {
  int dimension = 0;             ///< d, rows
  int columns = 0;               ///< n, of the space around; at least d
  std::vector<Integer> entries;  ///< d * n, row by row
  /// <b_i, b_j>, d * d, row by row, where this is not the standard inner product of the rows: they are then
  /// coordinates of vectors. Positive definite. Empty: the standard one.
  std::vector<Integer> gram = {};

  [[nodiscard]] const Integer& at(int row, int column) const {
    return entries[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                   static_cast<std::size_t>(column)];
  }
  friend bool operator==(const IntegerBasis&, const IntegerBasis&) = default;
};

/// Parses `[[1 -2 3] [4 5 6]]` or, as fpylll prints it, `[ 1 -2 3 ] [ 4 5 6 ]`: integers of up to 20000
/// digits, any white space. `name` is what errors call the text. Throws ConfigError with line, column, what
/// stands there and what is accepted; also for rows of different lengths and more than `maximumRows`. No
/// recursion; O(text) for entries of bounded size.
[[nodiscard]] IntegerBasis parseBasis(std::string_view text, const std::string& name,
                                      int maximumRows = kMaximumDimension);

/// Reads a file. Throws ConfigError for field "basis" when it cannot be read.
[[nodiscard]] IntegerBasis readBasis(const std::string& path, int maximumRows = kMaximumDimension);

/// The basis of a request, which has it as `text`, called "basis" in errors, or in the file at `path`.
[[nodiscard]] IntegerBasis givenBasis(const std::string& text, const std::string& path,
                                      int maximumRows = kMaximumDimension);

/// Of the rows and their inner products, for identities of checkpoints.
[[nodiscard]] std::uint64_t hashOfRows(const IntegerBasis& basis);

/// The same form, one row a line. The rows alone.
[[nodiscard]] std::string basisText(const IntegerBasis& basis);

/// Index of the first row that depends on those before it, or -1: the rows are independent. Exact. O(d^2 n)
/// arithmetic modulo primes, and rational elimination only where two primes say that a row depends.
[[nodiscard]] int firstDependentRow(const IntegerBasis& basis);

/// Throws ConfigError naming the row unless the rows are linearly independent.
void requireIndependent(const IntegerBasis& basis, const std::string& name);

/// <b_i, b_j>, d * d, row by row, as the basis says.
[[nodiscard]] std::vector<Integer> gramMatrix(const IntegerBasis& basis);

/// |b_i|^2, as the basis says.
[[nodiscard]] std::vector<Integer> squaredNorms(const IntegerBasis& basis);

/// min |b_i|^2.
[[nodiscard]] Integer leastSquaredNorm(const IntegerBasis& basis);

}  // namespace slicepool::lattice
