// A basis of the same lattice, with the same Gram-Schmidt vectors, in which coefficients are small: its dual
// is size-reduced. Called by searches of trees on devices, whose paths fit fewer bits with it.
//
// A basis B whose mu is size-reduced can have coefficients of hundreds at d = 100: |x_i| <= R |d_i| with the
// dual basis, and the inverse of mu grows. With B' = U B, U unit lower triangular and integer, x' U = x and
// mu' = U mu. The tree of choices is the same: x'_i is x_i and an integer that follows from the choices
// above. U is that of Babai's rounding of each dual vector by those after it. Coefficients at d = 100 are
// below 14 then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace slicepool::lattice {

class ShortDual {
 public:
  /// `mu`: d * d, row by row, below the diagonal. O(d^3).
  ShortDual(int dimension, const std::vector<double>& mu);

  /// False: numbers became too large for exact sums, and there is no such basis.
  [[nodiscard]] bool found() const { return found_; }
  /// mu', as `mu`. Only if found.
  [[nodiscard]] const std::vector<double>& mu() const { return mu_; }
  /// Turns x' into x, x_0 first. Both fit 16 bits. O(d^2).
  void toGiven(std::span<std::int16_t> coefficients) const;

 private:
  bool invert(const std::vector<double>& inverse);

  std::size_t dimension_;
  bool found_ = false;
  std::vector<double> rows_;  ///< of U, d * d; integers
  std::vector<double> mu_;
};

}  // namespace slicepool::lattice
