// Stopping and going on: cancel, runFor, step limits, checkpoints, early decisions, worker errors, failing
// devices. Runs stop at a step, never after some time: engine_timing.cpp looks at the clock.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <utility>

#include "slicepool/core/engine.hpp"
#include "slicepool/core/error.hpp"
#include "support/collector.hpp"
#include "support/interval_workload.hpp"
#include "support/scale.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

using namespace slicepool;
using namespace std::chrono_literals;
using test::IntervalWorkload;

namespace {

using Collecting = TypedProblem<IntervalWorkload, Collect<std::uint64_t>>;
using Counting = TypedProblem<IntervalWorkload, Count>;

ProblemTraits traits(std::uint64_t n) {
  ProblemTraits made;
  made.workload = "interval";
  made.totalSteps = static_cast<double>(n);
  return made;
}

/// Who works: CPU workers, or the lane emulator beside them as a device that copies slices during a launch,
/// or as one that does not.
enum class Way { cpu, copying, waiting };
constexpr Way kWays[] = {Way::cpu, Way::copying, Way::waiting};

EngineOptions with(Way way) {
  EngineOptions options;
  options.mode = way == Way::cpu ? Mode::cpu : Mode::emulated;
  options.emulator.copiesDuringLaunch = way == Way::copying;
  if (way == Way::copying) options.emulator.parcelSlices = 1;  // every gift is a parcel
  options.longestSleep = 0ms;                                  // a wake-up that is lost hangs
  options.threads = 2;
  options.emulator.lanes = 64;
  options.emulator.resultCapacity = 100;
  options.cpuBudget = 500;
  options.gpuBudget = 50;
  return options;
}

/// Steps that all workers of with() together can take after they were to stop: what is under way, and a turn
/// or a launch of each more.
constexpr std::uint64_t kOvershoot = 2 * (2 * 500 + 2 * 64 * 50);

}  // namespace

TEST_CASE("runFor pieces add up to the whole set, in every mode, however many they are") {
  constexpr std::uint64_t kN = 300'000;
  for (const auto way : kWays) {
    const Collecting problem(IntervalWorkload::View{11, true}, {{0, kN}}, traits(kN));
    test::Collector<std::uint64_t> collector;
    Engine engine(problem, with(way), &collector);
    while (!engine.finished()) engine.runFor(200us);
    CHECK(collector.sorted() == IntervalWorkload::expected(11, kN));
    CHECK(engine.report().steps == kN);
  }
}

TEST_CASE("a step limit stops a run with the turns that reach it, and what was found stays valid") {
  constexpr std::uint64_t kN = 400'000;
  const test::TemporaryFolder folder;
  for (const auto way : kWays) {
    for (const std::uint64_t limit : {std::uint64_t{1}, kN / 7, kN / 2}) {
      const Collecting problem(IntervalWorkload::View{2, true}, {{0, kN}}, traits(kN));
      test::Collector<std::uint64_t> collector;
      EngineOptions options = with(way);
      options.stepLimit = limit;
      Engine engine(problem, options, &collector);
      engine.run();
      CHECK(engine.cancelled());
      CHECK_FALSE(engine.finished());
      const RunReport report = engine.report();
      CHECK(report.steps >= limit);
      CHECK(report.steps <= limit + kOvershoot);
      CHECK(report.words.at(0) == collector.results.size());
      engine.saveCheckpoint(folder.path("checkpoint"));
      test::Collector<std::uint64_t> all;
      options.stepLimit = 0;
      Engine rest(problem, options, &all);
      rest.loadCheckpoint(folder.path("checkpoint"));
      rest.run();
      CHECK(all.sorted() == IntervalWorkload::expected(2, kN));
    }
  }
}

TEST_CASE("a step limit that is reached with the last step is no obstacle to being complete") {
  constexpr std::uint64_t kN = 10'000;
  const Counting problem(IntervalWorkload::View{2, true}, {{0, kN}}, traits(kN));
  EngineOptions options = with(Way::cpu);
  options.threads = 1;
  options.stepLimit = kN;
  Engine engine(problem, options);
  engine.run();
  CHECK(engine.finished());
  CHECK(engine.report().complete);
}

TEST_CASE("cancel and giveUp stop a run within a budget of every worker") {
  const std::uint64_t n = std::uint64_t{1} << 40;
  for (const auto& [way, givesUp] : {std::pair{Way::cpu, false},
                                     {Way::copying, false},
                                     {Way::waiting, false},
                                     {Way::cpu, true},
                                     {Way::copying, true},
                                     {Way::waiting, true}}) {
    const Counting problem(IntervalWorkload::View{2, true}, {{0, n}}, traits(n));
    EngineOptions options = with(way);
    options.progressInterval = 0ms;
    Engine* running = nullptr;
    double stepsAtCancel = -1;
    options.onProgress = [&](const Progress& progress) {
      if (progress.steps == 0 || stepsAtCancel >= 0) return;
      if (givesUp)
        running->giveUp();
      else
        running->cancel();
      stepsAtCancel = running->progress().steps;
    };
    Engine engine(problem, options);
    running = &engine;
    engine.run();
    CHECK(engine.cancelled());
    CHECK_FALSE(engine.finished());
    REQUIRE(stepsAtCancel > 0);
    CHECK(static_cast<double>(engine.report().steps) <= stepsAtCancel + static_cast<double>(kOvershoot));
  }
}

