// The lattice search on a GPU against the plain step and against known lattices: nodes of every level,
// vectors and their fingerprint must be the same whatever searches.
#include <doctest/doctest.h>

#include <random>

#include "gpu/batch_runner.hpp"
#include "gpu/lattice/runs.hpp"

using namespace slicepool;
using namespace slicepool::lattice;
using namespace slicepool::test;

TEST_SUITE_BEGIN("gpu-small");

TEST_CASE("lattice on a GPU: small lattices, tiny budgets and full buffers") {
  if (!gpuUsable()) return;
  for (const bool collect : {false, true}) {
    LatticeInstance instance = latticeInstance("e8");
    instance.spec.collect = collect;
    compare(instance.spec, smallRuns());
  }
  std::mt19937_64 random(20261122);
  for (const int dimension : {1, 2, 17, 33, 65, 97, 160}) {
    INFO("seed 20261122");
    ProblemSpec spec = randomLattice(random, dimension, 5000, dimension % 2 == 0);
    spec.collect = dimension % 3 == 0;
    compare(spec, smallRuns());
  }
}

TEST_CASE("lattice on a GPU: coefficients of 16 bits") {
  if (!gpuUsable()) return;
  for (const int dimension : {3, 18, 40, 70, 100}) {
    std::mt19937_64 random(3);
    ProblemSpec spec = randomLattice(random, dimension, 2000, false);
    spec.norms[0] = spec.squaredRadius * 1e-5;
    spec.collect = dimension < 20;
    compare(spec, {optionsOf(Mode::gpu)});
  }
}

TEST_CASE("lattice on a GPU: rounds without an engine") {
  if (!gpuUsable()) return;
  std::mt19937_64 random(11);
  const ProblemSpec spec = randomLattice(random, 30, 50000, false);
  const auto problem = makeProblem(spec);
  const BatchOutcome expected = runOnHost(*problem);
  for (const std::uint32_t lanes : {1024U, 100'000U}) {
    DeviceOptions options;
    options.lanes = lanes;
    const auto device = makeDevice(*problem, options);
    const BatchOutcome outcome = runOnDevice(*device, *problem, {.budget = 64, .fillTarget = 2048});
    CHECK(outcome.steps == expected.steps);
    checkWords(spec, outcome.words, expected.words);
  }
}

TEST_SUITE_END();

TEST_CASE("lattice on a GPU: the vectors of known lattices") {
  if (!gpuUsable()) return;
  for (const char* id : {"bw16", "leech32"}) {
    INFO(id);
    LatticeInstance instance = latticeInstance(id);
    instance.spec.collect = true;
    compare(instance.spec, smallRuns());
  }
}

TEST_CASE("lattice on a GPU: known numbers of nodes") {
  if (!gpuUsable()) return;
  for (const char* id : {"e8", "bw16", "leech32", "leech48", "k40", "k45", "f48", "gm50", "k50", "p60"})
    checkInstance(id, {optionsOf(Mode::gpu), optionsOf(Mode::hybrid)});
}

TEST_CASE("lattice on a GPU: nodes of each level are those of the CPU") {
  if (!gpuUsable()) return;
  for (const char* id : {"k40", "k45"}) {
    INFO(id);
    compare(latticeInstance(id).spec, {optionsOf(Mode::gpu), optionsOf(Mode::hybrid)});
  }
}

TEST_CASE("lattice on a GPU: a shrinking radius ends at the shortest vector") {
  if (!gpuUsable()) return;
  for (const char* id : {"k40", "k45", "leech32"}) {
    INFO(id);
    LatticeInstance instance = latticeInstance(id);
    instance.spec.squaredRadius *= 1.1;
    instance.spec.shrinking = true;
    const auto problem = makeProblem(instance.spec);
    for (const Mode mode : {Mode::gpu, Mode::hybrid}) {
      const auto words = wordsOf(*problem, optionsOf(mode), nullptr);
      CHECK(valueOf(words[minimumWord(instance.spec.dimension)]) ==
            doctest::Approx(static_cast<double>(instance.shortest)).epsilon(1e-9));
    }
  }
}
