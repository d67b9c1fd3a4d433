// Rounds of staged workloads: every root slice to its end on one thread or several, cancel, limits, errors,
// and books over rounds.
#include "runtime/core/rounds/staged_run.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <vector>

#include "slicepool/core/error.hpp"
#include "support/interval_workload.hpp"
#include "support/thread_counts.hpp"

using namespace slicepool;
using test::IntervalWorkload;

namespace {

using Counting = TypedProblem<IntervalWorkload, Count>;
constexpr std::uint64_t kN = 50'000;

EngineOptions withThreads(int threads) {
  EngineOptions options;
  options.threads = threads;
  options.cpuBudget = 100;
  return options;
}

Counting problem(std::uint64_t salt = 3) {
  return {IntervalWorkload::View{salt, true}, {{0, kN / 3}, {kN / 3, kN}}, {}};
}

std::uint64_t workerSteps(const RunReport& report) {
  return std::accumulate(
      report.workers.begin(), report.workers.end(), std::uint64_t{0},
      [](std::uint64_t sum, const WorkerReport& worker) { return sum + worker.steps; });
}

}  // namespace

TEST_CASE("a round counts all of its slices, small or not, with any number of threads") {
  const auto expected = IntervalWorkload::expected(3, kN).size();
  for (const int threads : test::threadCounts()) {
    for (const bool small : {false, true}) {
      StagedRun run(withThreads(threads));
      const Counting made = problem();
      std::vector<std::uint64_t> words = made.words().fresh();
      CHECK(run.round(made, small, words) == RoundEnd::complete);
      CHECK(words[0] == expected);
      CHECK(run.round(made, small, words) == RoundEnd::complete);  // the words go on
      CHECK(words[0] == 2 * expected);
      const RunReport report = run.report();
      CHECK(report.steps == 2 * kN);
      CHECK(workerSteps(report) == 2 * kN);
      CHECK(report.workers.size() <= static_cast<std::size_t>(small ? 1 : threads));
      double share = 0;
      for (const auto& worker : report.workers) share += worker.share;
      CHECK(share == doctest::Approx(1));
      CHECK(run.progress().steps == static_cast<double>(2 * kN));
    }
  }
}

TEST_CASE("a round without slices is complete") {
  StagedRun run(withThreads(3));
  const Counting empty(IntervalWorkload::View{3, true}, {}, {});
  std::vector<std::uint64_t> words = empty.words().fresh();
  CHECK(run.round(empty, false, words) == RoundEnd::complete);
  CHECK(words[0] == 0);
}

TEST_CASE("a cancelled run does no round until it is resumed") {
  StagedRun run(withThreads(2));
  const Counting made = problem();
  std::vector<std::uint64_t> words = made.words().fresh();
  run.cancel();
  for (const bool small : {false, true}) CHECK(run.round(made, small, words) == RoundEnd::cancelled);
  CHECK(run.report().steps == 0);
  run.resume();
  CHECK_FALSE(run.cancelled());
  CHECK(run.round(made, false, words) == RoundEnd::complete);
}

TEST_CASE("a cancel from the progress of a round ends it, and so does a step limit") {
  for (const int threads : {1, 3}) {
    for (const bool byLimit : {false, true}) {
      EngineOptions options = withThreads(threads);
      options.progressInterval = std::chrono::milliseconds(0);
      StagedRun* running = nullptr;
      // Progress is told by the calling thread, which may come to no piece: the limit is there for that.
      options.stepLimit = byLimit || threads > 1 ? 5000 : 0;
      options.onProgress = [&](const Progress&) {
        if (!byLimit) running->cancel();
      };
      StagedRun run(options);
      running = &run;
      const Counting made = problem();
      std::vector<std::uint64_t> words = made.words().fresh();
      CHECK(run.round(made, false, words) == RoundEnd::cancelled);
      CHECK(run.cancelled());
      CHECK(run.report().steps <= 5000 + static_cast<std::uint64_t>(threads) * 200);
    }
  }
}