TEST_CASE("a run that stops short tells its progress a last time") {
  constexpr std::uint64_t kN = 100'000;
  const Counting problem(IntervalWorkload::View{2, true}, {{0, kN}}, traits(kN));
  EngineOptions options = with(Way::cpu);
  options.stepLimit = kN / 2;
  options.progressInterval = std::chrono::hours(1);
  double told = 0;
  options.onProgress = [&](const Progress& progress) { told = progress.steps; };
  Engine engine(problem, options);
  engine.run();
  CHECK(told == static_cast<double>(engine.report().steps));
}

TEST_CASE("a checkpoint at a random step and a resume in another mode give the same set") {
  constexpr std::uint64_t kN = 400'000;
  std::mt19937_64 random(20240514);
  const test::TemporaryFolder folder;
  const auto path = folder.path("run.checkpoint");
  for (const auto first : kWays) {
    for (const auto second : kWays) {
      const Collecting problem(IntervalWorkload::View{5, true}, {{0, kN}}, traits(kN));
      test::Collector<std::uint64_t> before;
      EngineOptions options = with(first);
      options.stepLimit = 1 + random() % (kN - 2 * kOvershoot);
      Engine engine(problem, options, &before);
      engine.run();
      CHECK_FALSE(engine.finished());
      engine.saveCheckpoint(path);
      test::Collector<std::uint64_t> after;
      Engine resumed(problem, with(second), &after);
      resumed.loadCheckpoint(path);
      resumed.run();
      CHECK(after.sorted() == IntervalWorkload::expected(5, kN));
      CHECK(resumed.report().words.at(0) == after.results.size());
      CHECK(resumed.report().steps == kN);
    }
  }
}

namespace {

/// Calls `call` once, from inside a turn, when turns have come down to 0.
struct CallingWorkload : IntervalWorkload {
  static inline std::atomic<int> turnsLeft{0};
  static inline std::function<void()> call;

  template <class Emit>
  static Turn advance(const View& view, Slice& slice, Budget& budget, Emit& emit) {
    if (--turnsLeft == 0) call();
    return IntervalWorkload::advance(view, slice, budget, emit);
  }
};

}  // namespace

TEST_CASE("cancel with a checkpoint path leaves a checkpoint from which the run completes") {
  constexpr std::uint64_t kN = 3'000'000;
  const test::TemporaryFolder folder;
  EngineOptions options = with(Way::cpu);
  options.checkpointPath = folder.path("cancelled.checkpoint");
  options.checkpointInterval = 5ms;
  options.checkpointIdentity = "n=3000000";
  const TypedProblem<CallingWorkload, Count> problem(IntervalWorkload::View{9, true}, {{0, kN}}, traits(kN));
  CallingWorkload::turnsLeft = 20;  // of 6000
  {
    Engine engine(problem, options);
    CallingWorkload::call = [&] { engine.cancel(); };
    engine.run();
    CHECK_FALSE(engine.finished());
    CHECK(engine.report().steps < kN);
    CHECK(engine.report().checkpoints > 0);
  }
  Engine resumed(problem, options);
  resumed.loadCheckpoint(options.checkpointPath);
  resumed.run();
  CHECK(resumed.report().words.at(0) == IntervalWorkload::expected(9, kN).size());
  CHECK(resumed.report().steps == kN);
}

TEST_CASE("a checkpoint of another problem, a torn one and a missing one are refused, naming the file") {
  const test::TemporaryFolder folder;
  const auto path = folder.path("a.checkpoint");
  const Counting problem(IntervalWorkload::View{1, true}, {{0, 1000}}, traits(1000));
  EngineOptions options;
  options.checkpointIdentity = "salt 1";
  const Engine engine(problem, options);
  engine.saveCheckpoint(path);
  options.checkpointIdentity = "salt 2";
  Engine other(problem, options);
  CHECK_THROWS_WITH_AS(other.loadCheckpoint(path), doctest::Contains("belongs to another problem"),
                       CheckpointError);
  CHECK_THROWS_WITH_AS(other.loadCheckpoint(folder.path("none")), doctest::Contains("cannot be opened"),
                       CheckpointError);
  {
    std::ofstream torn(path, std::ios::binary | std::ios::in);
    torn.seekp(60);
    torn.put('\x7f');
  }
  CHECK_THROWS_WITH_AS(other.loadCheckpoint(path), doctest::Contains("hash"), CheckpointError);
}

