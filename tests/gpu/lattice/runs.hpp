// Runs of the lattice search on a GPU and what they are compared with: the CPU workers, and known lattices.
// Included by the tests of this folder.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
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
#include "support/lattice/instances.hpp"
#include "support/lattice/words.hpp"

namespace slicepool::test {

/// Vectors as sets of bytes, without norms, whose last bits depend on the order of additions.
class Collected final : public ResultConsumer {
 public:
  explicit Collected(int dimension) : bytes_(lattice::shortVectorBytes(dimension)) {}
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

inline EngineOptions optionsOf(Mode mode) {
  EngineOptions options;
  options.mode = mode;
  options.threads = 2;
  return options;
}

inline std::vector<std::uint64_t> wordsOf(const Problem& problem, const EngineOptions& options,
                                          ResultConsumer* consumer) {
  Engine engine(problem, options, consumer);
  engine.run();
  const RunReport report = engine.report();
  CHECK(report.complete);
  CHECK(report.warnings.empty());
  return report.words;
}

/// Few lanes, tiny budgets, tiny buffers: many launches and commits.
inline std::vector<EngineOptions> smallRuns() {
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

inline void compare(const lattice::ProblemSpec& spec, const std::vector<EngineOptions>& runs) {
  INFO("dimension " << spec.dimension);
  const auto problem = lattice::makeProblem(spec);
  Collected expectedVectors(spec.dimension);
  const auto expected = wordsOf(*problem, optionsOf(Mode::cpu), spec.collect ? &expectedVectors : nullptr);
  for (const EngineOptions& run : runs) {
    INFO("mode " << static_cast<int>(run.mode) << ", " << run.device.lanes << " lanes, budget "
                 << run.gpuBudget);
    Collected vectors(spec.dimension);
    checkLatticeWords(spec, wordsOf(*problem, run, spec.collect ? &vectors : nullptr), expected);
    CHECK(vectors.taken == vectors.vectors.size());
    CHECK(vectors.vectors == expectedVectors.vectors);
  }
}

// The cases of both algorithms: search.cpp and compacted.cpp.

inline const std::vector<EngineOptions>& wholeRuns() {
  static const std::vector<EngineOptions> runs{optionsOf(Mode::gpu), optionsOf(Mode::hybrid)};
  return runs;
}

/// Small lattices, tiny budgets and full buffers.
inline void compareSmallLattices(lattice::Algorithm algorithm, const std::vector<int>& dimensions,
                                 const std::vector<EngineOptions>& runs) {
  for (const bool collect : {false, true}) {
    LatticeInstance instance = latticeInstance("e8");
    instance.spec.collect = collect;
    instance.spec.algorithm = algorithm;
    compare(instance.spec, runs);
  }
  std::mt19937_64 random(20261122);
  for (const int dimension : dimensions) {
    INFO("seed 20261122");
    lattice::ProblemSpec spec = randomLattice(random, dimension, 5000, dimension % 2 == 0);
    spec.collect = dimension % 3 == 0;
    spec.algorithm = algorithm;
    compare(spec, runs);
  }
}

/// Coefficients of 16 bits at the last quarter of the levels, and more of them at the last, whose norm is
/// this share of the squared radius.
inline void compareWideCoefficients(lattice::Algorithm algorithm, double nodes, double share) {
  for (const int dimension : {3, 18, 40, 70, 100}) {
    std::mt19937_64 random(3);
    lattice::ProblemSpec spec = randomLattice(random, dimension, nodes, false);
    spec.norms[0] = spec.squaredRadius * share;
    skew(spec, dimension / 4);
    spec.collect = dimension < 20;
    spec.algorithm = algorithm;
    compare(spec, {optionsOf(Mode::gpu)});
  }
}

/// Launches without an engine, on devices of so many lanes.
inline void compareLaunches(lattice::Algorithm algorithm, const std::vector<std::uint32_t>& lanes) {
  std::mt19937_64 random(11);
  lattice::ProblemSpec spec = randomLattice(random, 30, 50000, false);
  spec.algorithm = algorithm;
  const auto problem = lattice::makeProblem(spec);
  const BatchOutcome expected = runOnHost(*problem);
  for (const std::uint32_t count : lanes) {
    DeviceOptions options;
    options.lanes = count;
    const auto device = makeDevice(*problem, options);
    const BatchOutcome outcome = runOnDevice(*device, *problem, {.budget = 64, .fillTarget = 2048});
    CHECK(outcome.steps == expected.steps);
    checkLatticeWords(spec, outcome.words, expected.words);
  }
}

/// Devices for lattices of one capacity, whose searches need different amounts of shared memory, are all made
/// before the first launch.
inline void compareDevicesTogether(lattice::Algorithm algorithm) {
  std::mt19937_64 random(12);
  std::vector<lattice::ProblemSpec> specs;
  std::vector<std::unique_ptr<Problem>> problems;
  std::vector<std::unique_ptr<BatchDevice>> devices;
  for (const int dimension : {64, 34}) {
    specs.push_back(randomLattice(random, dimension, 5000, false));
    specs.back().algorithm = algorithm;
    problems.push_back(lattice::makeProblem(specs.back()));
    DeviceOptions options;
    options.lanes = 1024;
    devices.push_back(makeDevice(*problems.back(), options));
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    INFO("dimension " << specs[i].dimension);
    const BatchOutcome expected = runOnHost(*problems[i]);
    const BatchOutcome outcome = runOnDevice(*devices[i], *problems[i], {.budget = 64, .fillTarget = 1024});
    CHECK(outcome.steps == expected.steps);
    checkLatticeWords(specs[i], outcome.words, expected.words);
  }
}

/// The vectors of known lattices.
inline void compareVectors(lattice::Algorithm algorithm, const std::vector<EngineOptions>& runs) {
  for (const char* id : {"bw16", "leech32"}) {
    INFO(id);
    LatticeInstance instance = latticeInstance(id);
    instance.spec.collect = true;
    instance.spec.algorithm = algorithm;
    compare(instance.spec, runs);
  }
}

/// Known numbers of nodes.
inline void checkKnownNodes(lattice::Algorithm algorithm) {
  for (const char* id : {"e8", "bw16", "leech32", "leech48", "k40", "k45", "f48", "gm50", "k50", "p60"}) {
    INFO(id);
    LatticeInstance instance = latticeInstance(id);
    instance.spec.algorithm = algorithm;
    const auto problem = lattice::makeProblem(instance.spec);
    for (const EngineOptions& run : wholeRuns()) {
      INFO("mode " << static_cast<int>(run.mode));
      const auto words = wordsOf(*problem, run, nullptr);
      const auto nodes = words.begin() + lattice::kNodesWord;
      CHECK(std::accumulate(nodes, nodes + instance.spec.dimension, std::uint64_t{0}) == instance.nodes);
      CHECK(words[lattice::kCountWord] == instance.solutions);
      checkShortest(instance, words);
    }
  }
}

/// Nodes of each level are those of the CPU.
inline void compareLevels(lattice::Algorithm algorithm) {
  for (const char* id : {"k40", "k45"}) {
    INFO(id);
    lattice::ProblemSpec spec = latticeInstance(id).spec;
    spec.algorithm = algorithm;
    compare(spec, wholeRuns());
  }
}

/// A shrinking radius ends at the shortest vector.
inline void checkShrinkingRadius(lattice::Algorithm algorithm) {
  for (const char* id : {"k40", "k45", "leech32"}) {
    INFO(id);
    LatticeInstance instance = shrinkingInstance(id, 1.1);
    instance.spec.algorithm = algorithm;
    const auto problem = lattice::makeProblem(instance.spec);
    for (const EngineOptions& run : wholeRuns()) checkShortest(instance, wordsOf(*problem, run, nullptr));
  }
}

}  // namespace slicepool::test
