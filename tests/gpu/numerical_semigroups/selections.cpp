// Selections from the tree of numerical semigroups on a GPU against the CPU: lists, counts by two statistics,
// by class and by Frobenius number, the trimmed tree.
#include <doctest/doctest.h>

#include "gpu/numerical_semigroups/runs.hpp"
#include "slicepool/numerical_semigroups/enumeration.hpp"
#include "support/gpu.hpp"

using namespace slicepool;
using namespace slicepool::numerical_semigroups;

TEST_CASE("numerical semigroups: a GPU selects what the CPU selects, in as many steps") {
  if (!test::gpuUsable()) return;
  std::vector<Request> requests(6);
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
}
