// Selections from the tree of numerical semigroups on a GPU against the CPU: lists, counts by two statistics,
// by class and by Frobenius number, the trimmed tree.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/numerical_semigroups/runs.hpp"
#include "runtime/core/fingerprint_sum.hpp"
#include "slicepool/numerical_semigroups/enumeration.hpp"
#include "support/gpu.hpp"

using namespace slicepool;
using namespace slicepool::numerical_semigroups;

TEST_CASE("numerical semigroups: a GPU selects what the CPU selects, in as many steps") {
  if (!test::gpuUsable()) return;
  std::vector<Request> requests(12);
  for (Request& request : requests) request.genus = 22;
  requests[0].where = "t = 3 and wilf > 20 or eliahou = 5";
  requests[0].sink = SinkKind::list;
  requests[1].by = Statistic::type;
  requests[1].also = Statistic::children;
  requests[1].fingerprint = true;
  requests[2].also = Statistic::second;
  requests[3].genus = 0;
  requests[3].frobenius = 30;
  requests[3].by = Statistic::genus;
  requests[4].genus = 43;
  requests[4].multiplicity = 14;
  requests[4].trim = true;
  requests[4].where = "eliahou < 0";
  requests[4].sink = SinkKind::list;
  requests[5].genus = 70;  // windows of two words
  requests[5].multiplicity = 4;
  requests[5].where = "d >= 20";
  requests[5].sink = SinkKind::list;
  // More tables than a block has counters for, and grades of Frobenius numbers.
  requests[6].genus = 26;
  requests[6].by = Statistic::embeddingDimension;
  requests[6].also = Statistic::frobenius;
  requests[7].genus = 0;
  requests[7].frobenius = 29;
  requests[7].by = Statistic::type;
  requests[7].also = Statistic::children;
  requests[7].where = "wilf >= 12";
  requests[8].genus = 24;
  requests[8].trim = true;
  requests[8].by = Statistic::children;
  requests[9].exactly = true;
  requests[9].where = "t = 2 or d >= 4";
  requests[9].sink = SinkKind::list;
  // Full sinks: more semigroups than a buffer holds.
  requests[10].where = "t <= 9";
  requests[10].sink = SinkKind::list;
  requests[11].genus = 0;
  requests[11].frobenius = 66;
  requests[11].multiplicity = 5;
  requests[11].by = Statistic::embeddingDimension;
  requests[11].also = Statistic::genus;
  for (const Request& request : requests) {
    CAPTURE(&request - requests.data());
    const Outcome onCpu = test::semigroupsOn(Mode::cpu, request);
    for (const Mode mode : {Mode::gpu, Mode::hybrid}) {
      const Outcome other = test::semigroupsOn(mode, request);
      CHECK(other.findings == onCpu.findings);
      CHECK(other.semigroups == onCpu.semigroups);
      CHECK(other.fingerprint == onCpu.fingerprint);
      CHECK(other.run.steps == onCpu.run.steps);
    }
  }
}

TEST_CASE("numerical semigroups: a GPU stops at the semigroup that decides") {
  if (!test::gpuUsable()) return;
  Request request;
  request.genus = 24;
  request.sink = SinkKind::any;
  request.condition = "t = 20";
  CHECK(test::semigroupsOn(Mode::gpu, request).holds == true);
  request.condition = "wilf < 0";
  CHECK(test::semigroupsOn(Mode::gpu, request).holds == false);
  request.sink = SinkKind::first;
  request.condition = {};
  request.where = "t = 3";
  request.firstCount = 100;
  CHECK(test::semigroupsOn(Mode::gpu, request).semigroups.size() == 100);
}

TEST_CASE("numerical semigroups: shards that a GPU searched are the whole together") {
  if (!test::gpuUsable()) return;
  Request request;
  request.genus = 24;
  request.by = Statistic::type;
  request.where = "d >= 3";
  request.fingerprint = true;
  const Outcome whole = test::semigroupsOn(Mode::cpu, request);
  request.shards = 5;
  std::uint64_t steps = 0;
  std::vector<std::uint64_t> counts(whole.findings.byGenus.size());
  Fingerprint sum{};
  for (request.shard = 0; request.shard < request.shards; ++request.shard) {
    const Outcome part = test::semigroupsOn(Mode::gpu, request);
    steps += part.run.steps;
    for (std::size_t genus = 0; genus < counts.size(); ++genus) counts[genus] += part.findings.byGenus[genus];
    REQUIRE(part.fingerprint.has_value());
    addTo(sum, *part.fingerprint);
  }
  CHECK(steps == whole.run.steps);
  CHECK(counts == whole.findings.byGenus);
  CHECK(sum == whole.fingerprint);
}
