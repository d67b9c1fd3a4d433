// BKZ tours of a basis of short rows, with fplll's strategies, block by block. Called by trial_reduction.cpp
// and tests, in builds with fplll.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "runtime/svp/short_rows.hpp"

namespace slicepool::svp {

/// One tour with blocks of `size` rows; LLL comes with it. Each block is preprocessed by tours of its own
/// with smaller blocks, and searched once. `stop` is asked between blocks of the tour. False: stopped. Throws
/// Error where double precision is not enough.
bool tourOf(ShortRows& rows, int size, const std::function<bool()>& stop);

/// A block, as a search of it sees it.
struct SmallBlock {
  std::vector<double> norms;    ///< |b*_i|^2
  std::vector<double> mu;       ///< row by row, below the diagonal
  std::vector<double> pruning;  ///< as lattice::ProblemSpec's; or empty
  double squaredRadius = 0;
};

/// The coefficients of the shortest vector within the radius, or none. Depth first, on this thread, without
/// the tables of a lattice problem: for blocks of so few nodes that those would take longer.
[[nodiscard]] std::optional<std::vector<std::int64_t>> shortestOf(const SmallBlock& block);

}  // namespace slicepool::svp
