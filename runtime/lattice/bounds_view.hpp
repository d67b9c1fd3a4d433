// What coefficientBounds() reads of a search whose tables are not made yet. Included by the files that size
// one.
#pragma once

#include "slicepool/lattice/problem_factory.hpp"
#include "slicepool/lattice/steps/coefficient_bounds.hpp"

namespace slicepool::lattice {

/// Points into `spec`.
[[nodiscard]] inline SearchView boundsView(const ProblemSpec& spec) {
  SearchView view{};
  view.rows = spec.mu.data();
  view.norms = spec.norms.data();
  view.squaredRadius = spec.squaredRadius;
  view.dimension = view.stride = spec.dimension;
  return view;
}

}  // namespace slicepool::lattice
