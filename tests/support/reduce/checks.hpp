// What a reduced basis must be, by means of their own: the same lattice by exact elimination, short first
// vectors of blocks by a plain enumeration. Included by tests of reduce.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "runtime/lattice/gram_schmidt.hpp"
#include "runtime/lattice/integer_basis.hpp"

namespace slicepool::test {

/// Whether all rows of `a` are integer combinations of the independent rows of `b`: one elimination without
/// fractions (Bareiss 1968) of the system with a right-hand side for each row of `a`.
inline bool rowsAreWithin(const lattice::IntegerBasis& a, const lattice::IntegerBasis& b) {
  using lattice::Integer;
  if (a.columns != b.columns) return false;
  const auto d = static_cast<std::size_t>(b.dimension);
  const auto m = static_cast<std::size_t>(a.dimension);
  const auto n = static_cast<std::size_t>(b.columns);
  std::vector<std::vector<Integer>> system(n, std::vector<Integer>(d + m));
  for (std::size_t c = 0; c < n; ++c) {
    for (std::size_t r = 0; r < d; ++r) system[c][r] = b.entries[r * n + c];
    for (std::size_t r = 0; r < m; ++r) system[c][d + r] = a.entries[r * n + c];
  }
  Integer before = 1;
  for (std::size_t k = 0; k < d; ++k) {
    std::size_t pivot = k;
    while (pivot < n && system[pivot][k] == 0) ++pivot;
    if (pivot == n) return false;
    std::swap(system[pivot], system[k]);
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = k + 1; j < d + m; ++j)
        system[i][j] = (system[i][j] * system[k][k] - system[i][k] * system[k][j]) / before;
      system[i][k] = 0;
    }
    before = system[k][k];
  }
  for (std::size_t i = d; i < n; ++i)
    for (std::size_t j = d; j < d + m; ++j)
      if (system[i][j] != 0) return false;
  for (std::size_t j = d; j < d + m; ++j) {
    std::vector<Integer> x(d);
    for (std::size_t k = d; k-- > 0;) {
      Integer rest = system[k][j];
      for (std::size_t i = k + 1; i < d; ++i) rest -= system[k][i] * x[i];
      x[k] = rest / system[k][k];
      if (x[k] * system[k][k] != rest) return false;
    }
  }
  return true;
}

inline bool sameLattice(const lattice::IntegerBasis& a, const lattice::IntegerBasis& b) {
  return a.dimension == b.dimension && rowsAreWithin(a, b) && rowsAreWithin(b, a);
}

/// The squared norm of a shortest vector of rows first .. last - 1, projected: all coefficients within the
/// bounds that the norm of the first row leaves, level by level.
class ProjectedMinimum {
 public:
  ProjectedMinimum(const lattice::GramSchmidt& data, int first, int last)
      : data_(data), first_(first), x_(static_cast<std::size_t>(last)), least_(normOf(first)) {
    search(last - 1, last, 0);
  }
  [[nodiscard]] double squaredNorm() const { return least_; }

 private:
  [[nodiscard]] double normOf(int row) const { return data_.norms[static_cast<std::size_t>(row)]; }

  void search(int level, int last, double norm) {
    if (level < first_) {
      if (norm > 0 && norm < least_) least_ = norm;
      return;
    }
    double center = 0;
    for (int i = level + 1; i < last; ++i)
      center -=
          x_[static_cast<std::size_t>(i)] * data_.mu[static_cast<std::size_t>(i * data_.dimension + level)];
    const double reach = std::sqrt(std::max(0.0, (least_ - norm) / normOf(level)));
    for (double x = std::ceil(center - reach); x <= center + reach; x += 1) {
      x_[static_cast<std::size_t>(level)] = x;
      search(level - 1, last, norm + (x - center) * (x - center) * normOf(level));
    }
  }

  const lattice::GramSchmidt& data_;
  int first_;
  std::vector<double> x_;
  double least_;
};

}  // namespace slicepool::test
