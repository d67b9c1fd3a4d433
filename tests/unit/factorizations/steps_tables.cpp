// Suffix counts, step counts, ranks and leaf tables of the factorizations workload.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/problem_factory.hpp"
#include "slicepool/factorizations/rank_index.hpp"
#include "slicepool/factorizations/steps/tables.hpp"
#include "support/factorizations/oracle.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;
using slicepool::test::Vector;
using slicepool::test::Vectors;

namespace {

constexpr std::size_t kMemory = std::size_t{1} << 28;

Vectors list(const LeafTable& table, std::uint64_t m) {
  Vectors rows;
  for (std::uint64_t r = table.offsets[m]; r < table.offsets[m + 1]; ++r) {
    const auto begin = table.rows.begin() + static_cast<std::ptrdiff_t>(r * table.dimension);
    rows.emplace_back(begin, begin + table.dimension);
  }
  return rows;
}

Vector randomGenerators(std::mt19937_64& random) {
  Vector generators(1 + random() % 5);
  for (auto& g : generators) g = 1 + random() % 12;
  return generators;
}

}  // namespace

TEST_CASE("suffix counts are the sizes of the sets over the last generators") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 60; ++i) {
    const Vector g = randomGenerators(random);
    const std::uint64_t n = random() % 50;
    const SuffixCounts counts = makeSuffixCounts(g, n);
    REQUIRE_FALSE(counts.overflow);
    for (std::size_t k = 0; k <= g.size(); ++k) {
      const Vector suffix(g.begin() + static_cast<std::ptrdiff_t>(k), g.end());
      for (std::uint64_t m = 0; m <= n; ++m)
        REQUIRE(counts.counts[k * (n + 1) + m] == test::bruteForce(suffix, m).size());
    }
    CHECK(counts.exactTotal == std::to_string(counts.total()));
    CHECK(exactCount(g, n) == counts.exactTotal);
  }
}

TEST_CASE("rank and unrank are inverse and follow decreasing lexicographic order") {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100; ++i) {
    const Vector g = randomGenerators(random);
    const std::uint64_t n = random() % 50;
    const RankIndex index(g, n);
    const Vectors rows = test::bruteForce(g, n);
    REQUIRE(index.count() == rows.size());
    for (std::uint64_t rank = 0; rank < rows.size(); ++rank) {
      REQUIRE(index.unrank(rank) == rows[rank]);
      REQUIRE(index.rankOf(rows[rank]) == rank);
    }
    CHECK_THROWS_AS((void)index.unrank(rows.size()), ConfigError);
  }
}

TEST_CASE("counts beyond 64 bits are exact") {
  // Thirty generators 1: C(n + 29, 29) factorizations, here C(429, 29).
  const Vector ones(30, 1);
  const SuffixCounts counts = makeSuffixCounts(ones, 400);
  CHECK(counts.overflow);
  CHECK(counts.exactTotal == exactCount(ones, 400));
  // The binomial independently: cancel the denominator factor by factor, multiply in base 10^9.
  std::vector<std::uint64_t> factors;
  for (std::uint64_t j = 1; j <= 29; ++j) factors.push_back(400 + j);
  for (std::uint64_t j = 2; j <= 29; ++j) {
    std::uint64_t divisor = j;
    for (auto& f : factors) {
      for (std::uint64_t p = 2; p <= divisor; ++p) {
        while (divisor % p == 0 && f % p == 0) {
          divisor /= p;
          f /= p;
        }
      }
    }
    REQUIRE(divisor == 1);
  }
  std::vector<std::uint64_t> digits{1};  // base 10^9, least first
  for (const std::uint64_t f : factors) {
    std::uint64_t carry = 0;
    for (auto& digit : digits) {
      carry += digit * f;
      digit = carry % 1000000000;
      carry /= 1000000000;
    }
    if (carry != 0) digits.push_back(carry);
  }
  std::string expected = std::to_string(digits.back());
  for (std::size_t i = digits.size() - 1; i-- > 0;) {
    std::string part = std::to_string(digits[i]);
    expected += std::string(9 - part.size(), '0') + part;
  }
  CHECK(counts.exactTotal == expected);
}