TEST_CASE("a decided answer ends the run early") {
  const std::uint64_t n = std::uint64_t{1} << 40;
  for (const auto way : kWays) {
    auto made = traits(n);
    made.decided = [](const std::uint64_t* words) { return words[0] >= 10; };
    const Counting problem(IntervalWorkload::View{2, true}, {{0, n}}, made);
    Engine engine(problem, with(way));
    engine.run();
    CHECK(engine.report().decided);
    CHECK(engine.report().words.at(0) >= 10);
    // Nobody is done with the rest: engines of other processes may share it.
    CHECK_FALSE(engine.finished());
    CHECK_FALSE(engine.checkpoint().slices.empty());
  }
}

TEST_CASE("a failing device loses nothing: its slices go back and the CPU finishes, with a warning") {
  constexpr std::uint64_t kN = 200'000;
  for (const auto& [company, way] :
       {std::pair{true, Way::copying}, {false, Way::copying}, {true, Way::waiting}, {false, Way::waiting}}) {
    for (std::int64_t failing = 0; failing < 12; ++failing) {
      EngineOptions options = with(way);
      options.emulator.withCpuWorkers = company;
      options.emulator.failAtLaunch = failing;
      const Collecting problem(IntervalWorkload::View{13, true}, {{0, kN}}, traits(kN));
      test::Collector<std::uint64_t> collector;
      Engine engine(problem, options, &collector);
      engine.run();
      const auto report = engine.report();
      CHECK(engine.finished());
      CHECK(collector.sorted() == IntervalWorkload::expected(13, kN));
      CHECK(report.words.at(0) == collector.results.size());
      CHECK(report.steps == kN);
      if (company && report.warnings.empty()) continue;  // the CPU workers had it all before that launch
      REQUIRE_FALSE(report.warnings.empty());
      CHECK(report.warnings.front().find("injected launch failure") != std::string::npos);
    }
  }
}

TEST_CASE("when all of several devices fail, the CPU finishes") {
  constexpr std::uint64_t kN = 200'000;
  for (std::int64_t failing = 0; failing < 5; ++failing) {
    EngineOptions options = with(failing % 2 == 0 ? Way::copying : Way::waiting);
    options.emulator.withCpuWorkers = false;
    options.emulator.devices = 3;
    options.emulator.failAtLaunch = failing;
    const Collecting problem(IntervalWorkload::View{17, true}, {{0, kN}}, traits(kN));
    test::Collector<std::uint64_t> collector;
    Engine engine(problem, options, &collector);
    engine.run();
    CHECK(engine.finished());
    CHECK(collector.sorted() == IntervalWorkload::expected(17, kN));
    CHECK(engine.report().steps == kN);
  }
}

namespace {

struct ThrowingWorkload : IntervalWorkload {
  template <class Emit>
  static Turn advance(const View&, Slice& slice, Budget& budget, Emit&) {
    if (slice.begin < 5000 && 5000 <= slice.end) throw Error("step failed on purpose");
    budget.left -= slice.end - slice.begin;
    slice.begin = slice.end;
    return Turn::exhausted;
  }
};

}  // namespace

