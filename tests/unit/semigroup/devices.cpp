// Explorations on a device of their own, by its stand-in on the host: they move there and back, at any stage,
// and lose nothing when the device fails or is too small.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "slicepool/core/error.hpp"
#include "support/scale.hpp"
#include "support/semigroup/front.hpp"
#include "support/shift_register.hpp"

using namespace slicepool;
using namespace slicepool::test;

namespace {

EngineOptions emulated(std::int64_t failAt, bool withCpuWorkers) {
  EngineOptions options = cpu(2);
  options.mode = Mode::emulated;
  options.emulator.failAtLaunch = failAt;
  options.emulator.withCpuWorkers = withCpuWorkers;
  return options;
}

}  // namespace

TEST_CASE("an exploration moves to a device at any stage and finds the same") {
  for (const char* name : {"bihecke:4", "renner:4", "full:4", "order-preserving:5"}) {
    const Everything expected = explore(named(name), cpu(1));
    for (const std::uint64_t products : {0U, 30U, 150U, 600U}) {
      CAPTURE(name);
      CAPTURE(products);
      CHECK(explore(largeFrom(name, products), emulated(-1, false)) == expected);
    }
  }
}

TEST_CASE("a device may fail at any launch: the host goes on from where it left it, and says so") {
  const Everything expected = explore(named("bihecke:4"), cpu(1));
  const auto step = static_cast<std::int64_t>(1 + 4 / scaled(4));
  for (std::int64_t failAt = 0; failAt < 60; failAt += step) {
    CAPTURE(failAt);
    semigroup::Enumeration enumeration(largeFrom("bihecke:4", 60), emulated(failAt, true));
    enumeration.run();
    CHECK(enumeration.outcome().run.warnings.size() == 1);
    CHECK(everythingOf(enumeration) == expected);
  }
}

TEST_CASE("a stop while the host finds again what a failed device had: the run is unfinished, and goes on") {
  const Everything expected = explore(named("bihecke:4"), cpu(1));
  const auto last = static_cast<std::uint32_t>(expected.stages.size() - 1);
  const auto step = static_cast<std::int64_t>(1 + 2 / scaled(2));
  int stopped = 0;
  bool failed = true;
  for (std::int64_t failAt = 60; failed; failAt += step) {
    CAPTURE(failAt);
    REQUIRE(failAt < 1000);
    auto request = largeFrom("bihecke:4", 60);
    semigroup::Enumeration* running = nullptr;
    bool atEnd = false;
    request.onStage = [&](const semigroup::StageReport& stage) {
      if (atEnd && running != nullptr) std::exchange(running, nullptr)->cancel();
      atEnd = atEnd || stage.stage == last;
    };
    semigroup::Enumeration enumeration(request, emulated(failAt, true));
    running = &enumeration;
    enumeration.run();
    const auto outcome = enumeration.outcome();
    failed = !outcome.run.warnings.empty();
    if (enumeration.finished()) continue;
    ++stopped;
    CHECK_FALSE(outcome.complete);
    CHECK_FALSE(outcome.run.complete);
    // What it says is of the elements that it has.
    CHECK(outcome.size == enumeration.size());
    CHECK(outcome.size < expected.words.size());
    CHECK(outcome.rules == enumeration.rules().size());
    CHECK(std::equal(outcome.stages.begin(), outcome.stages.end(), expected.stages.begin()));
    CHECK(enumeration.word(0) == expected.words[0]);
    CHECK_THROWS_AS((void)enumeration.word(static_cast<semigroup::Element>(outcome.size)), std::out_of_range);
    enumeration.run();
    CHECK(everythingOf(enumeration) == expected);
  }
  CHECK(stopped > 0);
}