TEST_CASE("the bytes of a suffix table saturate instead of overflowing") {
  CHECK(SuffixCounts::bytesNeeded(3, 99) == 4 * 100 * 8);
  CHECK(SuffixCounts::bytesNeeded(64, std::numeric_limits<std::uint64_t>::max()) ==
        std::numeric_limits<std::size_t>::max());
  CHECK(SuffixCounts::bytesNeeded(64, std::numeric_limits<std::uint64_t>::max() / 8) ==
        std::numeric_limits<std::size_t>::max());
  CHECK_THROWS_AS((void)makeSuffixCounts({3, 5}, std::uint64_t{1} << 62), LimitError);
}

TEST_CASE("step counts: the candidates of (13,37,38,40,41,42,43,44) at 3600") {
  // Measured independently by examining them all: 39,580,406,393 candidates without the modulo jump.
  const StepCounts steps = makeStepCounts({13, 37, 38, 40, 41, 42, 43, 44}, 3600);
  CHECK_FALSE(steps.overflow);
  CHECK(steps.counts[3600] == 39580406393);
}

TEST_CASE("leaf tables hold every list once, in order, the same bytes by every method") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 80; ++i) {
    const Vector g = randomGenerators(random);
    const auto dimension = static_cast<unsigned>(1 + random() % g.size());
    const Vector tail(g.end() - dimension, g.end());
    const std::uint64_t limit = 1 + random() % 60;
    const LeafTable table = makeLeafTable(g, dimension, limit, FillMethod::sequential, 1, kMemory);
    REQUIRE(table.offsets.size() == limit + 1);
    for (std::uint64_t m = 0; m < limit; ++m) REQUIRE(list(table, m) == test::bruteForce(tail, m));
    for (const FillMethod method : {FillMethod::elementwise, FillMethod::factorizationwise}) {
      const LeafTable other = makeLeafTable(g, dimension, limit, method, 3, kMemory);
      REQUIRE(other.offsets == table.offsets);
      REQUIRE(other.rows == table.rows);
    }
  }
}

TEST_CASE("leaf tables with lists longer than a task are the same by every method") {
  const Vector g{3, 5, 7, 9};
  const LeafTable table = makeLeafTable(g, 4, 600, FillMethod::sequential, 1, kMemory);
  REQUIRE(table.offsets[600] - table.offsets[599] > 20000);
  CHECK(list(table, 599) == test::bruteForce(g, 599));
  for (const FillMethod method : {FillMethod::elementwise, FillMethod::factorizationwise}) {
    const LeafTable other = makeLeafTable(g, 4, 600, method, 4, kMemory);
    CHECK(other.offsets == table.offsets);
    CHECK(other.rows == table.rows);
  }
}

TEST_CASE("leaf tables refuse what does not fit or makes no sense") {
  CHECK_THROWS_AS((void)makeLeafTable({1, 1, 1, 1}, 4, 2000, FillMethod::sequential, 1, 1 << 20), LimitError);
  CHECK_THROWS_AS((void)makeLeafTable({2, 3}, 3, 10, FillMethod::sequential, 1, kMemory), ConfigError);
  CHECK_THROWS_AS((void)makeLeafTable({2, 3}, 0, 10, FillMethod::sequential, 1, kMemory), ConfigError);
  CHECK_THROWS_AS((void)makeLeafTable({2, 3}, 1, 0, FillMethod::sequential, 1, kMemory), LimitError);
}

#ifndef SLICEPOOL_HAVE_CUDA
TEST_CASE("without CUDA a fill on the GPU is a device error") {
  CHECK_THROWS_AS((void)makeLeafTableOnGpu({2, 3}, 1, 10, 0, kMemory), DeviceError);
}
#endif
