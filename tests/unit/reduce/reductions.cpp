// Block reduction of lattices of every kind: the same lattice, reduced as far as it says, in every mode.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include "runtime/lattice/gram_schmidt.hpp"
#include "runtime/lattice/reduction.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/reduce/reduction.hpp"
#include "support/reduce/checks.hpp"
#include "support/scale.hpp"
#include "support/svp/bases.hpp"
#include "support/text.hpp"
#include "support/worker_options.hpp"

using namespace slicepool;

namespace {

reduce::Request reduceRequest(const lattice::IntegerBasis& basis, int blockSize, int tours = 8) {
  reduce::Request request;
  request.basis = lattice::basisText(basis);
  request.blockSize = blockSize;
  request.tours = tours;
  return request;
}

reduce::Outcome reducedBy(const reduce::Request& request, const EngineOptions& options = test::workersOf()) {
  reduce::Reduction reduction(request, options);
  reduction.run();
  CHECK(reduction.finished());
  return reduction.outcome();
}

lattice::IntegerBasis rowsOf(const reduce::Outcome& outcome) {
  return lattice::parseBasis(outcome.basis, "outcome", reduce::kMaximumRows);
}

/// Of a basis that a reduction returned: its Gram-Schmidt data, by arithmetic with 320 bits, which also says
/// that it is LLL-reduced.
lattice::GramSchmidt certified(const lattice::IntegerBasis& basis) {
  const lattice::Orthogonalization data(basis);
  if (data.flaw()) FAIL(data.flaw()->what);
  return data.result();
}

void checkFigures(const reduce::Outcome& outcome) {
  const lattice::GramSchmidt data = certified(rowsOf(outcome));
  const auto d = static_cast<std::size_t>(data.dimension);
  double volume = 0;
  double potential = 0;
  for (std::size_t i = 0; i < d; ++i) {
    CHECK(outcome.profile[i] == doctest::Approx(std::log2(data.norms[i]) / 2).epsilon(1e-9));
    volume += std::log(data.norms[i]) / 2;
    potential += static_cast<double>(d - i) * std::log(data.norms[i]);
  }
  const auto rows = static_cast<double>(d);
  const double first = std::log(data.norms[0]) / 2;
  CHECK(outcome.hermiteFactor == doctest::Approx(std::exp((first - volume / rows) / rows)).epsilon(1e-9));
  CHECK(outcome.logPotential == doctest::Approx(potential).epsilon(1e-9));
  CHECK(lattice::Integer(outcome.squaredNorm).convert_to<double>() ==
        doctest::Approx(data.norms[0]).epsilon(1e-12));
  CHECK(outcome.ghRatio ==
        doctest::Approx(std::sqrt(data.norms[0] / lattice::gaussianSquaredRadius(data.norms))).epsilon(1e-9));
}

}  // namespace

TEST_CASE("reduce: bases of every kind stay bases of their lattices, LLL-reduced and no longer than before") {
  if (!test::canReduce()) return;
  for (const int d : {1, 2, 3, 7, 16, 30}) {
    if (d > test::largest(30, 16)) break;
    for (const auto& entry : test::basesOfEveryKind(d, 300 + static_cast<std::uint64_t>(d))) {
      const auto& kind = entry.kind;
      CAPTURE(d);
      CAPTURE(kind);
      const reduce::Outcome outcome = reducedBy(reduceRequest(entry.basis, 20, 2));
      const lattice::IntegerBasis rows = rowsOf(outcome);
      CHECK(outcome.dimension == d);
      CHECK(test::sameLattice(rows, entry.basis));
      checkFigures(outcome);
      CHECK(lattice::Integer(outcome.squaredNorm) <=
            lattice::leastSquaredNorm(lattice::reduced(entry.basis)));
      CHECK(outcome.hermiteFactor <= outcome.hermiteFactorBefore * (1 + 1e-12));
    }
  }
}

TEST_CASE("reduce: after a tour that changed nothing each block begins with a shortest vector of it") {
  if (!test::canReduce()) return;
  std::mt19937_64 random(31);
  for (const int blockSize : {2, 7, 12, 15}) {
    if (blockSize > test::largest(15, 7)) break;
    for (const auto& basis :
         {test::challengeBasis(36, random), test::qaryBasis(33, random), test::uniformBasis(24, random)}) {
      CAPTURE(blockSize);
      const reduce::Outcome outcome = reducedBy(reduceRequest(basis, blockSize, 1000));
      REQUIRE(outcome.unchanged);
      CHECK(outcome.tours.back().inserted == 0);
      const lattice::IntegerBasis rows = rowsOf(outcome);
      CHECK(test::sameLattice(rows, basis));
      const lattice::GramSchmidt data = certified(rows);
      for (int first = 0; first + 1 < data.dimension; ++first) {
        CAPTURE(first);
        const int last = std::min(first + blockSize, data.dimension);
        const double least = test::ProjectedMinimum(data, first, last).squaredNorm();
        CHECK(data.norms[static_cast<std::size_t>(first)] <= least * (1 + 1e-8));
      }
    }
  }
}

