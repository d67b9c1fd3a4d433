// Sizes, stages, rules and idempotents of known semigroups.
#include <doctest/doctest.h>

#include "support/semigroup/front.hpp"
#include "support/semigroup/known.hpp"

using namespace slicepool;
using namespace slicepool::test;

namespace {

void checkKnown(const KnownSemigroup& known, semigroup::Algorithm algorithm) {
  CAPTURE(known.name);
  auto request = named(known.name);
  request.algorithm = algorithm;
  semigroup::Enumeration enumeration(request, cpu(1));
  enumeration.run();
  const auto& outcome = enumeration.outcome();
  CHECK(outcome.complete);
  CHECK(outcome.size == known.size);
  CHECK(outcome.rules == known.rulesHere(enumeration.generatorCount()));
  CHECK(outcome.idempotents == known.idempotents);
  CHECK(outcome.stages.size() == known.lastStage + 1);
  CHECK(enumeration.rules().size() == outcome.rules);
}

}  // namespace

TEST_CASE("sizes, rules, idempotents and last stages of known semigroups, by fingerprint") {
  for (const auto& known : kSmallSemigroups) checkKnown(known, semigroup::Algorithm::fingerprint);
}

TEST_CASE("sizes, rules, idempotents and last stages of small known semigroups, by all images and by words") {
  for (const auto& known : kSmallSemigroups) {
    if (known.size < 5000 || std::string(known.name) == "bihecke:5")
      checkKnown(known, semigroup::Algorithm::froidurePin);
    if (known.size < 5000) checkKnown(known, semigroup::Algorithm::words);
  }
}

TEST_CASE("stages have the published sizes") {
  for (const auto& known : {std::pair{"bihecke:5", kStagesBihecke5}, {"renner:6", kStagesRenner6}}) {
    std::vector<std::uint64_t> told = {1};
    semigroup::Request request = named(known.first);
    request.onStage = [&](const semigroup::StageReport& stage) {
      REQUIRE(stage.stage <= told.size());
      told.resize(stage.stage);  // stages are told again after the base has grown
      told.push_back(stage.found);
    };
    semigroup::Enumeration watched(request, cpu(1));
    watched.run();
    CHECK(watched.outcome().stages == known.second);
    CHECK(told == known.second);
  }
}

TEST_CASE("a base of one point is enough for renner, and bihecke needs more") {
  semigroup::Enumeration renner(named("renner:6"), cpu(1));
  renner.run();
  CHECK(renner.outcome().base.size() == 1);
  CHECK(renner.outcome().restarts == 0);
  semigroup::Enumeration bihecke(named("bihecke:5"), cpu(1));
  bihecke.run();
  CHECK(bihecke.outcome().base.size() > 4);
  CHECK(bihecke.outcome().restarts > 0);
}
