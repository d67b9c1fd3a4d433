// What the tours of a trial work on: rows of doubles with their Gram-Schmidt data, LLL on them, vectors that
// are put in front of a block, and the search of small blocks.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "runtime/lattice/gram_schmidt.hpp"
#include "runtime/lattice/reduction.hpp"
#include "runtime/svp/block_tours.hpp"
#include "runtime/svp/short_rows.hpp"
#include "slicepool/core/error.hpp"
#include "support/scale.hpp"
#include "support/svp/bases.hpp"

using namespace slicepool;
using lattice::Integer;
using lattice::IntegerBasis;

namespace {

/// Rows of some bits that LLL has not seen.
IntegerBasis unreduced(int d, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  return test::transformed(test::qaryBasis(d, random), random);
}

/// Whether both have the same determinant and rows of `a` are in the lattice of `b`: ten of them, since each
/// takes long.
bool isSameLattice(const IntegerBasis& a, const IntegerBasis& b) {
  for (int i = 0; i < a.dimension; i += 1 + a.dimension / 10) {
    std::string text = "[";
    Integer norm = 0;
    for (int j = 0; j < a.columns; ++j) {
      text += a.at(i, j).str() + " ";
      norm += a.at(i, j) * a.at(i, j);
    }
    if (!test::isVectorOf(b, text + "]", norm.str())) return false;
  }
  const auto logarithm = [](const IntegerBasis& basis) {
    const lattice::Orthogonalization exact(basis);
    double sum = 0;
    for (const double norm : exact.result().norms) sum += std::log(norm);
    return sum;
  };
  return std::abs(logarithm(a) - logarithm(lattice::reduced(b))) < 1e-6;
}

void checkGramSchmidt(const svp::ShortRows& rows) {
  const lattice::Orthogonalization exact(rows.basis());
  REQUIRE_FALSE(exact.flaw());
  const auto data = exact.result();
  const auto d = static_cast<std::size_t>(rows.dimension());
  for (int i = 0; i < rows.dimension(); ++i) {
    CHECK(rows.norm(i) == doctest::Approx(data.norms[static_cast<std::size_t>(i)]).epsilon(1e-9));
    for (int j = 0; j < i; ++j) {
      const double mu = data.mu[static_cast<std::size_t>(i) * d + static_cast<std::size_t>(j)];
      CHECK(std::abs(rows.mu(i, j) - mu) < 1e-8);
    }
  }
}

void checkLll(const svp::ShortRows& rows) {
  for (int i = 1; i < rows.dimension(); ++i) {
    for (int j = 0; j < i; ++j) CHECK(std::abs(rows.mu(i, j)) < 0.5101);
    const double mu = rows.mu(i, i - 1);
    CHECK(rows.norm(i) + mu * mu * rows.norm(i - 1) > 0.98 * rows.norm(i - 1));
  }
}

svp::SmallBlock blockOf(const svp::ShortRows& rows) {
  const int d = rows.dimension();
  svp::SmallBlock block;
  for (int i = 0; i < d; ++i) {
    block.norms.push_back(rows.norm(i));
    for (int j = 0; j < d; ++j) block.mu.push_back(j < i ? rows.mu(i, j) : 0);
  }
  block.squaredRadius = block.norms.front() * 1.000001;
  return block;
}

}  // namespace

TEST_CASE(
    "short rows: LLL gives a basis of the same lattice that is reduced, and its Gram-Schmidt data are "
    "exact") {
  if (!test::canReduce()) return;  // the check is by fplll
  for (const int d : {1, 2, 7, 24, 40}) {
    CAPTURE(d);
    const IntegerBasis basis = unreduced(d, 30 + static_cast<std::uint64_t>(d));
    REQUIRE(svp::ShortRows::fits(basis));
    svp::ShortRows rows(basis);
    rows.reduce(0, d);
    checkGramSchmidt(rows);
    checkLll(rows);
    CHECK(isSameLattice(rows.basis(), basis));
  }
}

TEST_CASE("short rows: a block is reduced and nothing is moved in front of it") {
  if (!test::canReduce()) return;  // the check is by fplll
  const IntegerBasis basis = unreduced(24, 5);
  svp::ShortRows rows(basis);
  rows.reduce(0, 10);
  const std::vector<Integer> before = rows.row(9);
  rows.reduce(10, 24);
  CHECK(rows.row(9) == before);
  rows.reduce(0, 24);
  CHECK(rows.row(9) != before);  // it was not reduced as a whole
  checkLll(rows);
  CHECK(isSameLattice(rows.basis(), basis));
}

