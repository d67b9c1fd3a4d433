// The enumeration of numerical semigroups: the same counts and steps in every mode, after failures of a
// device, and when it is stopped and resumed; refusals.
#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "slicepool/core/error.hpp"
#include "slicepool/numerical_semigroups/enumeration.hpp"
#include "slicepool/numerical_semigroups/problem_factory.hpp"
#include "support/numerical_semigroups/oracle.hpp"
#include "support/reducing_driver.hpp"
#include "support/scale.hpp"
#include "support/stopped_runs.hpp"
#include "support/temporary_folder.hpp"
#include "support/worker_options.hpp"

using namespace slicepool;
using namespace slicepool::numerical_semigroups;
using slicepool::test::largest;
using slicepool::test::onCpu;
using slicepool::test::onEmulator;

namespace {

Request upTo(int genus, int multiplicity = 0) {
  Request request;
  request.genus = genus;
  request.multiplicity = multiplicity;
  return request;
}

Outcome genusOutcomeOf(const Request& request, const EngineOptions& options) {
  Enumeration enumeration(request, options);
  enumeration.run();
  CHECK(enumeration.finished());
  return enumeration.outcome();
}

}  // namespace

TEST_CASE("the numbers are A007323 and the steps are the same, in every mode") {
  const int bound = largest(20, 12);
  const Outcome first = genusOutcomeOf(upTo(bound), onCpu(1));
  for (int genus = 0; genus <= bound; ++genus) {
    const auto at = static_cast<std::size_t>(genus);
    CHECK(first.findings.byGenus.at(at) == test::publishedGenusCounts().at(at));
    std::uint64_t sum = 0;
    for (const std::uint64_t number : first.findings.triangle.at(at)) sum += number;
    CHECK(sum == first.findings.byGenus.at(at));
  }
  for (const auto& options : {onCpu(3), onEmulator(), onEmulator(0), onEmulator(2), onEmulator(5)}) {
    const Outcome other = genusOutcomeOf(upTo(bound), options);
    CHECK(other.findings == first.findings);
    if (options.emulator.failAtLaunch < 0) CHECK(other.run.steps == first.run.steps);
  }
}

TEST_CASE("one multiplicity has the numbers that it has among all") {
  const Outcome all = genusOutcomeOf(upTo(16), onCpu());
  for (int m = 2; m <= 17; ++m) {
    CAPTURE(m);
    const Outcome one = genusOutcomeOf(upTo(16, m), m % 2 == 0 ? onCpu() : onEmulator());
    for (std::size_t genus = 0; genus <= 16; ++genus) {
      const auto& row = all.findings.triangle.at(genus);
      const auto at = static_cast<std::size_t>(m);
      CHECK(one.findings.byGenus.at(genus) == (at < row.size() ? row.at(at) : 0));
    }
  }
}

TEST_CASE("every statistic is the oracle's, in every mode, with both widths, and its histograms add up") {
  struct Case {
    Statistic by;
    int (*value)(const test::Gaps&);
  };
  const int bound = largest(12, 8);
  const test::GenusOracle oracle(bound);
  for (const auto& statistic : {Case{Statistic::multiplicity, test::GenusOracle::multiplicityOf},
                                Case{Statistic::embeddingDimension, test::GenusOracle::embeddingDimension},
                                Case{Statistic::type, test::GenusOracle::type},
                                Case{Statistic::frobenius, test::GenusOracle::frobenius},
                                Case{Statistic::depth, test::GenusOracle::depth}}) {
    CAPTURE(static_cast<int>(statistic.by));
    Request request = upTo(bound);
    request.by = statistic.by;
    const Outcome first = genusOutcomeOf(request, onCpu());
    for (int genus = 1; genus <= bound; ++genus) {
      std::vector<std::uint64_t> expected;
      for (const test::Gaps& gaps : oracle.ofGenus(genus)) {
        const auto at = static_cast<std::size_t>(statistic.value(gaps));
        if (expected.size() <= at) expected.resize(at + 1);
        ++expected[at];
      }
      CAPTURE(genus);
      CHECK(first.findings.triangle.at(static_cast<std::size_t>(genus)) == expected);
      CHECK(first.findings.byGenus.at(static_cast<std::size_t>(genus)) == oracle.ofGenus(genus).size());
    }
    const Outcome other = genusOutcomeOf(request, onEmulator(3));
    CHECK(other.findings == first.findings);
    const auto wide = makeProblem({.genus = bound, .by = statistic.by, .words = 2});
    const auto narrow = makeProblem({.genus = bound, .by = statistic.by, .words = 1});
    CHECK(test::ReducingDriver(*wide).runWhole().words() == test::ReducingDriver(*narrow).runWhole().words());
  }
}

