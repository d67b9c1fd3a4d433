// The engine gives the same set of results in every mode, thread count, pool order and budget, and counts
// termination exactly.
#include <doctest/doctest.h>

#include <memory>

#include "slicepool/core/devices.hpp"
#include "slicepool/core/engine.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/core/run.hpp"
#include "support/collector.hpp"
#include "support/interval_workload.hpp"
#include "support/scale.hpp"
#include "support/thread_counts.hpp"

using namespace slicepool;
using test::IntervalWorkload;

namespace {

using Collecting = TypedProblem<IntervalWorkload, Collect<std::uint64_t>>;

ProblemTraits traits(std::uint64_t n, bool sized) {
  ProblemTraits made;
  made.workload = "interval";
  if (sized) made.totalSteps = static_cast<double>(n);
  return made;
}

Collecting problem(std::uint64_t salt, std::uint64_t n, bool sized) {
  return {IntervalWorkload::View{salt, sized}, {{0, n}}, traits(n, sized)};
}

void checkTimes(const WorkerReport& worker) {
  CAPTURE(worker.name);
  REQUIRE(worker.readySeconds.has_value());
  CHECK(worker.firstSeconds.has_value() == (worker.turns != 0));
  CHECK(worker.lastSeconds.has_value() == (worker.turns != 0));
  CHECK(*worker.waitingSeconds >= 0);
  CHECK((*worker.exchangeSeconds > 0) == (worker.kind != "cpu" && worker.turns != 0));
  if (worker.turns == 0) return;
  CHECK(*worker.readySeconds >= 0);
  CHECK(*worker.firstSeconds >= *worker.readySeconds);
  CHECK(*worker.lastSeconds >= *worker.firstSeconds);
  CHECK(worker.busySeconds <= *worker.lastSeconds - *worker.firstSeconds + 1e-9);
}

void checkRun(const EngineOptions& options, std::uint64_t salt, std::uint64_t n, bool sized) {
  const auto made = problem(salt, n, sized);
  test::Collector<std::uint64_t> collector;
  Engine engine(made, options, &collector);
  engine.run();
  const auto report = engine.report();
  CHECK(engine.finished());
  CHECK(report.complete);
  CHECK(report.steps == n);
  CHECK(collector.sorted() == IntervalWorkload::expected(salt, n));
  CHECK(report.words.at(0) == collector.results.size());
  std::uint64_t steps = 0;
  std::uint64_t results = 0;
  for (const auto& worker : report.workers) {
    steps += worker.steps;
    results += worker.results;
    checkTimes(worker);
  }
  CHECK(steps == n);
  CHECK(results == collector.results.size());
}

}  // namespace

