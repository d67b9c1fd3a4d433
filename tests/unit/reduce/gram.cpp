// Block reduction of a lattice that is given by its Gram matrix: T G T^t with a unimodular T, reduced as far
// as the same lattice by a basis.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/lattice/given_lattice.hpp"
#include "runtime/lattice/gram_schmidt.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/reduce/reduction.hpp"
#include "support/lattice/gram_of.hpp"
#include "support/scale.hpp"
#include "support/stopped_runs.hpp"
#include "support/svp/bases.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"
#include "support/worker_options.hpp"

namespace {
namespace reduce_gram_test {

using namespace slicepool;
using lattice::Integer;
using lattice::IntegerBasis;

reduce::Request byGram(const IntegerBasis& basis, int blockSize) {
  reduce::Request request;
  request.gram = test::gramText(basis);
  request.blockSize = blockSize;
  return request;
}

/// Of the leading rows, without fractions (Bareiss 1968).
Integer determinant(IntegerBasis matrix) {
  const int d = matrix.dimension;
  const auto at = [&](int i, int j) -> Integer& { return test::entryOf(matrix, i, j); };
  Integer divisor = 1;
  int sign = 1;
  for (int k = 0; k < d; ++k) {
    int pivot = k;
    while (pivot < d && at(pivot, k) == 0) ++pivot;
    if (pivot == d) return 0;
    if (pivot != k) {
      for (int j = 0; j < d; ++j) std::swap(at(pivot, j), at(k, j));
      sign = -sign;
    }
    for (int i = k + 1; i < d; ++i)
      for (int j = k + 1; j < d; ++j) at(i, j) = Integer(at(i, j) * at(k, k) - at(i, k) * at(k, j)) / divisor;
    divisor = at(k, k);
  }
  return sign * divisor;
}

/// T is unimodular, its matrix is T G T^t, LLL-reduced, and the figures are those of it.
void checkReduced(const reduce::Request& request, const reduce::Outcome& outcome) {
  const IntegerBasis gram = lattice::parseBasis(request.gram, "gram", reduce::kMaximumRows);
  const int d = gram.dimension;
  IntegerBasis given = test::zeroBasis(d, d);
  for (int i = 0; i < d; ++i) test::entryOf(given, i, i) = 1;
  given.gram = gram.entries;
  IntegerBasis reduced = lattice::parseBasis(outcome.basis, "outcome", reduce::kMaximumRows);
  REQUIRE(reduced.dimension == d);
  const Integer sign = determinant(reduced);
  CHECK((sign == 1 || sign == -1));
  lattice::adoptForm(reduced, given);
  CHECK(lattice::parseBasis(outcome.gram, "outcome", reduce::kMaximumRows).entries == reduced.gram);
  const lattice::Orthogonalization data(reduced);
  if (data.flaw()) FAIL(data.flaw()->what);
  const auto norms = data.result().norms;
  for (std::size_t i = 0; i < norms.size(); ++i)
    CHECK(outcome.profile[i] == doctest::Approx(std::log2(norms[i]) / 2).epsilon(1e-6));
  CHECK(outcome.squaredNorm == reduced.gram[0].str());
}

reduce::Outcome reducedBy(const reduce::Request& request, const EngineOptions& options = test::workersOf()) {
  reduce::Reduction reduction(request, options);
  reduction.run();
  CHECK(reduction.finished());
  reduce::Outcome outcome = reduction.outcome();
  if (!request.gram.empty()) checkReduced(request, outcome);
  return outcome;
}

TEST_CASE("reduce: a Gram matrix becomes T G T^t, and its first vector is as short as by a basis") {
  if (!test::canReduce()) return;
  for (const int d : {1, 2, 3, 8, 20, 28}) {
    if (d > test::largest(28, 8)) break;
    for (const auto& entry : test::basesOfEveryKind(d, 900 + static_cast<std::uint64_t>(d))) {
      CAPTURE(d);
      CAPTURE(entry.kind);
      // One block is the whole lattice, searched without pruning: a shortest vector comes first.
      const reduce::Outcome outcome = reducedBy(byGram(entry.basis, d < 2 ? 0 : d));
      CHECK(outcome.squaredNorm == test::shortestSquaredNorm(entry.basis));
      reduce::Request request;
      request.basis = lattice::basisText(entry.basis);
      request.blockSize = d < 2 ? 0 : d;
      CHECK(reducedBy(request).squaredNorm == outcome.squaredNorm);
    }
  }
}

TEST_CASE("reduce: blocks of a Gram matrix that are pruned, in every mode, and LLL alone") {
  if (!test::canReduce()) return;
  std::mt19937_64 random(12);
  const auto basis = test::challengeBasis(test::largest(60, 44), random);
  const reduce::Outcome alone = reducedBy(byGram(basis, 0));
  reduce::Request request = byGram(basis, 36);
  request.tours = 2;
  const reduce::Outcome blocks = reducedBy(request);
  CHECK(blocks.hermiteFactor < alone.hermiteFactor);
  CHECK(blocks.inserted > 0);
  CHECK(reducedBy(request, test::workersOf(Mode::cpu, 1)).basis == blocks.basis);
  (void)reducedBy(request, test::workersOf(Mode::emulated));
}

TEST_CASE("reduce: a Gram matrix of entries beyond 64 bits, and of vectors of very different lengths") {
  if (!test::canReduce()) return;
  std::mt19937_64 random(13);
  IntegerBasis basis = test::challengeBasis(16, random);
  for (auto& entry : basis.entries) entry <<= 90;
  CHECK(reducedBy(byGram(basis, 16)).squaredNorm == test::shortestSquaredNorm(basis));
  IntegerBasis apart = test::zeroBasis(6, 6);
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < i; ++j) test::entryOf(apart, i, j) = static_cast<std::int64_t>(random() % 1000);
    test::entryOf(apart, i, i) = Integer(1) << (40 * i);
  }
  CHECK(reducedBy(byGram(apart, 6)).squaredNorm == test::shortestSquaredNorm(apart));
}

