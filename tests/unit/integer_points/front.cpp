// The enumeration of integer points: the same answers and steps in every mode, after failures of a device,
// and when it is stopped and resumed; sinks, files, refusals.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/integer_points/exact_rows.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/integer_points/enumeration.hpp"
#include "support/integer_points/oracle.hpp"
#include "support/scale.hpp"
#include "support/stopped_runs.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"
#include "support/worker_options.hpp"

using namespace slicepool;
using namespace slicepool::integer_points;
using slicepool::test::onCpu;
using slicepool::test::onEmulator;
using slicepool::test::squareTables;

namespace {

Request tables(std::size_t n, std::int64_t t, SinkKind sink = SinkKind::count) {
  Request request;
  request.system = squareTables(n, t);
  request.sink = sink;
  return request;
}

Outcome pointOutcomeOf(const Request& request, const EngineOptions& options) {
  Enumeration enumeration(request, options);
  enumeration.run();
  CHECK(enumeration.finished());
  return enumeration.outcome();
}

void checkSame(const Outcome& other, const Outcome& first) {
  CHECK(other.count == first.count);
  CHECK(other.points == first.points);
  CHECK(other.sums == first.sums);
  CHECK(other.fingerprint == first.fingerprint);
  CHECK(other.run.complete);
}

}  // namespace

TEST_CASE("integer points: counts, lists, sums and steps are the same in every mode") {
  std::vector<Request> requests{tables(4, 3), tables(4, 3, SinkKind::list), tables(4, 3, SinkKind::sums),
                                tables(4, 3), tables(3, 12, SinkKind::list)};
  requests[0].algorithm = Algorithm::walk;
  requests[3].fingerprint = true;
  requests[4].system.where = "x1 = x5 or x2 > x4";
  for (const Request& request : requests) {
    CAPTURE(&request - requests.data());
    const Outcome first = pointOutcomeOf(request, onCpu(1));
    if (request.system.where.empty()) CHECK(first.count == "2008");
    CHECK(std::is_sorted(first.points.begin(), first.points.end()));
    for (const auto& options : {onCpu(3), onEmulator(), onEmulator(0), onEmulator(2), onEmulator(5)}) {
      const Outcome other = pointOutcomeOf(request, options);
      checkSame(other, first);
      if (options.emulator.failAtLaunch < 0) CHECK(other.run.steps == first.run.steps);
    }
  }
}

TEST_CASE("integer points: lines of 2^50 points are counted exactly, some or many at a time") {
  // x + y + z = n, x <= most: for each x the n - x + 1 values of y.
  constexpr std::int64_t kSum = (std::int64_t{1} << 50) - 1;
  Request request;
  request.system.matrix = {{1, 1, 1}};
  request.system.rightSide = {kSum};
  for (const auto& [most, count] : {std::pair<std::int64_t, const char*>{100'000, "112591116579169192624"},
                                    {4'194'303, "4722366474073554288640"}}) {
    request.system.upper = {most, {}, {}};
    for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::walk}) {
      request.algorithm = algorithm;
      for (EngineOptions options : {onCpu(1), onCpu(2), onEmulator()}) {
        CHECK(pointOutcomeOf(request, options).count == count);
        options.cpuBudget = 1000;
        CHECK(pointOutcomeOf(request, options).count == count);
      }
    }
  }
}

