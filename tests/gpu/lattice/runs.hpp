// Runs of the lattice search on a GPU and what they are compared with: the CPU workers, and known lattices.
// Included by the tests of this folder.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/lattice/problem_factory.hpp"
#include "slicepool/lattice/sinks.hpp"
#include "support/gpu.hpp"
#include "support/lattice/instances.hpp"

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

/// The least norm is compared for itself: its last bits depend on the order of additions.
inline void checkWords(const lattice::ProblemSpec& spec, std::vector<std::uint64_t> words,
                       std::vector<std::uint64_t> expected) {
  const std::size_t least = lattice::minimumWord(spec.dimension);
  if (expected[lattice::kCountWord] != 0)
    CHECK(lattice::valueOf(words[least]) ==
          doctest::Approx(lattice::valueOf(expected[least])).epsilon(1e-12));
  words[least] = expected[least] = 0;
  CHECK(words == expected);
}

/// Few lanes, tiny budgets, tiny buffers: many rounds and commits.
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
    checkWords(spec, wordsOf(*problem, run, spec.collect ? &vectors : nullptr), expected);
    CHECK(vectors.taken == vectors.vectors.size());
    CHECK(vectors.vectors == expectedVectors.vectors);
  }
}

inline void checkInstance(const std::string& id, const std::vector<EngineOptions>& runs,
                          lattice::Algorithm algorithm = lattice::Algorithm::automatic) {
  INFO(id);
  LatticeInstance instance = latticeInstance(id);
  instance.spec.algorithm = algorithm;
  const auto problem = lattice::makeProblem(instance.spec);
  for (const EngineOptions& run : runs) {
    INFO("mode " << static_cast<int>(run.mode));
    const auto words = wordsOf(*problem, run, nullptr);
    const auto nodes = words.begin() + lattice::kNodesWord;
    CHECK(std::accumulate(nodes, nodes + instance.spec.dimension, std::uint64_t{0}) == instance.nodes);
    CHECK(words[lattice::kCountWord] == instance.solutions);
    CHECK(lattice::valueOf(words[lattice::minimumWord(instance.spec.dimension)]) ==
          doctest::Approx(static_cast<double>(instance.shortest)).epsilon(1e-9));
  }
}

}  // namespace slicepool::test
