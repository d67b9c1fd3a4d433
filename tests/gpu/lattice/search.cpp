// The lattice search on a GPU against the plain step and against known lattices: nodes of every level,
// vectors and their fingerprint must be the same whatever searches.
#include <doctest/doctest.h>

#include "gpu/lattice/runs.hpp"

using namespace slicepool;
using namespace slicepool::lattice;
using namespace slicepool::test;

TEST_SUITE_BEGIN("gpu-small");

TEST_CASE("lattice on a GPU: small lattices, tiny budgets and full buffers") {
  if (gpuUsable()) compareSmallLattices(Algorithm::automatic, {1, 2, 17, 33, 65, 97, 160}, smallRuns());
}

TEST_CASE("lattice on a GPU: coefficients of 16 bits") {
  if (gpuUsable()) compareWideCoefficients(Algorithm::automatic, 2000, 1e-5);
}

TEST_CASE("lattice on a GPU: launches without an engine") {
  if (gpuUsable()) compareLaunches(Algorithm::automatic, {1024, 100'000});
}

TEST_CASE("lattice on a GPU: a device takes no shared memory from another") {
  if (gpuUsable()) compareDevicesTogether(Algorithm::automatic);
}

TEST_SUITE_END();

TEST_CASE("lattice on a GPU: the vectors of known lattices") {
  if (gpuUsable()) compareVectors(Algorithm::automatic, smallRuns());
}

TEST_CASE("lattice on a GPU: known numbers of nodes") {
  if (gpuUsable()) checkKnownNodes(Algorithm::automatic);
}

TEST_CASE("lattice on a GPU: nodes of each level are those of the CPU") {
  if (gpuUsable()) compareLevels(Algorithm::automatic);
}

TEST_CASE("lattice on a GPU: a shrinking radius ends at the shortest vector") {
  if (gpuUsable()) checkShrinkingRadius(Algorithm::automatic);
}
