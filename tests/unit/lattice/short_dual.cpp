// Bases with short duals (runtime/lattice/short_dual.hpp): the tree and its vectors are those of the given
// basis, and coefficients are small whatever the given basis is.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <vector>

#include "runtime/lattice/bounds_view.hpp"
#include "runtime/lattice/short_dual.hpp"
#include "slicepool/lattice/problem_factory.hpp"
#include "slicepool/lattice/sinks.hpp"
#include "support/lattice/instances.hpp"
#include "support/lattice/warps.hpp"

using namespace slicepool;
using namespace slicepool::lattice;
using namespace slicepool::test;

namespace {

using Coefficients = std::vector<std::int16_t>;

/// Of all vectors within the radius; of a lattice of dimension up to 16.
std::set<Coefficients> coefficientsOf(ProblemSpec spec) {
  spec.collect = true;
  const auto problem = makeProblem(spec);
  const WarpOutcome outcome =
      WarpHost<AutomaticTeams, 16, 16, CollectVectors<16>>(*problem, {.results = 1U << 16U}).run();
  REQUIRE(outcome.refusals == 0);
  std::set<Coefficients> all;
  for (std::size_t at = 0; at < outcome.results.size(); at += problem->resultBytes()) {
    Coefficients one(static_cast<std::size_t>(spec.dimension));
    std::memcpy(one.data(), outcome.results.data() + at + sizeof(double), one.size() * sizeof(std::int16_t));
    all.insert(one);
  }
  return all;
}

double greatestOf(const ProblemSpec& spec) { return greatestCoefficient(boundsView(spec)); }

}  // namespace

TEST_CASE("lattice short dual: nodes of every level and vectors are those of the given basis") {
  std::mt19937_64 random(20261128);
  for (const int dimension : {1, 2, 3, 9, 16}) {
    for (const bool pruned : {false, true}) {
      for (const bool skewed : {false, true}) {
        INFO("seed 20261128, dimension " << dimension << ", pruned " << pruned << ", skewed " << skewed);
        ProblemSpec given = randomLattice(random, dimension, 5000, pruned);
        if (skewed) skew(given, dimension / 4);
        const ShortDual dual(dimension, given.mu);
        REQUIRE(dual.found());
        ProblemSpec changed = given;
        changed.mu = dual.mu();
        std::set<Coefficients> back;
        for (Coefficients coefficients : coefficientsOf(changed)) {
          dual.toGiven(coefficients);
          back.insert(coefficients);
        }
        CHECK(back == coefficientsOf(given));
        const auto words = plainLatticeWords(changed);
        const auto expected = plainLatticeWords(given);
        for (int k = 0; k < dimension; ++k) CHECK(words[kNodesWord + k] == expected[kNodesWord + k]);
      }
    }
  }
}

TEST_CASE("lattice short dual: coefficients are as small for a skewed basis") {
  std::mt19937_64 random(3);
  for (const int dimension : {4, 24, 64, 100, 160}) {
    INFO("seed 3, dimension " << dimension);
    ProblemSpec spec = randomLattice(random, dimension, 5000, false);
    ProblemSpec changed = spec;
    const ShortDual dual(dimension, spec.mu);
    REQUIRE(dual.found());
    changed.mu = dual.mu();
    const double least = greatestOf(changed);
    CHECK(least <= greatestOf(spec) * (1 + 1e-9));
    // mu of independent numbers has an inverse that grows fast.
    if (dimension >= 64) CHECK(least < greatestOf(spec) / 2);
    skew(spec, dimension / 4);
    CHECK(greatestOf(spec) > 100);
    const ShortDual ofSkewed(dimension, spec.mu);
    REQUIRE(ofSkewed.found());
    changed.mu = ofSkewed.mu();
    CHECK(greatestOf(changed) == doctest::Approx(least).epsilon(1e-6));
  }
}

TEST_CASE("lattice short dual: none where numbers are too large") {
  const ShortDual dual(3, {0, 0, 0, 1e12, 0, 0, 0, 1e12, 0});
  CHECK(!dual.found());
}
