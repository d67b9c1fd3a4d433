// Stopping and going on: cancel, runFor, checkpoints, early decisions, worker errors, failing devices.
#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <thread>

#include "slicepool/core/engine.hpp"
#include "slicepool/core/error.hpp"
#include "support/collector.hpp"
#include "support/interval_workload.hpp"
#include "support/scale.hpp"
#include "support/temporary_folder.hpp"

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

EngineOptions withMode(Mode mode) {
  EngineOptions options;
  options.mode = mode;
  options.threads = 2;
  options.emulator.lanes = 64;
  options.emulator.resultCapacity = 100;
  options.cpuBudget = 500;
  options.gpuBudget = 50;
  return options;
}

}  // namespace

TEST_CASE("runFor pieces add up to the whole set, in every mode") {
  constexpr std::uint64_t kN = 3'000'000;
  for (const auto mode : {Mode::cpu, Mode::emulated}) {
    const Collecting problem(IntervalWorkload::View{11, true}, {{0, kN}}, traits(kN));
    test::Collector<std::uint64_t> collector;
    Engine engine(problem, withMode(mode), &collector);
    int pieces = 0;
    while (!engine.finished()) {
      engine.runFor(200us);
      REQUIRE(++pieces < 100'000);
    }
    CHECK(pieces > 1);
    CHECK(collector.sorted() == IntervalWorkload::expected(11, kN));
    CHECK(engine.report().steps == kN);
  }
}

TEST_CASE("cancel stops within a budget and what was found stays valid") {
  const std::uint64_t n = std::uint64_t{1} << 40;
  const Counting problem(IntervalWorkload::View{2, true}, {{0, n}}, traits(n));
  for (const auto mode : {Mode::cpu, Mode::emulated}) {
    EngineOptions options = withMode(mode);
    options.cpuBudget = 0;
    options.gpuBudget = 0;
    Engine engine(problem, options);
    std::chrono::steady_clock::time_point asked;
    std::thread canceller([&] {
      std::this_thread::sleep_for(100ms);
      asked = std::chrono::steady_clock::now();
      engine.cancel();
    });
    engine.run();
    const auto stopped = std::chrono::steady_clock::now();
    canceller.join();
    CHECK(engine.cancelled());
    CHECK_FALSE(engine.finished());
    CHECK(engine.report().steps > 0);
    MESSAGE("cancel to stopped: " << std::chrono::duration<double, std::milli>(stopped - asked).count()
                                  << " ms");
    CHECK(stopped - asked < (test::scaled(100) == 100 ? 250ms : 5000ms));
  }
}

TEST_CASE("a checkpoint at a random point and a resume in another mode give the same set") {
  constexpr std::uint64_t kN = 400'000;
  std::mt19937_64 random(20240514);
  const test::TemporaryFolder folder;
  const auto path = folder.path("run.checkpoint");
  for (int round = 0; round < 8; ++round) {
    const auto first = round % 2 == 0 ? Mode::cpu : Mode::emulated;
    const auto second = (round / 2) % 2 == 0 ? Mode::cpu : Mode::emulated;
    const Collecting problem(IntervalWorkload::View{5, true}, {{0, kN}}, traits(kN));
    test::Collector<std::uint64_t> before;
    Engine engine(problem, withMode(first), &before);
    engine.runFor(std::chrono::microseconds(random() % 4000));
    engine.saveCheckpoint(path);
    test::Collector<std::uint64_t> after;
    Engine resumed(problem, withMode(second), &after);
    resumed.loadCheckpoint(path);
    resumed.run();
    CHECK(after.sorted() == IntervalWorkload::expected(5, kN));
    CHECK(resumed.report().words.at(0) == after.results.size());
    CHECK(resumed.report().steps == kN);
  }
}

TEST_CASE("cancel with a checkpoint path leaves a checkpoint from which the run completes") {
  constexpr std::uint64_t kN = 30'000'000;
  const test::TemporaryFolder folder;
  EngineOptions options = withMode(Mode::cpu);
  options.checkpointPath = folder.path("cancelled.checkpoint");
  options.checkpointInterval = 5ms;
  options.checkpointIdentity = "n=30000000";
  const Counting problem(IntervalWorkload::View{9, true}, {{0, kN}}, traits(kN));
  std::uint64_t steps = 0;
  {
    Engine engine(problem, options);
    std::thread canceller([&] {
      std::this_thread::sleep_for(30ms);
      engine.cancel();
    });
    engine.run();
    canceller.join();
    steps = engine.report().steps;
  }
  if (steps == kN) return;  // a fast machine was done before
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
  for (const auto mode : {Mode::cpu, Mode::emulated}) {
    auto made = traits(n);
    made.decided = [](const std::uint64_t* words) { return words[0] >= 10; };
    const Counting problem(IntervalWorkload::View{2, true}, {{0, n}}, made);
    Engine engine(problem, withMode(mode));
    engine.run();
    CHECK(engine.report().decided);
    CHECK(engine.report().words.at(0) >= 10);
  }
}

TEST_CASE("a failing device loses nothing: its slices go back and the CPU finishes, with a warning") {
  constexpr std::uint64_t kN = 200'000;
  for (const bool company : {true, false}) {
    for (std::int64_t failing = 0; failing < 12; ++failing) {
      EngineOptions options = withMode(Mode::emulated);
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
    EngineOptions options = withMode(Mode::emulated);
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

TEST_CASE("a slow device does not hold the run up: CPU workers take the work") {
  constexpr std::uint64_t kN = 2'000'000;
  EngineOptions options = withMode(Mode::emulated);
  options.emulator.slowdownMilliseconds = 5;
  const Counting problem(IntervalWorkload::View{13, false}, {{0, kN}}, traits(kN));
  Engine engine(problem, options);
  engine.run();
  const auto report = engine.report();
  CHECK(report.words.at(0) == IntervalWorkload::expected(13, kN).size());
  std::uint64_t cpuSteps = 0;
  for (const auto& worker : report.workers) cpuSteps += worker.kind == "cpu" ? worker.steps : 0;
  CHECK(cpuSteps > kN / 2);
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
  for (const auto mode : {Mode::cpu, Mode::emulated}) {
    Engine engine(problem, withMode(mode));
    CHECK_THROWS_WITH_AS(engine.run(), "step failed on purpose", Error);
  }
}

TEST_CASE("an estimated total that the run has passed is unknown, and not that nothing is left") {
  constexpr std::uint64_t kN = 1'000'000;
  for (const auto mode : {Mode::cpu, Mode::emulated}) {
    const Counting tooLow(IntervalWorkload::View{3, true}, {{0, kN}}, traits(kN / 2));
    Engine engine(tooLow, withMode(mode));
    engine.run();
    CHECK(engine.progress().totalSteps == 0);
    CHECK(engine.progress().secondsLeft < 0);
    const Counting exact(IntervalWorkload::View{3, true}, {{0, kN}}, traits(kN));
    Engine other(exact, withMode(mode));
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
