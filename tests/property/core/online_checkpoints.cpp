// Checkpoints of runs that go on: whenever one is taken, whichever worker works, and whatever device fails
// beside it, it is a state from which the run ends with what an uninterrupted one finds, nodes included; and
// the run itself is not changed by it.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "runtime/core/checkpoint_interval.hpp"
#include "slicepool/core/engine.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/lattice/problem_factory.hpp"
#include "slicepool/three_in_line/problem_factory.hpp"
#include "slicepool/three_in_line/types.hpp"
#include "support/collector.hpp"
#include "support/interval_workload.hpp"
#include "support/lattice/instances.hpp"
#include "support/scale.hpp"
#include "support/temporary_folder.hpp"

using namespace slicepool;
using test::IntervalWorkload;

namespace {

using Collecting = TypedProblem<IntervalWorkload, Collect<std::uint64_t>>;

EngineOptions optionsOf(Mode mode, int devices, bool company) {
  EngineOptions options;
  options.mode = mode;
  options.threads = 2;
  options.emulator.lanes = 16;
  options.emulator.resultCapacity = 50;
  options.emulator.devices = devices;
  options.emulator.parcelSlices = 1;  // what devices give each other is lent, and in snapshots as such
  options.emulator.withCpuWorkers = company;
  options.cpuBudget = 200;
  options.gpuBudget = 30;
  options.poolCapacity = 40;  // some slices wait behind the pool
  return options;
}

/// A result that can be compared, whatever the order of its results.
struct Finding {
  std::vector<std::uint64_t> words;
  std::vector<std::vector<std::byte>> results;
  std::uint64_t steps = 0;
  friend bool operator==(const Finding&, const Finding&) = default;
};

class Results final : public ResultConsumer {
 public:
  explicit Results(std::size_t bytes) : bytes_(bytes) {}
  void consume(const std::byte* results, std::size_t count) override {
    all_.insert(all_.end(), results, results + count * bytes_);
  }
  [[nodiscard]] std::vector<std::byte> save() const override { return all_; }
  void restore(const std::vector<std::byte>& blob) override { all_ = blob; }
  [[nodiscard]] std::vector<std::vector<std::byte>> sorted() const {
    std::vector<std::vector<std::byte>> results;
    for (auto at = all_.begin(); at != all_.end(); at += static_cast<std::ptrdiff_t>(bytes_))
      results.emplace_back(at, at + static_cast<std::ptrdiff_t>(bytes_));
    // By memcmp: GCC 12 warns of the comparison of vectors.
    std::sort(results.begin(), results.end(),
              [this](const auto& a, const auto& b) { return std::memcmp(a.data(), b.data(), bytes_) < 0; });
    return results;
  }

 private:
  std::size_t bytes_;
  std::vector<std::byte> all_;
};

Finding runFrom(const Problem& problem, const EngineOptions& options, const std::string& checkpoint = {}) {
  Results results(problem.resultBytes());
  Engine engine(problem, options, &results);
  if (!checkpoint.empty()) engine.loadCheckpoint(checkpoint);
  engine.run();
  REQUIRE(engine.finished());
  return {engine.report().words, results.sorted(), engine.report().steps};
}

/// Runs with a checkpoint after each `every` transactions, then each of these to its end, in turns of modes.
/// Returns how many there were.
std::size_t checkEverySnapshot(const Problem& problem, EngineOptions options, std::uint64_t every,
                               std::size_t most, const Finding& expected) {
  const test::TemporaryFolder folder;
  std::vector<std::string> saved;
  std::size_t taken = 0;
  options.checkpointPath = folder.path("c");
  options.checkpointTransactions = every;
  options.onCheckpoint = [&](const std::string& path) {
    // Of many, some from all of the run.
    ++taken;
    if (taken % std::max<std::size_t>(1, taken / most) != 0) return;
    saved.push_back(folder.path(std::to_string(taken)));
    std::filesystem::copy_file(path, saved.back());
  };
  const Finding whole = runFrom(problem, options);
  CHECK(whole == expected);
  for (std::size_t i = 0; i < saved.size(); ++i) {
    CAPTURE(saved[i]);
    const Finding resumed =
        runFrom(problem, optionsOf(i % 2 == 0 ? Mode::cpu : Mode::emulated, 1, i % 4 == 1), saved[i]);
    CHECK(resumed.words == expected.words);
    CHECK(resumed.steps == expected.steps);
    CHECK(resumed.results == expected.results);
  }
  return taken;
}

}  // namespace

TEST_CASE("every snapshot of a run by CPU workers and devices, failing ones too, is a state of that run") {
  const std::uint64_t n = 2'000 * test::scaled(5);
  ProblemTraits traits;
  traits.workload = "interval";
  traits.totalSteps = static_cast<double>(n);
  std::size_t taken = 0;
  for (const bool sized : {true, false}) {
    const Collecting problem(IntervalWorkload::View{7, sized}, {{0, n}}, traits);
    const Finding expected = runFrom(problem, optionsOf(Mode::cpu, 1, false));
    CHECK(expected.steps == n);
    CHECK(expected.results.size() == IntervalWorkload::expected(7, n).size());
    taken += checkEverySnapshot(problem, optionsOf(Mode::cpu, 1, false), 3, 10, expected);
    for (const int devices : {1, 3}) {
      for (const bool company : {false, true}) {
        for (const std::int64_t failAt : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{7}}) {
          CAPTURE(sized);
          CAPTURE(devices);
          CAPTURE(company);
          CAPTURE(failAt);
          EngineOptions options = optionsOf(Mode::emulated, devices, company);
          options.emulator.failAtLaunch = failAt;
          taken += checkEverySnapshot(problem, options, 2 + static_cast<std::uint64_t>(devices), 4, expected);
        }
      }
    }
  }
  CHECK(taken > 30);
}