TEST_CASE("reduce: a reduction of a Gram matrix that is stopped goes on to the same matrix") {
  if (!test::canReduce()) return;
  std::mt19937_64 random(14);
  reduce::Request request = byGram(test::challengeBasis(42, random), 36);
  request.tours = 2;
  const reduce::Outcome whole = reducedBy(request, test::workersOf(Mode::cpu, 1));
  const test::TemporaryFolder folder;
  EngineOptions options = test::workersOf(Mode::cpu, 1);
  options.checkpointPath = folder.path("tours.ckpt");
  options.stepLimit = whole.nodes / 4 + 1;
  int runs = 0;
  const auto last = test::lastOutcome<reduce::Reduction>(request, options, [&](const reduce::Outcome& now) {
    checkReduced(request, now);
    ++runs;
  });
  CHECK(last.basis == whole.basis);
  CHECK(last.gram == whole.gram);
  CHECK(runs >= 3);
}

TEST_CASE("reduce: the reduced Gram matrix and the transformation are written") {
  if (!test::canReduce()) return;
  const test::TemporaryFolder folder;
  reduce::Request request;
  request.gram = "[[10 -3] [-3 13]]";
  request.outputPath = folder.path("gram.txt");
  request.transformationPath = folder.path("t.txt");
  const reduce::Outcome outcome = reducedBy(request);
  const auto textOf = [](const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  };
  CHECK(textOf(request.outputPath) == outcome.gram + "\n");
  CHECK(textOf(request.transformationPath) == outcome.basis + "\n");
  CHECK(outcome.transformationBytes == outcome.basis.size() + 1);
}

TEST_CASE("reduce: what is no Gram matrix is refused with the place, and a transformation of a basis") {
  if (!test::canReduce()) return;
  const auto refusal = [](auto change) {
    reduce::Request request;
    request.gram = "[[2 1] [1 2]]";
    change(request);
    try {
      const reduce::Reduction reduction(request, test::workersOf());
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  using test::contains;
  CHECK(refusal([](reduce::Request&) {}) == "accepted");
  CHECK(contains(refusal([](reduce::Request& r) { r.gram = "[[2 1] [0 2]]"; }),
                 "gram: row 2, column 1: got 0"));
  CHECK(contains(refusal([](reduce::Request& r) { r.gram = "[[2 1 1] [1 2 -1] [1 -1 2]]"; }),
                 "gram: row 3: got 0"));
  CHECK(contains(refusal([](reduce::Request& r) { r.basis = "[[1]]"; }), "together with a basis"));
  CHECK(contains(refusal([](reduce::Request& r) {
                   r.gram.clear();
                   r.basis = "[[1]]";
                   r.transformationPath = "t.txt";
                 }),
                 "output.transformation: got \"t.txt\" with a basis"));
}

}  // namespace reduce_gram_test
}  // namespace
