// The lattice search in the engine: modes, threads, a shrinking radius, small buffers, checkpoints.
#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/lattice/problem_factory.hpp"
#include "slicepool/lattice/sinks.hpp"
#include "support/collector.hpp"
#include "support/lattice/instances.hpp"
#include "support/scale.hpp"
#include "support/temporary_folder.hpp"
#include "support/thread_counts.hpp"

using namespace slicepool;
using namespace slicepool::lattice;
using slicepool::test::latticeInstance;

namespace {

EngineOptions optionsOf(Mode mode, int threads) {
  EngineOptions options;
  options.mode = mode;
  options.threads = threads;
  options.emulator.lanes = 64;
  return options;
}

RunReport run(const Problem& problem, const EngineOptions& options, ResultConsumer* consumer = nullptr) {
  Engine engine(problem, options, consumer);
  engine.run();
  return engine.report();
}

void checkKnown(const test::LatticeInstance& instance, const RunReport& report) {
  const auto& words = report.words;
  const int d = instance.spec.dimension;
  CHECK(report.complete);
  CHECK(words[kCountWord] == instance.solutions);
  CHECK(std::accumulate(words.begin() + kNodesWord, words.begin() + kNodesWord + d, std::uint64_t{0}) ==
        instance.nodes);
  CHECK(report.steps == instance.nodes);
  CHECK(valueOf(words[minimumWord(d)]) ==
        doctest::Approx(static_cast<double>(instance.shortest)).epsilon(1e-9));
}

/// Takes vectors of any dimension and keeps none.
class Unread final : public ResultConsumer {
 public:
  void consume(const std::byte*, std::size_t) override {}
  [[nodiscard]] std::vector<std::byte> save() const override { return {}; }
  void restore(const std::vector<std::byte>&) override {}
};

}  // namespace

TEST_CASE("every number of CPU threads gives the known counts, and the same fingerprint") {
  for (const std::string id : {"bw16", "leech32", "k45"}) {
    CAPTURE(id);
    const auto instance = latticeInstance(id);
    if (instance.spec.dimension > test::largest(45, 24)) continue;
    const auto problem = makeProblem(instance.spec);
    std::vector<std::uint64_t> before;
    for (const int threads : test::threadCounts()) {
      CAPTURE(threads);
      const RunReport report = run(*problem, optionsOf(Mode::cpu, threads));
      checkKnown(instance, report);
      const auto at = static_cast<std::ptrdiff_t>(fingerprintWord(instance.spec.dimension));
      const std::vector<std::uint64_t> fingerprint(report.words.begin() + at, report.words.end());
      if (!before.empty()) CHECK(fingerprint == before);
      before = fingerprint;
    }
  }
}

TEST_CASE("the emulated device, alone and with CPU workers, gives the known counts") {
  for (const std::string id : {"e8", "bw16", "k40"}) {
    for (const bool withCpu : {false, true}) {
      CAPTURE(id);
      CAPTURE(withCpu);
      const auto instance = latticeInstance(id);
      EngineOptions options = optionsOf(Mode::emulated, 2);
      options.emulator.withCpuWorkers = withCpu;
      checkKnown(instance, run(*makeProblem(instance.spec), options));
    }
  }
}

TEST_CASE("pruned: the same in one thread, in several and on the emulated device") {
  auto instance = latticeInstance("k45");
  for (int k = 0; k < instance.spec.dimension; ++k)
    instance.spec.pruning.push_back(1 - 0.6 * k / instance.spec.dimension);
  const auto problem = makeProblem(instance.spec);
  const auto one = run(*problem, optionsOf(Mode::cpu, 1)).words;
  CHECK(run(*problem, optionsOf(Mode::cpu, 3)).words == one);
  auto emulated = run(*problem, optionsOf(Mode::emulated, 2)).words;
  const std::size_t least = minimumWord(instance.spec.dimension);
  emulated[least] = one[least];  // may be rounded differently
  CHECK(emulated == one);
}

TEST_CASE("a shrinking radius ends at the shortest norm and visits fewer nodes, wherever it starts") {
  for (const std::string id : {"e8", "leech32", "k40"}) {
    auto instance = latticeInstance(id);
    const int d = instance.spec.dimension;
    instance.spec.shrinking = true;
    for (const double factor : {1.0, 1.1}) {
      ProblemSpec spec = instance.spec;
      spec.squaredRadius *= factor;
      spec.collect = true;
      const auto problem = makeProblem(spec);
      ProblemSpec fixed = spec;
      fixed.shrinking = false;
      fixed.collect = false;
      const std::uint64_t most = run(*makeProblem(fixed), optionsOf(Mode::cpu, 2)).steps;
      for (const Mode mode : {Mode::cpu, Mode::emulated}) {
        CAPTURE(id);
        CAPTURE(factor);
        Unread unread;
        const RunReport report = run(*problem, optionsOf(mode, 2), &unread);
        CHECK(report.complete);
        CHECK(valueOf(report.words[minimumWord(d)]) ==
              doctest::Approx(static_cast<double>(instance.shortest)).epsilon(1e-9));
        CHECK(report.words[kCountWord] >= 1);
        CHECK(report.steps <= most);
      }
    }
  }
}

TEST_CASE("a small result buffer of the device loses no vector") {
  auto instance = latticeInstance("bw16");
  instance.spec.collect = true;
  EngineOptions options = optionsOf(Mode::emulated, 2);
  options.emulator.resultCapacity = 100;
  test::Collector<ShortVector<16>> vectors;
  checkKnown(instance, run(*makeProblem(instance.spec), options, &vectors));
  CHECK(vectors.results.size() == instance.solutions);
  std::uint64_t sum = 0;
  for (const auto& vector : vectors.results) sum += vectorHash(vector.coefficients, 16);
  CHECK(sum == run(*makeProblem(instance.spec), optionsOf(Mode::cpu, 1), &vectors)
                   .words[fingerprintWord(instance.spec.dimension)]);
}

TEST_CASE("a checkpoint in the middle and a resume give the known counts") {
  const auto instance = latticeInstance("k45");
  const auto problem = makeProblem(instance.spec);
  const test::TemporaryFolder folder;
  const std::string path = folder.path("lattice.checkpoint");
  EngineOptions options = optionsOf(Mode::cpu, 2);
  options.cpuBudget = 50000;
  options.stepLimit = instance.nodes / 3;
  {
    Engine engine(*problem, options);
    engine.run();
    CHECK(!engine.finished());
    engine.saveCheckpoint(path);
  }
  for (const Mode mode : {Mode::cpu, Mode::emulated}) {
    Engine engine(*problem, optionsOf(mode, 2));
    engine.loadCheckpoint(path);
    engine.run();
    const RunReport report = engine.report();
    const auto& words = report.words;
    CHECK(words[kCountWord] == instance.solutions);
    CHECK(std::accumulate(words.begin() + kNodesWord, words.begin() + kNodesWord + 45, std::uint64_t{0}) ==
          instance.nodes);
  }
}
