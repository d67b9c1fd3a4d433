// How large coefficients can become. Called by makeProblem, which refuses what 16 bits do not hold, and by
// the devices, which pack smaller ones more closely. Host only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "slicepool/lattice/steps/search.hpp"

namespace slicepool::lattice {

/// Bounds on the absolute values of x_0 .. x_{d-1} of every node at the starting radius: |x_i| <= R |d_i|
/// with the dual basis d, at every level, as the dual of a projected lattice consists of the same d_i. By r
/// and the inverse of mu, |d_i|^2 = sum_{k>=i} (mu^-1)_{k,i}^2 / r_k. Of `view` only rows (below the
/// diagonal), stride, norms, dimension and squaredRadius are read. O(d^3).
inline std::vector<double> coefficientBounds(const SearchView& view) {
  const int d = view.dimension;
  std::vector<double> bounds;
  std::vector<double> column(static_cast<std::size_t>(d));  // of the inverse of mu
  for (int i = 0; i < d; ++i) {
    double squared = 1 / view.norms[i];
    column[static_cast<std::size_t>(i)] = 1;
    for (int k = i + 1; k < d; ++k) {
      double sum = 0;
      for (int j = i; j < k; ++j) sum -= view.rows[k * view.stride + j] * column[static_cast<std::size_t>(j)];
      column[static_cast<std::size_t>(k)] = sum;
      squared += sum * sum / view.norms[k];
    }
    bounds.push_back(std::sqrt(view.squaredRadius * squared));
  }
  return bounds;
}

/// How many coefficients of a path, from x_{d-1} on, cannot exceed `most`. O(d^3).
inline int leadingWithin(const SearchView& view, double most) {
  const std::vector<double> bounds = coefficientBounds(view);
  int within = 0;
  while (within < view.dimension && bounds[static_cast<std::size_t>(view.dimension - 1 - within)] <= most)
    ++within;
  return within;
}

/// The largest of these bounds. Dimension at least 1.
inline double greatestCoefficient(const SearchView& view) {
  const std::vector<double> bounds = coefficientBounds(view);
  return *std::max_element(bounds.begin(), bounds.end());
}

}  // namespace slicepool::lattice
