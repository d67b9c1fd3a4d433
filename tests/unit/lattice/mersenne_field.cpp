// Integers modulo 2^61 - 1 against 128-bit remainders, and determinants of known matrices.
#include "runtime/lattice/mersenne_field.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace {
namespace mersenne_test {

using namespace slicepool::lattice;
using Rows = std::vector<std::vector<std::int64_t>>;

bool isUnimodular(const Rows& rows) {
  std::vector<std::vector<std::uint64_t>> residues;
  for (const auto& row : rows) {
    residues.emplace_back();
    for (const std::int64_t value : row) residues.back().push_back(mersenne::residueOf(value));
  }
  return mersenne::isUnimodular(std::move(residues));
}

}  // namespace mersenne_test
using namespace mersenne_test;
}  // namespace

TEST_CASE("products, inverses and residues modulo 2^61 - 1") {
  std::mt19937_64 random(2918);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t a = 1 + random() % (mersenne::kPrime - 1);
    const std::uint64_t b = random() % mersenne::kPrime;
    CHECK(mersenne::times(a, b) ==
          static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b % mersenne::kPrime));
    CHECK(mersenne::times(a, mersenne::inverted(a)) == 1);
  }
  CHECK(mersenne::residueOf(-1) == mersenne::kPrime - 1);
  CHECK(mersenne::residueOf(static_cast<std::int64_t>(mersenne::kPrime)) == 0);
  CHECK(mersenne::residueOf(-static_cast<std::int64_t>(mersenne::kPrime)) == 0);
  CHECK(mersenne::residueOf(std::numeric_limits<std::int64_t>::max()) == 3);
}

TEST_CASE("matrices are unimodular when their determinant is 1 or -1") {
  CHECK(isUnimodular({{1}}));
  CHECK(isUnimodular({{-1}}));
  CHECK_FALSE(isUnimodular({{0}}));
  CHECK_FALSE(isUnimodular({{2}}));
  CHECK(isUnimodular({{0, 1}, {1, 0}}));
  CHECK(isUnimodular({{3, 2}, {4, 3}}));
  CHECK_FALSE(isUnimodular({{3, 2}, {6, 4}}));
  CHECK_FALSE(isUnimodular({{3, 1}, {1, 1}}));
  std::mt19937_64 random(2919);
  constexpr std::size_t kRows = 20;
  for (int round = 0; round < 20; ++round) {
    Rows rows(kRows, std::vector<std::int64_t>(kRows));
    for (std::size_t i = 0; i < kRows; ++i) rows[i][i] = 1;
    for (int change = 0; change < 100; ++change) {
      const std::size_t i = random() % kRows;
      const std::size_t k = random() % kRows;
      if (i == k) continue;
      std::swap(rows[i], rows[random() % kRows]);
      const std::int64_t factor = static_cast<std::int64_t>(random() % 3) - 1;
      for (std::size_t j = 0; j < kRows && i != k; ++j) rows[i][j] += factor * rows[k][j];
    }
    CHECK(isUnimodular(rows));
    for (std::int64_t& value : rows[random() % kRows]) value *= 3;
    CHECK_FALSE(isUnimodular(rows));
  }
}