namespace {

struct Throwing : IntervalWorkload {
  template <class Emit>
  static Turn advance(const View& view, Slice& slice, Budget& budget, Emit& emit) {
    if (slice.begin <= 40'000 && 40'000 < slice.end) throw Error("step failed on purpose");
    return IntervalWorkload::advance(view, slice, budget, emit);
  }
};

}  // namespace

TEST_CASE("the exception of a worker reaches the caller of the round") {
  const TypedProblem<Throwing, Count> made(IntervalWorkload::View{3, true}, {{0, kN}}, {});
  for (const bool small : {false, true}) {
    StagedRun run(withThreads(3));
    std::vector<std::uint64_t> words = made.words().fresh();
    CHECK_THROWS_WITH_AS((void)run.round(made, small, words), "step failed on purpose", Error);
  }
}

namespace {

WorkerReport turnsOf(const std::string& name, std::uint64_t turns, double busySeconds) {
  WorkerReport worker;
  worker.name = name;
  worker.kind = name.substr(0, 3);
  worker.turns = turns;
  worker.busySeconds = busySeconds;
  return worker;
}

}  // namespace

TEST_CASE("rounds of a device, times and warnings are in the books, warnings once") {
  StagedRun run(withThreads(1));
  WorkerReport gpu = turnsOf("gpu0", 2, 0.5);
  gpu.steps = 30;
  run.addRound(gpu, 1.5, 1000);
  run.addRound(gpu, 2.5, 500);
  run.addSeconds(3);
  run.warn("slow");
  run.warn("slow");
  run.setResults(12);
  const RunReport report = run.report();
  CHECK(report.steps == 60);
  CHECK(report.seconds == doctest::Approx(7));
  CHECK(run.seconds() == doctest::Approx(7));
  CHECK(report.peakDeviceBytes == 1000);
  REQUIRE(report.workers.size() == 1);
  CHECK(report.workers[0].steps == 60);
  CHECK(report.workers[0].turns == 4);
  CHECK(report.workers[0].share == 1);
  CHECK(report.workers[0].readySeconds == 0);
  CHECK(report.workers[0].firstSeconds == 0);
  CHECK(report.workers[0].lastSeconds == doctest::Approx(4));
  CHECK(report.workers[0].waitingSeconds == doctest::Approx(7 - 1));
  CHECK_FALSE(report.workers[0].exchangeSeconds.has_value());
  CHECK(report.warnings == std::vector<std::string>{"slow"});
  CHECK(run.progress().results == 12);
  CHECK(run.progress().secondsLeft < 0);
}

TEST_CASE("a device that comes late is ready then, and what goes to it is no waiting") {
  StagedRun run(withThreads(1));
  run.addSeconds(2);
  run.setReady("gpu0");
  run.addExchange("gpu0", 0.5);
  const WorkerReport gpu = turnsOf("gpu0", 1, 1);
  run.addRound(gpu, 1.5, 1000);
  run.addSeconds(4);
  {
    const StagedRun::Replaying replaying(run);
    run.addExchange("gpu0", 100);  // is set-up
    run.addRound(gpu, 100, 1000);
  }
  const RunReport report = run.report();
  CHECK(report.seconds == doctest::Approx(8));
  REQUIRE(report.workers.size() == 1);
  const WorkerReport& worker = report.workers[0];
  CHECK(worker.readySeconds == doctest::Approx(2));
  CHECK(worker.firstSeconds == doctest::Approx(2.5));
  CHECK(worker.lastSeconds == doctest::Approx(4));
  CHECK(worker.exchangeSeconds == doctest::Approx(0.5));
  CHECK(worker.waitingSeconds == doctest::Approx(8 - 2 - 1 - 0.5));
}

TEST_CASE("what the calling thread does between rounds is work of the first CPU worker") {
  StagedRun run(withThreads(1));
  run.addRound(turnsOf("cpu0", 1, 1), 1, 0);
  run.addThreadSeconds(2);
  run.addSeconds(4);
  const RunReport report = run.report();
  CHECK(report.seconds == doctest::Approx(7));
  CHECK(report.workers[0].busySeconds == doctest::Approx(3));
  CHECK(report.workers[0].waitingSeconds == doctest::Approx(4));
  CHECK(run.report().workers[0].busySeconds == doctest::Approx(3));
}
