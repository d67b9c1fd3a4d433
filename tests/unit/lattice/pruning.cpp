// Pruning coefficients of a request: files, checks, fplll's pruner.
#include <doctest/doctest.h>

#include <random>
#include <string>

#include "runtime/lattice/gram_schmidt.hpp"
#include "runtime/lattice/prepared_search.hpp"
#include "runtime/lattice/pruning.hpp"
#include "runtime/lattice/reduction.hpp"
#include "slicepool/core/error.hpp"
#include "support/lattice/instances.hpp"
#include "support/svp/bases.hpp"
#include "support/text.hpp"

namespace {

using namespace slicepool::lattice;
using slicepool::ConfigError;

std::string refusal(const std::string& text, int dimension) {
  try {
    (void)parsePruning(text, dimension, "P");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("coefficients are read from lines, lists and lists of languages") {
  const std::vector<double> wanted = {1, 0.5, 0.25};
  CHECK(parsePruning("1\n0.5\n0.25\n", 3, "P") == wanted);
  CHECK(parsePruning("[1.0, 5e-1, 0.25]", 3, "P") == wanted);
  CHECK(parsePruning(" 1 .5 .25", 3, "P") == wanted);
}

TEST_CASE("a coefficient that is not possible is named by line and value") {
  CHECK(refusal("1\n0.5\nx\n", 3) == "P: line 3: got \"x\"; accepted: a number above 0, at most 1");
  CHECK(refusal("1\n1.5\n", 2) == "P: line 2: got 1.5; accepted: a number above 0, at most 1");
  CHECK(refusal("1\n0\n", 2) == "P: line 2: got 0; accepted: a number above 0, at most 1");
  CHECK(refusal("nan", 1) == "P: line 1: got nan; accepted: a number above 0, at most 1");
  CHECK(refusal("1 0.5\n0.6", 3) ==
        "P: line 2: got 0.6 after 0.5; accepted: coefficients of which none is larger than the one before");
  CHECK(refusal("1 0.5", 3) == "P: got 2 coefficients; accepted: 3, as many as the basis has rows");
  CHECK(refusal("", 3) == "P: got 0 coefficients; accepted: 3, as many as the basis has rows");
  CHECK_THROWS_WITH_AS(
      readPruning("/nowhere/p", 3),
      "pruning: got \"/nowhere/p\" (No such file or directory); accepted: a file that can be read, of at "
      "most 1 MiB",
      ConfigError);
  CHECK_THROWS_WITH_AS(
      checkPruning({1, 0.5, 0.7}, 3),
      "pruning[2]: got 0.7 after 0.5; accepted: coefficients of which none is larger than the one before",
      ConfigError);
}

TEST_CASE("fplll:P is a probability, anything else the name of a file") {
  CHECK(!prunerProbability("file.txt"));
  CHECK(!prunerProbability(""));
  CHECK(prunerProbability("fplll:0.25") == 0.25);
  for (const char* bad : {"fplll:", "fplll:0", "fplll:1.5", "fplll:-1", "fplll:x", "fplll:0.5x", "fplll:nan"})
    CHECK_THROWS_AS((void)prunerProbability(bad), ConfigError);
}

TEST_CASE("fplll's pruner gives coefficients that pass the checks, fewer nodes the less probable") {
  const Orthogonalization k50(parseBasis(slicepool::test::latticeFile("k50.txt"), "k50"));
  const auto& norms = k50.result().norms;
  if (!fplllLinked()) {
    CHECK_THROWS_WITH_AS(prunedBounds(norms, 56757, 0.5), doctest::Contains("in a build without fplll"),
                         ConfigError);
    return;
  }
  ProblemSpec spec;
  spec.dimension = 50;
  spec.norms = norms;
  spec.squaredRadius = 56757.5;
  double before = 1e300;
  for (const double probability : {0.95, 0.5, 0.1}) {
    CAPTURE(probability);
    spec.pruning = prunedBounds(norms, 56757.5, probability);
    CHECK_NOTHROW(checkPruning(spec.pruning, 50));
    double nodes = 0;
    for (const double level : expectedNodes(spec)) nodes += level;
    CHECK(nodes < before);
    before = nodes;
  }
  CHECK(before < 5e6);  // of 1e8 without pruning
}

TEST_CASE("what fplll's pruner says is for the given basis, whatever basis a search is in") {
  if (!slicepool::test::canReduce()) return;
  // Checkpoints hold the coefficients' hash. At this dimension errors in the two bases differ.
  std::mt19937_64 random(72);
  Request request;
  request.basis = basisText(reduced(slicepool::test::challengeBasis(64, random)));
  request.squaredRadius = "4688000";
  request.pruningPath = "fplll:0.1";
  const PreparedSearch search = prepareSearch(request);
  REQUIRE(search.radius.bound > search.radius.givenBound);
  CHECK(search.spec.squaredRadius == search.radius.bound);
  CHECK(search.spec.pruning == prunedBounds(search.spec.norms, search.radius.givenBound, 0.1));
  CHECK(search.spec.pruning != prunedBounds(search.spec.norms, search.radius.bound, 0.1));
}
