// Semigroups on a GPU: words, graphs, rules and idempotents must be those of a plain search or of the CPU,
// for every kind of keys, wherever the exploration moves to the device, is saved, resumed, or runs out of
// memory.
#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <initializer_list>

#include "runtime/semigroup/generators.hpp"
#include "slicepool/core/error.hpp"
#include "support/gpu.hpp"
#include "support/semigroup/front.hpp"
#include "support/semigroup/oracle.hpp"
#include "support/shift_register.hpp"

using namespace slicepool;
using namespace slicepool::test;
using semigroup::Algorithm;

namespace {

EngineOptions optionsOf(Mode mode) {
  EngineOptions options;
  options.mode = mode;
  options.threads = 2;
  return options;
}

void checkWordsOnTheDevice(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    CAPTURE(name);
    const Everything expected = explore(named(name), cpu(1));
    auto request = named(name);
    request.algorithm = Algorithm::words;
    for (const std::size_t memory :
         {std::size_t{0}, std::size_t{1} << 14}) {  // the second: batches of a few products
      for (const unsigned bits : {64U, 3U}) {
        auto options = optionsOf(Mode::gpu);
        options.device.memoryLimit = memory;
        request.hashBits = bits;
        CHECK(explore(request, options) == expected);
        options.mode = Mode::hybrid;
        CHECK(explore(request, options) == expected);
      }
    }
  }
}

}  // namespace

TEST_SUITE_BEGIN("gpu-small");

TEST_CASE("semigroup gpu: words, graphs, rules and idempotents are those of a plain search") {
  if (!gpuUsable()) return;
  for (const char* name :
       {"bihecke:3", "bihecke:4", "renner:4", "full:4", "symmetric:5", "order-preserving:5", "catalan:6"}) {
    const SemigroupOracle oracle(semigroup::namedGenerators(name).images);
    for (const Mode mode : {Mode::gpu, Mode::hybrid}) {
      for (const std::uint64_t products : {0U, 60U}) {
        for (const Algorithm algorithm : {Algorithm::fingerprint, Algorithm::froidurePin}) {
          CAPTURE(name);
          CAPTURE(products);
          auto request = largeFrom(name, products);
          request.algorithm = algorithm;
          semigroup::Enumeration enumeration(request, optionsOf(mode));
          enumeration.run();
          REQUIRE(enumeration.outcome().complete);
          CHECK(enumeration.outcome().run.warnings.empty());
          const Everything found = everythingOf(enumeration);
          CHECK(found.stages == oracle.stages);
          CHECK(found.words == oracle.words);
          CHECK(found.right == oracle.right);
          CHECK(found.left == oracle.left);
          CHECK(found.rules == oracle.rules);
          CHECK(found.idempotents == oracle.idempotents);
          for (semigroup::Element x = 0; x < found.words.size(); x += 13)
            CHECK(enumeration.find(oracle.elements[x]) == x);
        }
      }
    }
  }
}

