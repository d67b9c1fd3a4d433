// The random schedules of schedules.cpp, 100,000 of them.
#include <doctest/doctest.h>

#include "support/cluster/schedules.hpp"

TEST_CASE("no slice is lost or doubled in 100,000 random schedules") {
  slicepool::test::runSchedules(1'000'000, 100'000);
}
