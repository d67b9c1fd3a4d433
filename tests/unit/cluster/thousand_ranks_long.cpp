// More of thousand_ranks.cpp: ranks of other kinds.
#include <doctest/doctest.h>

#include "support/cluster/thousand_ranks.hpp"

using namespace slicepool::test;

TEST_CASE("a thousand ranks of one core lose less than 5 % of their time") {
  SimulatedRanksOptions options;
  options.threads = 1;
  options.stepsPerSecond = 6.3e6;
  requireEfficient("ranks of a core", options, 0.95);
}

TEST_CASE("a thousand ranks of which some are a third as fast lose less than 5 % of their time") {
  SimulatedRanksOptions options;
  options.unequal = 0.7;
  requireEfficient("ranks of up to 16 cores", options, 0.95);
}