TEST_CASE("snapshots of tree searches have the nodes and results of the whole, in every mode") {
  three_in_line::ProblemSpec grid;
  grid.n = 8;
  grid.collect = true;
  lattice::ProblemSpec tree;
  std::mt19937_64 random(5);
  tree = test::randomLattice(random, 30, 6'000, false);
  tree.collect = true;
  std::vector<std::unique_ptr<Problem>> problems;
  problems.push_back(three_in_line::makeProblem(grid));
  problems.push_back(lattice::makeProblem(tree));
  for (const auto& problem : problems) {
    const Finding expected = runFrom(*problem, optionsOf(Mode::cpu, 1, false));
    std::size_t taken = checkEverySnapshot(*problem, optionsOf(Mode::cpu, 1, false), 5, 4, expected);
    for (const bool company : {false, true})
      taken += checkEverySnapshot(*problem, optionsOf(Mode::emulated, 2, company), 4, 4, expected);
    CHECK(taken > 10);
  }
}

TEST_CASE("checkpoints by time change nothing and are written beside the run") {
  const std::uint64_t n = 30'000 * test::scaled(4);
  ProblemTraits traits;
  traits.workload = "interval";
  traits.totalSteps = static_cast<double>(n);
  const Collecting problem(IntervalWorkload::View{3, true}, {{0, n}}, traits);
  const Finding expected = runFrom(problem, optionsOf(Mode::cpu, 1, false));
  for (const bool company : {false, true}) {
    const test::TemporaryFolder folder;
    EngineOptions options = optionsOf(Mode::emulated, 2, company);
    options.checkpointPath = folder.path("c");
    options.checkpointInterval = std::chrono::milliseconds(1);
    std::size_t written = 0;
    std::string last;
    options.onCheckpoint = [&](const std::string& path) {
      last = folder.path(std::to_string(++written));
      std::filesystem::copy_file(path, last);
    };
    CHECK(runFrom(problem, options) == expected);
    if (!last.empty()) CHECK(runFrom(problem, optionsOf(Mode::cpu, 1, false), last) == expected);
  }
}

TEST_CASE("a run that is stopped at once and resumed, again and again, comes to its end") {
  const test::TemporaryFolder folder;
  constexpr std::uint64_t kN = 20'000;
  ProblemTraits traits;
  traits.workload = "interval";
  traits.totalSteps = static_cast<double>(kN);
  const Collecting problem(IntervalWorkload::View{5, true}, {{0, kN}}, traits);
  const Finding expected = runFrom(problem, optionsOf(Mode::cpu, 1, false));
  for (const bool emulated : {false, true}) {
    const std::string path = folder.path(emulated ? "e" : "c");
    EngineOptions options = optionsOf(emulated ? Mode::emulated : Mode::cpu, 1, false);
    options.checkpointPath = path;
    std::uint64_t before = 0;
    for (bool finished = false; !finished;) {
      Results results(problem.resultBytes());
      Engine engine(problem, options, &results);
      if (std::filesystem::exists(path)) engine.loadCheckpoint(path);
      engine.runFor(std::chrono::nanoseconds(0));
      finished = engine.finished();
      const RunReport report = engine.report();
      REQUIRE(report.steps > before);
      before = report.steps;
      if (!finished) continue;
      CHECK(report.words == expected.words);
      CHECK(report.steps == kN);
      CHECK(results.sorted() == expected.results);
    }
  }
}

TEST_CASE("the interval is what was asked for unless a checkpoint costs too much of it") {
  struct Row {
    double asked, stall, write, expected;
  };
  for (const Row& row : std::initializer_list<Row>{{30, 0, 0, 30},
                                                   {30, 0.05, 0.5, 30},
                                                   {2, 0.05, 0.3, 2},
                                                   {2, 0.2, 0.3, 4},
                                                   {0.1, 0.001, 0.3, 0.6},
                                                   {0.1, 0.05, 0.3, 1},
                                                   {30, 2, 4, 40},
                                                   {30, 0.01, 20, 40}}) {
    CAPTURE(row.asked);
    CHECK(affordableInterval(row.asked, {row.stall, row.write}) == doctest::Approx(row.expected));
  }
}

TEST_CASE("the interval of a run only grows, and says so once") {
  CheckpointPace pace(2);
  CHECK(pace.learn({0.1, 1}).empty());
  CHECK(pace.interval() == 2);
  CHECK(pace.learn({0.2, 0}).find("from 2 s to 4 s") != std::string::npos);
  CHECK(pace.learn({0, 5}).empty());
  CHECK(pace.interval() == 10);
  CHECK(pace.learn({0.01, 1}).empty());
  CHECK(pace.interval() == 10);
  CHECK(CheckpointPace().learn({1, 1}).empty());
}
