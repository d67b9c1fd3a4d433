// Checkpoints of semigroups: stages are appended as they are finished, and made again from one bit for each
// product; runs that are stopped again and again come to an end.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "slicepool/core/error.hpp"
#include "support/scale.hpp"
#include "support/semigroup/front.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

using namespace slicepool;
using namespace slicepool::test;
using semigroup::Algorithm;

namespace {

constexpr std::size_t kSlotsEnd = 72;  // of a record log: what every commit changes

EngineOptions saving(EngineOptions options, const std::string& path) {
  options.checkpointPath = path;
  return options;
}

EngineOptions emulated(std::int64_t failAt = -1) {
  EngineOptions options = cpu(2);
  options.mode = Mode::emulated;
  options.emulator.failAtLaunch = failAt;
  return options;
}

/// Runs until `stage`, and leaves a checkpoint.
void stopAfter(semigroup::Request request, std::uint32_t stage, const EngineOptions& options) {
  request.maxStage = stage;
  semigroup::Enumeration enumeration(std::move(request), options);
  (void)enumeration.resumeIfSaved();
  enumeration.run();
}

}  // namespace

TEST_CASE("a run that is stopped at any stage, in any mode, is finished by any other") {
  TemporaryFolder folder;
  const std::string path = folder.path("c");
  for (const Algorithm algorithm : {Algorithm::fingerprint, Algorithm::froidurePin, Algorithm::words}) {
    auto request = largeFrom("bihecke:4", 60);
    request.algorithm = algorithm;
    const Everything whole = explore(request, cpu(1));
    for (std::uint32_t stage = 0; stage < 9; stage += scaled(2) == 2 ? 1 : 4) {
      for (const std::uint32_t way : {0U, 1U, 2U, 3U}) {
        if (algorithm != Algorithm::fingerprint && way != stage % 4) continue;
        CAPTURE(stage);
        CAPTURE(way);
        stopAfter(request, stage, saving((way & 1) != 0 ? emulated() : cpu(2), path));
        semigroup::Enumeration resumed(request, saving((way & 2) != 0 ? emulated() : cpu(2), path));
        REQUIRE(resumed.resumeIfSaved());
        resumed.run();
        CHECK(everythingOf(resumed) == whole);
        CHECK(resumed.find(resumed.element(100)) == 100);
        CHECK_FALSE(std::filesystem::exists(path));
      }
    }
  }
}

TEST_CASE("a base that has grown, large stages and n beyond 256 are made again") {
  TemporaryFolder folder;
  const std::string path = folder.path("c");
  for (const char* name : {"bihecke:5", "renner:5", "full:5", "symmetric:6", "catalan:8"}) {
    auto request = largeFrom(name, 500);
    const Everything whole = explore(request, cpu(1));
    for (const std::uint32_t stage : {3U, 9U, 15U}) {
      CAPTURE(name);
      CAPTURE(stage);
      stopAfter(request, stage, saving(cpu(2), path));
      semigroup::Enumeration resumed(request, saving(cpu(2), path));
      (void)resumed.resumeIfSaved();
      resumed.run();
      CHECK(everythingOf(resumed) == whole);
    }
  }
}

TEST_CASE("a checkpoint only grows, by the stages that are new") {
  TemporaryFolder folder;
  const std::string path = folder.path("c");
  std::string before;
  for (std::uint32_t stage = 3; stage < 16; ++stage) {
    stopAfter(named("full:5"), stage, saving(cpu(1), path));
    const std::string now = contentOf(path);
    if (!before.empty()) {
      CHECK(now.size() > before.size());
      CHECK(now.substr(kSlotsEnd, before.size() - kSlotsEnd) == before.substr(kSlotsEnd));
    }
    before = now;
  }
  CHECK(before.size() < 4096);  // a bit for each of 3125 times 3 products, and 80 bytes for each of 16 stages
}

TEST_CASE("a run that is stopped again and again comes to an end, however short its limits are") {
  TemporaryFolder folder;
  const std::string path = folder.path("c");
  for (const bool onDevice : {false, true}) {
    for (const Algorithm algorithm : {Algorithm::fingerprint, Algorithm::words}) {
      auto request = largeFrom("bihecke:4", 60);
      request.algorithm = algorithm;
      const Everything whole = explore(request, cpu(1));
      std::pair<std::uint32_t, std::uint64_t> reached;  // a base that has grown starts over
      bool finished = false;
      for (int run = 0; !finished; ++run) {
        CAPTURE(run);
        REQUIRE(run < 40);
        EngineOptions options = saving(onDevice ? emulated() : cpu(1), path);
        const bool bySteps = run % 2 == 1;
        if (bySteps) options.stepLimit = 1;
        semigroup::Enumeration enumeration(request, options);
        const bool resumed = enumeration.resumeIfSaved();
        CHECK(resumed == (run > 0));
        if (!bySteps) enumeration.timeIsOver();
        enumeration.run();
        finished = enumeration.finished();
        const auto& outcome = enumeration.outcome();
        const std::pair<std::uint32_t, std::uint64_t> now{outcome.restarts, outcome.size};
        if (run > 0 && !finished) CHECK((now > reached || outcome.size == 477));
        reached = now;
        if (finished) CHECK(everythingOf(enumeration) == whole);
      }
      CHECK_FALSE(std::filesystem::exists(path));
    }
  }
}

