// A lattice that many targets are compared with: read, checked and reduced once, and what a search for close
// vectors in machine numbers reads of it. Made by many_lattices.cpp and one_target.cpp, read by all threads.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/lattice/prepared_search.hpp"
#include "runtime/lattice/row_coefficients.hpp"

namespace slicepool::lattice {

/// Of one operation in doubles.
inline constexpr double kRoundoff = 0x1p-53;

/// A reduced basis whose numbers fit 64 bits, and bounds on the errors of a search in doubles.
struct MachineLattice {
  int dimension = 0;
  int columns = 0;
  int stride = 0;                    ///< of rows of mu
  std::vector<double> mu;            ///< dimension + 1 rows, as SearchView has them; the last is a target's
  std::vector<double> norms;         ///< r_i; 0 for a target, whose height does not count, and 1 beyond
  std::vector<double> forms;         ///< planeForms()
  std::vector<std::int64_t> rows;    ///< dimension * columns
  std::vector<std::int64_t> metric;  ///< columns * columns; empty: the standard one
  std::vector<double> rowMaxima;     ///< greatest absolute value of each row
  double coefficientReach = 0;       ///< |x_i| <= this |x B| for all i
  double coordinateReach = 0;        ///< |v_j| <= this |v| for all j and v in the span
  double centreError = 0;  ///< root of sum_k r_k e_k^2 with the errors e_k of centres, for |x B| = 1
};

class TargetLattice {
 public:
  /// Of a request its matrix and reduction. Throws ConfigError as an enumeration. O(d^3) and the reduction.
  explicit TargetLattice(const Request& request);

  [[nodiscard]] const PreparedLattice& prepared() const { return prepared_; }
  [[nodiscard]] bool gram() const { return !prepared_.metric.empty(); }
  /// None where numbers are too large for it.
  [[nodiscard]] const std::optional<MachineLattice>& machine() const { return machine_; }
  /// Over the rows as they were given; none with a Gram matrix, whose vectors are coefficients.
  [[nodiscard]] const std::optional<RowCoefficients>& coefficients() const { return coefficients_; }

 private:
  PreparedLattice prepared_;
  std::optional<MachineLattice> machine_;
  std::optional<RowCoefficients> coefficients_;
};

}  // namespace slicepool::lattice