TEST_CASE("integer points: counts beyond 64 bits are read off a table, and refused beyond 2^96") {
  Request request;
  request.system.matrix = {std::vector<std::int64_t>(13, 1)};
  for (const auto& [sum, count] : {std::pair<std::int64_t, const char*>{60, "15363284301456"},
                                   {300, "1433831775585460239716"},
                                   {1000, "2256304627030120483465574926"}}) {
    request.system.rightSide = {sum};  // (sum + 12) choose 12
    const Outcome outcome = pointOutcomeOf(request, onCpu(1));
    CHECK(outcome.count == count);
    CHECK(outcome.shape.byTable);
  }
  request.system.rightSide = {3000};
  CHECK_THROWS_WITH_AS(Enumeration(request, onCpu(1)).run(),
                       doctest::Contains("there are 2^96 integer points or more"), LimitError);
  // (2^32 - 1)^3 points of a box, and 2^96.
  request.system.matrix = {{0, 0, 0}};
  request.system.rightSide = {0};
  request.system.upper = {4'294'967'294, 4'294'967'294, 4'294'967'294};
  CHECK(pointOutcomeOf(request, onCpu(1)).count == "79228162458924105385300197375");
  request.system.upper = {4'294'967'295, 4'294'967'295, 4'294'967'295};
  CHECK_THROWS_AS(Enumeration(request, onCpu(1)).run(), LimitError);
}

TEST_CASE("integer points: lines of thousands of values above a table, in every mode") {
  // completions[k]: x5 + x6 + x7 + x8 + x9 + 2 x10 = k.
  std::vector<std::uint64_t> completions(8001);
  completions[0] = 1;
  for (const std::size_t part : {1, 1, 1, 1, 1, 2})
    for (std::size_t k = part; k < completions.size(); ++k) completions[k] += completions[k - part];
  BigInteger expected = 0;
  std::uint64_t lines = 0;
  for (std::int64_t a = 0; a <= 5; ++a)
    for (std::int64_t b = 0; a + b <= 5; ++b)
      for (std::int64_t c = 0; a + b + c <= 5; ++c, ++lines)
        for (const std::uint64_t number : completions) expected += number;
  for (const EngineOptions& options : {onCpu(1), onCpu(3), onEmulator(), onEmulator(2)}) {
    const Outcome outcome = pointOutcomeOf(test::longLinesAboveTable(), options);
    CHECK(outcome.count == expected.str());
    CHECK(outcome.shape.tableEntries == 8001);
    if (options.emulator.failAtLaunch < 0) CHECK(outcome.run.steps >= 2 * lines);
  }
  const Outcome inParts =
      test::outcomeInParts<Enumeration>(test::longLinesAboveTable(), 2 * lines, onCpu(1), onEmulator());
  CHECK(inParts.count == expected.str());
}

TEST_CASE("integer points: boxes without a row, on both sides of 2^31 and 2^32") {
  for (const std::int64_t middle : {std::int64_t{0}, std::int64_t{1} << 30, std::int64_t{1} << 31,
                                    std::int64_t{1} << 32, -(std::int64_t{1} << 31), std::int64_t{1} << 59}) {
    CAPTURE(middle);
    Request request;
    request.system.matrix = {{0, 0}};
    request.system.rightSide = {0};
    request.system.lower = {middle - 2, 0};
    request.system.upper = {middle + 2, 1};
    request.sink = SinkKind::list;
    request.fingerprint = true;
    const Outcome listed = pointOutcomeOf(request, onCpu(1));
    REQUIRE(listed.points.size() == 10);
    for (std::size_t i = 0; i < 10; ++i)
      CHECK(listed.points[i] ==
            Point{middle - 2 + static_cast<std::int64_t>(i / 2), static_cast<std::int64_t>(i % 2)});
    for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::walk}) {
      for (const EngineOptions& options : {onCpu(1), onEmulator()}) {
        request.algorithm = algorithm;
        request.sink = SinkKind::count;
        request.fingerprint = false;
        CHECK(pointOutcomeOf(request, options).count == "10");
        request.fingerprint = true;
        CHECK(pointOutcomeOf(request, options).fingerprint == listed.fingerprint);
        request.fingerprint = false;
        request.sink = SinkKind::sums;
        const auto& sums = pointOutcomeOf(request, options).sums;
        CHECK(sums == std::map<std::int64_t, std::uint64_t>{{middle - 2, 1},
                                                            {middle - 1, 2},
                                                            {middle, 2},
                                                            {middle + 1, 2},
                                                            {middle + 2, 2},
                                                            {middle + 3, 1}});
      }
    }
  }
  for (const auto& [lower, upper, count] :
       {std::tuple<std::int64_t, std::int64_t, const char*>{-1'500'000'000, 1'500'000'000, "3000000001"},
        {0, 4'294'967'294, "4294967295"},
        {0, 4'294'967'299, "4294967300"},
        {-(std::int64_t{1} << 60), std::int64_t{1} << 60, "2305843009213693953"}}) {
    Request request;
    request.system.matrix = {{0}};
    request.system.rightSide = {0};
    request.system.lower = {lower};
    request.system.upper = {upper};
    request.algorithm = Algorithm::walk;
    CHECK(pointOutcomeOf(request, onCpu(1)).count == count);
  }
}

TEST_CASE("integer points: random lists are the oracle's in order, with its fingerprint") {
  std::mt19937_64 random(11);
  int withEndings = 0;
  for (std::size_t i = 0; i < test::scaled(60); ++i) {
    CAPTURE(i);
    const auto [system, lower, upper] = test::randomSystem(random);
    const std::vector<Point> expected = test::pointsInBox(system, lower, upper);
    Request request;
    request.system = system;
    request.sink = SinkKind::list;
    const Outcome walked = [&] {
      Request other = request;
      other.algorithm = Algorithm::walk;
      return pointOutcomeOf(other, onCpu());
    }();
    const Outcome outcome = pointOutcomeOf(request, i % 2 == 0 ? onCpu() : onEmulator());
    CHECK(walked.points == expected);
    CHECK(walked.fingerprint == outcome.fingerprint);
    CHECK(walked.shape.tableEntries == 0);
    withEndings += outcome.shape.tableEntries != 0 ? 1 : 0;
    CHECK(outcome.points == expected);
    CHECK(outcome.listed == expected.size());
    CHECK(outcome.fingerprint == test::fingerprintOfPoints(expected));
    CHECK(outcome.count == std::to_string(expected.size()));
    request.sink = SinkKind::count;
    CHECK(pointOutcomeOf(request, onCpu()).count == std::to_string(expected.size()));
  }
  if (test::scaled(60) > 2) CHECK(withEndings > 0);
}

TEST_CASE("integer points: lists with endings are those of lines, of any width and sign") {
  const test::TemporaryFolder folder;
  // Columns x, y, then six of sum 5: x from a bound that takes this many bytes, y = x + 1 or 2.
  for (const std::int64_t least : {std::int64_t{0}, std::int64_t{-3}, std::int64_t{250},
                                   std::int64_t{-1} << 12, std::int64_t{1} << 30, -(std::int64_t{1} << 40)}) {
    CAPTURE(least);
    Request request;
    request.system.matrix = {{-1, 1, -1, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 1, 1, 1, 1, 1, 1}};
    request.system.rightSide = {0, 5};
    request.system.lower = {least, least, 1, 0, 0, 0, 0, 0, 0};
    request.system.upper = {least + 6, least + 9, 2, 5, 5, 5, 5, 5, 5};
    request.sink = SinkKind::list;
    const Outcome outcome = pointOutcomeOf(request, onCpu(2));
    request.algorithm = Algorithm::walk;
    const Outcome walked = pointOutcomeOf(request, onCpu(1));
    CHECK(outcome.shape.tableEntries != 0);
    CHECK(walked.shape.tableEntries == 0);
    CHECK(outcome.points.size() == 2 * 7 * 252);
    CHECK(outcome.points == walked.points);
    CHECK(outcome.fingerprint == walked.fingerprint);
    for (const std::string suffix : {".npy", ".txt"}) {
      request.algorithm = Algorithm::automatic;
      request.outputPath = folder.path("endings" + suffix);
      (void)pointOutcomeOf(request, onCpu(2));
      const std::string content = test::contentOf(request.outputPath);
      request.algorithm = Algorithm::walk;
      (void)pointOutcomeOf(request, onCpu(2));
      CHECK(content == test::contentOf(request.outputPath));
    }
    request.outputPath.clear();
  }
}

TEST_CASE("integer points: a table below the visited columns, in every mode") {
  const Request request = test::tableBelowVisited();
  // The number of points for each value of the fourth column, by the recurrence for one row.
  std::vector<std::uint64_t> completions(1001);
  completions[0] = 1;
  for (const std::size_t entry : {1, 1, 1, 1, 1, 2})
    for (std::size_t y = entry; y < completions.size(); ++y) completions[y] += completions[y - entry];
  const auto& row = request.system.matrix.front();
  std::uint64_t expected = 0;
  for (std::int64_t a = request.system.rightSide[0]; a >= 0; a -= row[0])
    for (std::int64_t b = a; b >= 0; b -= row[1])
      for (std::int64_t c = b; c >= 0; c -= row[2])
        if (c <= 1000) expected += completions[static_cast<std::size_t>(c)];
  const Outcome first = pointOutcomeOf(request, onCpu(1));
  CHECK(first.count == std::to_string(expected));
  CHECK(first.shape.tableEntries != 0);
  CHECK_FALSE(first.shape.byTable);
  for (const auto& options : {onCpu(3), onEmulator(), onEmulator(0)}) {
    const Outcome other = pointOutcomeOf(request, options);
    CHECK(other.count == first.count);
    if (options.emulator.failAtLaunch < 0) CHECK(other.run.steps == first.run.steps);
  }
}

TEST_CASE("integer points: the count of a box beyond 64 bits") {
  Request request;
  request.system.matrix = {{0, 0, 0, 1}};
  request.system.rightSide = {1};
  request.system.upper = {63, (std::int64_t{1} << 30) - 1, (std::int64_t{1} << 31) - 1, 1};
  const Outcome outcome = pointOutcomeOf(request, onCpu());
  CHECK(outcome.count == "147573952589676412928");  // 2^67
  CHECK(outcome.shape.byTable);
}

TEST_CASE("integer points: first, any and all stop at points that are some") {
  Request request = tables(4, 6, SinkKind::first);
  request.firstCount = 10;
  for (const auto& options : {onCpu(2), onEmulator()}) {
    const Outcome outcome = pointOutcomeOf(request, options);
    CHECK(outcome.points.size() == 10);
    CHECK(std::adjacent_find(outcome.points.begin(), outcome.points.end()) == outcome.points.end());
    for (const Point& x : outcome.points) CHECK(x[0] + x[1] + x[2] + x[3] == 6);
  }
  const auto asked = [&](SinkKind sink, const std::string& condition) {
    Request question = tables(3, 4, sink);
    question.condition = condition;
    const auto onOne = pointOutcomeOf(question, onCpu()).holds;
    CHECK(pointOutcomeOf(question, onEmulator()).holds == onOne);
    return onOne;
  };
  CHECK(asked(SinkKind::any, "x1 = 4 and x5 = 4") == true);
  CHECK(asked(SinkKind::any, "x1 = 4 and x2 >= 1") == false);
  CHECK(asked(SinkKind::any, "x1 > 4 or x9 > 3") == true);
  CHECK(asked(SinkKind::all, "sum = 12") == true);
  CHECK(asked(SinkKind::all, "x1 <= 3") == false);
  CHECK(asked(SinkKind::all, "x1 <= 3 or x2 = 0") == true);
  CHECK(asked(SinkKind::all, "x1 + x2 <= 3 or x3 <= 0 and x7 >= 0") == true);
}

TEST_CASE("integer points: a run that was stopped again and again and resumed is one run") {
  Request request = tables(4, 5);
  request.fingerprint = true;
  Request list = tables(4, 4, SinkKind::list);
  Request walked = tables(4, 6);
  walked.algorithm = Algorithm::walk;
  for (const Request& one : {request, list, walked}) {
    const Outcome whole = pointOutcomeOf(one, onCpu());
    const Outcome parts = test::outcomeInParts<Enumeration>(one, whole.run.steps, onCpu(1), onEmulator());
    checkSame(parts, whole);
  }
}

TEST_CASE("integer points: a checkpoint of another system is refused") {
  const test::TemporaryFolder folder;
  EngineOptions options = onCpu();
  options.checkpointPath = folder.path("c.ckpt");
  Request request = tables(4, 5);
  request.algorithm = Algorithm::walk;
  Enumeration enumeration(request, options);
  enumeration.cancel();
  enumeration.run();
  REQUIRE(std::filesystem::exists(options.checkpointPath));
  Request other = tables(4, 6);
  other.algorithm = Algorithm::walk;
  Enumeration wrong(other, onCpu());
  CHECK_THROWS_AS(wrong.resumeFrom(options.checkpointPath), CheckpointError);
}

TEST_CASE("integer points: files have the points in order, in the narrowest numbers") {
  const test::TemporaryFolder folder;
  Request request;
  request.sink = SinkKind::list;
  request.system = {.matrix = {{1, 1}}, .rightSide = {3}, .lower = {-1, 0}};
  request.outputPath = folder.path("points.txt");
  Outcome outcome = pointOutcomeOf(request, onCpu());
  CHECK(test::contentOf(request.outputPath) == "-1 4\n0 3\n1 2\n2 1\n3 0\n");
  CHECK(outcome.points.empty());
  CHECK(outcome.listed == 5);
  request.outputPath = folder.path("points.npy");
  outcome = pointOutcomeOf(request, onCpu());
  const std::string array = test::contentOf(request.outputPath);
  CHECK(array.find("'|i1'") != std::string::npos);
  CHECK(array.find("(5, 2)") != std::string::npos);
  CHECK(array.substr(array.size() - 10) == std::string("\xff\x04\x00\x03\x01\x02\x02\x01\x03\x00", 10));
  CHECK(outcome.outputBytes == array.size());
  // Many pieces of a file, and lines longer than a piece.
  request.system = {.matrix = {{1, 1, 0}, {0, 0, 1}}, .rightSide = {150'000, 7}};
  (void)pointOutcomeOf(request, onCpu(3));
  const std::string long_ = test::contentOf(request.outputPath);
  CHECK(long_.find("'<u4'") != std::string::npos);
  const std::size_t begin = long_.size() - 150'001 * 12;
  bool inOrder = true;
  for (std::uint32_t i = 0; i <= 150'000; ++i) {
    const auto at = [&](std::uint32_t column) {
      std::uint32_t value = 0;
      std::memcpy(&value, long_.data() + begin + i * 12 + column * 4, 4);
      return value;
    };
    inOrder = inOrder && at(0) == i && at(1) == 150'000 - i && at(2) == 7;
  }
  CHECK(inOrder);
}

TEST_CASE("integer points: an empty set is an answer, and says why where that is clear") {
  Request request;
  request.system = {.matrix = {{6, 10}}, .rightSide = {1001}};
  Outcome outcome = pointOutcomeOf(request, onCpu());
  CHECK(outcome.count == "0");
  CHECK(outcome.emptyBecause == "the common divisor of a row does not divide its right side");
  request.system = {.matrix = {{1, 1}}, .rightSide = {-1}};
  CHECK(pointOutcomeOf(request, onCpu()).emptyBecause ==
        "the rows and the bounds of the columns exclude each other");
  // In the cone and in the lattice of the generators, and no sum of them.
  request.system = {.matrix = {{6, 10, 15}}, .rightSide = {29}};
  outcome = pointOutcomeOf(request, onCpu());
  CHECK(outcome.count == "0");
  CHECK(outcome.emptyBecause.empty());
  request.sink = SinkKind::list;
  CHECK(pointOutcomeOf(request, onCpu()).points.empty());
  request.sink = SinkKind::all;
  request.condition = "x1 > 5";
  CHECK(pointOutcomeOf(request, onCpu()).holds == true);
  request.system.rightSide = {-7};
  CHECK(pointOutcomeOf(request, onCpu()).holds == true);
}
