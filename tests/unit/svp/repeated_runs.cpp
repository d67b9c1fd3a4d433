// Searches for a shortest vector by one thread: what they repeat, and how they go on after an interruption.
#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include "runtime/lattice/reduction.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/seconds.hpp"
#include "slicepool/svp/enumeration.hpp"
#include "support/scale.hpp"
#include "support/stopped_runs.hpp"
#include "support/svp/bases.hpp"
#include "support/svp/steady_requests.hpp"
#include "support/temporary_folder.hpp"
#include "support/worker_options.hpp"

namespace {
namespace svp_repeated_runs_test {

using namespace slicepool;

using test::finish;
using test::fixedRequest;
using test::outcomeOf;
using test::steadyRequest;

void checkSame(const svp::Outcome& a, const svp::Outcome& b) {
  CHECK(a.trials == b.trials);
  CHECK(a.nodes == b.nodes);
  CHECK(a.text == b.text);
  CHECK(a.inserted == b.inserted);
  CHECK(a.successProbability == doctest::Approx(b.successProbability).epsilon(1e-12));
}

/// Of runs that follow one another: a vector that an earlier one has found keeps its time, and one that this
/// one has found has a later time than those had.
class FoundTimes {
 public:
  void see(const svp::Outcome& outcome) {
    if (outcome.text == text_)
      CHECK(outcome.foundSeconds == seconds_);
    else
      CHECK(outcome.foundSeconds >= outcome.run.secondsBefore);
    if (!text_.empty() && outcome.text != text_) ++later_;
    text_ = outcome.text;
    seconds_ = outcome.foundSeconds;
  }
  /// Runs but the first that have found one.
  [[nodiscard]] int later() const { return later_; }

 private:
  std::string text_;
  double seconds_ = 0;
  int later_ = 0;
};

/// A run that is stopped three times and more ends as one that is not.
void checkStoppedRuns(const svp::Request& request, const svp::Outcome& whole) {
  const test::TemporaryFolder folder;
  EngineOptions options = test::onCpu(1);
  options.checkpointPath = folder.path("search.ckpt");
  options.stepLimit = whole.nodes / 4;
  int runs = 0;
  FoundTimes found;
  checkSame(whole, test::lastOutcome<svp::Enumeration>(request, options, [&](const svp::Outcome& outcome) {
              ++runs;
              found.see(outcome);
            }));
  CHECK(runs >= 3);
}

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
  FoundTimes found;
  double passed = 0;  // seconds, all runs
  for (bool finished = false; !finished && runs < 60; ++runs) {
    const auto begin = std::chrono::steady_clock::now();
    svp::Enumeration search(request, options);
    (void)search.resumeIfSaved();
    const double secondsBefore = last.run.secondsBefore;
    last = finish(search);
    finished = search.finished();
    if (!finished && last.proofNodes > 0) ++stopsInProof;
    CHECK(last.nodes > before);
    before = last.nodes;
    // Times go on like everything else.
    CHECK(last.run.secondsBefore <= passed);
    passed += secondsSince(begin);
    CHECK(last.run.secondsBefore >= secondsBefore);
    found.see(last);
    CHECK(last.foundSeconds <= passed);
    CHECK(last.proofSeconds <= passed);
  }
  CHECK(stopsInProof >= 1);
  CHECK(last.proven);
  CHECK(last.squaredNorm == test::shortestSquaredNorm(basis));
}

TEST_CASE("svp: a vector that a proof finds has its time, though the proof is stopped again and again") {
  if (!test::canReduce()) return;
  std::mt19937_64 random(8);
  svp::Request request;
  request.basis = lattice::basisText(test::challengeBasis(40, random));
  request.rates = svp::RateSource::fixed;
  request.blockSize = 10;
  request.probability = 1e-3;  // no trial is worth its time
  request.proofLimit = 1e6;
  const svp::Outcome whole = outcomeOf(request);
  REQUIRE(whole.trials == 0);
  const test::TemporaryFolder folder;
  EngineOptions options = test::onCpu(1);
  options.checkpointPath = folder.path("search.ckpt");
  options.cpuBudget = 500;
  options.stepLimit = 1000;  // the first run knows what the reduction leaves
  FoundTimes found;
  const auto last = test::lastOutcome<svp::Enumeration>(request, options, [&](const svp::Outcome& outcome) {
    options.stepLimit = whole.proofNodes / 10;
    found.see(outcome);
  });
  CHECK(last.proven);
  CHECK(last.text == whole.text);
  CHECK(found.later() >= 1);
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

}  // namespace svp_repeated_runs_test
}  // namespace
