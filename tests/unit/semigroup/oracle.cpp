// The elements, graphs and rules themselves, against a plain search that has nothing in common with the code:
// all algorithms, modes, numbers of threads, degraded hashes, failing devices.
#include <doctest/doctest.h>

#include "runtime/semigroup/generators.hpp"
#include "support/semigroup/front.hpp"
#include "support/semigroup/oracle.hpp"
#include "support/thread_counts.hpp"

using namespace slicepool;
using namespace slicepool::test;
using semigroup::Algorithm;

namespace {

void checkAgainst(const SemigroupOracle& oracle, const semigroup::Request& request,
                  const EngineOptions& options) {
  semigroup::Enumeration enumeration(request, options);
  enumeration.run();
  REQUIRE(enumeration.outcome().complete);
  const Everything found = everythingOf(enumeration);
  CHECK(found.stages == oracle.stages);
  CHECK(found.words == oracle.words);
  CHECK(found.right == oracle.right);
  CHECK(found.left == oracle.left);
  CHECK(found.rules == oracle.rules);
  CHECK(found.idempotents == oracle.idempotents);
  for (semigroup::Element x = 0; x < found.words.size(); x += 7) {
    CHECK(enumeration.element(x) == oracle.elements[x]);
    CHECK(enumeration.find(oracle.elements[x]) == x);
  }
}

SemigroupOracle oracleOf(const std::string& name) {
  return SemigroupOracle(semigroup::namedGenerators(name).images);
}

}  // namespace

TEST_CASE("words, graphs, rules and idempotents are those of a plain search, with every algorithm") {
  for (const char* name : {"bihecke:2", "bihecke:3", "bihecke:4", "renner:1", "renner:2", "renner:4",
                           "full:1", "full:2", "full:4", "symmetric:5", "order-preserving:5", "catalan:6"}) {
    CAPTURE(name);
    const SemigroupOracle oracle = oracleOf(name);
    for (const Algorithm algorithm : {Algorithm::fingerprint, Algorithm::froidurePin, Algorithm::words}) {
      auto request = named(name);
      request.algorithm = algorithm;
      checkAgainst(oracle, request, cpu(1));
    }
    auto request = named(name);
    request.check = semigroup::Check::rules;
    checkAgainst(oracle, request, cpu(1));
  }
}

TEST_CASE("every number of threads finds the same, with every large stage in parallel") {
  for (const char* name : {"bihecke:4", "full:4"}) {
    const SemigroupOracle oracle = oracleOf(name);
    for (const int threads : threadCounts()) {
      CAPTURE(name);
      CAPTURE(threads);
      auto request = named(name);
      request.smallStage = 100;
      checkAgainst(oracle, request, cpu(threads));
      if (threads != 2) continue;
      request.algorithm = Algorithm::words;
      checkAgainst(oracle, request, cpu(threads));
    }
  }
}

TEST_CASE("emulated devices find the same, also one that fails on the way") {
  for (const char* name : {"bihecke:4", "full:4"}) {
    const SemigroupOracle oracle = oracleOf(name);
    for (const std::int64_t failAt : {-1, 1}) {
      CAPTURE(name);
      CAPTURE(failAt);
      EngineOptions options = cpu(2);
      options.mode = Mode::emulated;
      options.emulator.lanes = 16;
      options.emulator.failAtLaunch = failAt;
      auto request = named(name);
      request.smallStage = 100;
      checkAgainst(oracle, request, options);
      options.emulator.withCpuWorkers = false;
      checkAgainst(oracle, request, options);
    }
  }
}

TEST_CASE("a hash of one bit gives the same answers, slower") {
  for (const char* name : {"bihecke:4", "full:4", "renner:4"}) {
    const SemigroupOracle oracle = oracleOf(name);
    for (const Algorithm algorithm : {Algorithm::fingerprint, Algorithm::froidurePin, Algorithm::words}) {
      CAPTURE(name);
      auto request = named(name);
      request.algorithm = algorithm;
      request.hashBits = 1;
      request.smallStage = 500;
      checkAgainst(oracle, request, cpu(2));
    }
  }
}
