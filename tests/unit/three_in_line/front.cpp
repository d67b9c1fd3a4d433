// The enumeration of no-three-in-line against the oracle: sets, classes and node totals in every mode,
// symmetry groups, early stops, checkpoints, shards, refusals.
#include <doctest/doctest.h>

#include <algorithm>

#include "runtime/three_in_line/points.hpp"
#include "runtime/three_in_line/request_check.hpp"
#include "runtime/three_in_line/shard_record.hpp"
#include "runtime/three_in_line/solution_check.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/three_in_line/enumeration.hpp"
#include "support/scale.hpp"
#include "support/stopped_runs.hpp"
#include "support/temporary_folder.hpp"
#include "support/three_in_line/oracle.hpp"
#include "support/worker_options.hpp"

using namespace slicepool;
using namespace slicepool::three_in_line;
using slicepool::test::GridPoints;
using slicepool::test::largest;
using slicepool::test::onCpu;
using slicepool::test::ThreeInLineOracle;

namespace {

EngineOptions emulatedOptions(std::int64_t failAtLaunch = -1) {
  EngineOptions options = test::onEmulator(failAtLaunch);
  options.emulator.resultCapacity = 4;  // collected solutions fill it: refusals and resumed visits
  return options;
}

Request requestOf(int size) {
  Request request;
  request.size = size;
  request.solutions = true;
  return request;
}

Outcome outcomeOf(const Request& request, const EngineOptions& options) {
  Enumeration enumeration(request, options);
  enumeration.run();
  CHECK(enumeration.finished());
  return enumeration.outcome();
}

/// All solutions in all orientations.
std::set<GridPoints> unfold(const std::vector<Configuration>& solutions, int size) {
  std::set<GridPoints> all;
  for (const auto& solution : solutions) {
    GridPoints points;
    for (const Point point : pointsOf(solution, size)) points.emplace_back(point.x, point.y);
    for (const auto& image : ThreeInLineOracle::imagesOf(points, size)) all.insert(image);
  }
  return all;
}

}  // namespace

TEST_CASE("the set of solutions is the oracle's, in every mode and with every algorithm") {
  for (int size = 1; size <= largest(8, 6); ++size) {
    CAPTURE(size);
    const ThreeInLineOracle oracle(size);
    const Outcome first = outcomeOf(requestOf(size), onCpu());
    CHECK(first.findings.total == oracle.all().size());
    CHECK(first.findings.count == first.solutions.size());
    CHECK(first.findings.classes == classCountsOf(first.solutions, size));
    CHECK(first.findings.fingerprint == fingerprintOf(first.solutions));
    CHECK((unfold(first.solutions, size) == oracle.all()));
    CHECK(problemOf(first.solutions, size).empty());
    for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::table, Algorithm::posts}) {
      for (const auto& options : {onCpu(1), onCpu(3), emulatedOptions(), emulatedOptions(2)}) {
        Request request = requestOf(size);
        request.algorithm = algorithm;
        const Outcome other = outcomeOf(request, options);
        CHECK(other.findings == first.findings);  // nodes too
        CHECK((other.solutions == first.solutions));
      }
    }
  }
}

TEST_CASE("without solutions the findings are the same") {
  Request request = requestOf(9);
  const Outcome with = outcomeOf(request, onCpu());
  request.solutions = false;
  const Outcome without = outcomeOf(request, emulatedOptions());
  CHECK(with.findings == without.findings);
  CHECK(without.solutions.empty());
  CHECK(with.findings.count == 51);
  CHECK(with.findings.total == 368);
}

TEST_CASE("the length of a whole search that was made before is known from the start, of others it is not") {
  // The first progress of a run that is stopped after one step: nothing was estimated yet.
  const auto told = [](const Request& request) {
    EngineOptions options = onCpu();
    options.stepLimit = 1;
    options.cpuBudget = 100;
    std::vector<Progress> heard;
    options.onProgress = [&heard](const Progress& progress) { heard.push_back(progress); };
    Enumeration enumeration(request, options);
    enumeration.run();
    REQUIRE_FALSE(heard.empty());
    return heard.back().totalSteps;
  };
  Request request;
  request.size = 10;
  CHECK(told(request) == 113915);
  request.size = 11;  // what is visited while the search is cut is no step of the engine
  const double cut = told(request);
  CHECK(cut < 823319);
  CHECK(cut > 810000);
  request.size = 18;
  CHECK(told(request) == 0);
  request.size = 10;
  request.first = 3;
  CHECK(told(request) == 0);
  request.first = 0;
  request.shards = 2;
  CHECK(told(request) == 0);
}

