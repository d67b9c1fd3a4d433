// The lattice search against known counts (tests/data/lattices/expected.json) and against the plain oracle:
// nodes of every level, sets of vectors, pruning, roots. Problems are driven directly, without an engine.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "cpu_workers/lattice/search_turn.hpp"
#include "cpu_workers/lattice/walk.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/lattice/problem_factory.hpp"
#include "slicepool/lattice/sinks.hpp"
#include "support/lattice/driver.hpp"
#include "support/lattice/instances.hpp"
#include "support/lattice/oracle.hpp"
#include "support/scale.hpp"

using namespace slicepool;
using namespace slicepool::lattice;
using slicepool::test::LatticeDriver;
using slicepool::test::latticeInstance;
using slicepool::test::LatticeOracle;

namespace {

/// The words of a whole run by the plain step (null) or by these kernels.
std::vector<std::uint64_t> wordsOf(const ProblemSpec& spec, const LatticeKernels* kernels = nullptr) {
  const auto problem = makeProblem(spec);
  if (kernels != nullptr) dynamic_cast<FastProblem&>(*problem).setKernels(*kernels);
  LatticeDriver driver(*problem, spec.dimension, kernels != nullptr);
  driver.runWhole();
  CHECK(driver.steps == driver.nodes());
  return driver.words();
}

std::vector<const LatticeKernels*> allKernels() {
  std::vector<const LatticeKernels*> all;
  for (const char* name : {"portable", "avx2", "avx512"})
    if (const LatticeKernels* found = latticeKernelsNamed(name)) all.push_back(found);
  return all;
}

std::uint64_t nodesOf(const std::vector<std::uint64_t>& words, const ProblemSpec& spec) {
  return std::accumulate(words.begin() + kNodesWord, words.begin() + kNodesWord + spec.dimension,
                         std::uint64_t{0});
}

/// What the words must be for these nodes and vectors, but for the least norm.
void checkWords(const std::vector<std::uint64_t>& words, const LatticeOracle& oracle, int dimension) {
  CHECK(words[kCountWord] == oracle.vectors.size());
  CHECK(std::equal(oracle.nodes.begin(), oracle.nodes.end(), words.begin() + kNodesWord));
  std::uint64_t sum = 0;
  std::uint64_t exclusiveOr = 0;
  for (const auto& vector : oracle.vectors) {
    const std::vector<std::int16_t> coefficients(vector.begin(), vector.end());
    const std::uint64_t hash = vectorHash(coefficients.data(), dimension);
    sum += hash;
    exclusiveOr ^= hash;
  }
  CHECK(words[fingerprintWord(dimension)] == sum);
  CHECK(words[fingerprintWord(dimension) + 1] == exclusiveOr);
}

}  // namespace

TEST_CASE("nodes, vectors and the shortest norm are the known ones, by the plain step and every fast path") {
  for (const std::string id : {"e8", "bw16", "leech32", "k40", "k45"}) {
    if (id == "k45" && !test::runsAll()) break;
    CAPTURE(id);
    const auto instance = latticeInstance(id);
    const auto plain = wordsOf(instance.spec);
    CHECK(nodesOf(plain, instance.spec) == instance.nodes);
    CHECK(plain[kCountWord] == instance.solutions);
    const double least = valueOf(plain[minimumWord(instance.spec.dimension)]);
    CHECK(least == doctest::Approx(static_cast<double>(instance.shortest)).epsilon(1e-9));
    for (const LatticeKernels* kernels : allKernels()) {
      CAPTURE(kernels->name);
      auto fast = wordsOf(instance.spec, kernels);
      const double fastLeast = valueOf(fast[minimumWord(instance.spec.dimension)]);
      CHECK(fastLeast == doctest::Approx(least).epsilon(1e-12));
      // Rounding may differ, and the least norm with it.
      fast[minimumWord(instance.spec.dimension)] = plain[minimumWord(instance.spec.dimension)];
      CHECK(fast == plain);
    }
  }
}

TEST_CASE("nodes of every level and the set of vectors are the oracle's") {
  for (const std::string id : {"e8", "bw16", "leech32"}) {
    CAPTURE(id);
    const auto instance = latticeInstance(id);
    const LatticeOracle oracle(instance.spec);
    CHECK(oracle.vectors.size() == instance.solutions);
    checkWords(wordsOf(instance.spec), oracle, instance.spec.dimension);
  }
}

TEST_CASE("random lattices of every capacity, pruned and not: the oracle's nodes and vectors") {
  for (const int dimension : {1, 2, 3, 7, 16, 17, 33, 40, 65, 97, 160}) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      CAPTURE(dimension);
      CAPTURE(seed);
      std::mt19937_64 random(seed);
      const auto spec = test::randomLattice(random, dimension, 20000, seed % 2 != 0);
      const LatticeOracle oracle(spec);
      const auto plain = wordsOf(spec);
      checkWords(plain, oracle, dimension);
      for (const LatticeKernels* kernels : allKernels()) {
        CAPTURE(kernels->name);
        checkWords(wordsOf(spec, kernels), oracle, dimension);
      }
    }
  }
}

