// The parts of a block reduction: exact rows with their Gram-Schmidt data, blocks as lattices of their own,
// which blocks a tour has, and how a block is searched.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "runtime/lattice/gram_schmidt.hpp"
#include "runtime/lattice/reduction.hpp"
#include "runtime/reduce/basis_rows.hpp"
#include "runtime/reduce/block_search.hpp"
#include "runtime/reduce/figures.hpp"
#include "runtime/reduce/local_block.hpp"
#include "runtime/reduce/tours.hpp"
#include "slicepool/core/error.hpp"
#include "support/reduce/checks.hpp"
#include "support/scale.hpp"
#include "support/svp/bases.hpp"

using namespace slicepool;

namespace {

/// Of determinant 1, with entries that grow to some hundreds.
reduce::Transformation randomTransformation(int size, std::mt19937_64& random) {
  reduce::Transformation result;
  result.size = size;
  result.entries.resize(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
  const auto entry = [&](int i, int j) -> std::int64_t& {
    const auto at = static_cast<std::ptrdiff_t>(i) * size + j;
    return result.entries[static_cast<std::size_t>(at)];
  };
  for (int i = 0; i < size; ++i) entry(i, i) = 1;
  for (int round = 0; round < 3 * size && size > 1; ++round) {
    const int i = static_cast<int>(random() % static_cast<std::uint64_t>(size));
    const int j = static_cast<int>(random() % static_cast<std::uint64_t>(size));
    if (i == j) continue;
    const auto factor = static_cast<std::int64_t>(random() % 5) - 2;
    for (int k = 0; k < size; ++k) entry(i, k) += factor * entry(j, k);
  }
  return result;
}

lattice::IntegerBasis product(const reduce::Transformation& transformation,
                              const lattice::IntegerBasis& basis) {
  lattice::IntegerBasis result = test::zeroBasis(transformation.size, basis.columns);
  for (int i = 0; i < transformation.size; ++i)
    for (int j = 0; j < transformation.size; ++j)
      for (int t = 0; t < basis.columns; ++t)
        test::entryOf(result, i, t) += transformation.at(i, j) * basis.at(j, t);
  return result;
}

}  // namespace

TEST_CASE("rows: Gram-Schmidt lengths are those of arithmetic with 320 bits, before and after combinations") {
  if (!test::canReduce()) return;
  for (const auto& entry : test::basesOfEveryKind(test::largest(25, 20), 61)) {
    const auto& kind = entry.kind;
    CAPTURE(kind);
    lattice::IntegerBasis basis = lattice::reduced(entry.basis);
    for (const unsigned shift : {0U, 60U, 500U}) {
      for (auto& value : basis.entries) value <<= shift;
      reduce::BasisRows rows(basis);
      const auto check = [&] {
        const lattice::Orthogonalization exact(rows.basis());
        REQUIRE_FALSE(exact.flaw());
        const std::vector<double> logs = rows.logNorms();
        for (std::size_t i = 0; i < logs.size(); ++i)
          CHECK(logs[i] == doctest::Approx(std::log(exact.result().norms[i])).epsilon(1e-12));
      };
      if (shift != 500) check();
      std::mt19937_64 random(62);
      const auto transformation = randomTransformation(9, random);
      rows.apply(7, transformation);
      CHECK(test::sameLattice(rows.basis(), basis));
      rows.refresh(7);
      CHECK(test::sameLattice(rows.basis(), basis));
      // The same numbers as from the rows alone, to the last bit.
      CHECK(rows.logNorms() == reduce::BasisRows(rows.basis()).logNorms());
      CHECK(rows.block(5, 14).triangle == reduce::BasisRows(rows.basis()).block(5, 14).triangle);
      for (auto& value : basis.entries) value >>= shift;
    }
  }
}

TEST_CASE("rows: dependent rows, and such as double precision cannot tell from them, are an error") {
  lattice::IntegerBasis basis = test::zeroBasis(2, 2);
  test::entryOf(basis, 0, 0) = 1;
  test::entryOf(basis, 1, 0) = lattice::Integer(1) << 200;
  CHECK_THROWS_AS((void)reduce::BasisRows(basis), Error);
}

TEST_CASE("blocks: the transformation of a reduction is found exactly") {
  if (!test::canReduce()) return;
  std::mt19937_64 random(63);
  const reduce::BasisRows rows(lattice::reduced(test::challengeBasis(30, random)));
  for (const int size : {1, 2, 5, 18, 30}) {
    const reduce::ProjectedBlock block = rows.block(30 - size, size);
    const lattice::IntegerBasis scaled = reduce::scaledBlock(block);
    CHECK(reduce::transformationTo(scaled, scaled).isIdentity());
    for (int i = 0; i < 10; ++i) {
      const auto made = randomTransformation(size, random);
      const auto found = reduce::transformationTo(scaled, product(made, scaled));
      CHECK(found.entries == made.entries);
      // Gram-Schmidt data of the transformed block: the same volume, norms by another way.
      const reduce::BlockData data = reduce::dataOf(block, made);
      double volume = 0;
      for (int j = 0; j < size; ++j)
        volume += std::log(data.norms[static_cast<std::size_t>(j)]) - 2 * std::log(block.at(j, j));
      CHECK(std::abs(volume) < 1e-6);
      std::vector<std::int64_t> unit(static_cast<std::size_t>(size));
      unit.front() = 1;
      CHECK(reduce::squaredNormOf(block, reduce::combined(made, unit)) ==
            doctest::Approx(data.norms[0]).epsilon(1e-10));
    }
    lattice::IntegerBasis other = scaled;
    test::entryOf(other, 0, size - 1) += 1;  // no row of this lattice, but where the entry divides 1
    if (scaled.at(size - 1, size - 1) > 1)
      CHECK_THROWS_AS((void)reduce::transformationTo(scaled, other), Error);
  }
}

TEST_CASE("tours: sizes grow to that of the blocks, and each row begins one block of a tour") {
  CHECK(reduce::scheduleOf(45, 2, 90) == std::vector<int>{20, 30, 40, 45, 45});
  CHECK(reduce::scheduleOf(20, 1, 90) == std::vector<int>{20});
  CHECK(reduce::scheduleOf(60, 2, 25) == std::vector<int>{20, 25, 25});
  CHECK(reduce::scheduleOf(0, 5, 25).empty());
  CHECK(reduce::scheduleOf(5, 5, 1).empty());
  for (const int dimension : {2, 3, 10, 29}) {
    for (const int size : {2, 5, 10, 29}) {
      const int blockSize = std::min(size, dimension);
      std::multiset<int> all;
      for (int step = 0; step < reduce::stepsOf(blockSize, dimension); ++step) {
        int free = 0;
        for (const int first : reduce::firstRowsOf(step, blockSize, dimension)) {
          CHECK(first >= free);
          free = first + std::min(blockSize, dimension - first);
          all.insert(first);
        }
      }
      CHECK(all.size() == static_cast<std::size_t>(dimension - 1));
      CHECK(*all.begin() == 0);
      CHECK(*all.rbegin() == dimension - 2);
      CHECK(std::set<int>(all.begin(), all.end()).size() == all.size());
    }
  }
}

TEST_CASE("blocks: an unpruned search finds a shortest vector, and puts it in front of the same lattice") {
  if (!test::canReduce()) return;
  std::mt19937_64 random(64);
  for (int round = 0; round < 5; ++round) {
    const lattice::IntegerBasis basis = lattice::reduced(test::challengeBasis(32, random));
    const reduce::BasisRows rows(basis);
    const reduce::ProjectedBlock block = rows.block(4, 24);
    reduce::BlockSearch search(4, block, reduce::planOf(block, 0), 1);
    REQUIRE(search.trials() == 1);
    CHECK(search.reduce(0, {}));
    CHECK(search.search(0, {}));
    const reduce::Transformation made = search.finish();
    reduce::BasisRows after(basis);
    after.apply(4, made);
    after.refresh(4);
    CHECK(test::sameLattice(after.basis(), basis));
    const lattice::Orthogonalization before(basis);
    const double least = test::ProjectedMinimum(before.result(), 4, 28).squaredNorm();
    CHECK(std::exp(after.logNorms()[4]) == doctest::Approx(least).epsilon(1e-9));
    CHECK(search.found() == (least < before.result().norms[4] * (1 - 1e-9)));
  }
}

TEST_CASE("blocks: pruned trials succeed together with a probability of about a half, for every block size") {
  if (!test::canReduce()) return;
  std::vector<double> logs;
  for (int size = reduce::kUnprunedBlock + 1; size <= reduce::kMaximumBlockSize; ++size) {
    CAPTURE(size);
    reduce::ProjectedBlock block;
    block.size = size;
    block.triangle.resize(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) {
      const auto at = static_cast<std::ptrdiff_t>(i) * (size + 1);
      block.triangle[static_cast<std::size_t>(at)] = std::exp(-0.0275 * i);
    }
    const reduce::BlockPlan plan = reduce::planOf(block, 0);
    REQUIRE(plan.pruning.size() == static_cast<std::size_t>(size));
    CHECK(std::is_sorted(plan.pruning.rbegin(), plan.pruning.rend()));
    const double failure = std::pow(1 - svp::successProbability(plan.pruning), plan.trials);
    CHECK(failure > 0.2);
    CHECK(failure < 0.75);
    CHECK(reduce::planOf(block, 7).trials == 7);
  }
}

TEST_CASE("figures: those of a profile that falls evenly") {
  std::vector<double> logs;
  for (int i = 0; i < 50; ++i) logs.push_back(10 - 0.06 * i);
  CHECK(reduce::slope(logs) == doctest::Approx(-0.06));
  CHECK(reduce::hermiteFactor(logs) == doctest::Approx(std::exp(0.06 * 49 / 2 / 2 / 50)));
  CHECK(reduce::logPotential({3, 2, 1}) == doctest::Approx(9 + 4 + 1));
  CHECK(reduce::slope({1}) == 0);
  // Two dimensions: the heuristic is sqrt(det / pi).
  CHECK(reduce::ghRatio({0, 0}) == doctest::Approx(std::sqrt(std::acos(-1.0))));
}
