// The algorithm `compacted` through the front: on the emulator, alone and beside CPU workers, and on CPU
// workers.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/lattice/front.hpp"
#include "support/scale.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace slicepool;
using lattice::Algorithm;
using lattice::kAllSolutions;
using lattice::Outcome;
using lattice::Request;
using test::latticeRequest;
using test::npyRows;
using test::runLattice;
using test::VectorSet;

/// Few slices, so that lanes take plain steps; a usual batch; beside CPU workers; short launches. Of a share
/// of the cases half of them, in which any two of these meet.
std::vector<EngineOptions> emulators() {
  std::vector<EngineOptions> all;
  for (const std::uint32_t lanes : {20U, 1024U}) {
    for (const bool withCpu : {false, true}) {
      for (const std::uint64_t budget : {std::uint64_t{0}, std::uint64_t{30}}) {
        if ((lanes == 20) != (withCpu == (budget == 0)) && !test::runsAll()) continue;
        EngineOptions options;
        options.mode = Mode::emulated;
        options.threads = 2;
        options.emulator.lanes = lanes;
        options.emulator.resultCapacity = 128;
        options.emulator.withCpuWorkers = withCpu;
        options.gpuBudget = budget;
        all.push_back(options);
      }
    }
  }
  return all;
}

Request compactedRequest(const std::string& file, double squaredRadius) {
  Request request = latticeRequest(file, squaredRadius);
  request.algorithm = Algorithm::compacted;
  return request;
}

}  // namespace

TEST_CASE("compacted: small instances have their known nodes, solutions and shortest norms") {
  for (const char* id : {"e8", "bw16", "leech32", "k40"}) {
    const auto known = test::latticeInstance(id);
    if (known.spec.dimension > test::largest(40, 16)) continue;
    std::vector<EngineOptions> runs = emulators();
    runs.push_back({.mode = Mode::cpu, .threads = 2});
    const Outcome plain = runLattice(latticeRequest(known.file, known.spec.squaredRadius));
    for (const auto& options : runs) {
      CAPTURE(std::string(id));
      CAPTURE(options.emulator.lanes);
      const Outcome outcome = runLattice(compactedRequest(known.file, known.spec.squaredRadius), options);
      CHECK(outcome.run.complete);
      CHECK(outcome.run.warnings.empty());
      CHECK(outcome.nodes == known.nodes);
      CHECK(outcome.count == known.solutions);
      CHECK(outcome.shortestSquaredNorm == std::to_string(known.shortest));
      CHECK(outcome.nodesPerLevel == plain.nodesPerLevel);
      CHECK(outcome.fingerprint == plain.fingerprint);
    }
  }
}

TEST_CASE("compacted: a shrinking search ends at the shortest norm") {
  for (const auto& options : emulators()) {
    for (const char* id : {"e8", "bw16", "leech32", "k40"}) {
      const auto known = test::latticeInstance(id);
      if (known.spec.dimension > test::largest(40, 16)) continue;
      Request request;
      request.basisPath = test::latticePath(known.file);
      request.algorithm = Algorithm::compacted;
      CHECK(runLattice(request, options).shortestSquaredNorm == std::to_string(known.shortest));
    }
  }
}

TEST_CASE("compacted: pruned nodes and solutions are those of the plain step") {
  const int d = test::largest(40, 16);
  Request request = d == 40 ? latticeRequest("k40.txt", 517649.5) : latticeRequest("bw16.txt", 12.3);
  for (int k = 0; k < d; ++k)
    request.pruning.push_back(k < d / 4 ? 1.0 : 1.0 - 0.4 * (k - d / 4) / (3 * d / 4));
  const Outcome plain = runLattice(request);
  request.algorithm = Algorithm::compacted;
  for (const auto& options : emulators()) {
    const Outcome outcome = runLattice(request, options);
    CHECK(outcome.nodesPerLevel == plain.nodesPerLevel);
    CHECK(outcome.fingerprint == plain.fingerprint);
  }
}

TEST_CASE("compacted: all vectors arrive in the file, each once, through a small buffer") {
  const test::TemporaryFolder folder;
  Request request = compactedRequest("bw16.txt", 12.3);
  request.solutions = kAllSolutions;
  request.outputPath = folder.path("all.npy");
  for (const auto& options : emulators()) {
    const Outcome outcome = runLattice(request, options);
    CHECK(outcome.outputRows == 32880);
    const auto rows = npyRows(request.outputPath);
    CHECK(rows.size() == 32880);
    CHECK(VectorSet(rows.begin(), rows.end()).size() == 32880);
  }
}

TEST_CASE("compacted: a device that fails loses and doubles nothing") {
  const Request request = compactedRequest("leech.txt", 32.3);
  const Outcome plain = runLattice(latticeRequest("leech.txt", 32.3));
  for (const std::int64_t launch : {0, 1, 7}) {
    EngineOptions options = emulators().back();
    options.gpuBudget = 0;
    options.emulator.failAtLaunch = launch;
    const Outcome outcome = runLattice(request, options);
    CHECK(outcome.run.complete);
    CHECK(outcome.nodesPerLevel == plain.nodesPerLevel);
    CHECK(outcome.fingerprint == plain.fingerprint);
  }
}