TEST_CASE("collected vectors are the oracle's, each once, with their norms") {
  for (const std::string id : {"e8", "bw16"}) {
    auto instance = latticeInstance(id);
    instance.spec.collect = true;
    const auto problem = makeProblem(instance.spec);
    CHECK(problem->resultBytes() == shortVectorBytes(instance.spec.dimension));
    const LatticeOracle oracle(instance.spec);
    for (const bool fast : {false, true}) {
      LatticeDriver driver(*problem, instance.spec.dimension, fast, 7);
      driver.runWhole();
      CHECK(driver.refusals > 0);
      CHECK(driver.vectorSet() == oracle.vectors);
      checkWords(driver.words(), oracle, instance.spec.dimension);
      CHECK(driver.nodes() == instance.nodes);
    }
  }
}

TEST_CASE("the nodes of one level as roots are the tree below that level") {
  for (const std::string id : {"bw16", "k40"}) {
    CAPTURE(id);
    const auto instance = latticeInstance(id);
    const int d = instance.spec.dimension;
    const auto whole = wordsOf(instance.spec);
    const int level = d - 6;
    // The oracle's nodes at this level are the vectors of the projected lattice, and zero.
    ProblemSpec projected;
    projected.dimension = d - level;
    const auto n = static_cast<std::size_t>(d - level);
    const auto from = static_cast<std::size_t>(level);
    projected.norms.assign(instance.spec.norms.begin() + level, instance.spec.norms.end());
    projected.mu.assign(n * n, 0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j)
        projected.mu[i * n + j] = instance.spec.mu[(from + i) * static_cast<std::size_t>(d) + from + j];
    projected.squaredRadius = instance.spec.squaredRadius;
    const LatticeOracle top(projected);
    ProblemSpec below = instance.spec;
    below.roots.push_back({level, std::vector<std::int16_t>(n, 0)});
    for (const auto& vector : top.vectors) below.roots.push_back({level, {vector.begin(), vector.end()}});
    for (const LatticeKernels* kernels : {static_cast<const LatticeKernels*>(nullptr), &latticeKernels()}) {
      auto words = wordsOf(below, kernels);
      for (std::size_t k = 1; k < n; ++k) words[kNodesWord + from + k] += top.nodes[k];
      words[minimumWord(d)] = whole[minimumWord(d)];
      CHECK(words == whole);
    }
  }
}

TEST_CASE("expected nodes are within a percent for random lattices, and near for pruned ones") {
  for (const std::string id : {"k40", "k45"}) {
    const auto instance = latticeInstance(id);
    const double total = makeProblem(instance.spec)->totalSteps().value();
    CHECK(total == doctest::Approx(static_cast<double>(instance.nodes)).epsilon(0.01));
  }
  const auto pruned = latticeInstance("p60");
  CHECK(makeProblem(pruned.spec)->totalSteps().value() ==
        doctest::Approx(static_cast<double>(pruned.nodes)).epsilon(0.2));
  auto shrinking = latticeInstance("k40");
  shrinking.spec.shrinking = true;
  CHECK_FALSE(makeProblem(shrinking.spec)->totalSteps());
  CHECK(makeProblem(shrinking.spec)->expectedSteps().value() > 0);
}

TEST_CASE("a radius that no vector has: the nodes of the zero path, and no vector") {
  auto spec = latticeInstance("e8").spec;
  spec.squaredRadius = 1e-3;
  for (const LatticeKernels* kernels : {static_cast<const LatticeKernels*>(nullptr), &latticeKernels()}) {
    const auto words = wordsOf(spec, kernels);
    CHECK(words[kCountWord] == 0);
    CHECK(nodesOf(words, spec) == 8);
  }
}

TEST_CASE("specifications that are not possible are refused by the name of the field") {
  const auto good = latticeInstance("e8").spec;
  const auto refuses = [&good](auto change, const char* text) {
    ProblemSpec spec = good;
    change(spec);
    CHECK_THROWS_WITH_AS((void)makeProblem(spec), doctest::Contains(text), ConfigError);
  };
  refuses([](ProblemSpec& spec) { spec.dimension = 0; }, "dimension: got 0");
  refuses([](ProblemSpec& spec) { spec.dimension = 161; }, "1 to 160");
  refuses([](ProblemSpec& spec) { spec.mu.pop_back(); }, "mu: got 63");
  refuses([](ProblemSpec& spec) { spec.mu[8] = std::nan(""); }, "mu[1][0]");
  refuses([](ProblemSpec& spec) { spec.norms.pop_back(); }, "norms: got 7");
  refuses([](ProblemSpec& spec) { spec.norms[3] = 0; }, "norms[3]: got 0");
  refuses([](ProblemSpec& spec) { spec.squaredRadius = -1; }, "squaredRadius: got -1");
  refuses([](ProblemSpec& spec) { spec.pruning = {1, 1}; }, "pruning: got 2 factors");
  refuses([](ProblemSpec& spec) { spec.pruning = {1, 1, 1, 0.5, 0.6, 0.5, 0.5, 0.5}; }, "pruning[4]");
  refuses([](ProblemSpec& spec) { spec.pruning.assign(8, 1.5); }, "pruning[0]");
  refuses([](ProblemSpec& spec) { spec.roots = {{8, {}}}; }, "roots[0].level: got 8");
  refuses([](ProblemSpec& spec) { spec.roots = {{6, {1}}}; }, "roots[0].coefficients: got 1 numbers");
  refuses([](ProblemSpec& spec) { spec.roots = {{6, {1, -1}}}; }, "roots[0].coefficients: got -1");
  ProblemSpec wide = good;
  wide.squaredRadius = 1e12;
  CHECK_THROWS_WITH_AS((void)makeProblem(wide),
                       doctest::Contains("squared_radius: at 1000000000000 the coefficient of basis vector"),
                       LimitError);
}