TEST_CASE("types and Frobenius numbers far up: windows of one word against two") {
  for (const Statistic by : {Statistic::embeddingDimension, Statistic::type, Statistic::frobenius}) {
    const ProblemSpec narrow{.genus = 63, .multiplicity = 3, .by = by, .words = 1};
    const ProblemSpec wide{.genus = 63, .multiplicity = 3, .by = by, .words = 2};
    CHECK(test::ReducingDriver(*makeProblem(narrow)).runWhole().words() ==
          test::ReducingDriver(*makeProblem(wide)).runWhole().words());
  }
  Request request = upTo(127, 2);
  request.by = Statistic::frobenius;
  const Outcome outcome = genusOutcomeOf(request, onCpu());
  for (std::size_t genus = 1; genus <= 127; ++genus) {
    CHECK(outcome.findings.triangle.at(genus).size() == 2 * genus);
    CHECK(outcome.findings.triangle.at(genus).back() == 1);
  }
}

TEST_CASE("a count that was stopped again and again and resumed is that of one run") {
  const Request request = upTo(largest(22, 16));
  const Outcome whole = genusOutcomeOf(request, onCpu());
  const Outcome parts =
      test::outcomeInParts<Enumeration>(request, whole.run.steps, onCpu(1), onEmulator(), 1'000'000);
  CHECK(parts.findings == whole.findings);
}

TEST_CASE("beyond genus 63 a count has the wide classes, too, also where it was stopped") {
  // Multiplicities g + 1 and g have wide classes alone: 1 semigroup and g - 1.
  const int bound = 70;
  EngineOptions options = onCpu(1);
  options.stepLimit = 1;
  Enumeration enumeration(upTo(bound), options);
  enumeration.run();
  CHECK_FALSE(enumeration.finished());
  const Outcome stopped = enumeration.outcome();
  const auto& row = stopped.findings.triangle.at(static_cast<std::size_t>(bound));
  CHECK(row.at(static_cast<std::size_t>(bound) + 1) == 1);
  CHECK(row.at(static_cast<std::size_t>(bound)) == static_cast<std::uint64_t>(bound) - 1);
}

TEST_CASE("narrow classes beyond genus 63 have the same counts and steps in every mode, stopped or not") {
  for (const Statistic by : {Statistic::multiplicity, Statistic::second}) {
    Request request = upTo(67, 4);
    request.by = by;
    const auto wide = makeProblem({.genus = 67, .multiplicity = 4, .by = by});
    const Outcome whole = genusOutcomeOf(request, onCpu(1));
    test::ReducingDriver driver(*wide);
    (void)driver.runWhole();
    CHECK(whole.run.steps == driver.steps());
    for (const auto& options : {onCpu(3), onEmulator(), onEmulator(2)}) {
      const Outcome other = genusOutcomeOf(request, options);
      CHECK(other.findings == whole.findings);
      if (options.emulator.failAtLaunch < 0) CHECK(other.run.steps == whole.run.steps);
    }
    const Outcome parts =
        test::outcomeInParts<Enumeration>(request, whole.run.steps, onCpu(1), onEmulator(), 1'000'000);
    CHECK(parts.findings == whole.findings);
  }
}

TEST_CASE("a checkpoint of another bound or multiplicity is refused") {
  const test::TemporaryFolder folder;
  EngineOptions options = onCpu();
  options.checkpointPath = folder.path("c.ckpt");
  Enumeration enumeration(upTo(16), options);
  enumeration.cancel();
  enumeration.run();
  REQUIRE(std::filesystem::exists(options.checkpointPath));
  Request byType = upTo(16);
  byType.by = Statistic::type;
  for (const Request& other : {upTo(15), upTo(16, 3), byType}) {
    Enumeration wrong(other, onCpu());
    CHECK_THROWS_AS(wrong.resumeFrom(options.checkpointPath), CheckpointError);
  }
}

TEST_CASE("bounds and multiplicities that are none are refused by name") {
  for (const int genus : {0, 128})
    CHECK_THROWS_WITH_AS(Enumeration(upTo(genus), onCpu()), doctest::Contains("genus: got"), ConfigError);
  for (const int m : {1, 8})
    CHECK_THROWS_WITH_AS(Enumeration(upTo(6, m), onCpu()), doctest::Contains("multiplicity: got"),
                         ConfigError);
}