TEST_CASE("a cancel while saved stages are made again loses nothing") {
  TemporaryFolder folder;
  const std::string path = folder.path("c");
  for (const Algorithm algorithm : {Algorithm::fingerprint, Algorithm::words}) {
    auto request = named("bihecke:4");
    request.algorithm = algorithm;
    const Everything whole = explore(request, cpu(1));
    stopAfter(request, 6, saving(cpu(1), path));
    const std::string before = contentOf(path);
    semigroup::Enumeration cancelled(request, saving(cpu(1), path));
    REQUIRE(cancelled.resumeIfSaved());
    CHECK_FALSE(cancelled.stepping());
    cancelled.cancel();
    cancelled.run();
    CHECK_FALSE(cancelled.finished());
    CHECK(contentOf(path) == before);
    cancelled.run();
    CHECK(cancelled.stepping());
    CHECK(everythingOf(cancelled) == whole);
  }
}

TEST_CASE("a device may fail while its stages are saved or made again") {
  TemporaryFolder folder;
  const std::string path = folder.path("c");
  const auto request = largeFrom("bihecke:4", 60);
  const Everything whole = explore(request, cpu(1));
  const auto step = static_cast<std::int64_t>(1 + 4 / scaled(4));
  for (std::int64_t failAt = 0; failAt < 60; failAt += step) {
    CAPTURE(failAt);
    std::filesystem::remove(path);
    semigroup::Enumeration enumeration(request, saving(emulated(failAt), path));
    for (int pauses = 0; pauses < 6; ++pauses) enumeration.runFor(std::chrono::nanoseconds(1));
    if (!enumeration.finished()) {  // otherwise the host has found the rest when the device failed
      semigroup::Enumeration resumed(request, saving(emulated(failAt), path));
      resumed.resumeFrom(path);
      resumed.run();
      CHECK(everythingOf(resumed) == whole);
    }
    enumeration.run();
    CHECK(everythingOf(enumeration) == whole);
  }
}

TEST_CASE("every flip and every cut of a checkpoint is refused or changes nothing") {
  TemporaryFolder folder;
  const std::string path = folder.path("c");
  const auto request = named("bihecke:4");
  const Everything whole = explore(request, cpu(1));
  stopAfter(request, 4, saving(cpu(1), path));
  const std::string content = contentOf(path);
  std::size_t harmless = 0;
  const auto outcomeOf = [&](const std::string& damaged) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << damaged;
    semigroup::Enumeration resumed(request, cpu(1));
    try {
      resumed.resumeFrom(path);
    } catch (const CheckpointError&) {
      return;
    }
    ++harmless;
    resumed.run();
    CHECK(everythingOf(resumed) == whole);
  };
  for (std::size_t at = 0; at < content.size(); at += scaled(2) == 2 ? 1 : 7) {
    CAPTURE(at);
    std::string damaged = content;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    outcomeOf(damaged);
    const std::size_t before = harmless;
    outcomeOf(content.substr(0, at));
    CHECK(harmless == before);
  }
  CHECK(harmless <= kSlotsEnd - 8);
  outcomeOf(content + "torn off");
}

TEST_CASE("checkpoints of other formats and other requests are refused, and say what they are") {
  TemporaryFolder folder;
  const std::string path = folder.path("c");
  std::ofstream(path) << "SLPCKPT1 of an older version";
  semigroup::Enumeration enumeration(named("bihecke:4"), cpu(1));
  CHECK_THROWS_WITH_AS(enumeration.resumeFrom(path),
                       doctest::Contains("its format is \"SLPCKPT1\"; accepted: format SLPSTAG2"),
                       CheckpointError);
  std::filesystem::remove(path);
  stopAfter(named("bihecke:4"), 4, saving(cpu(1), path));
  semigroup::Enumeration other(named("renner:4"), cpu(1));
  CHECK_THROWS_WITH_AS(other.resumeFrom(path), doctest::Contains("belongs to another request"),
                       CheckpointError);
}

TEST_CASE("a resumed run that saves elsewhere writes all of its stages there") {
  TemporaryFolder folder;
  const auto request = named("bihecke:4");
  const Everything whole = explore(request, cpu(1));
  stopAfter(request, 4, saving(cpu(1), folder.path("a")));
  auto limited = request;
  limited.maxStage = 6;
  semigroup::Enumeration moved(limited, saving(cpu(1), folder.path("b")));
  moved.resumeFrom(folder.path("a"));
  moved.run();
  CHECK(std::filesystem::exists(folder.path("a")));
  semigroup::Enumeration resumed(request, cpu(1));
  resumed.resumeFrom(folder.path("b"));
  resumed.run();
  CHECK(everythingOf(resumed) == whole);
}

TEST_CASE("a checkpoint that is removed while the run goes on is written anew, and whole") {
  TemporaryFolder folder;
  const std::string path = folder.path("c");
  const auto request = named("bihecke:4");
  semigroup::Enumeration enumeration(request, saving(cpu(1), path));
  enumeration.runFor(std::chrono::nanoseconds(1));
  std::filesystem::remove(path);
  enumeration.runFor(std::chrono::nanoseconds(1));
  semigroup::Enumeration resumed(request, cpu(1));
  resumed.resumeFrom(path);
  resumed.run();
  CHECK(everythingOf(resumed) == explore(request, cpu(1)));
}

TEST_CASE("a limit below what was saved holds, and the checkpoint keeps the rest") {
  TemporaryFolder folder;
  const std::string path = folder.path("c");
  auto request = named("bihecke:4");
  const Everything whole = explore(request, cpu(1));
  stopAfter(request, 6, saving(cpu(1), path));
  const std::string before = contentOf(path);
  request.maxStage = 3;
  semigroup::Enumeration limited(request, saving(cpu(1), path));
  REQUIRE(limited.resumeIfSaved());
  limited.run();
  CHECK(limited.outcome().stages ==
        std::vector<std::uint64_t>(whole.stages.begin(), whole.stages.begin() + 4));
  CHECK(contentOf(path) == before);
}
