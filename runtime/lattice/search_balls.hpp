// Where a shortest or closest vector without a radius is looked for: in a ball in which some vectors of the
// lattice are expected, and in larger ones while there is none. The shortest row and Babai's vector are the
// other bounds. They are far away in large dimensions, and workers with many roots in work, as GPUs have,
// find a better vector late. Called by prepared_search.cpp and one_target.cpp.
#pragma once

#include <cmath>

namespace slicepool::lattice {

/// In the first ball, which is then empty for a target out of 20; pairs v, -v where it is around zero. 40
/// targets each in dimensions 30 and 34, a warp for each, have 1.1 and 1.2 times the nodes of a core that
/// begins at Babai's distance; with 1 or 8 vectors 1.4 to 1.6 times, without a ball 1.8 and 1.5.
inline constexpr double kFirstExpectedVectors = 3;
/// Times as many in the next one, whose tree has about twice the nodes: 12 are empty for a target out of
/// 160,000. A bound that is no farther than this takes the place of a ball.
inline constexpr double kMoreExpectedVectors = 4;
/// In a ball around zero, before the one of the shortest row: that is not far away, and in extremal lattices
/// all vectors are far beyond what the heuristic says (those of P48 where it expects 6,000,000).
inline constexpr double kMostExpectedAroundZero = 2 * kFirstExpectedVectors * kMoreExpectedVectors;

/// R^2 of the ball in which so many vectors are expected, by the Gaussian heuristic. Rounded up to 12 bits,
/// so that it does not depend on a machine's power function.
[[nodiscard]] inline double expectedBall(double gaussianSquaredRadius, int dimension, double vectors) {
  constexpr int kBits = 12;
  int exponent = 0;
  const double digits = std::frexp(gaussianSquaredRadius * std::pow(vectors, 2.0 / dimension), &exponent);
  return std::ldexp(std::ceil(std::ldexp(digits, kBits)), exponent - kBits);
}

}  // namespace slicepool::lattice
