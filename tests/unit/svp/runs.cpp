// What a search for a shortest vector repeats, and how it goes on after an interruption.
#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <thread>

#include "runtime/core/checkpoint.hpp"
#include "runtime/lattice/reduction.hpp"
#include "runtime/svp/saved_search.hpp"
#include "runtime/svp/trial_reduction.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/svp/enumeration.hpp"
#include "support/gpu_list.hpp"
#include "support/scale.hpp"
#include "support/stopped_runs.hpp"
#include "support/svp/bases.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"
#include "support/worker_options.hpp"

using namespace slicepool;

namespace {

/// Some twenty trials, whose course does not depend on what is measured.
svp::Request steadyRequest(std::uint64_t seed = 0) {
  std::mt19937_64 random(11);
  svp::Request request;
  request.basis = lattice::basisText(test::challengeBasis(test::largest(54, 51), random));
  request.seed = seed;
  request.trialProbability = 0.2;
  request.proofLimit = 0;
  request.blockSize = 22;
  return request;
}

svp::Outcome finish(svp::Enumeration& search) {
  search.run();
  return search.outcome();
}

svp::Outcome outcomeOf(const svp::Request& request, const EngineOptions& options = test::onCpu(1)) {
  svp::Enumeration search(request, options);
  return finish(search);
}

void checkSame(const svp::Outcome& a, const svp::Outcome& b) {
  CHECK(a.trials == b.trials);
  CHECK(a.nodes == b.nodes);
  CHECK(a.text == b.text);
  CHECK(a.inserted == b.inserted);
  CHECK(a.successProbability == doctest::Approx(b.successProbability).epsilon(1e-12));
}

/// A run that is stopped three times and more ends as one that is not.
void checkStoppedRuns(const svp::Request& request, const svp::Outcome& whole) {
  const test::TemporaryFolder folder;
  EngineOptions options = test::onCpu(1);
  options.checkpointPath = folder.path("search.ckpt");
  options.stepLimit = whole.nodes / 4;
  int runs = 0;
  checkSame(whole,
            test::lastOutcome<svp::Enumeration>(request, options, [&](const svp::Outcome&) { ++runs; }));
  CHECK(runs >= 3);
}

/// Several trials, pruned as fixed rates say.
svp::Request fixedRequest() {
  std::mt19937_64 random(15);
  svp::Request request = steadyRequest();
  request.basis = lattice::basisText(test::challengeBasis(test::largest(60, 57), random));
  request.trialProbability = 0;
  request.rates = svp::RateSource::fixed;
  return request;
}

/// The numbers and probabilities of the trials of a search that finds nothing, up to some number of nodes.
std::map<std::uint64_t, double> trialsOf(const svp::Request& request, int threads, std::uint64_t nodes) {
  const test::TemporaryFolder folder;
  EngineOptions options = test::onCpu(threads);
  options.checkpointPath = folder.path("search.ckpt");
  options.stepLimit = nodes;
  CHECK_FALSE(outcomeOf(request, options).run.complete);
  const lattice::IntegerBasis basis = lattice::parseBasis(request.basis, "basis");
  const svp::SavedSearch saved =
      svp::readSavedSearch(options.checkpointPath, svp::searchIdentity(request, basis), basis.dimension);
  return {saved.state.trials.begin(), saved.state.trials.end()};
}

/// Looks for a shortest vector of a random lattice of this dimension.
svp::Enumeration searchOf(int dimension, std::uint64_t seed, Mode mode) {
  std::mt19937_64 random(seed);
  svp::Request request;
  request.basis = lattice::basisText(test::challengeBasis(dimension, random));
  EngineOptions options = test::onCpu(2);
  options.mode = mode;
  return {request, options};
}

svp::Outcome inHybrid(int dimension, std::uint64_t seed) {
  svp::Enumeration search = searchOf(dimension, seed, Mode::hybrid);
  return finish(search);
}

}  // namespace

TEST_CASE(
    "svp: one thread with fixed probabilities repeats a run to the node, and another seed gives another") {
  if (!test::canReduce()) return;
  const svp::Outcome once = outcomeOf(steadyRequest());
  checkSame(once, outcomeOf(steadyRequest()));
  CHECK(once.trials > 10);
  // The pruner meets 0.2 to about a twentieth.
  CHECK(std::abs(once.successProbability - (1 - std::pow(0.8, static_cast<double>(once.trials)))) < 0.005);
  const svp::Outcome other = outcomeOf(steadyRequest(1));
  CHECK(other.nodes != once.nodes);
  CHECK(other.squaredNorm == once.squaredNorm);
}

