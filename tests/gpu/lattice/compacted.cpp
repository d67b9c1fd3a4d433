// The lattice search by the algorithm `compacted` on a GPU against CPU workers and known lattices: nodes of
// every level, vectors and their fingerprint must be the same.
#include <doctest/doctest.h>

#include <vector>

#include "gpu/lattice/runs.hpp"

using namespace slicepool;
using namespace slicepool::lattice;
using namespace slicepool::test;

namespace {

/// Also batches so small that lanes take plain steps.
std::vector<EngineOptions> tinyRuns() {
  std::vector<EngineOptions> runs = smallRuns();
  EngineOptions few = optionsOf(Mode::gpu);
  few.device.lanes = 40;
  few.gpuBudget = 100;
  few.device.resultCapacity = 64;
  runs.push_back(few);
  return runs;
}

}  // namespace

TEST_SUITE_BEGIN("gpu-small");

TEST_CASE("lattice compacted on a GPU: small lattices, tiny budgets and full buffers") {
  if (gpuUsable()) compareSmallLattices(Algorithm::compacted, {1, 2, 3, 4, 17, 33, 65, 97, 160}, tinyRuns());
}

TEST_CASE("lattice compacted on a GPU: coefficients of 16 bits") {
  if (gpuUsable()) compareWideCoefficients(Algorithm::compacted, 200, 1e-6);
}

TEST_CASE("lattice compacted on a GPU: launches without an engine") {
  if (gpuUsable()) compareLaunches(Algorithm::compacted, {64, 1024, 100'000});
}

TEST_CASE("lattice compacted on a GPU: a device takes no shared memory from another") {
  if (gpuUsable()) compareDevicesTogether(Algorithm::compacted);
}

TEST_SUITE_END();

TEST_CASE("lattice compacted on a GPU: the vectors of known lattices") {
  if (gpuUsable()) compareVectors(Algorithm::compacted, tinyRuns());
}

TEST_CASE("lattice compacted on a GPU: known numbers of nodes") {
  if (gpuUsable()) checkKnownNodes(Algorithm::compacted);
}

TEST_CASE("lattice compacted on a GPU: nodes of each level are those of the CPU") {
  if (gpuUsable()) compareLevels(Algorithm::compacted);
}

TEST_CASE("lattice compacted on a GPU: a shrinking radius ends at the shortest vector") {
  if (gpuUsable()) checkShrinkingRadius(Algorithm::compacted);
}
