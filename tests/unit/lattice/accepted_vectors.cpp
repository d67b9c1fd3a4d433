// A test of the caller decides which vectors within the radius are solutions: what is counted, kept, written
// and resumed, with one vector looked for among many, and what such a test may do to a run.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>

#include "slicepool/core/error.hpp"
#include "slicepool/lattice/sinks.hpp"
#include "support/lattice/front.hpp"
#include "support/scale.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

namespace {

using namespace slicepool;
using lattice::kAllSolutions;
using lattice::Outcome;
using lattice::Request;
using lattice::Solution;
using test::runLattice;
using test::twoThreads;
using test::VectorSet;

/// Of the 98,280 pairs of the Leech lattice some; of the 32,880 of the Barnes-Wall lattice where a share of
/// the cases is run.
bool isWanted(const std::vector<std::int64_t>& vector) {
  return std::accumulate(vector.begin(), vector.end(), std::int64_t{0}) % 7 == 0;
}
bool wants(const Solution& solution) { return isWanted(solution.vector); }

const bool kLeech = test::runsAll();
const std::uint64_t kPairs = kLeech ? 98280 : 32880;

Request unfiltered() {
  return kLeech ? test::latticeRequest("leech.txt", 32) : test::latticeRequest("bw16.txt", 12);
}

Request filtered() {
  Request request = unfiltered();
  request.accept = wants;
  return request;
}

/// The rows of all vectors, by a run without a test.
VectorSet allVectors(bool bothSigns) {
  const test::TemporaryFolder folder;
  Request request = unfiltered();
  request.solutions = kAllSolutions;
  request.bothSigns = bothSigns;
  request.outputPath = folder.path("all.npy");
  runLattice(request);
  const auto rows = test::npyRows(request.outputPath);
  return {rows.begin(), rows.end()};
}

VectorSet wantedOf(const VectorSet& all) {
  VectorSet wanted;
  std::copy_if(all.begin(), all.end(), std::inserter(wanted, wanted.end()), isWanted);
  return wanted;
}

}  // namespace

TEST_CASE("solutions are the vectors that a test accepts, in every mode and output") {
  const VectorSet wanted = wantedOf(allVectors(false));
  REQUIRE(wanted.size() > 1000);
  REQUIRE(wanted.size() < kPairs / 2);
  const test::TemporaryFolder folder;
  Fingerprint fingerprint;
  for (const Mode mode : {Mode::cpu, Mode::emulated}) {
    CAPTURE(static_cast<int>(mode));
    for (const std::string name : {"all.npy", "counted", "kept"}) {
      CAPTURE(name);
      Request request = filtered();
      if (name == "all.npy") {
        request.solutions = kAllSolutions;
        request.outputPath = folder.path(name);
      } else {
        request.solutions = name == "kept" ? 200000 : 0;
      }
      const Outcome outcome = runLattice(request, twoThreads(mode));
      CHECK(outcome.count == wanted.size());
      CHECK(outcome.shortestSquaredNorm == (kLeech ? "32" : "8"));
      if (fingerprint == Fingerprint{}) fingerprint = outcome.fingerprint;
      CHECK(outcome.fingerprint == fingerprint);
      if (name == "all.npy") {
        const auto rows = test::npyRows(request.outputPath);
        CHECK(rows.size() == wanted.size());
        CHECK(VectorSet(rows.begin(), rows.end()) == wanted);
      }
      if (name != "kept") continue;
      // The fingerprint is that of the set that is kept.
      Fingerprint kept;
      VectorSet vectors;
      for (const Solution& solution : outcome.solutions) {
        vectors.insert(solution.vector);
        std::vector<std::int16_t> x = solution.coefficients;
        const std::uint64_t hash = lattice::vectorHash(x.data(), static_cast<int>(x.size()));
        kept.sum += hash;
        kept.exclusiveOr ^= hash;
      }
      CHECK(vectors == wanted);
      CHECK(outcome.solutions.size() == wanted.size());
    }
  }
}

TEST_CASE("with both signs a test is asked about one of a pair, for both") {
  const VectorSet wanted = wantedOf(allVectors(true));
  Request request = filtered();
  request.bothSigns = true;
  request.solutions = 200000;
  const Outcome outcome = runLattice(request, twoThreads(Mode::cpu));
  CHECK(outcome.count == wanted.size());
  VectorSet vectors;
  for (const Solution& solution : outcome.solutions) vectors.insert(solution.vector);
  CHECK(vectors == wanted);
}

