// Known semigroups of millions of elements: label `long`, which continuous integration leaves out.
#include <doctest/doctest.h>

#include "support/semigroup/front.hpp"
#include "support/semigroup/known.hpp"

using namespace slicepool;
using namespace slicepool::test;

TEST_CASE("sizes, rules, idempotents and stages of large known semigroups, on all cores") {
  for (const auto& known : kLargeSemigroups) {
    CAPTURE(known.name);
    semigroup::Enumeration enumeration(named(known.name), cpu(0));
    enumeration.run();
    const auto& outcome = enumeration.outcome();
    CHECK(outcome.size == known.size);
    CHECK(outcome.rules == known.rulesHere(enumeration.generatorCount()));
    CHECK(outcome.idempotents == known.idempotents);
    CHECK(outcome.stages.size() == known.lastStage + 1);
    if (known.size == 7505009) CHECK(outcome.stages == kStagesBihecke6);
  }
}
