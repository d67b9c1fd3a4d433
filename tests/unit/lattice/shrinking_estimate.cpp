// What is left of a shrinking search: against the Gaussian heuristic, and against a search.
#include "runtime/lattice/shrinking_estimate.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "support/lattice/told_totals.hpp"

namespace {

using namespace slicepool;
using lattice::ProblemSpec;
using lattice::ShrinkingEstimate;

double nodes(ProblemSpec spec, double squaredRadius) {
  spec.squaredRadius = squaredRadius;
  const auto levels = lattice::expectedNodes(spec);
  return std::accumulate(levels.begin(), levels.end(), 0.0);
}

ProblemSpec cube(int dimension, double squaredRadius) {
  ProblemSpec spec;
  spec.dimension = dimension;
  spec.norms.assign(static_cast<std::size_t>(dimension), 1.0);
  spec.squaredRadius = squaredRadius;
  return spec;
}

}  // namespace

TEST_CASE("while the radius stays the total is the expected one, and nothing when there was more") {
  const ProblemSpec spec = cube(20, 9);
  const double expected = nodes(spec, 9);
  ShrinkingEstimate estimate(spec, false);
  CHECK(estimate.totalSteps() == 0);
  for (const double share : {0.1, 0.5, 0.99}) {
    estimate.update(share * expected, 9);
    CHECK(estimate.totalSteps() == doctest::Approx(expected));
  }
  estimate.update(1.01 * expected, 9);
  CHECK(estimate.totalSteps() == 0);
}

TEST_CASE("what was done at a larger radius counts as the share that it was there") {
  const ProblemSpec spec = cube(20, 9);
  ShrinkingEstimate estimate(spec, false);
  const double steps = 0.25 * nodes(spec, 9);
  estimate.update(steps, 9);
  estimate.update(steps, 5);
  CHECK(estimate.totalSteps() == doctest::Approx(steps + 0.75 * nodes(spec, 5)));
  const double more = steps + 0.5 * nodes(spec, 5);
  estimate.update(more, 5);
  CHECK(estimate.totalSteps() == doctest::Approx(more + 0.25 * nodes(spec, 5)));
}

TEST_CASE("the steps of an earlier process count as taken at the radius that it left") {
  const ProblemSpec spec = cube(20, 9);
  ShrinkingEstimate estimate(spec, true);
  const double steps = 0.4 * nodes(spec, 5);
  estimate.update(steps, 5);
  CHECK(estimate.totalSteps() == doctest::Approx(nodes(spec, 5)));
}

TEST_CASE("steps of searches before this one are in the total, and no part of this one's work") {
  const ProblemSpec spec = cube(20, 9);
  const double expected = nodes(spec, 9);
  ShrinkingEstimate estimate(spec, false, 3 * expected);
  estimate.update(3.25 * expected, 9);
  CHECK(estimate.totalSteps() == doctest::Approx(4 * expected));
}

TEST_CASE("a shrinking search tells, wherever it is stopped, a total that is near the nodes it takes") {
  lattice::Request request;
  request.basisPath = test::latticePath("k45.txt");
  request.ghFactor = 1.1;
  test::checkToldTotals(request, 0.5, 2);
}
