// A basis of the same lattice, with the same Gram-Schmidt vectors, in which coefficients are small: its dual
// is size-reduced. Searches that devices take part in are of it, since paths of few bits are what a GPU moves
// about. Called by search_problem.hpp, search_radius.cpp and tests.
//
// A basis B whose mu is size-reduced can have coefficients of hundreds at d = 100: |x_i| <= R |d_i| with the
// dual basis, and the inverse of mu grows. With B' = U B, U unit lower triangular and integer, x' U = x and
// mu' = U mu. The tree of choices is the same: x'_i is x_i and an integer that follows from the choices
// above. U is that of Babai's rounding of each dual vector by those after it. Coefficients at d = 100 are
// below 14 then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "slicepool/lattice/steps/search.hpp"

namespace slicepool::lattice {

class ShortDual {
 public:
  /// Coefficients within this are small enough as they are.
  static constexpr double kSmall = 7;

  /// Of `given` rows, norms, pruning, stride, dimension and squaredRadius are read. O(d^3).
  explicit ShortDual(const SearchView& given);

  /// Whether the greatest coefficient of the given basis is above kSmall, and numbers are small enough for
  /// exact sums. If not, there is nothing else to be asked for.
  [[nodiscard]] bool found() const { return !mu_.empty(); }
  /// Whether its greatest coefficient is smaller than that of the given basis.
  [[nodiscard]] bool helps() const { return helps_; }
  /// mu', d * d, row by row, below the diagonal: U mu, rounded once.
  [[nodiscard]] const std::vector<double>& mu() const { return mu_; }
  /// U and its inverse modulo 2^16, below their diagonals, with rows of this stride: SearchView::change and
  /// inverse.
  [[nodiscard]] std::vector<std::int16_t> change(std::size_t stride) const { return wrapped(rows_, stride); }
  [[nodiscard]] std::vector<std::int16_t> inverse(std::size_t stride) const {
    return wrapped(inverse_, stride);
  }

 private:
  void reduce(std::vector<double> dual);
  [[nodiscard]] bool invert();
  void makeMu(const SearchView& given);
  [[nodiscard]] std::vector<std::int16_t> wrapped(const std::vector<double>& matrix,
                                                  std::size_t stride) const;

  std::size_t dimension_;
  bool helps_ = false;
  std::vector<double> rows_;     ///< of U, d * d; integers
  std::vector<double> inverse_;  ///< likewise
  std::vector<double> mu_;
};

}  // namespace slicepool::lattice