TEST_CASE(
    "semigroup gpu: what the CPU finds, with images of one, two and four bytes and with the rules checked") {
  if (!gpuUsable()) return;
  for (const char* name : {"bihecke:5", "renner:6", "full:6"}) {
    CAPTURE(name);
    const Everything expected = explore(named(name), cpu(2));
    CHECK(explore(largeFrom(name, 500), optionsOf(Mode::gpu)) == expected);
    auto request = largeFrom(name, 2000);
    request.check = semigroup::Check::rules;
    CHECK(explore(request, optionsOf(Mode::gpu)) == expected);
    request = largeFrom(name, 500);
    request.hashBits = 6;
    CHECK(explore(request, optionsOf(Mode::gpu)) == expected);
  }
  auto limited = named("bihecke:6");
  limited.maxStage = 9;
  semigroup::Enumeration expected(limited, cpu(2));
  semigroup::Enumeration found(limited, optionsOf(Mode::gpu));
  expected.run();
  found.run();
  CHECK(found.outcome().stages == expected.outcome().stages);
  CHECK(found.outcome().rules == expected.outcome().rules);
  CHECK(found.outcome().idempotents == expected.outcome().idempotents);
  CHECK(found.outcome().base == expected.outcome().base);
  for (semigroup::Element x = 0; x < found.size(); ++x) REQUIRE(found.word(x) == expected.word(x));
  for (const unsigned bits : {10U, 17U}) {
    CAPTURE(bits);
    semigroup::Request request = shiftRegister(bits);
    request.idempotents = true;
    for (const Mode mode : {Mode::gpu, Mode::hybrid}) {
      semigroup::Enumeration enumeration(request, optionsOf(mode));
      enumeration.run();
      const auto outcome = enumeration.outcome();
      CHECK(outcome.size == (std::uint64_t{2} << bits) - 1);
      CHECK(outcome.rules == std::uint64_t{2} << bits);
      CHECK(outcome.idempotents == (std::uint64_t{1} << bits) + 1);
    }
  }
}

TEST_CASE("semigroup gpu: words composed on the device" * doctest::test_suite("gpu-small")) {
  if (gpuUsable()) checkWordsOnTheDevice({"bihecke:2", "full:3"});
}

TEST_CASE("semigroup gpu: a base that does not separate the elements is found out") {
  if (!gpuUsable()) return;
  auto request = largeFrom("bihecke:5", 1000);
  request.base = {0, 119, 37, 82};
  request.fixedBase = true;
  semigroup::Enumeration enumeration(request, optionsOf(Mode::gpu));
  CHECK_THROWS_WITH_AS(enumeration.run(), doctest::Contains("that separate the elements"), ConfigError);
  request.fixedBase = false;
  CHECK(explore(request, optionsOf(Mode::gpu)).words.size() == 31103);
}

TEST_CASE("semigroup gpu: saved and resumed, on the device and off it") {
  if (!gpuUsable()) return;
  const Everything expected = explore(named("bihecke:5"), cpu(2));
  const auto path = (std::filesystem::temp_directory_path() / "slicepool-gpu-semigroup.ckpt").string();
  for (const auto& [first, second] :
       {std::pair{Mode::gpu, Mode::cpu}, {Mode::cpu, Mode::gpu}, {Mode::gpu, Mode::gpu}}) {
    std::filesystem::remove(path);
    auto options = optionsOf(first);
    options.checkpointPath = path;
    auto request = largeFrom("bihecke:5", 500);
    request.maxStage = 9;
    semigroup::Enumeration begun(request, options);
    begun.run();
    CHECK(begun.outcome().limited);
    request.maxStage.reset();
    options.mode = second;
    semigroup::Enumeration resumed(request, options);
    REQUIRE(resumed.resumeIfSaved());
    resumed.run();
    CHECK(everythingOf(resumed) == expected);
  }
}

TEST_CASE("semigroup gpu: a device that is too small is an error, or is left for the CPU") {
  if (!gpuUsable()) return;
  const Everything expected = explore(named("bihecke:5"), cpu(2));
  auto options = optionsOf(Mode::gpu);
  options.device.memoryLimit = std::size_t{1} << 20;
  const auto request = largeFrom("bihecke:5", 100);
  CHECK_THROWS_AS((void)explore(request, options), LimitError);
  options.mode = Mode::hybrid;
  semigroup::Enumeration enumeration(request, options);
  enumeration.run();
  CHECK(everythingOf(enumeration) == expected);
  CHECK(enumeration.outcome().run.warnings.size() == 1);
}

TEST_SUITE_END();

// racecheck takes more than eight minutes for these.
TEST_CASE("semigroup gpu: words composed on the device, larger monoids") {
  if (gpuUsable()) checkWordsOnTheDevice({"bihecke:4", "full:4", "renner:4", "symmetric:5"});
}
