// What distribution costs on many ranks, in simulated time.
#include <doctest/doctest.h>

#include "support/cluster/thousand_ranks.hpp"
#include "support/scale.hpp"

using namespace slicepool::test;

TEST_CASE("ranks of 16 cores lose less than 5 % of their time") {
  SimulatedRanksOptions options;  // a thousand
  options.ranks = static_cast<int>(scaled(1000));
  options.steps = 3e9 * options.ranks;
  requireEfficient("ranks of 16 cores", options, 0.95);
}

TEST_CASE("ranks with a GPU, which starts slowly, lose less than 5 % of their time") {
  SimulatedRanksOptions options;
  options.ranks = 16;
  options.threads = 64;  // more of them take longer to simulate and change nothing
  options.stepsPerSecond = 1.95e9;
  options.start = 0.05;
  options.turn = 0.02;
  requireEfficient("16 ranks with a GPU", options, 0.95);
}
