// See core_walk.hpp.
#include "runtime/lattice/core_walk.hpp"

#include <limits>
#include <utility>
#include <vector>

#include "runtime/lattice/core_ways.hpp"
#include "slicepool/lattice/problem_factory.hpp"

namespace slicepool::lattice {
namespace {

/// Lattices of up to so many rows never have kNodesOfCore nodes, reduced as they are.
constexpr int kSurelySmall = 45;

/// The last of `norms` is that of a target where the last row is one.
double expectedOf(std::vector<double> norms, LastRow last, double squaredRadius, bool shrinking) {
  ProblemSpec spec;
  spec.dimension = static_cast<int>(norms.size());
  spec.norms = std::move(norms);
  spec.squaredRadius = squaredRadius;
  spec.shrinking = shrinking;
  if (last == LastRow::target) spec.roots = {{spec.dimension - 1, {1}}};
  return expectedSteps(spec);
}

}  // namespace

bool isTooLarge(const SearchView& view, LastRow last, bool shrinking, double most) {
  const int rows = view.dimension - (last == LastRow::target ? 1 : 0);
  if (rows <= kSurelySmall && most >= kNodesOfCore) return false;
  return expectedNodes(view, last, shrinking) > most;
}

double expectedNodes(const SearchView& view, LastRow last, bool shrinking) {
  return expectedOf({view.norms, view.norms + view.dimension}, last, view.squaredRadius, shrinking);
}

double expectedNodesOfTarget(std::vector<double> norms, const SquaredRadius& squaredRadius) {
  constexpr double kAnywhere = std::numeric_limits<double>::max();
  norms.push_back(0);  // of a target in the span of the rows
  return expectedOf(std::move(norms), LastRow::target,
                    squaredRadius.given() ? squaredRadius.rounded() : kAnywhere, !squaredRadius.given());
}

}  // namespace slicepool::lattice
