// Lattices of small numbers: reduced and made ready for a search in microseconds, without big integers and
// without memory of their own. Called by runtime/lattice/one_lattice.cpp, one object a thread.
//
// Inner products stay exact integers throughout (as in L2: P. Nguyen, D. Stehle, "An LLL algorithm with
// quadratic complexity", 2009); everything else is double precision, which decides how well a basis is
// reduced and not what lattice it is of. What is searched is certified afterwards, see SmallCertificate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace slicepool {

/// Greatest number of rows.
inline constexpr int kSmallDimension = 96;
/// Greatest number of columns.
inline constexpr int kSmallColumns = 256;
/// Entries of rows, and of a Gram matrix, are below this in absolute value: doubles and their sums are exact.
inline constexpr double kSmallEntry = 1125899906842624.0;  // 2^50

/// Proof that the quadratic form Q~ of rounded Gram-Schmidt numbers M, r is that of the exact Gram matrix G
/// up to a small part, Q~ = M diag(r) M^T: |Q~(x) - Q(x)| <= formError Q~(x) for all real x. G is then
/// positive definite.
///
/// A rounded Cholesky factorization errs by at most gamma |M| diag(r) |M|^T in each element (N. Higham,
/// "Accuracy and stability of numerical algorithms", 2nd edition, theorem 10.3), and x_i^2 is at most Q~(x)
/// times the i-th diagonal element of the inverse of Q~. That is bounded by the inverse of M, whose own
/// rounding errors are at most gamma N |M| |M^-1| with N, the inverse of the comparison matrix of M, at least
/// |M^-1|: section 8.2 there.
struct SmallCertificate {
  bool holds = false;
  double formError = 0;    ///< as above
  double searchError = 0;  ///< of the squared norms that a search computes from M and r, as a part of R^2
  double reach = 0;        ///< |x_i| <= reach sqrt(Q(x)) for all i
};

/// A lattice, by the Gram matrix of its rows and coordinates of these rows. Arrays are padded with zeros to
/// multiples of eight doubles.
class SmallLattice {
 public:
  /// `dimension` rows of `columns` coordinates. What was there is forgotten.
  void resize(int dimension, int columns);

  [[nodiscard]] double* row(int i) { return rows_.data() + index(i, rowStride_); }
  [[nodiscard]] const double* row(int i) const { return rows_.data() + index(i, rowStride_); }
  /// <b_i, b_j>, where `wide` is false.
  [[nodiscard]] double* gram(int i) { return gram_.data() + index(i, stride_); }
  [[nodiscard]] __int128* wideGram(int i) { return wideGram_.data() + index(i, stride_); }
  /// <b_i, b*_j> for j <= i.
  [[nodiscard]] double* projections(int i) { return projections_.data() + index(i, stride_); }
  /// mu_ij at place i, for one j.
  [[nodiscard]] double* column(int j) { return columns_.data() + index(j, stride_); }
  /// mu_ij at place j, for one i: made by certify, with zeros from the diagonal on.
  [[nodiscard]] double* mu(int i) { return mu_.data() + index(i, stride_); }
  /// Of the inverse of mu.
  [[nodiscard]] double* inverse(int i) { return inverse_.data() + index(i, stride_); }
  /// r_i = |b*_i|^2; 1 beyond the dimension.
  [[nodiscard]] double* norms() { return norms_.data(); }

  int dimension = 0;
  int columns = 0;
  int stride() const { return stride_; }
  int rowStride() const { return rowStride_; }
  /// The Gram matrix is in wideGram; certify and reduce put it into gram as well, rounded.
  bool wide = false;
  /// The Gram matrix is that of the rows; else rows are coordinates.
  bool hasRows = true;
  /// The rows are reduced up to the rounding errors of doubles, so that a first reduction is left out.
  bool reduced = false;
  SmallCertificate certificate;

  // Work space of reduce and certify, `stride` of each.
  std::vector<double> inverseNorms, rowMaxima, weights, sums;
  std::vector<int> valid;

  void saveRows() { saved_ = rows_; }
  void restoreRows() { rows_ = saved_; }

 private:
  static std::size_t index(int i, int stride) {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(stride);
  }
  int stride_ = 0;
  int rowStride_ = 0;
  std::vector<double> rows_, saved_, gram_, projections_, columns_, mu_, inverse_, norms_;
  std::vector<__int128> wideGram_;
};

/// One instruction set's functions.
struct SmallLatticeKernels {
  const char* name;
  /// The Gram matrix of the rows, exact: in gram where all are below 2^46, else in wideGram. False where rows
  /// are too long for either.
  bool (*makeGram)(SmallLattice& lattice);
  /// LLL reduction (delta 0.99) of rows and Gram matrix. False where numbers become too large, or rows are
  /// not reduced for another reason, such as that they are dependent; the lattice is then of no use.
  bool (*reduce)(SmallLattice& lattice);
  /// Gram-Schmidt numbers into mu, norms and the certificate.
  void (*certify)(SmallLattice& lattice);
  /// Whether reduce() would change nothing. After certify(), with a certificate.
  bool (*isReduced)(SmallLattice& lattice);
};

/// The best that this CPU executes; asked for as in walk.hpp.
[[nodiscard]] const SmallLatticeKernels& smallLatticeKernels();
[[nodiscard]] const SmallLatticeKernels* smallLatticeKernelsNamed(const char* name);

}  // namespace slicepool
