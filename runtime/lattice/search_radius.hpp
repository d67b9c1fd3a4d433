// How an exact R^2 is compared with norms in floating point, so that no vector within R is lost. Called by
// prepared_search.cpp and tests.
#pragma once

#include "runtime/lattice/integer_basis.hpp"
#include "slicepool/lattice/problem_factory.hpp"
#include "slicepool/lattice/squared_radius.hpp"

namespace slicepool::lattice {

/// A bound on the error of the squared norms that a search computes, as a part of R^2, for all nodes within
/// R: by the standard model of rounding, for every order of additions. Of `spec` dimension, mu, norms and
/// squaredRadius are read. Holds in the given basis and in that with a short dual (short_dual.hpp): which of
/// them is searched depends on the mode. O(d^3).
[[nodiscard]] double normError(const ProblemSpec& spec);

struct SearchRadius {
  /// R^2 and a little more: what norms in floating point are compared with. At least what the computed norm
  /// of a vector within R can be. For an integer R^2 one part in 2^36 more, for others one in 2^44, because
  /// norms are often exactly R^2, and projected norms in small lattices with much structure fractions such
  /// as 28.25: rounding, which is not the same in every mode, then does not decide about them.
  double bound = 0;
  /// The same for searches in the given basis alone, at most `bound`. Prunings are made for it: they belong
  /// to checkpoints, and do not change with the other basis that a search may be in.
  double givenBound = 0;
  /// Whether comparing with `bound` tells vectors within R from all longer ones. If not, the exact norm of a
  /// vector with a computed one above `certain` decides.
  bool decides = false;
  double certain = 0;
  /// What a computed norm of a vector within R may differ from its exact one, absolutely.
  double error = 0;
  /// A search that shrinks lowers its bound to the computed norm of what it found times this. Above 1 where
  /// two norms might be computed in the wrong order, so that the shorter of two is not lost.
  double findFactor = 1;
};

/// `spec`: as in normError, but for the radius.
[[nodiscard]] SearchRadius searchRadius(const SquaredRadius& squaredRadius, const ProblemSpec& spec);

}  // namespace slicepool::lattice
