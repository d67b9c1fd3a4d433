// Searches for a shortest vector against the unpruned search of the lattice workload, in every way that they
// can end.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "runtime/lattice/reduction.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/svp/enumeration.hpp"
#include "support/scale.hpp"
#include "support/svp/bases.hpp"
#include "support/text.hpp"
#include "support/worker_options.hpp"

using namespace slicepool;
using slicepool::test::basesOfEveryKind;
using slicepool::test::isVectorOf;
using slicepool::test::shortestSquaredNorm;

namespace {

svp::Request requestOf(const lattice::IntegerBasis& basis) {
  svp::Request request;
  request.basis = lattice::basisText(basis);
  return request;
}

svp::Outcome finishedOutcomeOf(const svp::Request& request,
                               const EngineOptions& options = test::workersOf()) {
  svp::Enumeration search(request, options);
  search.run();
  CHECK(search.finished());
  return search.outcome();
}

lattice::IntegerBasis challenge(int d, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  return test::challengeBasis(d, random);
}

}  // namespace

TEST_CASE("svp: the proven vector of lattices of every kind is as short as the unpruned search's") {
  if (!test::canReduce()) return;
  for (const int d : {1, 2, 3, 5, 8, 13, 20, 31, 38}) {
    if (d > test::largest(38, 13)) break;
    for (const auto& entry : basesOfEveryKind(d, 100 + static_cast<std::uint64_t>(d))) {
      const auto& kind = entry.kind;
      const auto& basis = entry.basis;
      CAPTURE(d);
      CAPTURE(kind);
      const svp::Outcome outcome = finishedOutcomeOf(requestOf(basis));
      CHECK(outcome.found);
      CHECK(outcome.proven);
      CHECK(outcome.dimension == d);
      CHECK(outcome.squaredNorm == shortestSquaredNorm(basis));
      CHECK(isVectorOf(basis, outcome.text, outcome.squaredNorm));
    }
  }
}

TEST_CASE("svp: trials alone find a shortest vector, in every mode and with any number of threads") {
  if (!test::canReduce()) return;
  const auto basis = challenge(test::largest(51, 47), 5);
  const std::string shortest = shortestSquaredNorm(basis);
  svp::Request request = requestOf(basis);
  request.trialProbability = 0.3;  // several trials
  request.probability = 0.999999;
  request.proofLimit = 0;
  request.blockSize = 20;
  for (const Mode mode : {Mode::cpu, Mode::emulated}) {
    for (const int threads : {1, 3}) {
      // The other mode is tried with a Gram matrix.
      if ((threads == 3 || mode == Mode::cpu) && !test::runsAll()) continue;
      CAPTURE(threads);
      const svp::Outcome outcome = finishedOutcomeOf(request, test::workersOf(mode, threads));
      CHECK(outcome.trials >= 10);
      CHECK_FALSE(outcome.proven);
      CHECK(outcome.squaredNorm == shortest);
      CHECK(isVectorOf(basis, outcome.text, shortest));
    }
  }
}

TEST_CASE("svp: a target ends with the first vector within, and says so") {
  if (!test::canReduce()) return;
  const auto basis = challenge(test::largest(46, 40), 6);
  const std::string shortest = shortestSquaredNorm(basis);
  svp::Request request = requestOf(basis);
  request.squaredNorm = shortest;
  const svp::Outcome exactly = finishedOutcomeOf(request);
  CHECK(exactly.found);
  CHECK(exactly.squaredNorm == shortest);
  CHECK(exactly.target.text() == shortest);

  request.squaredNorm = {};
  request.ghFactor = 1.1;
  const svp::Outcome near = finishedOutcomeOf(request);
  CHECK(near.found);
  CHECK(near.ghRatio <= 1.1);
  CHECK(isVectorOf(basis, near.text, near.squaredNorm));
}

TEST_CASE("svp: that nothing is within a target below the minimum is proven") {
  if (!test::canReduce()) return;
  const auto basis = challenge(40, 7);
  const lattice::Integer shortest(shortestSquaredNorm(basis));
  svp::Request request = requestOf(basis);
  for (const std::string& target :
       {lattice::Integer(shortest - 1).str(), std::string("1"), std::string("0.5")}) {
    CAPTURE(target);
    request.squaredNorm = target;
    const svp::Outcome outcome = finishedOutcomeOf(request);
    CHECK_FALSE(outcome.found);
    CHECK(outcome.proven);
    CHECK(isVectorOf(basis, outcome.text, outcome.squaredNorm));  // the shortest that is known, all the same
  }
}

TEST_CASE("svp: without a feasible proof the search says what one would take") {
  if (!test::canReduce()) return;
  const auto basis = challenge(58, 8);
  svp::Request request = requestOf(basis);
  request.proofLimit = 0;
  request.probability = 0.9999;  // a miss is a failure of the last but one check
  const svp::Outcome outcome = finishedOutcomeOf(request);
  CHECK(outcome.found);
  CHECK_FALSE(outcome.proven);
  CHECK(outcome.trials >= 1);
  CHECK(outcome.successProbability >= 0.9999);
  CHECK(outcome.expectedProof.nodes > 1e8);
  CHECK(outcome.expectedProof.seconds > 0);
  CHECK(outcome.ghRatio < 1.1);
  CHECK(isVectorOf(basis, outcome.text, outcome.squaredNorm));
}

