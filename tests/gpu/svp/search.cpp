// Searches for a shortest vector whose trees a GPU searches, alone and beside cores, against the unpruned
// search on cores.
#include <doctest/doctest.h>

#include <random>
#include <string>

#include "slicepool/svp/enumeration.hpp"
#include "support/gpu.hpp"
#include "support/svp/bases.hpp"

namespace {

using namespace slicepool;

// Trials may miss: so rarely that no test is seen to fail by it.
constexpr double kSure = 0.99999;

svp::Outcome outcomeOf(const svp::Request& request, Mode mode) {
  EngineOptions options;
  options.mode = mode;
  options.threads = 4;
  svp::Enumeration search(request, options);
  search.run();
  CHECK(search.finished());
  return search.outcome();
}

}  // namespace

TEST_CASE("svp on a GPU: trials find a shortest vector, and an unpruned search proves it") {
  if (!test::gpuUsable() || !test::canReduce()) return;
  for (const std::uint64_t seed : {21, 22, 23}) {
    std::mt19937_64 random(seed);
    const auto basis = test::challengeBasis(54, random);
    const std::string shortest = test::shortestSquaredNorm(basis);
    svp::Request request;
    request.basis = lattice::basisText(basis);
    for (const Mode mode : {Mode::gpu, Mode::hybrid, Mode::automatic}) {
      request.trialProbability = 0;
      request.proofLimit = svp::kStandardProofLimit;
      const svp::Outcome proven = outcomeOf(request, mode);
      CHECK(proven.proven);
      CHECK(proven.squaredNorm == shortest);
      CHECK(test::isVectorOf(basis, proven.text, shortest));
      request.trialProbability = 0.3;
      request.probability = kSure;
      request.proofLimit = 0;
      const svp::Outcome tried = outcomeOf(request, mode);
      CHECK(tried.squaredNorm == shortest);
    }
  }
}

TEST_CASE("svp on a GPU: a target ends the search, and the GPU has worked for it") {
  if (!test::gpuUsable() || !test::canReduce()) return;
  std::mt19937_64 random(24);
  const auto basis = test::challengeBasis(70, random);
  svp::Request request;
  request.basis = lattice::basisText(basis);
  request.proofLimit = 0;
  request.probability = kSure;
  for (const Mode mode : {Mode::gpu, Mode::hybrid}) {
    const svp::Outcome outcome = outcomeOf(request, mode);
    CHECK(outcome.found);
    CHECK(outcome.ghRatio < 1.15);
    CHECK(outcome.deviceBusyShare > 0);
    request.squaredNorm = outcome.squaredNorm;
    const svp::Outcome again = outcomeOf(request, mode);
    CHECK(again.found);
    CHECK(again.ghRatio <= outcome.ghRatio);
    request.squaredNorm = {};
  }
}
