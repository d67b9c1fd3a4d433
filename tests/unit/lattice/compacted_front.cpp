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

/// Few slices, so that lanes take plain steps; a usual batch; beside CPU workers; short launches.
std::vector<EngineOptions> emulators() {
  std::vector<EngineOptions> all;
  for (const std::uint32_t lanes : {20U, 1024U}) {
    for (const bool withCpu : {false, true}) {
      for (const std::uint64_t budget : {std::uint64_t{0}, std::uint64_t{30}}) {
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
    const std::string file = std::string(id) == "leech32" ? "leech.txt" : std::string(id) + ".txt";
    std::vector<EngineOptions> runs = emulators();
    runs.push_back({.mode = Mode::cpu, .threads = 2});
    const Outcome plain = runLattice(latticeRequest(file, known.spec.squaredRadius));
    for (const auto& options : runs) {
      CAPTURE(std::string(id));
      CAPTURE(options.emulator.lanes);
      const Outcome outcome = runLattice(compactedRequest(file, known.spec.squaredRadius), options);
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
    for (const char* file : {"e8.txt", "leech.txt", "k40.txt"}) {
      if (file[0] == 'k' && test::largest(1, 0) == 0) continue;
      Request request;
      request.basisPath = test::latticePath(file);
      request.algorithm = Algorithm::compacted;
      const std::string known = file[0] == 'e' ? "8" : file[0] == 'l' ? "32" : "517649";
      CHECK(runLattice(request, options).shortestSquaredNorm == known);
    }
  }
}

TEST_CASE("compacted: pruned nodes and solutions are those of the plain step") {
  Request request = latticeRequest("k40.txt", 517649.5);
  for (std::size_t k = 0; k < 40; ++k)
    request.pruning.push_back(k < 10 ? 1.0 : 1.0 - 0.4 * static_cast<double>(k - 10) / 30);
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
    EngineOptions options = emulators()[6];
    options.emulator.failAtLaunch = launch;
    const Outcome outcome = runLattice(request, options);
    CHECK(outcome.run.complete);
    CHECK(outcome.nodesPerLevel == plain.nodesPerLevel);
    CHECK(outcome.fingerprint == plain.fingerprint);
  }
}
