// Slices of the no-three-in-line search: any budgets, any split tree and a sink that refuses give the results
// of one uninterrupted search, nodes included, by the plain step and by the CPU's fast path.
#include <doctest/doctest.h>

#include <cstdint>
#include <random>

#include "slicepool/three_in_line/problem_factory.hpp"
#include "support/three_in_line/driver.hpp"

using namespace slicepool;
using namespace slicepool::three_in_line;
using slicepool::test::ThreeInLineDriver;

TEST_CASE("no-three-in-line: budgets, splits and refusals change nothing") {
  std::uint64_t splits = 0;
  std::uint64_t refusals = 0;
  for (int n = 2; n <= 9; ++n) {
    for (const Group group : {Group::none, Group::c2, Group::diagonal}) {
      ProblemSpec spec;
      spec.n = n;
      spec.group = group;
      spec.collect = true;
      const auto problem = makeProblem(spec);
      ThreeInLineDriver whole(*problem);
      whole.runWhole();
      for (std::uint64_t seed = 0; seed < 6; ++seed) {
        std::mt19937_64 random(seed);
        CAPTURE(n);
        CAPTURE(static_cast<int>(group));
        CAPTURE(seed);
        ThreeInLineDriver pieces(*problem, seed % 2 != 0, 1 + static_cast<std::uint32_t>(seed % 3));
        pieces.runInPieces(random);
        REQUIRE(pieces.words() == whole.words());
        REQUIRE(pieces.solutions().size() == whole.solutions().size());
        REQUIRE(pieces.solutionSet() == whole.solutionSet());
        REQUIRE(pieces.steps() == whole.steps());
        splits += pieces.splits();
        refusals += pieces.refusals();
      }
    }
  }
  CHECK(splits > 1000);
  CHECK(refusals > 10);
}
