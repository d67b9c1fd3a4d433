// From a request to what is searched: the reduced integer basis, its Gram-Schmidt data, the radius and the
// pruning coefficients. Called by enumeration.cpp, the searches of many lattices and tests.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/lattice/gram_schmidt.hpp"
#include "runtime/lattice/integer_basis.hpp"
#include "runtime/lattice/search_radius.hpp"
#include "runtime/lattice/target_embedding.hpp"
#include "slicepool/lattice/enumeration.hpp"
#include "slicepool/lattice/problem_factory.hpp"

namespace slicepool::lattice {

/// What does not depend on targets and radii.
struct PreparedLattice {
  IntegerBasis basis;           ///< reduced
  std::vector<Integer> metric;  ///< inner products of the coordinates; empty: the standard one
  GramSchmidt data;             ///< of `basis`
  double gaussianSquaredRadius = 0;
  std::string reduction;  ///< what was done: "none", "lll", "bkz-20"
  IntegerBasis given{};   ///< as it was before; of prepareLattice() only
};

struct PreparedSearch {
  IntegerBasis basis;              ///< that is searched; with a target it has one row more
  ProblemSpec spec;                ///< without `collect`
  SquaredRadius squaredRadius;     ///< as asked for, or what that became; with a target as the search has it
  Integer minimumSquaredNorm = 0;  ///< of vectors of `basis`
  TargetEmbedding embedding;
  SquaredRadius askedRadius;  ///< R^2 of the lattice itself, without balls; none: that of the nearest plane
  std::string nearestPlaneDistance;  ///< with a target: squared, exact
  SearchRadius radius;               ///< what it is in floating point; its bound is the specification's
  double gaussianSquaredRadius = 0;
  std::string reduction;  ///< what was done: "none", "lll", "bkz-20"
  std::string identity;   ///< everything that determines what is found, for checkpoints
  std::string accept;     ///< of these, which test of vectors there is; empty: none
  /// What is to be searched where this search finds nothing: a larger ball. Empty: nothing.
  std::function<PreparedSearch()> wider{};
};

/// Throws ConfigError, also for a basis that is not reduced and may not or cannot be. `beforeReduction` is
/// called with what was read; it may be empty.
[[nodiscard]] PreparedSearch prepareSearch(
    const Request& request, const std::function<void(const IntegerBasis&)>& beforeReduction = {});
/// Likewise, of `basis` or `gram` and `reduction` of a request only. O(d^3) and the reduction.
[[nodiscard]] PreparedLattice prepareLattice(const Request& request);
/// The rest: of a lattice that is prepared, and a target with as many numbers as that has columns, or none.
/// Matrix, target and reduction of the request are not read. Without a radius the shortest or
/// closest vector is looked for in balls (search_balls.hpp), of which this is the first. O(d^3).
[[nodiscard]] PreparedSearch prepareSearch(const Request& request, PreparedLattice lattice,
                                           const std::optional<Target>& target);

/// At least the square of every element of the vectors within R, in the coordinates that they are written in:
/// the integer part of R^2, or what bounds on the coefficients say where the basis has a form.
[[nodiscard]] Integer greatestSquare(const PreparedSearch& search);

}  // namespace slicepool::lattice
