// A shortest vector of a lattice that is given by its Gram matrix: as long as that of the same lattice by a
// basis, with coefficients that give it.
#include <doctest/doctest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "runtime/lattice/given_lattice.hpp"
#include "runtime/lattice/mersenne_field.hpp"
#include "runtime/svp/trial_reduction.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/svp/enumeration.hpp"
#include "support/lattice/gram_of.hpp"
#include "support/scale.hpp"
#include "support/stopped_runs.hpp"
#include "support/svp/bases.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"
#include "support/worker_options.hpp"

namespace {
namespace svp_gram_test {

using namespace slicepool;

/// Checks that the coefficients have the norm.
svp::Outcome outcomeOf(const svp::Request& request, const EngineOptions& options = test::workersOf()) {
  svp::Enumeration search(request, options);
  search.run();
  CHECK(search.finished());
  svp::Outcome outcome = search.outcome();
  const auto gram = lattice::parseBasis(request.gram, "gram");
  const auto row = lattice::parseBasis("[" + outcome.text + "]", "vector");
  CHECK(row.columns == gram.dimension);
  CHECK(test::normByGram(gram, row, 0).str() == outcome.squaredNorm);
  return outcome;
}

svp::Request byGram(const lattice::IntegerBasis& basis, const lattice::Integer& scale = 1) {
  svp::Request request;
  request.gram = test::gramText(basis, scale);
  return request;
}

lattice::IntegerBasis stored(const std::string& file) {
  return lattice::readBasis(std::string(std::getenv("SLICEPOOL_SOURCE_DIR")) + "/tests/data/lattices/" +
                            file);
}

TEST_CASE("svp: a lattice by its Gram matrix has the norm that it has by a basis") {
  if (!test::canReduce()) return;
  for (const int d : {1, 2, 3, 8, 20, 31}) {
    if (d > test::largest(31, 8)) break;
    for (const auto& entry : test::basesOfEveryKind(d, 700 + static_cast<std::uint64_t>(d))) {
      CAPTURE(d);
      CAPTURE(entry.kind);
      const svp::Outcome outcome = outcomeOf(byGram(entry.basis));
      CHECK(outcome.found);
      CHECK(outcome.proven);
      CHECK(outcome.squaredNorm == test::shortestSquaredNorm(entry.basis));
    }
  }
}

TEST_CASE("svp: trials of a Gram matrix put what they find into its starting basis, in every mode") {
  if (!test::canReduce()) return;
  std::mt19937_64 random(5);
  const auto basis = test::challengeBasis(test::largest(51, 47), random);
  const std::string shortest = test::shortestSquaredNorm(basis);
  svp::Request request = byGram(basis);
  request.trialProbability = 0.3;  // several trials
  request.probability = 0.999999;
  request.proofLimit = 0;
  request.blockSize = 20;
  for (const Mode mode : {Mode::cpu, Mode::emulated}) {
    if (mode == Mode::emulated && !test::runsAll()) continue;  // as a basis, which is tried in that mode
    const svp::Outcome outcome = outcomeOf(request, test::workersOf(mode));
    CHECK(outcome.trials >= 10);
    CHECK(outcome.inserted >= 1);
    CHECK_FALSE(outcome.proven);
    CHECK(outcome.squaredNorm == shortest);
  }
}

TEST_CASE("svp: a vector by its coefficients goes in front of a starting basis of the same lattice") {
  if (!test::canReduce()) return;
  const int d = test::largest(60, 42);
  std::mt19937_64 random(21);
  lattice::IntegerBasis given = test::zeroBasis(d, d);
  for (int i = 0; i < d; ++i) test::entryOf(given, i, i) = 1;
  given.gram = test::gramOf(test::challengeBasis(d, random)).entries;
  const lattice::IntegerBasis basis = svp::looselyReduced(given);
  // A vector that is shorter than all rows, and twice that, which is not primitive.
  const svp::KnownVector shorter =
      svp::shortestRow(svp::TrialReduction(basis).reduced({d / 2, d * 2 / 3}, {})->basis);
  REQUIRE(shorter.squaredNorm < svp::shortestRow(basis).squaredNorm);
  std::vector<lattice::Integer> twice = shorter.entries;
  for (auto& entry : twice) entry *= 2;
  for (const auto& vector : {shorter.entries, twice}) {
    lattice::IntegerBasis with = svp::withVector(basis, vector);
    CHECK(svp::shortestRow(with).squaredNorm <= shorter.squaredNorm);
    std::vector<std::vector<std::uint64_t>> rows(static_cast<std::size_t>(d));
    for (int i = 0; i < d; ++i) {
      for (int j = 0; j < d; ++j) {
        rows[static_cast<std::size_t>(i)].push_back(
            lattice::mersenne::residueOf(with.at(i, j).convert_to<std::int64_t>()));
      }
    }
    CHECK(lattice::mersenne::isUnimodular(rows));
    const std::vector<lattice::Integer> gram = with.gram;
    lattice::adoptForm(with, given);
    CHECK(with.gram == gram);
  }
  lattice::IntegerBasis doubled = basis;
  for (auto& entry : doubled.entries) entry *= 2;
  CHECK_THROWS_AS((void)svp::withVector(doubled, shorter.entries), Error);
}

TEST_CASE("svp: minima of E8, the Leech lattice and that of Barnes and Wall by their Gram matrices") {
  if (!test::canReduce()) return;
  const auto minimum = [](const std::string& file, int scale) {
    const svp::Outcome outcome = outcomeOf(byGram(stored(file), scale));
    CHECK(outcome.proven);
    return outcome.squaredNorm;
  };
  CHECK(minimum("e8.txt", 4) == "2");
  CHECK(minimum("leech.txt", 8) == "4");
  CHECK(minimum("bw16.txt", 2) == "4");
}

TEST_CASE("svp: a Gram matrix of entries beyond 64 bits, and a target of its norms") {
  if (!test::canReduce()) return;
  std::mt19937_64 random(6);
  lattice::IntegerBasis basis = test::challengeBasis(20, random);
  for (auto& entry : basis.entries) entry <<= 100;
  const std::string shortest = test::shortestSquaredNorm(basis);
  svp::Request request = byGram(basis);
  CHECK(outcomeOf(request).squaredNorm == shortest);
  request.squaredNorm = lattice::Integer(lattice::Integer(shortest) - 1).str();
  const svp::Outcome none = outcomeOf(request);
  CHECK_FALSE(none.found);
  CHECK(none.proven);
}

TEST_CASE(
    "svp: a search of a Gram matrix that is stopped again and again makes the trials of one that is not") {
  if (!test::canReduce()) return;
  std::mt19937_64 random(11);
  svp::Request request = byGram(test::challengeBasis(test::largest(51, 42), random));
  request.trialProbability = 0.2;
  request.proofLimit = 0;
  request.blockSize = 22;
  const svp::Outcome whole = outcomeOf(request, test::workersOf(Mode::cpu, 1));
  const test::TemporaryFolder folder;
  EngineOptions options = test::workersOf(Mode::cpu, 1);
  options.checkpointPath = folder.path("search.ckpt");
  options.stepLimit = whole.nodes / 4;
  int runs = 0;
  const auto last =
      test::lastOutcome<svp::Enumeration>(request, options, [&](const svp::Outcome&) { ++runs; });
  CHECK(last.trials == whole.trials);
  CHECK(last.nodes == whole.nodes);
  CHECK(last.text == whole.text);
  CHECK(runs >= 3);
}

TEST_CASE("svp: what is no Gram matrix is refused with the place") {
  if (!test::canReduce()) return;
  const auto refusal = [](const std::string& gram, const std::string& basis = {}) {
    svp::Request request;
    request.gram = gram;
    request.basis = basis;
    try {
      const svp::Enumeration search(request, test::workersOf());
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  using test::contains;
  CHECK(refusal("[[2 1] [1 2]]") == "accepted");
  CHECK(contains(refusal("[[2 1] [0 2]]"), "gram: row 2, column 1: got 0"));
  CHECK(contains(refusal("[[2 1 0] [1 2 0]]"), "a square matrix"));
  CHECK(contains(refusal("[[2 1 1] [1 2 -1] [1 -1 2]]"), "gram: row 3: got 0"));
  CHECK(contains(refusal("[[0]]"), "gram: row 1, column 1: got 0"));
  CHECK(contains(refusal("[[2 1] [1 2]]", "[[1]]"), "gram: got a Gram matrix together with a basis"));
}

}  // namespace svp_gram_test
}  // namespace
