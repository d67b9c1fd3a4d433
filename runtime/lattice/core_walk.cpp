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
double totalOf(const ProblemSpec& spec) {
  const std::vector<double> levels = expectedNodes(spec);
  return std::accumulate(levels.begin(), levels.end(), 0.0);
}

}  // namespace

bool isTooLarge(const SearchView& view, LastRow last, bool shrinking, double most) {
  const int rows = view.dimension - (last == LastRow::target ? 1 : 0);
  if (rows <= kSurelySmall && most >= kNodesOfCore) return false;
  return expectedNodes(view, last, shrinking) > most;
}

double expectedNodes(const SearchView& view, LastRow last, bool shrinking) {
  const int rows = view.dimension - (last == LastRow::target ? 1 : 0);
  ProblemSpec spec;
  spec.dimension = rows;
  spec.norms.assign(view.norms, view.norms + rows);
  spec.squaredRadius = view.squaredRadius;
  if (last == LastRow::target) spec.squaredRadius -= view.norms[rows];
  if (shrinking)
    spec.squaredRadius = std::min(spec.squaredRadius, kUsualRadius * gaussianSquaredRadius(spec.norms));
  return spec.squaredRadius > 0 ? totalOf(spec) : 0;
}

double expectedNodesOfTarget(const std::vector<double>& norms, const SquaredRadius& squaredRadius) {
  ProblemSpec spec;
  spec.dimension = static_cast<int>(norms.size());
  spec.norms = norms;
  spec.squaredRadius =
      squaredRadius.given() ? squaredRadius.rounded() : kUsualRadius * gaussianSquaredRadius(norms);
  return totalOf(spec);
}

}  // namespace slicepool::lattice