TEST_CASE("the first vector that a test accepts ends the search, whatever was refused before") {
  for (const Mode mode : {Mode::cpu, Mode::emulated}) {
    CAPTURE(static_cast<int>(mode));
    for (const std::uint64_t first : {1, 5}) {
      CAPTURE(first);
      Request request = filtered();
      request.first = first;
      const Outcome outcome = runLattice(request, twoThreads(mode));
      CHECK(outcome.count == first);
      REQUIRE(outcome.solutions.size() == first);
      CHECK(std::all_of(outcome.solutions.begin(), outcome.solutions.end(), wants));
    }
    // One of all, the last that is asked about or another.
    Request request = filtered();
    request.first = 1;
    const VectorSet all = wantedOf(allVectors(false));
    const auto sought = *std::next(all.begin(), 777);
    std::atomic<int> asked = 0;
    request.accept = [&](const Solution& solution) {
      ++asked;
      return solution.vector == sought;
    };
    const Outcome outcome = runLattice(request, twoThreads(mode));
    CHECK(outcome.count == 1);
    REQUIRE(outcome.solutions.size() == 1);
    CHECK(outcome.solutions.front().vector == sought);
    CHECK(static_cast<std::uint64_t>(asked) <= kPairs);
    request.accept = [](const Solution&) { return false; };
    CHECK(runLattice(request, twoThreads(mode)).count == 0);
  }
}

TEST_CASE("progress counts what a test accepts, whoever asks for it, and expects the nodes of the tree") {
  for (const bool bothSigns : {false, true}) {
    CAPTURE(bothSigns);
    Request request = filtered();
    request.bothSigns = bothSigns;
    EngineOptions options = twoThreads(Mode::cpu);
    options.cpuBudget = 1000;
    for (const std::uint64_t limit : {std::uint64_t{20'000}, std::uint64_t{0}}) {
      CAPTURE(limit);
      options.stepLimit = limit;
      Progress told;
      options.onProgress = [&](const Progress& progress) { told = progress; };
      lattice::Enumeration enumeration(request, options);
      enumeration.run();
      const Progress last = enumeration.progress();
      const Outcome outcome = enumeration.outcome();
      CHECK(last.results == outcome.count);
      CHECK(told.results <= outcome.count);
      if (limit == 0) continue;
      const double tree = told.totalSteps;
      Request all = request;
      all.accept = {};
      (void)runLattice(all, options);
      CHECK(tree > static_cast<double>(limit));
      CHECK(tree == told.totalSteps);
    }
  }
}

TEST_CASE("a test is about distances and vectors where a target is given") {
  Request request;
  request.basis = "[[1 0 0] [0 1 0] [0 0 1]]";
  request.target = "[1/2 1/2 1/2]";
  request.squaredRadius = 3;
  request.solutions = 100;
  request.accept = [](const Solution& solution) {
    return solution.squaredNorm == "11/4" && solution.vector[0] == 2;
  };
  // (2, y, z) with y and z of 0 and 1: (3/2)^2 + 1/4 + 1/4.
  for (const Mode mode : {Mode::cpu, Mode::emulated}) {
    const Outcome outcome = runLattice(request, twoThreads(mode));
    CHECK(outcome.count == 4);
    CHECK(outcome.solutions.size() == 4);
  }
}

TEST_CASE("a run with a test goes on from a checkpoint, with the same vectors in its file") {
  const VectorSet wanted = wantedOf(allVectors(false));
  const test::TemporaryFolder folder;
  Request request = filtered();
  request.solutions = kAllSolutions;
  request.outputPath = folder.path("pieces.npy");
  Outcome outcome;
  int stops = 0;
  for (bool finished = false; !finished;) {
    EngineOptions options = twoThreads(stops % 2 == 0 ? Mode::cpu : Mode::emulated);
    options.cpuBudget = 500;
    options.gpuBudget = 200;
    options.checkpointPath = folder.path("checkpoint");
    options.stepLimit = kLeech ? 300000 : 30000;
    lattice::Enumeration enumeration(request, options);
    CHECK(enumeration.resumeIfSaved() == (stops > 0));
    enumeration.run();
    outcome = enumeration.outcome();
    finished = enumeration.finished();
    if (!finished) ++stops;
  }
  CHECK(stops > 1);
  CHECK(outcome.count == wanted.size());
  CHECK(outcome.fingerprint == runLattice(filtered()).fingerprint);
  const auto rows = test::npyRows(request.outputPath);
  CHECK(rows.size() == wanted.size());
  CHECK(VectorSet(rows.begin(), rows.end()) == wanted);
}

TEST_CASE("a checkpoint of a run with a test is no checkpoint of one without") {
  const test::TemporaryFolder folder;
  EngineOptions options = twoThreads(Mode::cpu);
  options.cpuBudget = 500;
  options.checkpointPath = folder.path("checkpoint");
  options.stepLimit = kLeech ? 100000 : 10000;
  runLattice(filtered(), options);
  lattice::Enumeration without(unfiltered(), options);
  CHECK_THROWS_AS((void)without.resumeIfSaved(), CheckpointError);
}

TEST_CASE("what a test throws ends the run and is thrown by it; contradictions are refused") {
  Request request = filtered();
  request.accept = [](const Solution&) -> bool { throw std::runtime_error("no curve"); };
  for (const Mode mode : {Mode::cpu, Mode::emulated}) {
    lattice::Enumeration enumeration(request, twoThreads(mode));
    CHECK_THROWS_WITH(enumeration.run(), "no curve");
  }
  request = filtered();
  request.theta = true;
  CHECK_THROWS_AS(lattice::Enumeration(request, {}), ConfigError);
  request = filtered();
  request.squaredRadius = {};
  request.fixedRadius = false;
  CHECK_THROWS_AS(lattice::Enumeration(request, {}), ConfigError);
}
