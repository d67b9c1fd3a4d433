// The clock of a run: with a clock that the test moves, phases sum up to the whole whatever is entered, and
// every front accounts for what it does.
#include <doctest/doctest.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <numeric>
#include <random>
#include <set>

#include "runtime/core/recent_rate.hpp"
#include "slicepool/core/phases.hpp"
#include "slicepool/core/run.hpp"
#include "slicepool/lattice/enumeration.hpp"
#include "slicepool/semigroup/enumeration.hpp"
#include "slicepool/three_in_line/enumeration.hpp"
#include "support/factorizations/front.hpp"
#include "support/interval_workload.hpp"
#include "support/lattice/front.hpp"

using namespace slicepool;
using slicepool::test::TemporaryFolder;

namespace {

double at(const PhaseSeconds& phases, Phase phase) { return phases.at(static_cast<std::size_t>(phase)); }
double sumOf(const PhaseSeconds& phases) { return std::accumulate(phases.begin(), phases.end(), 0.0); }

/// A second passes with each look at it: a phase that was entered is seen, however short.
std::shared_ptr<PhaseClock> countingClock(double secondsBefore = 0) {
  auto looks = std::make_shared<std::atomic<int>>(0);
  return std::make_shared<PhaseClock>(secondsBefore, [looks] { return static_cast<double>((*looks)++); });
}

EngineOptions clockedOptions(Mode mode = Mode::cpu) {
  EngineOptions options = testing::engineOptions(mode);
  options.phases = countingClock();
  return options;
}

void checkWhole(const RunReport& report) {
  CHECK(report.wallSeconds > 0);
  CHECK(sumOf(report.phases) == doctest::Approx(report.wallSeconds));
  CHECK(report.peakHostBytes > 0);
}

}  // namespace

TEST_CASE("every second belongs to the phase that was entered last, and the phases sum up to the whole") {
  double now = 100;
  PhaseClock clock(2.5, [&now] { return now; });
  CHECK(clock.read().seconds == 2.5);
  std::mt19937_64 random(7);
  PhaseSeconds expected{};
  expected[0] = 2.5;
  std::size_t current = 0;
  for (int i = 0; i < 200; ++i) {
    const double passes = static_cast<double>(random() % 1000) / 8;  // exact in binary
    now += passes;
    expected.at(current) += passes;
    const auto reading = clock.read();
    CHECK(static_cast<std::size_t>(reading.phase) == current);
    CHECK(reading.phases == expected);
    CHECK(reading.seconds == sumOf(expected));
    const std::size_t next = random() % kPhases;
    CHECK(static_cast<std::size_t>(clock.enter(static_cast<Phase>(next))) == current);
    current = next;
  }
}

TEST_CASE("a phase of a block gives way to the one before, also after an exception; a stopped clock stands") {
  double now = 0;
  PhaseClock clock(0, [&now] { return now; });
  try {
    const PhaseScope search(&clock, Phase::search);
    now += 1;
    const PhaseScope writing(&clock, Phase::writing);
    now += 2;
    throw 1;
  } catch (int) {
    now += 4;
  }
  clock.stop();
  now += 8;
  CHECK(at(clock.read().phases, Phase::start) == 4);
  CHECK(at(clock.read().phases, Phase::search) == 1);
  CHECK(at(clock.read().phases, Phase::writing) == 2);
  CHECK(clock.read().seconds == 7);
  clock.enter(Phase::merging);
  now += 16;
  CHECK(at(clock.read().phases, Phase::merging) == 16);
  CHECK(clock.read().seconds == 23);
}

TEST_CASE("phases have distinct names") {
  std::set<std::string> names;
  for (std::size_t i = 0; i < kPhases; ++i) names.insert(phaseName(static_cast<Phase>(i)));
  CHECK(names.size() == kPhases);
  CHECK(names.count("waiting_for_gpu") == 1);
}