TEST_CASE("short rows: a combination of rows comes in front, with or without a coefficient of 1") {
  if (!test::canReduce()) return;  // the check is by fplll
  for (const std::vector<std::int64_t>& x :
       {std::vector<std::int64_t>{0, 1}, {3, -1, 2}, {2, 3}, {0, 6, 10, -15}, {4, 1, -2, 1, 3}}) {
    svp::ShortRows rows(unreduced(12, 6));
    rows.reduce(0, 12);
    const IntegerBasis before = rows.basis();
    const int first = 4;
    std::vector<Integer> sum(static_cast<std::size_t>(before.columns), 0);
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t j = 0; j < sum.size(); ++j)
        sum[j] += x[i] * before.at(first + static_cast<int>(i), static_cast<int>(j));
    rows.insert(first, x);
    std::vector<Integer> now = rows.row(first);
    if (now != sum)
      for (Integer& entry : now) entry = -entry;
    CHECK(now == sum);
    rows.reduce(0, 12);
    checkGramSchmidt(rows);
    CHECK(isSameLattice(rows.basis(), before));
  }
}

TEST_CASE("short rows: rows that depend on each other are an error, and long entries do not fit") {
  IntegerBasis basis = unreduced(8, 7);
  for (int j = 0; j < 8; ++j) test::entryOf(basis, 7, j) = basis.at(0, j) + basis.at(3, j);
  svp::ShortRows rows(basis);
  CHECK_THROWS_AS(rows.reduce(0, 8), Error);
  test::entryOf(basis, 2, 3) = Integer(1) << 24;
  CHECK_FALSE(svp::ShortRows::fits(basis));
}

TEST_CASE("small blocks: without pruning the search finds a shortest vector, and none within less") {
  if (!test::canReduce()) return;  // the check is by fplll
  for (const int d : {1, 2, 3, 8, 17, test::largest(28, 20)}) {
    CAPTURE(d);
    const IntegerBasis basis = unreduced(d, 50 + static_cast<std::uint64_t>(d));
    svp::ShortRows rows(basis);
    rows.reduce(0, d);
    svp::SmallBlock block = blockOf(rows);
    const auto found = svp::shortestOf(block);
    REQUIRE(found);
    rows.insert(0, *found);
    Integer norm = 0;
    for (const Integer& entry : rows.row(0)) norm += entry * entry;
    CHECK(norm.str() == test::shortestSquaredNorm(basis));
    block.squaredRadius = norm.convert_to<double>() * 0.999999;
    CHECK_FALSE(svp::shortestOf(block));
  }
}

TEST_CASE("small blocks: bounds are those of their levels") {
  svp::SmallBlock block{{4, 1}, {0, 0, 0.4, 0}, {}, 3.9};
  CHECK(svp::shortestOf(block) == std::vector<std::int64_t>{0, 1});  // 0.16 * 4 + 1
  block.pruning = {1, 0.2};
  CHECK_FALSE(svp::shortestOf(block));  // 1 > 0.2 * 3.9
  block.pruning = {1, 0.3};
  CHECK(svp::shortestOf(block).has_value());
  block.pruning = {0.4, 0.4};
  CHECK_FALSE(svp::shortestOf(block));  // 1.64 > 0.4 * 3.9
}

TEST_CASE("a tour gives a better basis of the same lattice, and stops between two blocks") {
  if (!test::canReduce()) return;
  const int d = test::largest(48, 36);
  std::mt19937_64 random(8);
  const IntegerBasis basis = lattice::reduced(test::challengeBasis(d, random));
  REQUIRE(svp::ShortRows::fits(basis));
  svp::ShortRows rows(basis);
  rows.reduce(0, d);
  const auto potential = [&] {
    double sum = 0;
    for (int i = 0; i < d; ++i) sum += (d - i) * std::log(rows.norm(i));
    return sum;
  };
  double before = potential();
  // Small blocks, blocks that are preprocessed, and problems.
  for (const int size : test::runsAll() ? std::vector{10, 20, 38, 46} : std::vector{10, 36}) {
    CHECK(svp::tourOf(rows, size, {}));
    CHECK(potential() < before);
    before = potential();
  }
  rows.reduce(0, d);
  checkGramSchmidt(rows);
  checkLll(rows);
  CHECK(isSameLattice(rows.basis(), basis));
  int asked = 0;
  CHECK_FALSE(svp::tourOf(rows, 20, [&] { return ++asked == 3; }));
  CHECK(asked == 3);
}
