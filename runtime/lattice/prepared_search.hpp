// From a request to what is searched: the reduced integer basis, its Gram-Schmidt data, the radius and the
// pruning coefficients. Called by enumeration.cpp and tests.
#pragma once

#include <string>

#include "runtime/lattice/integer_basis.hpp"
#include "runtime/lattice/search_radius.hpp"
#include "slicepool/lattice/enumeration.hpp"
#include "slicepool/lattice/problem_factory.hpp"

namespace slicepool::lattice {

struct PreparedSearch {
  IntegerBasis basis;           ///< that is searched
  ProblemSpec spec;             ///< without `collect`
  SquaredRadius squaredRadius;  ///< as asked for, or what that became
  SearchRadius radius;          ///< what it is in floating point; its bound is the specification's
  double gaussianSquaredRadius = 0;
  std::string reduction;  ///< what was done: "none", "lll", "bkz-20"
  std::string identity;   ///< everything that determines what is found, for checkpoints
};

/// Throws ConfigError, also for a basis that is not reduced and may not or cannot be.
[[nodiscard]] PreparedSearch prepareSearch(const Request& request);

}  // namespace slicepool::lattice
