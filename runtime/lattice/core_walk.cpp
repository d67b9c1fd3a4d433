// See core_walk.hpp.
#include "runtime/lattice/core_walk.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "runtime/lattice/core_ways.hpp"
#include "runtime/lattice/gram_schmidt.hpp"
#include "slicepool/lattice/problem_factory.hpp"

namespace slicepool::lattice {
namespace {

/// Lattices of up to so many rows never have kNodesOfCore nodes, reduced as they are.
constexpr int kSurelySmall = 45;
/// Closest vectors are hardly farther away than this, as a part of the squared Gaussian heuristic.
constexpr double kFarthestClosest = 1.25;
/// Searches for them, whose radius shrinks, have about the nodes of one within this: 0.84 to 1.12 times as
/// many, in dimensions 30 to 44 behind BKZ-20, 40 targets each.
constexpr double kUsualClosest = 1.1;

double totalOf(const ProblemSpec& spec) {
  const std::vector<double> levels = expectedNodes(spec);
  return std::accumulate(levels.begin(), levels.end(), 0.0);
}

}  // namespace

bool isTooLarge(const SearchView& view, LastRow last, bool shrinking, double most) {
  const int rows = view.dimension - (last == LastRow::target ? 1 : 0);
  if (rows <= kSurelySmall && most >= kNodesOfCore) return false;
  ProblemSpec spec;
  spec.dimension = rows;
  spec.norms.assign(view.norms, view.norms + rows);
  spec.squaredRadius = view.squaredRadius;
  if (last == LastRow::target) {
    spec.squaredRadius -= view.norms[rows];
    if (shrinking)
      spec.squaredRadius = std::min(spec.squaredRadius, kFarthestClosest * gaussianSquaredRadius(spec.norms));
    if (!(spec.squaredRadius > 0)) return false;
  }
  return totalOf(spec) > most;
}

double expectedNodesOfTarget(const std::vector<double>& norms) {
  ProblemSpec spec;
  spec.dimension = static_cast<int>(norms.size());
  spec.norms = norms;
  spec.squaredRadius = kUsualClosest * gaussianSquaredRadius(norms);
  return totalOf(spec);
}

}  // namespace slicepool::lattice
