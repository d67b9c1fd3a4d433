// The peer of bench/peers and the judge of bench/support: the figures that compare them with slicepool stand
// on both.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "bench/peers/plain_recursion.hpp"
#include "bench/support/instances.hpp"
#include "bench/support/row_check.hpp"
#include "slicepool/core/error.hpp"
#include "support/factorizations/oracle.hpp"
#include "support/scale.hpp"

using namespace slicepool;
using slicepool::test::Vector;
using slicepool::test::Vectors;

namespace {

constexpr std::int32_t kUntouched = -77;

/// The peer's rows; the elements after the last row must be as they were.
Vectors peerRows(const Vector& generators, std::uint64_t element, std::size_t count) {
  const std::size_t d = generators.size();
  std::vector<std::int32_t> buffer((count + 2) * d, kUntouched);
  const std::size_t written = bench::plainRecursion(generators, element, buffer.data());
  REQUIRE(written == count);
  for (std::size_t i = written * d; i < buffer.size(); ++i) REQUIRE(buffer[i] == kUntouched);
  Vectors rows;
  for (std::size_t r = 0; r < written; ++r) {
    const auto begin = buffer.begin() + static_cast<std::ptrdiff_t>(r * d);
    rows.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(d));
  }
  return rows;
}

std::vector<std::uint16_t> packed(const Vectors& rows) {
  std::vector<std::uint16_t> elements;
  for (const Vector& row : rows)
    for (const std::uint64_t a : row) elements.push_back(static_cast<std::uint16_t>(a));
  return elements;
}

bench::RowFacts inspected(const bench::Instance& instance, const std::vector<std::uint16_t>& elements) {
  return bench::inspectRows(instance, reinterpret_cast<const std::byte*>(elements.data()),
                            elements.size() / instance.generators.size(), 2);
}

}  // namespace

TEST_CASE("plain recursion: rows and their order are those of brute force") {
  constexpr std::uint64_t kSeed = 20261121;
  CAPTURE(kSeed);
  std::mt19937_64 random(kSeed);
  for (std::size_t round = 0; round < test::scaled(400); ++round) {
    Vector generators(2 + random() % 5);
    for (auto& g : generators) g = 1 + random() % 14;  // repeated, unsorted and with common divisors
    const std::uint64_t element = random() % 45;
    CAPTURE(round);
    CAPTURE(element);
    const Vectors expected = test::bruteForce(generators, element);
    CHECK(peerRows(generators, element, expected.size()) == expected);
  }
}

TEST_CASE("plain recursion: every dimension, nothing to find and the zero element") {
  for (std::size_t d = bench::kPeerLeastDimension; d <= bench::kPeerLargestDimension; ++d) {
    CAPTURE(d);
    Vector generators;
    for (std::size_t k = 0; k < d; ++k) generators.push_back(6 + 2 * ((5 * k) % d));
    for (const std::uint64_t element : {0, 7, 30}) {
      const Vectors expected = test::bruteForce(generators, element);
      CHECK(peerRows(generators, element, expected.size()) == expected);
    }
  }
}

TEST_CASE("plain recursion: refuses what it has no range for") {
  std::int32_t none = 0;
  CHECK_THROWS_AS(bench::plainRecursion({5}, 10, &none), std::invalid_argument);
  CHECK_THROWS_AS(bench::plainRecursion(Vector(17, 3), 10, &none), std::invalid_argument);
  CHECK_THROWS_AS(bench::plainRecursion({5, 0}, 10, &none), std::invalid_argument);
  CHECK_THROWS_AS(bench::plainRecursion({3, 1U << 20}, 1U << 10, &none), std::invalid_argument);
}

TEST_CASE("row check: facts of right rows") {
  const bench::Instance instance{{6, 9, 20}, 60};
  const Vectors rows = test::bruteForce(instance.generators, instance.element);
  CHECK(bench::countByRecurrence(instance) == rows.size());
  const auto facts = inspected(instance, packed(rows));
  CHECK(facts.problem.empty());
  CHECK(facts.fingerprint == test::fingerprintOf(rows));
  CHECK(facts.coordinateMaxima == Vector{10, 6, 3});
  Vector lengths(11);
  for (const Vector& row : rows) ++lengths[row[0] + row[1] + row[2]];
  CHECK(facts.lengths == lengths);
  CHECK(bench::differenceOf(facts, facts).empty());
}

TEST_CASE("row check: a wrong, a repeated, a misplaced and a missing row are noticed") {
  const bench::Instance instance{{6, 9, 20}, 60};
  const Vectors rows = test::bruteForce(instance.generators, instance.element);
  const auto expected = inspected(instance, packed(rows));
  const auto differs = [&](const Vectors& wrong) {
    return !bench::differenceOf(inspected(instance, packed(wrong)), expected).empty();
  };
  REQUIRE(rows.size() > 3);
  Vectors wrong = rows;
  ++wrong[2][1];
  CHECK(differs(wrong));
  wrong = rows;
  wrong[2] = wrong[1];
  CHECK(differs(wrong));
  wrong = rows;
  std::swap(wrong[0], wrong[2]);
  CHECK(differs(wrong));
  wrong = rows;
  wrong.pop_back();
  CHECK(differs(wrong));
  CHECK_FALSE(differs(rows));
}

TEST_CASE("row check: many rows, inspected in parts, are one set") {
  const bench::Instance instance = bench::instanceOf(9, 1000);
  const std::uint64_t count = bench::countByRecurrence(instance);
  REQUIRE(count == 801745);  // Barron 2024b, Table 1
  std::vector<std::int32_t> rows(count * 9);
  REQUIRE(bench::plainRecursion(instance.generators, instance.element, rows.data()) == count);
  const auto inspect = [&] {
    return bench::inspectRows(instance, reinterpret_cast<const std::byte*>(rows.data()), count, 4);
  };
  const auto facts = inspect();
  CHECK(facts.problem.empty());
  CHECK(std::accumulate(facts.lengths.begin(), facts.lengths.end(), std::uint64_t{0}) == count);
  Vectors whole;
  for (auto row = rows.begin(); row != rows.end(); row += 9) whole.emplace_back(row, row + 9);
  CHECK(facts.fingerprint == test::fingerprintOf(whole));
  std::swap_ranges(rows.end() - 18, rows.end() - 9, rows.end() - 9);  // the last two rows
  CHECK_FALSE(inspect().problem.empty());
}

TEST_CASE("instances: parsed, or refused by name") {
  const auto instances = bench::parseInstances("9:1500,2:0");
  REQUIRE(instances.size() == 2);
  CHECK(instances[0].generators.size() == 9);
  CHECK(instances[0].element == 1500);
  CHECK(instances[1].generators == Vector{13, 37});
  for (const char* text : {"", "9", "9:", ":9", "1:5", "10:5", "9:1500,", "9:-1", "9:15x", "3:10000001"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(static_cast<void>(bench::parseInstances(text)), ConfigError);
  }
}

TEST_CASE("instances: a count beyond 64 bits and rows beyond the memory are refused") {
  CHECK_THROWS_AS(static_cast<void>(bench::countByRecurrence(bench::instanceOf(9, 10'000'000))), LimitError);
  CHECK_THROWS_AS(bench::requireMemory(bench::instanceOf(9, 5000), std::uint64_t{1} << 60, 36), LimitError);
  bench::requireMemory(bench::instanceOf(3, 50), 2, 12);
}