TEST_CASE("svp: with fixed rates one thread repeats a run to the node, stopped or not") {
  if (!test::canReduce()) return;
  const svp::Outcome once = outcomeOf(fixedRequest());
  checkSame(once, outcomeOf(fixedRequest()));
  CHECK(once.trials > 3);
  checkStoppedRuns(fixedRequest(), once);
}

TEST_CASE("svp: with fixed rates one thread repeats the basis of a proof, and its nodes") {
  if (!test::canReduce()) return;
  svp::Request request = fixedRequest();
  std::mt19937_64 random(12);
  request.basis = lattice::basisText(test::challengeBasis(test::largest(50, 40), random));
  request.proofLimit = 60;
  const svp::Outcome once = outcomeOf(request);
  CHECK(once.proven);
  const svp::Outcome again = outcomeOf(request);
  checkSame(once, again);
  CHECK(once.proofNodes > 0);
  CHECK(again.proofNodes == once.proofNodes);
  CHECK(again.expectedProof.nodes == once.expectedProof.nodes);
  CHECK(again.expectedProof.seconds == once.expectedProof.seconds);
}

TEST_CASE("svp: with fixed rates threads share the trials of one thread, as long as nothing is found") {
  if (!test::canReduce()) return;
  svp::Request request = fixedRequest();
  // Its first row is a shortest vector already.
  const lattice::IntegerBasis row = lattice::parseBasis("[" + outcomeOf(request).text + "]", "vector");
  request.basis =
      lattice::basisText(svp::withVector(lattice::parseBasis(request.basis, "basis"), row.entries));
  request.probability = 0.999999;
  const auto alone = trialsOf(request, 1, 30'000'000);
  const auto together = trialsOf(request, 3, 30'000'000);
  int common = 0;
  for (const auto& [number, probability] : together) {
    const auto same = alone.find(number);
    if (same == alone.end()) continue;
    ++common;
    CHECK(probability == same->second);
  }
  CHECK(common >= 2);
}

TEST_CASE("svp: a small tree in mode hybrid is for CPU workers, and nobody asks the driver") {
  if (!test::canReduce()) return;
  const test::DriverWithoutGpus driver;
  const svp::Outcome outcome = inHybrid(24, 12);
  CHECK(outcome.proven);
  CHECK_FALSE(outcome.run.automatic.value().devices);
  CHECK(outcome.run.automatic->reason.ends_with("few enough for CPU workers alone"));
  CHECK_FALSE(driverWasAsked());
}

TEST_CASE("svp: a large tree in mode hybrid is an error where the driver finds no GPU") {
  if (!test::canReduce()) return;
  const test::DriverWithoutGpus driver;
  CHECK_THROWS_WITH_AS(inHybrid(80, 13), "no usable GPU: the stand-in has none", DeviceError);
}

TEST_CASE("svp: from 70 rows on the driver is asked before the first LLL ends, and of fewer rows after it") {
  if (!test::canReduce()) return;
  for (const Mode mode : {Mode::hybrid, Mode::automatic, Mode::cpu}) {
    for (const int rows : {69, 70}) {
      CAPTURE(rows);
      const test::DriverWithoutGpus driver;
      svp::Enumeration search = searchOf(rows, 14, mode);
      search.cancel();  // within LLL
      CHECK_THROWS_AS(search.run(), Error);
      CHECK(driverWasAsked() == (rows == 70 && mode != Mode::cpu));
    }
  }
}

TEST_CASE("svp: a run that is stopped again and again makes the same trials as one that is not") {
  if (!test::canReduce()) return;
  checkStoppedRuns(steadyRequest(), outcomeOf(steadyRequest()));
}

