// Searches that go from engine to engine as values in memory, and the shared word lowered from outside. Runs
// stop at a step, never after some time.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/core/error.hpp"
#include "support/collector.hpp"
#include "support/interval_workload.hpp"
#include "support/small_turns.hpp"
#include "support/temporary_folder.hpp"
#include "support/until_lowered.hpp"

using namespace slicepool;

namespace {

using CollectingInterval = TypedProblem<test::IntervalWorkload, Collect<std::uint64_t>>;

constexpr std::uint64_t kIntervalSalt = 5;
constexpr std::uint64_t kIntervalValues = 200'000;
constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

CollectingInterval intervalProblem() {
  ProblemTraits traits;
  traits.workload = "interval";
  traits.totalSteps = static_cast<double>(kIntervalValues);
  return {test::IntervalWorkload::View{kIntervalSalt, true}, {{0, kIntervalValues}}, traits};
}

EngineOptions stoppingOptions(Mode mode, std::uint64_t stepLimit) {
  EngineOptions options = test::smallTurns(mode, 2, "salt 5");
  options.stepLimit = stepLimit;
  return options;
}

}  // namespace

TEST_CASE("deltas of engines that start from parts of a checkpoint in memory add up to the whole set") {
  for (const Mode mode : {Mode::cpu, Mode::emulated}) {
    const CollectingInterval problem = intervalProblem();
    std::vector<std::uint64_t> found;
    std::uint64_t count = 0;
    double steps = 0;
    std::vector<Checkpoint> parcels;
    {
      test::Collector<std::uint64_t> collector;
      Engine first(problem, stoppingOptions(mode, 20'000), &collector);
      first.run();
      parcels.push_back(first.checkpoint());
      REQUIRE(!parcels.back().slices.empty());
      REQUIRE(parcels.back().slices.size() % problem.sliceBytes() == 0);
      CHECK(parcels.back().consumer == collector.save());
      CHECK(parcels.back().words.at(0) == collector.results.size());
      found = collector.results;
      count = parcels.back().words.at(0);
      steps = parcels.back().steps;
    }
    int engines = 1;
    while (!parcels.empty()) {
      Checkpoint parcel = parcels.back();
      parcels.pop_back();
      parcel.words.clear();
      parcel.consumer.clear();
      parcel.steps = 0;
      // Half of the slices go to another engine.
      const std::size_t half = parcel.slices.size() / problem.sliceBytes() / 2 * problem.sliceBytes();
      if (half != 0 && engines < 20) {
        Checkpoint given = parcel;
        given.slices.erase(given.slices.begin(), given.slices.begin() + static_cast<std::ptrdiff_t>(half));
        parcel.slices.resize(half);
        parcels.push_back(given);
      }
      test::Collector<std::uint64_t> collector;
      Engine engine(problem, stoppingOptions(mode, 20'000), &collector);
      engine.restore(parcel);
      engine.run();
      Checkpoint after = engine.checkpoint();
      CHECK(after.words.at(0) == collector.results.size());
      found.insert(found.end(), collector.results.begin(), collector.results.end());
      count += after.words.at(0);
      steps += after.steps;
      if (!after.slices.empty()) parcels.push_back(std::move(after));
      ++engines;
    }
    CHECK(engines > 5);
    std::sort(found.begin(), found.end());
    CHECK(found == test::IntervalWorkload::expected(kIntervalSalt, kIntervalValues));
    CHECK(count == found.size());
    CHECK(steps == static_cast<double>(kIntervalValues));
  }
}

TEST_CASE("a checkpoint in memory and one in a file are the same") {
  const test::TemporaryFolder folder;
  const CollectingInterval problem = intervalProblem();
  test::Collector<std::uint64_t> collector;
  Engine engine(problem, stoppingOptions(Mode::cpu, 30'000), &collector);
  engine.run();
  engine.saveCheckpoint(folder.path("file"));
  const Checkpoint saved = engine.checkpoint();
  test::Collector<std::uint64_t> others;
  Engine resumed(problem, stoppingOptions(Mode::cpu, 0), &others);
  resumed.loadCheckpoint(folder.path("file"));
  CHECK(others.results == collector.results);
  const Checkpoint loaded = resumed.checkpoint();
  CHECK(loaded.words == saved.words);
  CHECK(loaded.consumer == saved.consumer);
  CHECK(loaded.shared == saved.shared);
  CHECK(loaded.steps == saved.steps);
  CHECK(loaded.slices.size() == saved.slices.size());
  test::Collector<std::uint64_t> third;
  Engine fromMemory(problem, stoppingOptions(Mode::cpu, 0), &third);
  fromMemory.restore(saved);
  fromMemory.run();
  CHECK(fromMemory.finished());
  CHECK(third.sorted() == test::IntervalWorkload::expected(kIntervalSalt, kIntervalValues));
}

TEST_CASE("a checkpoint in memory of another problem, of other words, torn, or too late is refused") {
  const CollectingInterval problem = intervalProblem();
  test::Collector<std::uint64_t> collector;
  Engine engine(problem, stoppingOptions(Mode::cpu, 30'000), &collector);
  const Checkpoint whole = engine.checkpoint();
  Checkpoint other = whole;
  other.identity = "salt 6";
  CHECK_THROWS_WITH_AS(engine.restore(other), doctest::Contains("belongs to another problem"),
                       CheckpointError);
  other = whole;
  other.words.push_back(1);
  CHECK_THROWS_AS(engine.restore(other), CheckpointError);
  other = whole;
  other.slices.pop_back();
  CHECK_THROWS_WITH_AS(engine.restore(other), doctest::Contains("not whole"), CheckpointError);
  engine.run();
  CHECK_THROWS_AS(engine.restore(whole), CheckpointError);
}

TEST_CASE("the shared word of a running engine is lowered from outside, and never raised") {
  ProblemTraits traits;
  traits.workload = "until lowered";
  for (const Mode mode : {Mode::cpu, Mode::emulated}) {
    const TypedProblem<test::UntilLowered, test::WatchShared> problem(test::UntilLowered::View{0},
                                                                      {{0}, {0}, {0}}, traits);
    EngineOptions options = stoppingOptions(mode, 0);
    Engine* running = nullptr;
    std::atomic<bool> seen{false};
    options.progressInterval = std::chrono::milliseconds(1);
    // The engine runs until this is called with steps taken, whenever that is.
    options.onProgress = [&](const Progress& progress) {
      if (progress.steps == 0 || seen.exchange(true)) return;
      running->lowerShared(7);
      running->lowerShared(0);
      running->lowerShared(9);
    };
    Engine engine(problem, options);
    running = &engine;
    CHECK(engine.checkpoint().shared == kNone);
    engine.run();
    CHECK(seen);
    CHECK(engine.finished());
    CHECK(engine.checkpoint().shared == 0);
  }
}