TEST_CASE("factorizations: tables, search and the writing of every kind of output are in the phases") {
  using factorizations::Algorithm;
  using factorizations::SinkKind;
  for (const Mode mode : {Mode::cpu, Mode::emulated}) {
    for (const char* name : {"rows.npy", "rows.csv", "streamed.npy", ""}) {
      CAPTURE(name);
      const TemporaryFolder folder;
      auto wanted = testing::request({6, 9, 20}, 600, SinkKind::rows);
      if (*name != 0) wanted.output.path = folder.path(name);
      if (std::string(name) == "streamed.npy") wanted.output.writing = factorizations::Writing::streamed;
      const auto report = testing::outcomeOf(wanted, clockedOptions(mode)).run;
      checkWhole(report);
      CHECK(at(report.phases, Phase::tables) > 0);
      CHECK(at(report.phases, Phase::cutting) > 0);
      CHECK(at(report.phases, Phase::search) > 0);
      CHECK((at(report.phases, Phase::writing) > 0) == (*name != 0));
      CHECK(at(report.phases, Phase::merging) > 0);
      CHECK(at(report.phases, Phase::devices) == 0);
    }
  }
  for (const SinkKind kind :
       {SinkKind::count, SinkKind::lengths, SinkKind::extremes, SinkKind::fingerprint}) {
    checkWhole(
        testing::outcomeOf(testing::request({6, 9, 20}, 600, kind, Algorithm::candidate), clockedOptions())
            .run);
  }
}

TEST_CASE("three in line: the cut of the search has a phase and is in the time that steps are divided by") {
  three_in_line::Request request;
  request.size = 12;
  request.group = three_in_line::Group::c4;
  three_in_line::Enumeration enumeration(request, clockedOptions());
  enumeration.run();
  const auto report = enumeration.outcome().run;
  checkWhole(report);
  CHECK(at(report.phases, Phase::cutting) > 0);
  CHECK(report.steps > 0);
  CHECK(report.seconds > 0);  // by the steady clock
}

TEST_CASE("lattice and semigroup: preparation, search and files are in the phases") {
  const TemporaryFolder folder;
  lattice::Request wanted = test::latticeRequest("e8.txt", 8);
  wanted.solutions = lattice::kAllSolutions;
  wanted.outputPath = folder.path("vectors.txt");
  lattice::Enumeration vectors(wanted, clockedOptions());
  vectors.run();
  const auto short_ = vectors.outcome().run;
  checkWhole(short_);
  CHECK(at(short_.phases, Phase::tables) > 0);
  CHECK(at(short_.phases, Phase::search) > 0);
  CHECK(at(short_.phases, Phase::writing) > 0);

  semigroup::Request monoid;
  monoid.named = "full:4";
  monoid.elementsPath = folder.path("elements.npy");
  semigroup::Enumeration elements(monoid, clockedOptions());
  elements.run();
  const auto products = elements.outcome().run;
  checkWhole(products);
  CHECK(at(products.phases, Phase::search) > 0);
  CHECK(at(products.phases, Phase::writing) > 0);
}

namespace {

using Collecting = TypedProblem<test::IntervalWorkload, Collect<std::uint64_t>>;

/// Stops `engine` at the first results that it is given.
struct StopAtFirst final : ResultConsumer {
  void consume(const std::byte*, std::size_t) override { engine->cancel(); }
  Engine* engine = nullptr;
};

}  // namespace

TEST_CASE("a resumed engine tells apart what it did and what was done before, and so does the next one") {
  constexpr std::uint64_t kN = 400'000;
  const TemporaryFolder folder;
  ProblemTraits traits;
  traits.workload = "interval";
  const Collecting problem(test::IntervalWorkload::View{11, true}, {{0, kN}}, traits);
  EngineOptions options;
  options.threads = 2;
  options.cpuBudget = 500;
  options.checkpointPath = folder.path("c");
  std::uint64_t before = 0;
  double secondsBefore = 0;
  for (int run = 0; run < 3; ++run) {
    StopAtFirst consumer;
    Engine engine(problem, options, &consumer);
    consumer.engine = &engine;
    if (run != 0) engine.loadCheckpoint(options.checkpointPath);
    CHECK(engine.progress().steps == static_cast<double>(before));
    engine.run();
    REQUIRE_FALSE(engine.finished());
    const RunReport report = engine.report();
    CHECK(report.stepsBefore == before);
    CHECK(report.secondsBefore == doctest::Approx(secondsBefore));
    CHECK(report.steps > before);
    std::uint64_t byWorkers = 0;
    for (const auto& worker : report.workers) byWorkers += worker.steps;
    CHECK(report.steps - report.stepsBefore == byWorkers);
    before = report.steps;
    secondsBefore += report.seconds;
  }
}

