// The success probability that the pruner promises, over ten thousand trials: kept, and by no more than it is
// known to be understated.
#include <doctest/doctest.h>

#include <cmath>

#include "support/scale.hpp"
#include "support/svp/bases.hpp"
#include "support/svp/successes.hpp"

using namespace slicepool;

TEST_CASE("ten thousand pruned trials find the shortest vector at least as often as the pruner says") {
  if (!test::canReduce()) return;
  const test::Successes counted = test::countSuccesses(20, test::scaled(500));
  MESSAGE(counted.found << " of " << counted.done << " found, " << counted.expected << " expected, "
                        << counted.deviations() << " standard deviations");
  // 5308 of 10,000 where the pruner expects 5061.
  const auto found = static_cast<double>(counted.found);
  CHECK(found > counted.expected - 4 * std::sqrt(counted.variance));
  CHECK(found < 1.1 * counted.expected + 4 * std::sqrt(counted.variance));
}
