// A sequence of engines seen as one run: progress over all of them, cancel at any time, limits of steps.
#include "runtime/core/engine_slot.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <vector>

#include "support/interval_workload.hpp"
#include "support/temporary_folder.hpp"

using namespace slicepool;
using test::IntervalWorkload;

namespace {

using Counting = TypedProblem<IntervalWorkload, Count>;
constexpr std::uint64_t kWindow = 10'000;

Counting window(std::uint64_t index) {
  ProblemTraits traits;
  traits.workload = "interval";
  traits.totalSteps = kWindow;
  return {IntervalWorkload::View{4, true}, {{index * kWindow, (index + 1) * kWindow}}, traits};
}

EngineOptions small() {
  EngineOptions options;
  options.threads = 2;
  options.cpuBudget = 100;
  return options;
}

}  // namespace

TEST_CASE("progress and results add up over windows, and are told after each") {
  EngineSlot slot;
  EngineOptions options = small();
  options.progressInterval = std::chrono::milliseconds(0);
  std::vector<Progress> told;
  options.onProgress = [&](const Progress& progress) { told.push_back(progress); };
  for (std::uint64_t i = 0; i < 4; ++i) {
    CHECK(slot.run(window(i), options, nullptr, 0.25).complete);
    REQUIRE_FALSE(told.empty());
    const double done = static_cast<double>((i + 1) * kWindow);
    CHECK(told.back().steps == done);
    CHECK(told.back().results == IntervalWorkload::expected(4, (i + 1) * kWindow).size());
    CHECK(told.back().totalSteps == static_cast<double>(4 * kWindow));
    CHECK(slot.progress().steps == done);
  }
  for (std::size_t i = 1; i < told.size(); ++i) CHECK(told[i].steps >= told[i - 1].steps);
  CHECK_FALSE(slot.cancelled());
}

TEST_CASE("progress is told at its interval, however many windows there are") {
  EngineSlot slot;
  EngineOptions options = small();
  options.progressInterval = std::chrono::hours(1);
  int told = 0;
  options.onProgress = [&](const Progress&) { ++told; };
  for (std::uint64_t i = 0; i < 20; ++i) (void)slot.run(window(i), options, nullptr, 0.05);
  CHECK(told == 0);
}

TEST_CASE("the work of an earlier process counts as done") {
  EngineSlot slot;
  slot.addDone(500, 20);
  CHECK(slot.progress().steps == 500);
  (void)slot.run(window(0), small(), nullptr, 0.5);
  CHECK(slot.progress().steps == 500 + kWindow);
  CHECK(slot.progress().results == 20 + IntervalWorkload::expected(4, kWindow).size());
}

TEST_CASE("after a cancel the next engine stops at once, and leaves a checkpoint if asked") {
  const test::TemporaryFolder folder;
  EngineSlot slot;
  slot.cancel();
  EngineOptions options = small();
  options.checkpointPath = folder.path("checkpoint");
  const RunReport report = slot.run(window(0), options, nullptr);
  CHECK_FALSE(report.complete);
  CHECK(report.steps == 0);
  CHECK(report.checkpoints == 1);
  REQUIRE(std::filesystem::exists(options.checkpointPath));
  EngineSlot other;
  const RunReport rest = other.run(window(0), small(), nullptr, 1, options.checkpointPath);
  CHECK(rest.complete);
  CHECK(rest.words[0] == IntervalWorkload::expected(4, kWindow).size());
}

TEST_CASE("a step limit is one of all engines together") {
  for (const std::uint64_t limit : {kWindow / 2, kWindow, kWindow + kWindow / 2, 3 * kWindow}) {
    CAPTURE(limit);
    EngineSlot slot;
    EngineOptions options = small();
    options.stepLimit = limit;
    std::uint64_t steps = 0;
    std::uint64_t i = 0;
    while (!slot.cancelled()) {
      REQUIRE(i < 4);
      steps += slot.run(window(i++), options, nullptr, 0.25).steps;
    }
    CHECK(steps >= limit);
    CHECK(steps <= limit + 400);  // two turns of each worker
  }
}