TEST_CASE("the first exception of a worker ends the run and is rethrown to the caller") {
  const TypedProblem<ThrowingWorkload, Count> problem(IntervalWorkload::View{1, true}, {{0, 100'000}},
                                                      traits(100'000));
  for (const auto way : kWays) {
    Engine engine(problem, with(way));
    CHECK_THROWS_WITH_AS(engine.run(), "step failed on purpose", Error);
  }
}

TEST_CASE("a run that fails leaves the checkpoint that there was: what the worker held is lost") {
  const test::TemporaryFolder folder;
  const TypedProblem<ThrowingWorkload, Count> problem(IntervalWorkload::View{1, true}, {{0, 100'000}},
                                                      traits(100'000));
  for (const auto way : kWays) {
    EngineOptions options = with(way);
    options.checkpointPath = folder.path("failed.checkpoint");
    Engine(problem, options).saveCheckpoint(options.checkpointPath);
    const std::string before = test::contentOf(options.checkpointPath);
    CHECK_THROWS_WITH_AS(Engine(problem, options).run(), "step failed on purpose", Error);
    CHECK(test::contentOf(options.checkpointPath) == before);
  }
}

TEST_CASE("a run whose worker failed cannot go on, and has no checkpoint to go on from") {
  const test::TemporaryFolder folder;
  const TypedProblem<ThrowingWorkload, Count> problem(IntervalWorkload::View{1, true}, {{0, 100'000}},
                                                      traits(100'000));
  for (const auto way : kWays) {
    Engine engine(problem, with(way));
    CHECK_THROWS_WITH_AS(engine.run(), "step failed on purpose", Error);
    CHECK_THROWS_AS(engine.checkpoint(), CheckpointError);
    CHECK_THROWS_AS(engine.saveCheckpoint(folder.path("c")), CheckpointError);
    CHECK(folder.empty());
    CHECK_THROWS_WITH_AS(engine.run(), "step failed on purpose", Error);
  }
}

TEST_CASE("a callback that throws at any snapshot leaves a run that goes on, here or from a checkpoint") {
  constexpr std::uint64_t kN = 40'000;
  const std::uint64_t expected = IntervalWorkload::expected(5, kN).size();
  const Counting problem(IntervalWorkload::View{5, true}, {{0, kN}}, traits(kN));
  const test::TemporaryFolder folder;
  for (const auto way : kWays) {
    for (int throwsAt = 1; throwsAt <= 2; ++throwsAt) {
      CAPTURE(throwsAt);
      EngineOptions options = with(way);
      options.checkpointPath = folder.path("c");
      options.checkpointTransactions = 4;
      int calls = 0;
      options.onCheckpoint = [&](const std::string&) {
        if (++calls == throwsAt) throw Error("callback failed on purpose");
      };
      Engine engine(problem, options);
      CHECK_THROWS_WITH_AS(engine.run(), "callback failed on purpose", Error);
      Engine other(problem, with(way));
      other.restore(engine.checkpoint());
      other.run();
      CHECK(other.finished());
      CHECK(other.report().words.at(0) == expected);
      engine.run();
      CHECK(engine.finished());
      CHECK(engine.report().words.at(0) == expected);
    }
  }
}

TEST_CASE("a search that was given up has no checkpoint") {
  const Counting problem(IntervalWorkload::View{1, true}, {{0, 1000}}, traits(1000));
  Engine engine(problem, with(Way::copying));
  engine.giveUp();
  engine.run();
  CHECK_FALSE(engine.finished());
  CHECK_THROWS_WITH_AS(engine.checkpoint(), doctest::Contains("given up"), CheckpointError);
}

TEST_CASE("an estimated total that the run has passed is unknown, and not that nothing is left") {
  constexpr std::uint64_t kN = 1'000'000;
  for (const auto way : kWays) {
    const Counting tooLow(IntervalWorkload::View{3, true}, {{0, kN}}, traits(kN / 2));
    Engine engine(tooLow, with(way));
    engine.run();
    CHECK(engine.progress().totalSteps == 0);
    CHECK(engine.progress().secondsLeft < 0);
    const Counting exact(IntervalWorkload::View{3, true}, {{0, kN}}, traits(kN));
    Engine other(exact, with(way));
    other.run();
    CHECK(other.progress().totalSteps == static_cast<double>(kN));
  }
}

TEST_CASE("progress grows to the total and a trace of the run is written") {
  constexpr std::uint64_t kN = 20'000'000;
  const test::TemporaryFolder folder;
  EngineOptions options;
  options.threads = 2;
  options.tracePath = folder.path("trace.json");
  options.timeline = true;
  options.progressInterval = 1ms;
  double last = 0;
  options.onProgress = [&](const Progress& progress) {
    CHECK(progress.steps >= last);
    CHECK(progress.totalSteps == static_cast<double>(kN));
    last = progress.steps;
  };
  const Counting problem(IntervalWorkload::View{3, true}, {{0, kN}}, traits(kN));
  Engine engine(problem, options);
  engine.run();
  CHECK(engine.progress().steps == static_cast<double>(kN));
  std::ifstream trace(options.tracePath);
  const std::string text((std::istreambuf_iterator<char>(trace)), std::istreambuf_iterator<char>());
  CHECK(text.find("\"name\":\"turn\"") != std::string::npos);
  CHECK(text.find("\"name\":\"cpu1\"") != std::string::npos);
  const auto timeline = engine.report().timeline;
  REQUIRE(timeline.utilisation.size() == 2);
  CHECK(timeline.poolDepth.size() == timeline.utilisation.front().size());
}

TEST_CASE("slices that a device took before it started, and has no memory for, are not taken for done") {
  constexpr std::uint64_t kN = 10'000;
  EngineOptions options = with(Way::copying);
  options.emulator.withCpuWorkers = false;
  options.emulator.noMemoryAtUpload = 0;
  const Counting problem(IntervalWorkload::View{11, true}, {{0, kN}}, traits(kN));
  Engine engine(problem, options);
  CHECK_THROWS_AS(engine.run(), LimitError);
  CHECK_FALSE(engine.finished());
  CHECK_THROWS_AS(engine.run(), LimitError);
  CHECK_FALSE(engine.finished());
  const test::TemporaryFolder folder;
  CHECK_THROWS(engine.saveCheckpoint(folder.path("c.ckpt")));
}
