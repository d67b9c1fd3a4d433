// The larger known lattices: node-exact by the fast path of this CPU, and the flood of leech48 through small
// buffers.
#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <string>

#include "slicepool/core/engine.hpp"
#include "slicepool/lattice/problem_factory.hpp"
#include "slicepool/lattice/sinks.hpp"
#include "support/lattice/driver.hpp"
#include "support/lattice/instances.hpp"

using namespace slicepool;
using namespace slicepool::lattice;
using slicepool::test::LatticeDriver;
using slicepool::test::latticeInstance;

namespace {

/// Sums the hashes of what arrives.
class HashingConsumer final : public ResultConsumer {
 public:
  HashingConsumer(std::size_t bytes, int dimension) : bytes_(bytes), dimension_(dimension) {}
  void consume(const std::byte* results, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      sum += vectorHash(reinterpret_cast<const std::int16_t*>(results + i * bytes_ + sizeof(double)),
                        dimension_);
    }
    arrived += count;
  }
  std::uint64_t sum = 0;
  std::uint64_t arrived = 0;

 private:
  std::size_t bytes_;
  int dimension_;
};

}  // namespace

TEST_CASE("f48, gm50, k50 and pruned p60: the known nodes and vectors") {
  for (const std::string id : {"f48", "gm50", "k50", "p60"}) {
    CAPTURE(id);
    const auto instance = latticeInstance(id);
    const auto problem = makeProblem(instance.spec);
    Engine engine(*problem, EngineOptions{});
    engine.run();
    const auto words = engine.report().words;
    const int d = instance.spec.dimension;
    CHECK(std::accumulate(words.begin() + kNodesWord, words.begin() + kNodesWord + d, std::uint64_t{0}) ==
          instance.nodes);
    CHECK(words[kCountWord] == instance.solutions);
  }
}

TEST_CASE("leech48: all 8,484,840 vectors arrive through small buffers, in every mode") {
  auto instance = latticeInstance("leech48");
  instance.spec.collect = true;
  const auto problem = makeProblem(instance.spec);
  for (const Mode mode : {Mode::cpu, Mode::emulated}) {
    EngineOptions options;
    options.mode = mode;
    options.emulator.resultCapacity = 1000;
    HashingConsumer consumer(problem->resultBytes(), instance.spec.dimension);
    Engine engine(*problem, options, &consumer);
    engine.run();
    const auto words = engine.report().words;
    CHECK(consumer.arrived == instance.solutions);
    CHECK(words[kCountWord] == instance.solutions);
    CHECK(consumer.sum == words[fingerprintWord(instance.spec.dimension)]);
    CHECK(engine.report().steps == instance.nodes);
  }
  LatticeDriver driver(*problem, instance.spec.dimension, true, 500);
  driver.runWhole(1'000'000);
  CHECK(driver.refusals > instance.solutions / 1000);
  CHECK(driver.found() == instance.solutions);
  CHECK(driver.nodes() == instance.nodes);
}
