// The no-three-in-line search on a GPU by warps against the CPU: the words of the tally - solutions, visited
// boards, symmetry classes, fingerprint - must be the same, on packed boards and on those of 32-bit rows.
#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/three_in_line/problem_build.hpp"
#include "slicepool/core/engine.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/three_in_line/problem_factory.hpp"
#include "slicepool/three_in_line/sinks.hpp"
#include "slicepool/three_in_line/steps/board.hpp"
#include "support/gpu.hpp"
#include "tests/gpu/batch_runner.hpp"

using namespace slicepool;
using namespace slicepool::three_in_line;

namespace {

ProblemSpec specOf(int n, Group group = Group::none, bool collect = false) {
  ProblemSpec spec;
  spec.n = n;
  spec.group = group;
  spec.collect = collect;
  return spec;
}

DeviceOptions byWarps(std::uint32_t lanes = 1024) {
  DeviceOptions options;
  options.lanes = lanes;
  options.granularity = Granularity::warp;
  return options;
}

/// Launches of one device, small and large, against the plain step.
void compareLaunches(const Problem& problem) {
  const auto host = test::runOnHost(problem);
  for (const BatchLaunch& settings :
       {BatchLaunch{1, 64, 512}, BatchLaunch{37, 64, 512}, BatchLaunch{1U << 20U, 64, 64}}) {
    INFO("budget " << settings.budget);
    const auto device = test::makeDevice(problem, byWarps());
    const auto gpu = test::runOnDevice(*device, problem, settings);
    CHECK(gpu.words == host.words);
    CHECK(gpu.results == host.results);
    CHECK(gpu.steps == host.steps);
  }
}

std::vector<std::uint64_t> wordsOf(const Problem& problem, const EngineOptions& options) {
  Engine engine(problem, options);
  engine.run();
  const RunReport report = engine.report();
  CHECK(report.complete);
  CHECK(report.warnings.empty());
  return report.words;
}

/// A whole run on the engine, by warps, against the CPU workers.
void compareRuns(const Problem& problem) {
  EngineOptions options;
  options.mode = Mode::cpu;
  const auto expected = wordsOf(problem, options);
  for (const Mode mode : {Mode::gpu, Mode::hybrid}) {
    options.mode = mode;
    options.device.granularity = Granularity::warp;
    CHECK(wordsOf(problem, options) == expected);
  }
}

}  // namespace

TEST_SUITE_BEGIN("gpu-small");

TEST_CASE("three in line by warps: small grids on boards of 32-bit rows, in launches of any length") {
  if (!test::gpuUsable()) return;
  for (const int n : {1, 2, 3, 5, 6, 7}) {
    CAPTURE(n);
    for (const bool collect : {false, true})
      compareLaunches(*buildProblem<Wide<20>>(specOf(n, Group::none, collect)));
  }
}

TEST_CASE("three in line by warps: groups, on packed boards and on those of 32-bit rows") {
  if (!test::gpuUsable()) return;
  for (const Group group : {Group::c2, Group::c4, Group::diagonal, Group::orthogonal, Group::full}) {
    CAPTURE(static_cast<int>(group));
    compareLaunches(*buildProblem<Wide<20>>(specOf(6, group, true)));
    if (group != Group::c2) compareLaunches(*makeProblem(specOf(12, group)));
  }
}

TEST_CASE("three in line by warps: refused where there are none") {
  if (!test::gpuUsable()) return;
  const auto problem = makeProblem(specOf(6));
  CHECK_THROWS_WITH_AS((void)test::makeDevice(*problem, byWarps()), doctest::Contains("gpu_granularity"),
                       ConfigError);
}

TEST_SUITE_END();

TEST_CASE("three in line by warps: whole searches on boards of 32-bit rows") {
  if (!test::gpuUsable()) return;
  for (const int n : {5, 6, 7, 8, 9, 10}) {
    CAPTURE(n);
    compareRuns(*buildProblem<Wide<20>>(specOf(n)));
  }
  compareRuns(*buildProblem<Wide<20>>(specOf(18, Group::c4)));
  compareRuns(*makeProblem(specOf(22, Group::c4)));
}

TEST_CASE("three in line by warps: whole searches on packed boards") {
  if (!test::gpuUsable()) return;
  for (const int n : {11, 12, 13}) {
    CAPTURE(n);
    compareRuns(*makeProblem(specOf(n)));
  }
}