TEST_CASE("cpu mode: every thread count, order and budget gives the same set") {
  const std::uint64_t n = test::scaled(200'000);
  for (const int threads : test::threadCounts()) {
    for (const auto order : {PoolOrder::lifo, PoolOrder::fifo}) {
      for (const std::uint64_t budget : {std::uint64_t{0}, std::uint64_t{1} << 8}) {
        EngineOptions options;
        options.threads = threads;
        options.poolOrder = order;
        options.cpuBudget = budget;
        options.longestSleep = {};
        checkRun(options, 7, n, threads % 2 == 0);
      }
    }
  }
}

TEST_CASE("emulated mode: lanes, result buffers and CPU company do not change the set") {
  const std::uint64_t n = test::scaled(100'000);
  for (const std::uint32_t lanes : {1U, 2U, 33U, 1024U}) {
    for (const std::uint32_t capacity : {1U, 5U, 4096U}) {
      for (const bool company : {false, true}) {
        for (const bool copies : {false, true}) {
          EngineOptions options;
          options.mode = Mode::emulated;
          options.threads = 2;
          options.longestSleep = {};
          options.emulator.lanes = lanes;
          options.emulator.resultCapacity = capacity;
          options.emulator.withCpuWorkers = company;
          options.emulator.copiesDuringLaunch = copies;
          // With a buffer of one entry a launch makes one result of progress.
          checkRun(options, lanes, capacity == 1 ? n / 20 : n, company);
        }
      }
    }
  }
}

TEST_CASE("several devices share one pool, and give to those that are idle") {
  for (const int devices : {2, 3}) {
    for (const bool company : {false, true}) {
      EngineOptions options;
      options.mode = Mode::emulated;
      options.threads = 4;
      options.longestSleep = {};
      options.emulator.copiesDuringLaunch = devices == 2;
      options.emulator.parcelSlices = company ? 1 : 4096;  // every gift is a parcel, or none
      options.emulator.devices = devices;
      options.emulator.lanes = 64;
      options.emulator.resultCapacity = 50;
      options.emulator.slowdownMilliseconds = 0.1;
      options.emulator.withCpuWorkers = company;
      checkRun(options, 21, test::scaled(100'000), company);
    }
  }
}

TEST_CASE("no wake-up is lost: no worker sleeps for ever over many short runs of more workers than work") {
  // Without a longest sleep a worker that is not woken hangs, and the run with it.
  for (std::size_t round = 0; round < test::scaled(400); ++round) {
    EngineOptions options;
    options.longestSleep = {};
    options.threads = 2 + static_cast<int>(round % 7);
    options.cpuBudget = 1 + round % 5;
    options.poolCapacity = 1 + round % 64;
    options.poolOrder = round % 2 == 0 ? PoolOrder::lifo : PoolOrder::fifo;
    if (round % 3 != 0) {
      options.mode = Mode::emulated;
      options.emulator.devices = 1 + static_cast<int>(round % 2);
      options.emulator.lanes = 4;
      options.emulator.resultCapacity = 8;
      options.emulator.copiesDuringLaunch = round % 3 == 1;
      options.emulator.parcelSlices = round % 2 == 0 ? 1 : 4096;
      options.gpuBudget = 3;
    }
    CAPTURE(round);
    checkRun(options, round, 10 + round % 200, round % 2 == 0);
  }
}

TEST_CASE("a pool of one entry is enough: full means the worker keeps its slice") {
  EngineOptions options;
  options.threads = 4;
  options.poolCapacity = 1;
  checkRun(options, 3, 50'000, true);
  options.mode = Mode::emulated;
  options.emulator.lanes = 16;
  checkRun(options, 3, 50'000, false);
}

TEST_CASE("no roots at all, and roots without results, end at once") {
  test::Collector<std::uint64_t> collector;
  const Collecting empty(IntervalWorkload::View{1, true}, {}, traits(0, true));
  Engine engine(empty, {}, &collector);
  engine.run();
  CHECK(engine.finished());
  CHECK(engine.report().words.at(0) == 0);
  checkRun({}, 1, 0, true);
  checkRun({}, 1, 1, true);
}

TEST_CASE("the typed front counts") {
  Run<IntervalWorkload> run({5, false}, {{0, 100'000}}, {.threads = 2});
  run.run();
  CHECK(run.finished());
  CHECK(run.results() == IntervalWorkload::expected(5, 100'000).size());
}

TEST_CASE("mode gpu without kernels for the problem is an error, never a silent fallback") {
  const auto made = problem(1, 1000, true);
  test::Collector<std::uint64_t> collector;
  EngineOptions options;
  options.mode = Mode::gpu;
  Engine engine(made, options, &collector);
  // Without a GPU that is what is said first; with one, that there are no kernels for this problem.
  const char* said = listGpus().gpus.empty() ? "GPU" : "no GPU kernels were built for this interval problem";
  CHECK_THROWS_WITH_AS(engine.run(), doctest::Contains(said), DeviceError);
}

TEST_CASE("a negative thread count is refused by name") {
  const auto made = problem(1, 1000, true);
  test::Collector<std::uint64_t> collector;
  EngineOptions options;
  options.threads = -1;
  CHECK_THROWS_WITH_AS(Engine(made, options, &collector), doctest::Contains("threads"), ConfigError);
}
