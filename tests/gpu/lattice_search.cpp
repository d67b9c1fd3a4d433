// The lattice search on a GPU against the plain step and against known lattices: nodes of every level,
// vectors and their fingerprint must be the same whatever searches.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "gpu/batch_runner.hpp"
#include "slicepool/core/engine.hpp"
#include "slicepool/lattice/problem_factory.hpp"
#include "slicepool/lattice/sinks.hpp"
#include "support/gpu.hpp"
#include "support/lattice_instances.hpp"

using namespace slicepool;
using namespace slicepool::lattice;
using namespace slicepool::test;

namespace {

/// Vectors as sets of bytes, without norms, whose last bits depend on the order of additions.
class Collected final : public ResultConsumer {
 public:
  explicit Collected(int dimension) : bytes_(shortVectorBytes(dimension)) {}
  void consume(const std::byte* results, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      const auto* const at = reinterpret_cast<const char*>(results) + i * bytes_;
      vectors.emplace(at + sizeof(double), bytes_ - sizeof(double));
    }
    taken += count;
  }
  std::set<std::string> vectors;
  std::size_t taken = 0;

 private:
  std::size_t bytes_;
};

EngineOptions optionsOf(Mode mode) {
  EngineOptions options;
  options.mode = mode;
  options.threads = 2;
  return options;
}

std::vector<std::uint64_t> wordsOf(const Problem& problem, const EngineOptions& options,
                                   ResultConsumer* consumer) {
  Engine engine(problem, options, consumer);
  engine.run();
  const RunReport report = engine.report();
  CHECK(report.complete);
  CHECK(report.warnings.empty());
  return report.words;
}

/// The least norm is compared for itself: its last bits depend on the order of additions.
void checkWords(const ProblemSpec& spec, std::vector<std::uint64_t> words,
                std::vector<std::uint64_t> expected) {
  const std::size_t least = minimumWord(spec.dimension);
  if (expected[kCountWord] != 0)
    CHECK(valueOf(words[least]) == doctest::Approx(valueOf(expected[least])).epsilon(1e-12));
  words[least] = expected[least] = 0;
  CHECK(words == expected);
}

/// Few lanes, tiny budgets, tiny buffers: many rounds and commits.
std::vector<EngineOptions> smallRuns() {
  std::vector<EngineOptions> runs{optionsOf(Mode::gpu), optionsOf(Mode::hybrid)};
  for (const std::uint64_t budget : {std::uint64_t{1}, std::uint64_t{300}}) {
    EngineOptions run = optionsOf(Mode::gpu);
    run.device.lanes = 2048;
    run.gpuBudget = budget;
    runs.push_back(run);
  }
  EngineOptions full = optionsOf(Mode::hybrid);
  full.device.resultCapacity = 100;
  runs.push_back(full);
  return runs;
}

void compare(const ProblemSpec& spec, const std::vector<EngineOptions>& runs) {
  INFO("dimension " << spec.dimension);
  const auto problem = makeProblem(spec);
  Collected expectedVectors(spec.dimension);
  const auto expected = wordsOf(*problem, optionsOf(Mode::cpu), spec.collect ? &expectedVectors : nullptr);
  for (const EngineOptions& run : runs) {
    INFO("mode " << static_cast<int>(run.mode) << ", " << run.device.lanes << " lanes, budget "
                 << run.gpuBudget);
    Collected vectors(spec.dimension);
    checkWords(spec, wordsOf(*problem, run, spec.collect ? &vectors : nullptr), expected);
    CHECK(vectors.taken == vectors.vectors.size());
    CHECK(vectors.vectors == expectedVectors.vectors);
  }
}

void checkInstance(const std::string& id, const std::vector<EngineOptions>& runs) {
  INFO(id);
  const LatticeInstance instance = latticeInstance(id);
  const auto problem = makeProblem(instance.spec);
  for (const EngineOptions& run : runs) {
    INFO("mode " << static_cast<int>(run.mode));
    const auto words = wordsOf(*problem, run, nullptr);
    const auto nodes = words.begin() + kNodesWord;
    CHECK(std::accumulate(nodes, nodes + instance.spec.dimension, std::uint64_t{0}) == instance.nodes);
    CHECK(words[kCountWord] == instance.solutions);
    CHECK(valueOf(words[minimumWord(instance.spec.dimension)]) ==
          doctest::Approx(static_cast<double>(instance.shortest)).epsilon(1e-9));
  }
}

}  // namespace

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
