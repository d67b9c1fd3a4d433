// From a request to what is searched: the reduced integer basis, its Gram-Schmidt data, the radius and the
// pruning coefficients. Called by enumeration.cpp and tests.
#pragma once

#include <string>

#include "runtime/lattice/integer_basis.hpp"
#include "slicepool/lattice/enumeration.hpp"
#include "slicepool/lattice/problem_factory.hpp"

namespace slicepool::lattice {

struct PreparedSearch {
  IntegerBasis basis;        ///< that is searched
  ProblemSpec spec;          ///< without `collect`
  double squaredRadius = 0;  ///< as asked for; that of the specification is searchRadius() of it
  double gaussianSquaredRadius = 0;
  std::string reduction;  ///< what was done: "none", "lll", "bkz-20"
  std::string identity;   ///< everything that determines what is found, for checkpoints
};

/// Throws ConfigError, also for a basis that is not reduced and may not or cannot be.
[[nodiscard]] PreparedSearch prepareSearch(const Request& request);

/// The R^2 that the search compares floating-point norms with: larger by one part in 2^36, at most by 1/4.
/// Norms of vectors, and projected norms in lattices with much structure, often are exactly a round R^2;
/// rounding, which is not the same in every mode, then does not decide about them. No longer vector comes in:
/// norms are integers.
[[nodiscard]] double searchRadius(double squaredRadius);

}  // namespace slicepool::lattice
