// Bounds that follow from rows, infinite sets and cones that are not pointed, rows by elimination: against
// the definition, and refusals by name.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "runtime/integer_points/bounded_system.hpp"
#include "runtime/integer_points/exact_rows.hpp"
#include "runtime/integer_points/recession.hpp"
#include "slicepool/core/error.hpp"
#include "support/integer_points/oracle.hpp"
#include "support/scale.hpp"

using namespace slicepool;
using namespace slicepool::integer_points;

namespace {

using Rows = std::vector<std::vector<std::int64_t>>;

Rows randomRows(std::mt19937_64& random, std::size_t rows, std::size_t columns) {
  Rows matrix(rows, std::vector<std::int64_t>(columns));
  for (auto& row : matrix)
    for (auto& entry : row) entry = static_cast<std::int64_t>(random() % 7) - 3;
  return matrix;
}

}  // namespace

TEST_CASE("a system is finite, by weights that prove it, or has a direction that does not end") {
  std::mt19937_64 random(5);
  int finite = 0;
  int infinite = 0;
  for (std::size_t i = 0; i < test::scaled(500); ++i) {
    const std::size_t rows = 1 + random() % 4;
    const std::size_t columns = 1 + random() % 5;
    const Rows matrix = randomRows(random, rows, columns);
    const Recession recession = recessionOf(matrix);
    REQUIRE(recession.direction.empty() != recession.weights.empty());
    if (recession.weights.empty()) {
      ++infinite;
      BigInteger sum = 0;
      for (const BigInteger& entry : recession.direction) {
        CHECK(entry >= 0);
        sum += entry;
      }
      CHECK(sum > 0);
      for (const auto& row : matrix) {
        BigInteger product = 0;
        for (std::size_t j = 0; j < columns; ++j) product += row[j] * recession.direction[j];
        CHECK(product == 0);
      }
    } else {
      ++finite;
      for (std::size_t j = 0; j < columns; ++j) {
        BigInteger product = 0;
        for (std::size_t r = 0; r < rows; ++r) product += matrix[r][j] * recession.weights[r];
        CHECK(product > 0);
      }
    }
  }
  CHECK(finite > 0);
  CHECK(infinite > 0);
}

TEST_CASE("bounds of random systems hold for every point of the oracle") {
  std::mt19937_64 random(6);
  for (std::size_t i = 0; i < test::scaled(200); ++i) {
    const auto [system, lower, upper] = test::randomSystem(random);
    const BoundedSystem bounded = boundedSystem(system, {});
    const auto points = test::pointsInBox(system, lower, upper);
    if (!bounded.emptyBecause.empty()) CHECK(points.empty());
    for (const Point& point : points)
      for (std::size_t j = 0; j < point.size(); ++j) {
        CHECK(point[j] >= bounded.lower[j]);
        CHECK(point[j] <= bounded.upper[j]);
      }
  }
}

TEST_CASE("bounds that only rows together imply") {
  // x1 - x2 + x3 = 1 and 2 x2 - x1 - x3 = 3: their sum is x2 = 4.
  const LinearSystem system{.matrix = {{1, -1, 1}, {-1, 2, -1}}, .rightSide = {1, 3}};
  const BoundedSystem bounded = boundedSystem(system, {});
  CHECK(bounded.emptyBecause.empty());
  for (const Point& point : {Point{0, 4, 5}, Point{5, 4, 0}}) {
    for (std::size_t j = 0; j < 3; ++j) {
      CHECK(bounded.lower.at(j) <= point.at(j));
      CHECK(bounded.upper.at(j) >= point.at(j));
    }
  }
}

TEST_CASE("reduced rows are equations that follow, each with a pivot of its own") {
  const auto reduced = reducedRows({{1, 1, 0, 0, 5}, {0, 0, 1, 1, 7}, {1, 0, 1, 0, 6}, {0, 1, 0, 1, 6}});
  REQUIRE(reduced.has_value());
  REQUIRE(reduced->size() == 3);
  CHECK(reduced->at(0).pivot == 1);
  CHECK(reduced->at(2).pivot == 3);
  CHECK(reduced->at(2).coefficients == std::vector<BigInteger>{-1, 0, 0, 1});
  CHECK(reduced->at(2).rightSide == 1);
  CHECK_FALSE(reducedRows({{1, 1, 5}, {2, 2, 11}}).has_value());
  // x1 + x2 and x1 - x2 are both odd or both even.
  CHECK_FALSE(reducedRows({{1, 1, 2}, {1, -1, 1}}).has_value());
}

TEST_CASE("systems that are none are refused by name") {
  const auto refuses = [](const LinearSystem& system, const char* part) {
    CHECK_THROWS_WITH_AS(boundedSystem(system, {}), doctest::Contains(part), ConfigError);
  };
  refuses({.matrix = {}, .rightSide = {}}, "matrix: got 0 rows");
  refuses({.matrix = {{}}, .rightSide = {1}}, "matrix: got rows of 0 entries");
  refuses({.matrix = {{1, 2}, {1}}, .rightSide = {1, 1}}, "matrix: got row 2 of 1 entries");
  refuses({.matrix = {{1, 2}}, .rightSide = {1, 1}}, "right_side: got 2 numbers");
  refuses({.matrix = {{1, 2}}, .rightSide = {1}, .lower = {0}}, "lower: got 1 numbers");
  refuses({.matrix = {{1, 2}}, .rightSide = {1}, .upper = {1, 2, 3}}, "upper: got 3 numbers");
  refuses({.matrix = Rows(33, {1}), .rightSide = std::vector<std::int64_t>(33)}, "matrix: got 33 rows");
  // A cone that is not pointed, a generator that is zero, a column in no row.
  refuses({.matrix = {{1, -1}}, .rightSide = {0}}, "x and x + (1, 1) satisfy the same rows");
  refuses({.matrix = {{2, -3, 1}}, .rightSide = {4}}, "upper: got an unbounded system");
  refuses({.matrix = {{1, 0}}, .rightSide = {4}}, "(0, 1)");
  constexpr std::int64_t kLarge = std::numeric_limits<std::int64_t>::max();
  refuses({.matrix = {{kLarge, 1}}, .rightSide = {1}}, "matrix: got 9223372036854775807");
  refuses({.matrix = {{1, 1}}, .rightSide = {kLarge}}, "right_side: got");
  refuses({.matrix = {{1, 1}}, .rightSide = {1}, .lower = {-kLarge, 0}}, "lower: got");
  refuses({.matrix = {{1 << 30, 1}}, .rightSide = {1}, .lower = {-(std::int64_t{1} << 40), 0}},
          "beyond 2^60");
  for (const std::int64_t entry : {kLarge, std::numeric_limits<std::int64_t>::min()}) {
    const Row condition{{entry, 1}, 0, {}};
    CHECK_THROWS_WITH_AS(boundedSystem({.matrix = {{1, 1}}, .rightSide = {1}}, {condition}),
                         doctest::Contains("where: got"), ConfigError);
  }
}

TEST_CASE("an upper bound makes a system finite") {
  const BoundedSystem bounded =
      boundedSystem({.matrix = {{1, -1}}, .rightSide = {0}, .upper = {std::nullopt, 5}}, {});
  CHECK(bounded.upper == std::vector<std::int64_t>{5, 5});
}
