// The estimate of a search's steps: exact where a probe sees the whole tree, near the truth where it does
// not.
#include <doctest/doctest.h>

#include <cmath>

#include "runtime/core/tree_estimate.hpp"
#include "slicepool/three_in_line/enumeration.hpp"
#include "slicepool/three_in_line/problem_factory.hpp"
#include "support/scale.hpp"

using namespace slicepool;
using namespace slicepool::three_in_line;
using slicepool::test::largest;
using slicepool::test::scaled;

namespace {

double nodesOf(int size) {
  Request request;
  request.size = size;
  EngineOptions options;
  options.mode = Mode::cpu;
  Enumeration enumeration(request, options);
  enumeration.run();
  return static_cast<double>(enumeration.outcome().findings.nodes);
}

}  // namespace

TEST_CASE("a probe that leaves nothing out counts the tree exactly") {
  for (int size = 2; size <= 7; ++size) {
    CAPTURE(size);
    ProblemSpec spec;
    spec.n = size;
    spec.collect = size % 2 == 0;
    const auto problem = makeProblem(spec);
    TreeEstimate estimate(*problem, 100'000);
    estimate.probe();
    CHECK(estimate.steps() == nodesOf(size));
    CHECK(std::isinf(estimate.relativeError()));
    estimate.probe();
    CHECK(estimate.relativeError() == 0);
  }
}

TEST_CASE("small populations estimate without bias, within their own error") {
  for (int size = 8; size <= largest(9, 8); ++size) {
    for (const std::size_t population : {16, 200}) {
      if (population < static_cast<std::size_t>(largest(1, 200))) continue;  // many probes
      CAPTURE(size);
      CAPTURE(population);
      ProblemSpec spec;
      spec.n = size;
      const auto problem = makeProblem(spec);
      TreeEstimate estimate(*problem, population);
      while (estimate.probes() < 8000 / population * static_cast<std::size_t>(largest(10, 3)))
        estimate.probe();
      const double nodes = nodesOf(size);
      CHECK(estimate.relativeError() < 0.15);
      CHECK(std::abs(estimate.steps() - nodes) < 4 * estimate.relativeError() * nodes);
      CHECK(estimate.steps() == doctest::Approx(nodes).epsilon(0.2));
    }
  }
}

TEST_CASE("the roots of a shard are estimated by themselves") {
  ProblemSpec spec;
  spec.n = 9;
  const Frontier top = frontier(spec, 200);
  spec.roots = top.roots;
  const auto problem = makeProblem(spec);
  TreeEstimate estimate(*problem);
  while (estimate.probes() < 50 + scaled(250)) estimate.probe();
  CHECK(estimate.steps() == doctest::Approx(nodesOf(9)).epsilon(0.1));
}