TEST_CASE("svp: an unpruned search that is stopped goes on where it was") {
  if (!test::canReduce()) return;
  svp::Request request = steadyRequest();
  request.trialProbability = 0;
  request.probability = 0.5;
  request.proofLimit = 1e6;
  std::mt19937_64 random(12);
  const auto basis = test::challengeBasis(test::largest(50, 40), random);
  request.basis = lattice::basisText(basis);
  const test::TemporaryFolder folder;
  EngineOptions options = test::onCpu(1);
  options.checkpointPath = folder.path("search.ckpt");
  options.stepLimit = outcomeOf(request).proofNodes / 5;
  int stopsInProof = 0;
  int runs = 0;
  std::uint64_t before = 0;
  svp::Outcome last;
  for (bool finished = false; !finished && runs < 60; ++runs) {
    svp::Enumeration search(request, options);
    (void)search.resumeIfSaved();
    last = finish(search);
    finished = search.finished();
    if (!finished && last.proofNodes > 0) ++stopsInProof;
    CHECK(last.nodes > before);
    before = last.nodes;
  }
  CHECK(stopsInProof >= 1);
  CHECK(last.proven);
  CHECK(last.squaredNorm == test::shortestSquaredNorm(basis));
}

TEST_CASE("svp: checkpoints of another search are refused") {
  if (!test::canReduce()) return;
  const test::TemporaryFolder folder;
  EngineOptions options = test::onCpu(1);
  options.checkpointPath = folder.path("search.ckpt");
  options.stepLimit = 1;
  svp::Enumeration first(steadyRequest(), options);
  CHECK(finish(first).checkpointPath == options.checkpointPath);
  const auto refused = [&](const svp::Request& request) {
    svp::Enumeration search(request, options);
    CHECK_THROWS_AS((void)search.resumeIfSaved(), CheckpointError);
  };
  refused(steadyRequest(1));
  svp::Request other = steadyRequest();
  other.ghFactor = 1.05;
  refused(other);
  other = steadyRequest();
  other.blockSize = 23;
  refused(other);
  other = steadyRequest();
  other.rates = svp::RateSource::fixed;
  refused(other);
}

TEST_CASE("svp: devices search trees side by side, and launches that fail lose no tree") {
  if (!test::canReduce()) return;
  EngineOptions options;
  options.mode = Mode::emulated;
  options.threads = 4;
  options.emulator.devices = 2;
  options.emulator.withCpuWorkers = false;  // so that devices search all trees
  const svp::Outcome both = outcomeOf(steadyRequest(), options);
  CHECK(both.found);
  CHECK(both.squaredNorm == outcomeOf(steadyRequest()).squaredNorm);
  int searched = 0;
  for (const auto& worker : both.run.workers)
    searched += worker.name.rfind("emulated", 0) == 0 && worker.steps != 0 ? 1 : 0;
  CHECK(searched >= 1);
  CHECK(both.deviceBusyShare > 0);

  options.emulator.failAtLaunch = 0;  // of every engine
  const svp::Outcome failing = outcomeOf(steadyRequest(), options);
  CHECK(failing.found);
  CHECK(failing.squaredNorm == both.squaredNorm);
  REQUIRE_FALSE(failing.run.warnings.empty());
  CHECK(test::contains(failing.run.warnings.front(), "launch"));
}

TEST_CASE("svp: a cancel from another thread ends trials in their middle") {
  if (!test::canReduce()) return;
  std::mt19937_64 random(13);
  svp::Request request;
  request.basis = lattice::basisText(test::challengeBasis(90, random));
  request.proofLimit = 0;
  EngineOptions options = test::onCpu(1);
  options.threads = 2;
  svp::Enumeration search(request, options);
  std::thread canceller([&] {
    while (!search.stepping()) std::this_thread::yield();
    search.cancel();
  });
  const svp::Outcome outcome = finish(search);
  canceller.join();
  CHECK_FALSE(search.finished());
  CHECK_FALSE(outcome.run.complete);
  CHECK_FALSE(outcome.proven);
  CHECK_FALSE(outcome.text.empty());
}

TEST_CASE("svp: LLL of the input ends between rows when the search is cancelled, and there is no outcome") {
  if (!test::canReduce()) return;
  std::mt19937_64 random(13);
  svp::Request request;
  request.basis = lattice::basisText(test::challengeBasis(72, random));
  svp::Enumeration search(request, test::onCpu(1));
  search.cancel();
  CHECK_THROWS_AS(search.run(), Error);
  CHECK_FALSE(search.finished());
}
