// Checkpoints that cannot be written: a full disk is a limit; on the way it is a warning, at the end an
// error; the older checkpoint stays.
#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/core/checkpoint.hpp"
#include "runtime/factorizations/window_checkpoint.hpp"
#include "slicepool/core/engine.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/core/fingerprint.hpp"
#include "support/file_size_limit.hpp"
#include "support/interval_workload.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

using namespace slicepool;
using slicepool::test::contentOf;
using slicepool::test::FileSizeLimit;
using slicepool::test::TemporaryFolder;

TEST_CASE("a checkpoint that the disk does not take is a limit with its size, and the older one stays") {
  const TemporaryFolder folder;
  const std::string path = folder.path("c");
  Checkpoint checkpoint;
  checkpoint.workload = "test";
  writeCheckpoint(path, checkpoint);
  const std::string older = contentOf(path);
  for (std::uint64_t i = 0; i < 100; ++i) checkpoint.words.push_back(mix64(i));  // nothing compresses them
  {
    const FileSizeLimit limit(500);
    CHECK_THROWS_WITH_AS(writeCheckpoint(path, checkpoint), doctest::Contains(path.c_str()), LimitError);
    CHECK_THROWS_AS(factorizations::writeWindowCheckpoint(
                        path, {std::string(600, 'i'), 0, 0, {}, std::vector<std::uint64_t>{}, 0}),
                    LimitError);
  }
  CHECK(contentOf(path) == older);
  CHECK_FALSE(std::filesystem::exists(path + ".tmp"));
  CHECK_THROWS_AS(writeCheckpoint(folder.path("missing/c"), checkpoint), CheckpointError);
}

TEST_CASE("saves on the way warn once and are tried again") {
  IntervalSaves saves;
  std::vector<std::string> warnings;
  const auto warn = [&](const std::string& warning) { warnings.push_back(warning); };
  int calls = 0;
  const auto full = [&] {
    ++calls;
    throw LimitError("the disk is full");
  };
  const auto gone = [&] {
    ++calls;
    throw CheckpointError("the folder is gone");
  };
  CHECK(saves.attempt([] {}, warn));
  CHECK_FALSE(saves.attempt(full, warn));
  CHECK_FALSE(saves.attempt(gone, warn));
  CHECK(saves.attempt([] {}, warn));
  CHECK(calls == 2);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("the disk is full") != std::string::npos);
  CHECK_THROWS_AS(saves.attempt([] { throw Error("not a checkpoint's"); }, warn), Error);
}

TEST_CASE("an engine without room for checkpoints finishes, and says so when it is stopped") {
  using test::IntervalWorkload;
  using Counting = TypedProblem<IntervalWorkload, Count>;
  constexpr std::uint64_t kN = 400'000;
  const TemporaryFolder folder;
  EngineOptions options;
  options.mode = Mode::cpu;
  options.threads = 2;
  options.cpuBudget = 100;
  options.checkpointPath = folder.path("c");
  options.checkpointInterval = std::chrono::milliseconds(1);
  ProblemTraits traits;
  traits.workload = "interval";
  traits.totalSteps = static_cast<double>(kN);
  const Counting problem(IntervalWorkload::View{11, true}, {{0, kN}}, traits);
  {
    const FileSizeLimit limit(1);
    // Of the other one two CPU workers could be done before this thread comes to stop them.
    const Counting endless(IntervalWorkload::View{11, true}, {{0, std::uint64_t{1} << 50}}, traits);
    Engine stopped(endless, options);
    CHECK_THROWS_AS(stopped.runFor(std::chrono::nanoseconds(0)), LimitError);
    Engine engine(problem, options);
    engine.run();
    CHECK(engine.finished());
    CHECK(engine.report().words.at(0) == IntervalWorkload::expected(11, kN).size());
    CHECK(engine.report().checkpoints == 0);
    CHECK(engine.report().warnings.size() <= 1);
  }
  CHECK(folder.empty());
}

TEST_CASE("a step limit whose checkpoint cannot be written is an error, however many were before") {
  using test::IntervalWorkload;
  using Counting = TypedProblem<IntervalWorkload, Count>;
  const TemporaryFolder folder;
  const std::string place = folder.path("place");
  EngineOptions options;
  options.mode = Mode::cpu;
  options.threads = 2;
  options.cpuBudget = 100;
  options.checkpointPath = place + "/c";
  options.checkpointTransactions = 10;
  options.stepLimit = 100'000;
  // The folder is there for the first one, and gone afterwards.
  options.onCheckpoint = [&](const std::string&) { std::filesystem::remove_all(place); };
  ProblemTraits traits;
  traits.workload = "interval";
  const Counting endless(IntervalWorkload::View{11, true}, {{0, std::uint64_t{1} << 50}}, traits);
  std::filesystem::create_directory(place);
  Engine engine(endless, options);
  CHECK_THROWS_AS(engine.run(), CheckpointError);
}