TEST_CASE("a symmetry group finds exactly the solutions that can be turned to be closed under it") {
  for (int size = 2; size <= largest(8, 6); ++size) {
    const ThreeInLineOracle oracle(size);
    const std::vector<std::pair<Group, std::set<std::string>>> kGroups = {
        {Group::c2, {"rot2", "rot4", "dia2", "ort2", "full"}},
        {Group::c4, {"rot4", "full"}},
        {Group::diagonal, {"dia1", "dia2", "full"}},
        {Group::orthogonal, {"ort1", "ort2", "full"}},
        {Group::diagonals, {"dia2", "full"}},
        {Group::orthogonals, {"ort2", "full"}},
        {Group::full, {"full"}}};
    for (const auto& entry : kGroups) {
      const auto& group = entry.first;
      const auto& classes = entry.second;
      CAPTURE(size);
      CAPTURE(groupName(group));
      std::set<GridPoints> expected;
      for (const auto& points : oracle.all())
        if (classes.count(ThreeInLineOracle::className(points, size)) != 0) expected.insert(points);
      Request request = requestOf(size);
      request.group = group;
      const bool mirrorsOrTurns = group == Group::c4 || group == Group::orthogonal ||
                                  group == Group::orthogonals || group == Group::full;
      if (size % 2 != 0 && mirrorsOrTurns) {
        CHECK(expected.empty());
        CHECK_THROWS_AS(Enumeration(request, onCpu()), ConfigError);
        continue;
      }
      const Outcome outcome = outcomeOf(request, onCpu());
      CHECK((unfold(outcome.solutions, size) == expected));
      CHECK(outcome.findings.total == expected.size());
      CHECK(outcomeOf(request, emulatedOptions()).findings == outcome.findings);
    }
  }
}

TEST_CASE("first:K gives K different solutions, or all when there are fewer") {
  for (const std::uint64_t first : {1, 3, 22, 1000}) {
    CAPTURE(first);
    Request request;
    request.size = 7;
    request.first = first;
    for (const auto& options : {onCpu(), emulatedOptions()}) {
      const Outcome outcome = outcomeOf(request, options);
      CHECK(outcome.solutions.size() == std::min<std::uint64_t>(first, 22));
      CHECK(outcome.findings.count == outcome.solutions.size());
      CHECK(problemOf(outcome.solutions, 7).empty());
      CHECK(outcome.run.decided == (first <= 22));
    }
  }
}

TEST_CASE("a run that was stopped again and again and resumed finds what one run finds") {
  const Request request = requestOf(largest(11, 9));
  const Outcome whole = outcomeOf(request, onCpu());
  const Outcome parts =
      test::outcomeInParts<Enumeration>(request, whole.run.steps, onCpu(1), emulatedOptions());
  CHECK(parts.findings == whole.findings);
  CHECK((parts.solutions == whole.solutions));
}

TEST_CASE("a checkpoint of another request is refused") {
  const test::TemporaryFolder folder;
  EngineOptions options = onCpu();
  options.checkpointPath = folder.path("c.ckpt");
  Enumeration enumeration(requestOf(9), options);
  enumeration.cancel();
  enumeration.run();
  REQUIRE(std::filesystem::exists(options.checkpointPath));
  for (Request other : {requestOf(8), requestOf(9)}) {
    if (other.size == 9) other.group = Group::c2;
    Enumeration wrong(other, onCpu());
    CHECK_THROWS_AS(wrong.resumeFrom(options.checkpointPath), CheckpointError);
  }
}

TEST_CASE("the records of all shards merge to the whole search, nodes and solutions included") {
  const test::TemporaryFolder folder;
  for (const std::uint32_t shards : {2U, 5U, 64U}) {
    for (const int size : {2, 6, 8}) {
      CAPTURE(shards);
      CAPTURE(size);
      const Outcome whole = outcomeOf(requestOf(size), onCpu());
      std::vector<std::string> paths;
      std::uint64_t boards = 0;
      for (std::uint32_t shard = 0; shard < shards; ++shard) {
        Request request = requestOf(size);
        request.shards = shards;
        request.shard = shard;
        request.recordPath = folder.path(std::to_string(shard) + ".json");
        boards += outcomeOf(request, shard % 2 == 0 ? onCpu() : emulatedOptions()).boards;
        paths.push_back(request.recordPath);
      }
      const ShardRecord merged = mergeShardRecords(paths);
      CHECK(merged.findings == whole.findings);
      CHECK((merged.solutions == whole.solutions));
      CHECK(merged.boards == boards);
    }
  }
}