TEST_CASE("a resumed semigroup tells apart what it did and what was done before") {
  const TemporaryFolder folder;
  semigroup::Request monoid;
  monoid.named = "full:5";
  EngineOptions options = testing::engineOptions(Mode::cpu);
  options.checkpointPath = folder.path("c");
  semigroup::Enumeration first(monoid, options);
  first.runFor(std::chrono::nanoseconds(1));  // one stage
  REQUIRE_FALSE(first.finished());
  const auto begun = first.outcome().run;
  REQUIRE(begun.steps > 0);
  semigroup::Enumeration second(monoid, options);
  second.resumeFrom(options.checkpointPath);
  const double before = second.progress().steps;
  CHECK(before > 0);
  CHECK(before <= static_cast<double>(begun.steps));
  second.run();
  const auto ended = second.outcome().run;
  CHECK(static_cast<double>(ended.stepsBefore) == before);
  CHECK(ended.secondsBefore > 0);
  CHECK(ended.steps > ended.stepsBefore);
  semigroup::Enumeration whole(monoid, testing::engineOptions(Mode::cpu));
  whole.run();
  CHECK(whole.outcome().run.stepsBefore == 0);
  CHECK(whole.outcome().run.secondsBefore == 0);
}

TEST_CASE("resumed windows of rows count the steps of this run apart") {
  const TemporaryFolder folder;
  auto wanted = testing::request({6, 9, 20}, 20'000, factorizations::SinkKind::rows);
  wanted.output.path = folder.path("rows.csv");
  EngineOptions options = testing::engineOptions(Mode::cpu);
  options.memoryLimit = std::size_t{128} << 10;  // small windows
  options.checkpointPath = folder.path("c");
  options.progressInterval = std::chrono::milliseconds(0);
  factorizations::Enumeration* running = nullptr;
  options.onProgress = [&](const Progress& progress) {
    if (progress.rowsWritten > 0) running->cancel();
  };
  factorizations::Enumeration first(wanted, options);
  running = &first;
  first.run();
  REQUIRE_FALSE(first.finished());
  const auto stopped = first.outcome();
  CHECK(std::stoull(stopped.partialCount) > 0);
  options.onProgress = nullptr;
  factorizations::Enumeration second(wanted, options);
  second.resumeFrom(options.checkpointPath);
  second.run();
  const auto ended = second.outcome();
  CHECK(ended.run.stepsBefore > 0);
  CHECK(ended.run.stepsBefore <= stopped.run.steps);  // a window that was cut short is done again
  CHECK(ended.run.steps > ended.run.stepsBefore);
  CHECK(ended.run.steps == std::stoull(ended.count));
  CHECK(ended.partialCount.empty());
}

TEST_CASE("a stopped search says how many factorizations it has found, whatever the sink and the algorithm") {
  using factorizations::Algorithm;
  using factorizations::SinkKind;
  for (const Algorithm algorithm : {Algorithm::candidate, Algorithm::tabulated, Algorithm::ranked}) {
    for (const SinkKind kind : {SinkKind::count, SinkKind::lengths, SinkKind::extremes, SinkKind::fingerprint,
                                SinkKind::coordinateMaxima}) {
      CAPTURE(static_cast<int>(algorithm));
      CAPTURE(static_cast<int>(kind));
      auto wanted = testing::request({13, 37, 38, 40, 41, 42, 43, 44}, 1500, kind, algorithm);
      wanted.sink.fingerprint = kind == SinkKind::count;  // or the count would be read off a table
      EngineOptions options = testing::engineOptions(Mode::cpu);
      options.cpuBudget = 500;
      options.stepLimit = 20'000;
      factorizations::Enumeration enumeration(wanted, options);
      enumeration.run();
      REQUIRE_FALSE(enumeration.finished());
      const auto outcome = enumeration.outcome();
      CHECK(outcome.count.empty());
      CHECK(std::stoull(outcome.partialCount) > 0);
    }
  }
}

TEST_CASE("a recent rate is that of the last seconds, by the clock") {
  RecentRate rate;
  CHECK(rate.at(1, 0) == 0);
  CHECK(rate.at(2, 100) == doctest::Approx(100));
  for (int second = 3; second <= 100; ++second) (void)rate.at(second, 100);
  CHECK(rate.at(101, 100) == 0);  // nothing has happened for longer than the window
  CHECK(rate.at(101.001, 300) > 0);
}

TEST_CASE("a total that was passed is no total") {
  Progress progress;
  progress.steps = 50;
  progress.stepsPerSecond = 10;
  CHECK(withTotal(progress, 100).secondsLeft == 5);
  CHECK(withTotal(progress, 100).doneShare == 0.5);
  CHECK(withTotal(progress, 40).totalSteps == 0);
  CHECK(withTotal(progress, 40).doneShare < 0);
  CHECK(withTotal(progress, 40).secondsLeft < 0);
  CHECK(withTotal(progress, 0).secondsLeft < 0);
}
