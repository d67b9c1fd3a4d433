// How large coefficients can become. Called by makeProblem, which refuses what 16 bits do not hold, and where
// paths are packed more closely (team_paths.hpp, runtime/lattice/short_dual.cpp). Host only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "slicepool/lattice/steps/search.hpp"

namespace slicepool::lattice {

/// The inverse of mu, row by row without gaps, zeros above the diagonal. Reads rows, stride and dimension.
/// O(d^3).
inline std::vector<double> inverseOfMu(const SearchView& view) {
  const auto d = static_cast<std::size_t>(view.dimension);
  const auto stride = static_cast<std::size_t>(view.stride);
  std::vector<double> inverse(d * d, 0);
  for (std::size_t i = 0; i < d; ++i) {
    inverse[i * d + i] = 1;
    for (std::size_t k = i + 1; k < d; ++k) {
      double sum = 0;
      for (std::size_t j = i; j < k; ++j) sum -= view.rows[k * stride + j] * inverse[j * d + i];
      inverse[k * d + i] = sum;
    }
  }
  return inverse;
}

/// Bounds on the absolute values of x_0 .. x_{d-1} of every node at the starting radius: |x_i| <= R |d_i|
/// with the dual basis d, at every level, as the dual of a projected lattice consists of the same d_i. By r
/// and the inverse of mu, |d_i|^2 = sum_{k>=i} (mu^-1)_{k,i}^2 / r_k. Of `view` only rows (below the
/// diagonal), stride, norms, dimension and squaredRadius are read. O(d^3).
inline std::vector<double> coefficientBounds(const SearchView& view) {
  const auto d = static_cast<std::size_t>(view.dimension);
  const std::vector<double> inverse = inverseOfMu(view);
  std::vector<double> bounds;
  for (std::size_t i = 0; i < d; ++i) {
    double squared = 0;
    for (std::size_t k = i; k < d; ++k) squared += inverse[k * d + i] * inverse[k * d + i] / view.norms[k];
    bounds.push_back(std::sqrt(view.squaredRadius * squared));
  }
  return bounds;
}

/// Closer bounds for accepted nodes of a pruned search. With y_k = x_k - c_k, x_i is the sum over k >= i of
/// (mu^-1)_{k,i} y_k, and pruning bounds the sums of y_k^2 r_k over k >= j, for each j >= i. The greatest
/// value under all of these bounds has a quotient of weight and budget that does not fall towards x_{d-1}:
/// neighbours that contradict that share their budgets. Reads pruning as well. O(d^3).
inline std::vector<double> pathBounds(const SearchView& view) {
  struct Shared {
    double weight;
    double budget;
  };
  const auto d = static_cast<std::size_t>(view.dimension);
  const std::vector<double> inverse = inverseOfMu(view);
  std::vector<double> bounds;
  for (std::size_t i = 0; i < d; ++i) {
    // Of the levels from k on: what a level before them, down to i, allows is all that they have.
    std::vector<double> allowed(d + 1, 0);
    double least = view.pruning[i];
    for (std::size_t k = i; k < d; ++k) {
      least = std::min(least, view.pruning[k]);
      allowed[k] = least * view.squaredRadius;
    }
    std::vector<Shared> groups;
    for (std::size_t k = d; k-- > i;) {
      const double entry = inverse[k * d + i];
      if (entry == 0 && allowed[k] == allowed[k + 1]) continue;
      groups.push_back({entry * entry / view.norms[k], allowed[k] - allowed[k + 1]});
      while (groups.size() > 1) {
        const Shared& own = groups.back();
        Shared& behind = groups[groups.size() - 2];
        if (own.weight * behind.budget <= behind.weight * own.budget) break;
        behind.weight += own.weight;
        behind.budget += own.budget;
        groups.pop_back();
      }
    }
    double bound = 0;
    for (const Shared& group : groups) bound += std::sqrt(group.weight * group.budget);
    bounds.push_back(bound);
  }
  return bounds;
}

/// Whether all choices above the level of a slice are nodes. Bounds on coefficients hold for a search below
/// it then; roots that a user gives may have none above them. O(d^2).
template <int kCapacity>
[[nodiscard]] inline bool isBelowNodes(const SearchView& view, const SearchSlice<kCapacity>& slice) {
  using Plain = Search<kCapacity>;
  double norm = 0;
  for (int k = view.dimension - 1; k > slice.level; --k) {
    norm = Plain::extend(view, norm, Plain::choice(view, slice, k).coefficient, Plain::centre(view, slice, k),
                         k);
    if (!(norm <= view.pruning[k] * view.squaredRadius)) return false;
  }
  return true;
}

/// How many coefficients of a path, from x_{d-1} on, cannot exceed `most`, of bounds with x_0 first.
inline int leadingWithin(const std::vector<double>& bounds, int most) {
  constexpr double kRoom = 1 - 0x1p-20;  // for what bounds are rounded by
  const auto d = static_cast<int>(bounds.size());
  int within = 0;
  while (within < d && bounds[static_cast<std::size_t>(d - 1 - within)] < (most + 1) * kRoom) ++within;
  return within;
}

/// The largest of these bounds. Dimension at least 1.
inline double greatestCoefficient(const SearchView& view) {
  const std::vector<double> bounds = coefficientBounds(view);
  return *std::max_element(bounds.begin(), bounds.end());
}

}  // namespace slicepool::lattice
