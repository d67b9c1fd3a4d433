// The no-three-in-line search on a GPU against the CPU: the words of the tally - solutions, visited boards,
// symmetry classes, fingerprint - and the collected solutions must be the same whatever visits the boards.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/three_in_line/problem_factory.hpp"
#include "slicepool/three_in_line/sinks.hpp"
#include "support/gpu.hpp"

using namespace slicepool;
using namespace slicepool::three_in_line;

namespace {

/// Solutions as sets of bytes: the order in which workers find them is not the same twice.
class Collected final : public ResultConsumer {
 public:
  void consume(const std::byte* results, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      Configuration found;
      std::memcpy(&found, results + i * sizeof found, sizeof found);
      solutions.insert(std::vector<std::uint32_t>(std::begin(found.rows), std::end(found.rows)));
      ++taken;
    }
  }
  std::set<std::vector<std::uint32_t>> solutions;
  std::size_t taken = 0;
};

std::vector<std::uint64_t> wordsOf(const Problem& problem, const EngineOptions& options,
                                   ResultConsumer* consumer) {
  Engine engine(problem, options, consumer);
  engine.run();
  const RunReport report = engine.report();
  CHECK(report.complete);
  CHECK(report.warnings.empty());
  return report.words;
}

EngineOptions optionsOf(Mode mode) {
  EngineOptions options;
  options.mode = mode;
  options.threads = 2;
  return options;
}

void compare(const ProblemSpec& spec, const std::vector<EngineOptions>& runs) {
  INFO("n = " << spec.n << ", group " << static_cast<int>(spec.group));
  const auto problem = makeProblem(spec);
  Collected expectedSolutions;
  const auto expected = wordsOf(*problem, optionsOf(Mode::cpu), spec.collect ? &expectedSolutions : nullptr);
  for (const EngineOptions& run : runs) {
    INFO("mode " << static_cast<int>(run.mode) << ", " << run.device.lanes << " lanes, budget "
                 << run.gpuBudget);
    Collected solutions;
    CHECK(wordsOf(*problem, run, spec.collect ? &solutions : nullptr) == expected);
    CHECK(solutions.taken == solutions.solutions.size());
    CHECK(solutions.solutions == expectedSolutions.solutions);
  }
}

/// Few lanes and tiny budgets: many launches, many splits, many commits.
std::vector<EngineOptions> smallRuns() {
  std::vector<EngineOptions> runs{optionsOf(Mode::gpu), optionsOf(Mode::hybrid)};
  for (const std::uint64_t budget : {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{300}}) {
    EngineOptions run = optionsOf(Mode::gpu);
    run.device.lanes = 1024;
    run.gpuBudget = budget;
    runs.push_back(run);
  }
  EngineOptions full = optionsOf(Mode::gpu);
  full.device.lanes = 1024;
  full.device.resultCapacity = 1;
  runs.push_back(full);
  return runs;
}

}  // namespace

TEST_SUITE_BEGIN("gpu-small");

TEST_CASE("three in line on a GPU: small grids, tiny budgets and full buffers") {
  if (!test::gpuUsable()) return;
  for (const int n : {1, 2, 3, 4, 5, 6, 7}) {
    for (const bool collect : {false, true}) {
      ProblemSpec spec;
      spec.n = n;
      spec.collect = collect;
      compare(spec, smallRuns());
    }
  }
}

TEST_CASE("three in line on a GPU: classes of symmetry") {
  if (!test::gpuUsable()) return;
  for (const int n : {6, 8}) {
    ProblemSpec spec;
    spec.n = n;
    spec.group = Group::c4;
    spec.collect = true;
    compare(spec, {optionsOf(Mode::gpu), optionsOf(Mode::hybrid)});
  }
}

TEST_SUITE_END();

TEST_CASE("three in line on a GPU: grids whose searches fill it") {
  if (!test::gpuUsable()) return;
  for (const int n : {8, 9, 10, 11, 12, 13}) {
    ProblemSpec spec;
    spec.n = n;
    spec.collect = n % 2 == 0;
    compare(spec, {optionsOf(Mode::gpu), optionsOf(Mode::hybrid)});
  }
}

TEST_CASE("three in line on a GPU: boards of 32-bit rows") {
  if (!test::gpuUsable()) return;
  ProblemSpec spec;
  spec.n = 18;
  spec.group = Group::c4;
  spec.collect = true;
  compare(spec, {optionsOf(Mode::gpu), optionsOf(Mode::hybrid)});
}
