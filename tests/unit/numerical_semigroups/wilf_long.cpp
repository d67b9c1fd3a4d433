// Wilf's conjecture to genus 45, and Eliahou's numbers, in the trimmed tree: hours of a core in the whole
// one.
#include <doctest/doctest.h>

#include "slicepool/numerical_semigroups/enumeration.hpp"
#include "support/worker_options.hpp"

using namespace slicepool;
using namespace slicepool::numerical_semigroups;

TEST_CASE("to genus 45 no Wilf number is negative, and one Eliahou number is") {
  Request request;
  request.genus = 45;
  request.sink = SinkKind::list;
  request.where = "wilf < 0 or eliahou < 0";
  request.trim = true;
  Enumeration enumeration(request, test::onCpu(0));
  enumeration.run();
  const Outcome outcome = enumeration.outcome();
  // Eliahou, Fromentin 2019, Near-misses in Wilf's conjecture: five of genus at most 60, the first of
  // genus 43.
  REQUIRE(outcome.semigroups.size() == 1);
  CHECK(generatorsOf(outcome.semigroups[0]) == std::vector<int>{14, 22, 23, 57, 61, 62, 63});
}