TEST_CASE("svp: entries beyond 64 bits, and rows that reduce to entries beyond them") {
  if (!test::canReduce()) return;
  lattice::IntegerBasis basis = challenge(30, 9);
  for (auto& entry : basis.entries) entry <<= 100;
  const svp::Outcome outcome = finishedOutcomeOf(requestOf(basis));
  CHECK(outcome.proven);
  CHECK(outcome.squaredNorm == shortestSquaredNorm(basis));
  CHECK(isVectorOf(basis, outcome.text, outcome.squaredNorm));
}

TEST_CASE("svp: known minima: E8, Leech, Barnes and Wall") {
  if (!test::canReduce()) return;
  const auto minimum = [](const std::string& file) {
    svp::Request request;
    request.basisPath = std::string(std::getenv("SLICEPOOL_SOURCE_DIR")) + "/tests/data/lattices/" + file;
    const svp::Outcome outcome = finishedOutcomeOf(request);
    CHECK(outcome.proven);
    return outcome.squaredNorm;
  };
  CHECK(minimum("e8.txt") == "8");      // scaled by 2
  CHECK(minimum("leech.txt") == "32");  // scaled by sqrt 8
  CHECK(minimum("bw16.txt") ==
        shortestSquaredNorm(lattice::readBasis(std::string(std::getenv("SLICEPOOL_SOURCE_DIR")) +
                                               "/tests/data/lattices/bw16.txt")));
}

TEST_CASE("svp: the published norm of a basis of the SVP challenge") {
  if (!test::canReduce()) return;
  // Dimension 40, seed 0. The basis as in the repository of Elemental (examples/lattice/SVPChallenge40.txt);
  // the norm as in fplll's list of small challenges (fplll/sieve/sieve_gauss.cpp): 1702.46439022965.
  svp::Request request;
  request.basisPath =
      std::string(std::getenv("SLICEPOOL_SOURCE_DIR")) + "/tests/data/lattices/svpchallenge40.txt";
  const svp::Outcome outcome = finishedOutcomeOf(request);
  CHECK(outcome.proven);
  CHECK(outcome.squaredNorm == "2898385");
  CHECK(std::sqrt(2898385.0) == doctest::Approx(1702.46439022965).epsilon(1e-14));
  CHECK(isVectorOf(lattice::readBasis(request.basisPath), outcome.text, outcome.squaredNorm));
}

TEST_CASE("svp: a lattice of numbers that doubles do not hold is refused by its name, whatever the target") {
  if (!lattice::fplllLinked()) return;
  const std::string large = "1" + std::string(160, '0');
  for (const bool gram : {false, true}) {
    for (const double factor : {0.0, 1.2}) {
      INFO("gram " << gram << ", factor " << factor);
      svp::Request request;
      if (gram)
        request.gram = "[[" + large + large + " 0] [0 " + large + large + "]]";
      else
        request.basis = "[[" + large + " 0] [1 " + large + "]]";
      request.ghFactor = factor;
      svp::Enumeration search(request, test::workersOf());
      CHECK_THROWS_WITH_AS(search.run(),
                           doctest::Contains(gram ? "gram: got a reduced basis whose row 1 has a squared "
                                                    "Gram-Schmidt norm above 1e300; accepted: norms"
                                                  : "basis: got a reduced basis whose row 1"),
                           ConfigError);
    }
  }
}

TEST_CASE("svp: bad requests name field, value and what is accepted") {
  const auto refusal = [](auto change) {
    svp::Request request;
    request.basis = "[[1 0] [0 2]]";
    change(request);
    try {
      svp::Enumeration search(request, test::workersOf());
      return std::string();
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
  };
  using test::contains;
  if (!lattice::fplllLinked()) {
    CHECK(contains(refusal([](svp::Request&) {}), "a build without fplll"));
    return;
  }
  CHECK(refusal([](svp::Request&) {}).empty());
  CHECK(contains(refusal([](svp::Request& r) { r.basis = "[[1 2] [2 4]]"; }), "basis: got"));
  CHECK(contains(refusal([](svp::Request& r) { r.basis = "[[1 2] [2]]"; }), "line 1"));
  CHECK(contains(refusal([](svp::Request& r) { r.basis = ""; }), "basis: got nothing"));
  CHECK(contains(refusal([](svp::Request& r) { r.ghFactor = -1; }), "target: got gh:-1"));
  CHECK(contains(refusal([](svp::Request& r) {
                   r.ghFactor = 1;
                   r.squaredNorm = 5;
                 }),
                 "one of the two"));
  CHECK(contains(refusal([](svp::Request& r) { r.blockSize = 1; }),
                 "bkz_block_size: got 1; accepted: 2 to 100"));
  CHECK(contains(refusal([](svp::Request& r) { r.probability = 1; }), "probability: got 1"));
  CHECK(contains(refusal([](svp::Request& r) { r.trialProbability = 2; }), "trial_probability: got 2"));
  CHECK(contains(refusal([](svp::Request& r) { r.proofLimit = -1; }), "proof_limit: got -1"));
}
