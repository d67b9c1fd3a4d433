// Rows in files: the same bytes in every mode and algorithm, and after any number of interruptions.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "runtime/factorizations/npy.hpp"
#include "runtime/factorizations/request_check.hpp"
#include "runtime/factorizations/window_checkpoint.hpp"
#include "slicepool/core/error.hpp"
#include "support/factorizations/front.hpp"
#include "support/scale.hpp"
#include "support/stored_rows.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;
using namespace slicepool::testing;

namespace {

const Vector kGenerators = {13, 37, 38, 40};
const std::vector<Algorithm> kRowAlgorithms = {Algorithm::automatic, Algorithm::candidate,
                                               Algorithm::tabulated, Algorithm::dynamic, Algorithm::ranked};

std::string csvOf(const std::vector<Vector>& rows, bool header) {
  std::string text;
  if (header) {
    for (std::size_t k = 1; k <= rows.front().size(); ++k) text += (k == 1 ? "a" : ",a") + std::to_string(k);
    text += "\n";
  }
  for (const Vector& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k) text += (k == 0 ? "" : ",") + std::to_string(row[k]);
    text += "\n";
  }
  return text;
}

std::string npyOf(const std::vector<Vector>& rows, unsigned dimension, unsigned elementBytes) {
  return npyHeader(rows.size(), dimension, elementBytes) + arrayOfRows(rows, elementBytes);
}

/// Options whose windows and turns are so small that a run of some 10^5 rows can be interrupted in its
/// middle.
EngineOptions interruptible(Mode mode, const std::string& checkpoint) {
  EngineOptions options = engineOptions(mode);
  options.memoryLimit = std::size_t{6} << 20;
  options.cpuBudget = 20;
  options.gpuBudget = 10;
  options.checkpointPath = checkpoint;
  return options;
}