TEST_CASE(
    "reduce: pruned blocks and their trials shorten the basis, and every mode gives one of its lattice") {
  if (!test::canReduce()) return;
  std::mt19937_64 random(32);
  const auto basis = test::challengeBasis(test::largest(56, 44), random);
  const lattice::IntegerBasis start = lattice::reduced(basis);
  const reduce::Outcome lll = reducedBy(reduceRequest(basis, 0));
  CHECK(lll.tours.empty());
  CHECK(lll.blocks == 0);
  reduce::Request request = reduceRequest(basis, 40, 2);
  request.trials = 2;
  for (const Mode mode : {Mode::cpu, Mode::emulated}) {
    const reduce::Outcome outcome = reducedBy(request, test::workersOf(mode));
    CHECK(outcome.tours.size() == 4);  // 20, 30, 40, 40
    CHECK(outcome.inserted > 0);
    CHECK(outcome.trials > outcome.blocks);
    CHECK(outcome.nodes > 0);
    CHECK((outcome.deviceSeconds > 0) == (mode == Mode::emulated));
    CHECK(outcome.hermiteFactor < lll.hermiteFactor);
    CHECK(outcome.slope > lll.slope);
    CHECK(outcome.logPotential < lll.logPotential);
    CHECK(test::sameLattice(rowsOf(outcome), basis));
    checkFigures(outcome);
  }
}

TEST_CASE("reduce: a block as large as the lattice begins with a shortest vector") {
  if (!test::canReduce()) return;
  std::mt19937_64 random(33);
  const auto basis = test::challengeBasis(30, random);
  const reduce::Outcome outcome = reducedBy(reduceRequest(basis, 100, 100));
  CHECK(outcome.squaredNorm == test::shortestSquaredNorm(basis));
  CHECK(outcome.unchanged);
}

TEST_CASE("reduce: entries beyond 64 bits, and b*_i of very different lengths") {
  if (!test::canReduce()) return;
  std::mt19937_64 random(34);
  lattice::IntegerBasis large = test::challengeBasis(24, random);
  for (auto& entry : large.entries) entry <<= 430;  // more than doubles square
  lattice::IntegerBasis uneven = test::uniformBasis(24, random);
  for (int i = 12; i < 24; ++i)
    for (int j = 0; j < 24; ++j) test::entryOf(uneven, i, j) <<= 90;
  for (const auto& basis : {large, uneven}) {
    const reduce::Outcome outcome = reducedBy(reduceRequest(basis, 14, 3));
    CHECK(test::sameLattice(rowsOf(outcome), basis));
    checkFigures(outcome);
  }
}

TEST_CASE("reduce: bad requests name field, value and what is accepted") {
  const auto refusal = [](auto change) {
    reduce::Request request;
    request.basis = "[[1 0] [0 2]]";
    change(request);
    try {
      reduce::Reduction reduction(request, test::workersOf());
      return std::string();
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
  };
  using test::contains;
  if (!lattice::fplllLinked()) {
    CHECK(contains(refusal([](reduce::Request&) {}), "a build without fplll"));
    return;
  }
  CHECK(refusal([](reduce::Request&) {}).empty());
  CHECK(contains(refusal([](reduce::Request& r) { r.basis = "[[1 2] [2 4]]"; }), "basis: got row 2"));
  CHECK(contains(refusal([](reduce::Request& r) { r.basis = "[[1 2] [2]]"; }), "line 1"));
  CHECK(contains(refusal([](reduce::Request& r) { r.basis = ""; }), "basis: got nothing"));
  CHECK(contains(refusal([](reduce::Request& r) { r.basisPath = "b.txt"; }), "a file and a text"));
  CHECK(contains(refusal([](reduce::Request& r) { r.blockSize = 1; }),
                 "bkz_block_size: got 1; accepted: 2 to 100, or none"));
  CHECK(contains(refusal([](reduce::Request& r) { r.blockSize = 101; }), "bkz_block_size: got 101"));
  CHECK(contains(refusal([](reduce::Request& r) { r.tours = 0; }), "tours: got 0; accepted: 1 to"));
  CHECK(contains(refusal([](reduce::Request& r) { r.trials = -1; }), "trials: got -1"));
  CHECK(contains(refusal([](reduce::Request& r) { r.outputPath = "/no/such/folder/b.txt"; }), "output.path"));
}
