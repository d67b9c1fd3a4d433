// A lattice as requests have it: a basis or a Gram matrix, as a file or as text. Called by the checks and the
// searches of the workloads lattice, svp and reduce.
#pragma once

#include <string>

#include "runtime/lattice/integer_basis.hpp"

namespace slicepool::lattice {

/// Members of a request, which must outlive it. One of them is not empty.
struct GivenMatrix {
  const std::string& basisPath;
  const std::string& basis;
  const std::string& gramPath;
  const std::string& gram;

  [[nodiscard]] bool isGram() const { return !gramPath.empty() || !gram.empty(); }
  /// What errors call it: the name of the file, "basis" or "gram".
  [[nodiscard]] std::string name() const;
};

/// Throws ConfigError unless there is exactly one.
void requireOneMatrix(const GivenMatrix& given);

/// Reads it. A Gram matrix becomes the unit matrix with these inner products. Throws ConfigError with the
/// place for what is no matrix of 1 to `maximumRows` rows, or is not symmetric.
[[nodiscard]] IntegerBasis readMatrix(const GivenMatrix& given, int maximumRows = kMaximumDimension);

/// Throws ConfigError naming `name` and the row unless the rows are independent, or the Gram matrix is
/// positive definite.
void requireLattice(const IntegerBasis& basis, const std::string& name);

/// The form of the inner products of `metric`, in whose coordinates the rows of `basis` are: the Gram matrix
/// of the rows is set. Nothing where `metric` has the standard one.
void adoptForm(IntegerBasis& basis, const IntegerBasis& metric);

}  // namespace slicepool::lattice