/// Runs `wanted`, which stops after `steps` steps, and resumes until it is done. Returns the number of
/// interruptions.
int runInterrupted(const Request& wanted, Mode mode, const std::string& checkpoint, std::uint64_t steps,
                   Outcome& outcome) {
  for (int interruptions = 0;; ++interruptions) {
    REQUIRE(interruptions < 1000);
    EngineOptions options = interruptible(mode, checkpoint);
    options.stepLimit = steps;
    steps += steps / 2;  // a window counts when it is whole: at some time one fits
    options.onProgress = [](const Progress& progress) { CHECK(progress.results <= 400'251); };
    Enumeration enumeration(wanted, options);
    if (std::filesystem::exists(checkpoint)) enumeration.resumeFrom(checkpoint);
    enumeration.run();
    outcome = enumeration.outcome();
    if (enumeration.finished()) return interruptions;
    CHECK_FALSE(outcome.run.complete);
    CHECK_FALSE(std::filesystem::exists(wanted.output.path));
    REQUIRE(std::filesystem::exists(checkpoint));
  }
}

}  // namespace

TEST_CASE(".npy and CSV have the same bytes in every mode and algorithm, which are those of the sorted set") {
  const auto truth = bruteForce(kGenerators, 1500);
  for (const Algorithm algorithm : kRowAlgorithms) {
    for (const Mode mode : {Mode::cpu, Mode::emulated}) {
      CAPTURE(static_cast<int>(algorithm));
      CAPTURE(static_cast<int>(mode));
      const TemporaryFolder folder;
      auto wanted = request(kGenerators, 1500, SinkKind::rows, algorithm);
      wanted.output.path = folder.path("rows.npy");
      const Outcome npy = outcomeOf(wanted, engineOptions(mode));
      CHECK(contentOf(wanted.output.path) == npyOf(truth, 4, 1));
      CHECK(npy.outputBytes == std::filesystem::file_size(wanted.output.path));
      CHECK(npy.rows.rows() == 0);
      std::filesystem::remove(wanted.output.path);

      for (const bool header : {false, true}) {
        wanted.output.path = folder.path("rows.csv");
        wanted.output.header = header;
        const Outcome csv = outcomeOf(wanted, engineOptions(mode));
        CHECK(contentOf(wanted.output.path) == csvOf(truth, header));
        CHECK(csv.outputBytes == std::filesystem::file_size(wanted.output.path));
        std::filesystem::remove(wanted.output.path);
      }
      CHECK(folder.empty());
    }
  }
}

TEST_CASE("CSV in many windows is the CSV in one") {
  const auto truth = bruteForce({7, 11, 13, 17, 19}, 300);
  for (const Algorithm algorithm : kRowAlgorithms) {
    const TemporaryFolder folder;
    auto wanted = request({7, 11, 13, 17, 19}, 300, SinkKind::rows, algorithm);
    wanted.output.path = folder.path("rows.csv");
    wanted.sink.fingerprint = true;
    EngineOptions options = engineOptions(Mode::cpu);
    const Outcome one = outcomeOf(wanted, options);
    // Windows of a quarter of the limit; `dynamic` needs most of it for its lists.
    if (algorithm != Algorithm::dynamic) options.memoryLimit = 36'000;
    const Outcome many = outcomeOf(wanted, options);
    CHECK(contentOf(wanted.output.path) == csvOf(truth, false));
    CHECK(many.fingerprint == one.fingerprint);
    CHECK(many.count == std::to_string(truth.size()));
  }
}

TEST_CASE("rows go to the memory and the element width that the caller asks for") {
  Request wanted = request(kGenerators, 500, SinkKind::rows, Algorithm::automatic);
  const std::vector<Vector> expected = bruteForce(kGenerators, 500);
  for (const unsigned bytes : {1U, 2U, 4U, 8U}) {
    std::vector<std::byte> memory(expected.size() * kGenerators.size() * bytes);
    wanted.output.elementBytes = bytes;
    wanted.output.memory = memory.data();
    wanted.output.memoryBytes = memory.size();
    (void)outcomeOf(wanted, engineOptions(Mode::cpu));
    std::vector<Vector> found(expected.size(), Vector(kGenerators.size()));
    for (std::size_t i = 0; i < expected.size() * kGenerators.size(); ++i)
      std::memcpy(&found[i / kGenerators.size()][i % kGenerators.size()], memory.data() + i * bytes, bytes);
    CHECK(found == expected);
    wanted.output.memoryBytes = memory.size() - 1;
    CHECK_THROWS_AS(outcomeOf(wanted, engineOptions(Mode::cpu)), LimitError);
  }
  wanted.element = 13 * 256;
  wanted.output.elementBytes = 1;
  CHECK_THROWS_AS(outcomeOf(wanted, engineOptions(Mode::cpu)), ConfigError);
}

TEST_CASE("outputs of empty sets and of first:K have their shape") {
  const TemporaryFolder folder;
  auto wanted = request({6, 9, 20}, 43, SinkKind::rows);
  wanted.output.path = folder.path("none.npy");
  CHECK(outcomeOf(wanted, engineOptions(Mode::cpu)).count == "0");
  CHECK(contentOf(wanted.output.path) == npyHeader(0, 3, 1));
  wanted.output.path = folder.path("none.csv");
  CHECK(outcomeOf(wanted, engineOptions(Mode::cpu)).count == "0");
  CHECK(contentOf(wanted.output.path).empty());

  auto truth = bruteForce(kGenerators, 1500);
  truth.resize(10);
  auto first = request(kGenerators, 1500, SinkKind::first);
  first.sink.firstCount = 10;
  first.output.path = folder.path("first.csv");
  (void)outcomeOf(first, engineOptions(Mode::cpu));
  CHECK(contentOf(first.output.path) == csvOf(truth, false));
}

TEST_CASE("files are the same where no counting table fits") {
  const Vector generators = {601, 397, 301, 197, 101};  // counting tables of 96 kB
  const auto truth = bruteForce(generators, 6000);
  const TemporaryFolder folder;
  EngineOptions options = engineOptions(Mode::cpu);
  options.memoryLimit = 100'000;
  for (const std::string name : {"rows.npy", "rows.csv"}) {
    auto wanted = request(generators, 6000, SinkKind::rows);
    wanted.output.path = folder.path(name);
    CHECK(outcomeOf(wanted, options).algorithm == Algorithm::candidate);
    CHECK(contentOf(wanted.output.path) == (name == "rows.npy" ? npyOf(truth, 5, 1) : csvOf(truth, false)));
  }
}

TEST_CASE("cancel and resume, any number of times, leaves the bytes of an uninterrupted run") {
  const bool all = slicepool::test::runsAll();
  const std::uint64_t element =
      all ? 12'000 : 6'000;  // 400,251 rows, by the recurrence of the counts, or an eighth
  for (const std::string suffix : {".npy", ".csv"}) {
    const TemporaryFolder folder;
    auto wanted = request(kGenerators, element, SinkKind::rows, Algorithm::ranked);
    wanted.sink.fingerprint = true;
    wanted.output.path = folder.path("whole" + suffix);
    const Outcome whole = outcomeOf(wanted, engineOptions(Mode::cpu));
    const std::string expected = contentOf(wanted.output.path);
    for (const Algorithm algorithm : {Algorithm::candidate, Algorithm::tabulated, Algorithm::ranked}) {
      for (const Mode mode : {Mode::cpu, Mode::emulated}) {
        CAPTURE(suffix);
        CAPTURE(static_cast<int>(algorithm));
        CAPTURE(static_cast<int>(mode));
        wanted.algorithm = algorithm;
        wanted.output.path = folder.path("pieces" + suffix);
        const std::string checkpoint = folder.path("checkpoint");
        Outcome outcome;
        const auto stops = runInterrupted(wanted, mode, checkpoint, all ? 150'000 : 20'000, outcome);
        CHECK(stops >= 1);
        CHECK(outcome.count == whole.count);
        CHECK(outcome.fingerprint == whole.fingerprint);
        const bool sameBytes = contentOf(wanted.output.path) == expected;  // megabytes: not into a message
        CHECK(sameBytes);
        CHECK_FALSE(std::filesystem::exists(checkpoint));
        CHECK_FALSE(std::filesystem::exists(wanted.output.path + ".part"));
        std::filesystem::remove(wanted.output.path);
      }
    }
  }
}

TEST_CASE("rows in memory and reductions resume to the same result") {
  for (const SinkKind kind : {SinkKind::rows, SinkKind::fingerprint, SinkKind::lengths}) {
    const TemporaryFolder folder;
    auto wanted = request({13, 37, 38, 40}, 5'000, kind, Algorithm::candidate);
    wanted.sink.fingerprint = true;
    const Outcome whole = outcomeOf(wanted, engineOptions(Mode::cpu));
    Outcome outcome;
    CHECK(runInterrupted(wanted, Mode::cpu, folder.path("checkpoint"), whole.run.steps / 3, outcome) >= 1);
    CHECK(outcome.count == whole.count);
    CHECK(outcome.fingerprint == whole.fingerprint);
    CHECK(outcome.lengths == whole.lengths);
    CHECK(slicepool::testing::rowsOf(outcome.rows) == slicepool::testing::rowsOf(whole.rows));
  }
}

TEST_CASE("a checkpoint of another request is refused, and both are named") {
  const TemporaryFolder folder;
  for (const std::string suffix : {".npy", ".csv"}) {
    auto wanted = request(kGenerators, 12'000, SinkKind::rows, Algorithm::ranked);
    wanted.output.path = folder.path("rows" + suffix);
    const std::string checkpoint = folder.path("checkpoint" + suffix);
    Enumeration stopped(wanted, interruptible(Mode::cpu, checkpoint));
    stopped.cancel();
    stopped.run();
    CHECK_FALSE(stopped.finished());
    REQUIRE(std::filesystem::exists(checkpoint));
    auto other = wanted;
    other.element = 12'001;
    try {
      Enumeration enumeration(other, engineOptions(Mode::cpu));
      enumeration.resumeFrom(checkpoint);
      FAIL("a checkpoint of another element was accepted");
    } catch (const CheckpointError& error) {
      const std::string text = error.what();
      CHECK(text.find("element=12000 ") != std::string::npos);
      CHECK(text.find("element=12001 ") != std::string::npos);
    }
    std::ofstream(checkpoint) << "{ not json";
    Enumeration damaged(wanted, engineOptions(Mode::cpu));
    CHECK_THROWS_AS(damaged.resumeFrom(checkpoint), CheckpointError);
    CHECK_THROWS_AS(damaged.resumeFrom(folder.path("missing")), CheckpointError);
  }
}

TEST_CASE(
    "text that is stopped within its only window begins anew and ends with the same bytes and results") {
  for (const bool fingerprint : {false, true}) {
    CAPTURE(fingerprint);
    const TemporaryFolder folder;
    auto wanted = request(kGenerators, 5'000, SinkKind::rows, Algorithm::ranked);
    wanted.sink.fingerprint = fingerprint;
    wanted.output.header = true;
    wanted.output.path = folder.path("whole.csv");
    const Outcome whole = outcomeOf(wanted, engineOptions(Mode::cpu));
    wanted.output.path = folder.path("pieces.csv");
    EngineOptions options = engineOptions(Mode::cpu);
    options.checkpointPath = folder.path("checkpoint");
    options.cpuBudget = 20;
    options.stepLimit = whole.run.steps / 2;
    Enumeration stopped(wanted, options);
    stopped.run();
    REQUIRE_FALSE(stopped.finished());
    CHECK(stopped.outcome().count != "0");
    WindowCheckpoint saved = readWindowCheckpoint(options.checkpointPath, canonicalRowsText(wanted));
    CHECK(saved.words.empty());
    CHECK(saved.steps == 0);
    // Earlier versions saved what was found within the window as well.
    for (const bool earlier : {false, true}) {
      CAPTURE(earlier);
      if (earlier) {
        saved.words.assign(fingerprint ? 3 : 1, 1234);
        saved.steps = 1234;
        std::ofstream(wanted.output.path + ".part") << "a1,a2,a3,a4\n";
        std::filesystem::remove(wanted.output.path);
        writeWindowCheckpoint(options.checkpointPath, saved);
      }
      options.stepLimit = 0;
      Enumeration rest(wanted, options);
      rest.resumeFrom(options.checkpointPath);
      rest.run();
      REQUIRE(rest.finished());
      const Outcome outcome = rest.outcome();
      CHECK(outcome.count == whole.count);
      CHECK(outcome.fingerprint == whole.fingerprint);
      CHECK(outcome.run.steps == whole.run.steps);
      const bool sameBytes = contentOf(wanted.output.path) == contentOf(folder.path("whole.csv"));
      CHECK(sameBytes);
      CHECK_FALSE(std::filesystem::exists(options.checkpointPath));
      CHECK_FALSE(std::filesystem::exists(wanted.output.path + ".part"));
    }
  }
}

TEST_CASE("a run that is stopped without a checkpoint leaves no file") {
  const TemporaryFolder folder;
  for (const std::string suffix : {".npy", ".csv"}) {
    auto wanted = request(kGenerators, 12'000, SinkKind::rows);
    wanted.output.path = folder.path("rows" + suffix);
    Enumeration enumeration(wanted, engineOptions(Mode::cpu));
    enumeration.cancel();
    enumeration.run();
  }
  CHECK(folder.empty());
}
