// Integer points on a GPU against the CPU: counts, lists, sums, fingerprints and steps must be the same
// whatever visits the columns.
#include <doctest/doctest.h>

#include <random>

#include "slicepool/integer_points/enumeration.hpp"
#include "support/gpu.hpp"
#include "support/integer_points/oracle.hpp"

using namespace slicepool;
using namespace slicepool::integer_points;

namespace {

Outcome pointsOn(Mode mode, const Request& request) {
  EngineOptions options;
  options.mode = mode;
  Enumeration enumeration(request, options);
  enumeration.run();
  CHECK(enumeration.finished());
  Outcome outcome = enumeration.outcome();
  CHECK(outcome.run.warnings.empty());
  return outcome;
}

void compareWithCpu(const Request& request) {
  const Outcome onCpu = pointsOn(Mode::cpu, request);
  for (const Mode mode : {Mode::gpu, Mode::hybrid}) {
    const Outcome other = pointsOn(mode, request);
    CHECK(other.count == onCpu.count);
    CHECK(other.points == onCpu.points);
    CHECK(other.sums == onCpu.sums);
    CHECK(other.fingerprint == onCpu.fingerprint);
    CHECK(other.run.steps == onCpu.run.steps);
  }
}

}  // namespace

TEST_CASE("integer points: a GPU, alone and beside the CPU, finds what the CPU finds") {
  if (!test::gpuUsable()) return;
  for (const SinkKind sink : {SinkKind::count, SinkKind::sums, SinkKind::list}) {
    CAPTURE(static_cast<int>(sink));
    Request request;
    request.system = test::squareTables(4, sink == SinkKind::list ? 7 : 9);
    request.sink = sink;
    request.algorithm = Algorithm::walk;
    compareWithCpu(request);
    request.system.where = "x1 >= x6 and x6 >= x11";
    compareWithCpu(request);
    request.system.where = "x1 > x6 + 2 or x16 = 3";
    compareWithCpu(request);
  }
}

TEST_CASE("integer points: a GPU with a table of completions, and with integers of 64 bits") {
  if (!test::gpuUsable()) return;
  compareWithCpu(test::tableBelowVisited());
  compareWithCpu(test::longLinesAboveTable());
  Request request;
  request.system = {.matrix = {{1, 1, 1, 1, 0, 0, 0, 0},
                               {0, 0, 1, 1, 1, 1, 0, 0},
                               {3, 0, 5, 0, 7, 0, 1, 0},
                               {0, 2, 0, 11, 0, 1, 0, 1}},
                    .rightSide = {160, 160, 900, 1200}};
  compareWithCpu(request);
  request.algorithm = Algorithm::walk;
  request.fingerprint = true;
  compareWithCpu(request);
  request = {};
  request.system = {.matrix = {{1'000'000'007, 1'000'000'009, 1'000'000'021, 3, 1}},
                    .rightSide = {50'000'000'000}};
  request.algorithm = Algorithm::walk;
  compareWithCpu(request);
  request.fingerprint = true;
  request.system.upper = {std::nullopt, std::nullopt, std::nullopt, 1000, std::nullopt};
  compareWithCpu(request);
}

TEST_CASE("integer points: random systems on a GPU") {
  if (!test::gpuUsable()) return;
  std::mt19937_64 random(4);
  for (int i = 0; i < 40; ++i) {
    CAPTURE(i);
    Request request;
    request.system = test::randomSystem(random).system;
    request.sink = i % 2 == 0 ? SinkKind::list : SinkKind::sums;
    compareWithCpu(request);
  }
}

TEST_CASE("integer points: a GPU stops at the point that decides") {
  if (!test::gpuUsable()) return;
  Request request;
  request.system = test::squareTables(4, 8);
  request.sink = SinkKind::any;
  request.condition = "x1 = 8 and x6 = 8";
  CHECK(pointsOn(Mode::gpu, request).holds == true);
  request.condition = "x1 = 8 and x2 = 1 or x1 = 8 and x3 = 1";
  CHECK(pointsOn(Mode::gpu, request).holds == false);
}
