// Checkpoints of the lattice front: a search that is stopped and continued finds what an uninterrupted one
// does, files of vectors included.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "runtime/core/checkpoint.hpp"
#include "slicepool/core/error.hpp"
#include "support/lattice/front.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace slicepool;
using lattice::Enumeration;
using lattice::kAllSolutions;
using lattice::Outcome;
using lattice::Request;
using test::latticeRequest;
using test::npyRows;
using test::runLattice;
using test::VectorSet;

/// Small turns, so that a run does little more than its step limit.
EngineOptions smallTurns(const std::string& checkpoint, Mode mode = Mode::cpu) {
  EngineOptions options;
  options.mode = mode;
  options.threads = 2;
  options.cpuBudget = 500;
  options.emulator.lanes = 16;
  options.emulator.withCpuWorkers = false;
  options.gpuBudget = 200;
  options.emulator.resultCapacity = 64;
  options.checkpointPath = checkpoint;
  return options;
}

/// Runs, stops after `steps` steps each time, resumes, until it is done. Returns how often it was stopped.
int runInterrupted(const Request& request, const std::string& checkpoint, std::uint64_t steps,
                   Outcome& outcome) {
  for (int stops = 0;; ++stops) {
    EngineOptions options = smallTurns(checkpoint, stops % 2 == 0 ? Mode::cpu : Mode::emulated);
    // Warps of the compacted search need room for what they leave.
    if (request.algorithm == lattice::Algorithm::compacted) options.emulator.lanes = 500;
    options.stepLimit = steps;
    Enumeration enumeration(request, options);
    const bool resumed = enumeration.resumeIfSaved();
    CHECK(resumed == (stops > 0));
    enumeration.run();
    outcome = enumeration.outcome();
    if (enumeration.finished()) return stops;
    CHECK(outcome.checkpointPath == checkpoint);
    CHECK(std::filesystem::exists(checkpoint));
  }
}

}  // namespace

TEST_CASE("a search stopped and continued in turns of both kinds has the counts of one run, and its file") {
  const test::TemporaryFolder folder;
  Request request = latticeRequest("leech.txt", 32.3);
  request.solutions = kAllSolutions;
  request.outputPath = folder.path("all.npy");
  const Outcome whole = runLattice(request);
  const auto rows = npyRows(request.outputPath);
  const VectorSet set(rows.begin(), rows.end());
  REQUIRE(set.size() == 98280);

  request.outputPath = folder.path("pieces.npy");
  for (const auto algorithm : {lattice::Algorithm::automatic, lattice::Algorithm::compacted}) {
    request.algorithm = algorithm;
    Outcome outcome;
    const int stops = runInterrupted(request, folder.path("checkpoint"), 400'000, outcome);
    MESSAGE("stopped " << stops << " times");
    CHECK(stops >= 1);
    CHECK(outcome.count == whole.count);
    CHECK(outcome.nodesPerLevel == whole.nodesPerLevel);
    CHECK(outcome.fingerprint == whole.fingerprint);
    CHECK(outcome.outputRows == 98280);
    const auto pieces = npyRows(request.outputPath);
    CHECK(pieces.size() == 98280);
    CHECK(VectorSet(pieces.begin(), pieces.end()) == set);
    CHECK(!std::filesystem::exists(folder.path("checkpoint")));
    CHECK(!std::filesystem::exists(request.outputPath + ".part"));
  }
}

TEST_CASE("kept vectors survive a stop") {
  const test::TemporaryFolder folder;
  Request request = latticeRequest("leech.txt", 32.3);
  request.solutions = 300;
  const Outcome whole = runLattice(request);
  Outcome outcome;
  CHECK(runInterrupted(request, folder.path("checkpoint"), 400'000, outcome) >= 1);
  REQUIRE(outcome.solutions.size() == 300);
  for (std::size_t i = 0; i < 300; ++i)
    CHECK(outcome.solutions[i].coefficients == whole.solutions[i].coefficients);
}

TEST_CASE("a checkpoint of another basis, radius or choice of solutions is refused") {
  const test::TemporaryFolder folder;
  Request request = latticeRequest("leech.txt", 32.3);
  const std::string checkpoint = folder.path("checkpoint");
  Enumeration first(request, smallTurns(checkpoint));
  first.cancel();
  first.run();
  CHECK(!first.finished());
  REQUIRE(std::filesystem::exists(checkpoint));
  const auto refuses = [&](const Request& other) {
    Enumeration enumeration(other, smallTurns(checkpoint));
    CHECK_THROWS_WITH_AS((void)enumeration.resumeIfSaved(), doctest::Contains("belongs to another request"),
                         CheckpointError);
  };
  Request other = request;
  other.squaredRadius = 32.4;
  refuses(other);
  other = request;
  other.basisPath = test::latticePath("bw16.txt");
  refuses(other);
  other = request;
  other.solutions = 7;
  refuses(other);
  other = request;
  other.fixedRadius = false;
  refuses(other);
  Enumeration same(request, smallTurns(checkpoint));
  CHECK(same.resumeIfSaved());
  same.run();
  CHECK(same.outcome().count == 98280);
}

TEST_CASE("without a checkpoint a stopped search leaves no file") {
  const test::TemporaryFolder folder;
  Request request = latticeRequest("leech.txt", 48.3);
  request.solutions = kAllSolutions;
  request.outputPath = folder.path("all.txt");
  EngineOptions options = smallTurns("");
  options.stepLimit = 200'000;
  Enumeration enumeration(request, options);
  enumeration.run();
  CHECK(!enumeration.finished());
  const Outcome outcome = enumeration.outcome();
  CHECK(outcome.checkpointPath.empty());
  CHECK(outcome.run.words[0] > 0);
  // The part file goes with the enumeration.
  CHECK(!std::filesystem::exists(request.outputPath));
}