TEST_CASE("a step limit while the host finds again what a failed device had") {
  const Everything expected = explore(named("bihecke:4"), cpu(1));
  const auto stepsOf = [&](std::int64_t failAt) {
    semigroup::Enumeration enumeration(largeFrom("bihecke:4", 60), emulated(failAt, true));
    enumeration.run();
    return static_cast<std::uint64_t>(enumeration.outcome().run.steps);
  };
  const std::uint64_t undisturbed = stepsOf(-1);
  const auto step = static_cast<std::int64_t>(1 + 4 / scaled(4));
  int unfinished = 0;
  std::uint64_t all = undisturbed + 1;
  for (std::int64_t failAt = 60; all != undisturbed; failAt += step) {
    REQUIRE(failAt < 1000);
    all = stepsOf(failAt);
    for (const std::uint64_t limit : {undisturbed + 1, (undisturbed + all) / 2}) {
      CAPTURE(failAt);
      CAPTURE(limit);
      auto options = emulated(failAt, true);
      options.stepLimit = limit;
      semigroup::Enumeration enumeration(largeFrom("bihecke:4", 60), options);
      enumeration.run();
      const auto outcome = enumeration.outcome();
      if (enumeration.finished()) {
        CHECK(everythingOf(enumeration) == expected);
        continue;
      }
      ++unfinished;
      CHECK(outcome.size == enumeration.size());
      CHECK(outcome.rules == enumeration.rules().size());
    }
  }
  CHECK(unfinished > 0);
}

TEST_CASE("a device that is too small is left with what it has found, or is an error") {
  const Everything expected = explore(named("bihecke:4"), cpu(1));
  bool left = false;
  for (std::size_t limit = 16U << 10; limit <= 160U << 10; limit += 16U << 10) {
    CAPTURE(limit);
    auto options = emulated(-1, true);
    options.device.memoryLimit = limit;
    semigroup::Enumeration enumeration(largeFrom("bihecke:4", 30), options);
    enumeration.run();
    const bool leftHere = !enumeration.outcome().run.warnings.empty();
    left = left || leftHere;
    CHECK(everythingOf(enumeration) == expected);
    options.emulator.withCpuWorkers = false;
    semigroup::Enumeration alone(largeFrom("bihecke:4", 30), options);
    if (leftHere) {
      CHECK_THROWS_AS(alone.run(), LimitError);
    } else {
      alone.run();
      CHECK(everythingOf(alone) == expected);
    }
  }
  CHECK(left);
}

TEST_CASE("stages on a device can be limited, stopped and gone on with") {
  const Everything expected = explore(named("bihecke:4"), cpu(1));
  auto request = largeFrom("bihecke:4", 30);
  semigroup::Enumeration enumeration(request, emulated(-1, false));
  for (int pauses = 0; !enumeration.finished(); ++pauses) {
    REQUIRE(pauses < 100);
    enumeration.runFor(std::chrono::nanoseconds(1));
  }
  CHECK(everythingOf(enumeration) == expected);
  request.maxStage = 4;
  semigroup::Enumeration limited(request, emulated(-1, false));
  limited.run();
  CHECK(limited.outcome().limited);
  CHECK(limited.outcome().stages ==
        std::vector<std::uint64_t>(expected.stages.begin(), expected.stages.begin() + 5));
  for (semigroup::Element x = 0; x < limited.size(); ++x) CHECK(limited.word(x) == expected.words[x]);
}

TEST_CASE("words composed on a device are the same, in batches of any size, also when it fails") {
  for (const char* name : {"bihecke:3", "full:4", "renner:3"}) {
    const Everything expected = explore(named(name), cpu(1));
    auto request = named(name);
    request.algorithm = semigroup::Algorithm::words;
    for (const std::uint32_t lanes : {1U, 7U, 100U, 100000U}) {
      for (const std::int64_t failAt : {-1, 0, 1, 5}) {
        CAPTURE(name);
        CAPTURE(lanes);
        CAPTURE(failAt);
        auto options = emulated(failAt, true);
        options.emulator.lanes = lanes;
        semigroup::Enumeration enumeration(request, options);
        enumeration.run();
        CHECK(everythingOf(enumeration) == expected);
        CHECK(enumeration.outcome().run.warnings.size() <=
              (failAt < 0 ? 0U : 1U));  // few launches do not fail
      }
    }
  }
}

TEST_CASE("a shift register is known completely, whatever explores it") {
  for (const unsigned bits : {3U, 5U, 9U}) {
    auto request = shiftRegister(bits);
    request.idempotents = true;
    request.smallStage = 20;
    for (const auto& options : {cpu(2), emulated(-1, false)}) {
      CAPTURE(bits);
      semigroup::Enumeration enumeration(request, options);
      enumeration.run();
      const auto outcome = enumeration.outcome();
      CHECK(outcome.size == (std::uint64_t{2} << bits) - 1);
      CHECK(outcome.rules == std::uint64_t{2} << bits);
      CHECK(outcome.idempotents == (std::uint64_t{1} << bits) + 1);
    }
  }
}
