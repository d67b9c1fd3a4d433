// RankIndex and RankSampler: ranks and rows are inverse at any width, samples are uniform and reproducible.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/rank_index.hpp"
#include "support/factorizations/front.hpp"
#include "support/text.hpp"
#include "support/wide_oracle.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;
using slicepool::test::contains;
using slicepool::test::kBeyond128;
using slicepool::test::kBeyond64;
using slicepool::test::WideOracle;
using slicepool::testing::bruteForce;
using slicepool::testing::rowsOf;
using slicepool::testing::Vector;

namespace {

const Rank kTwoTo64 = Rank(1) << 64;

/// Every rank of a small set, both ways, and the first rank that is none.
void checkEveryRank(const Vector& generators, std::uint64_t element) {
  CAPTURE(element);
  const auto rows = bruteForce(generators, element);
  const RankIndex index(generators, element);
  REQUIRE(index.count() == rows.size());
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    REQUIRE(index.unrank(rank) == rows[rank]);
    REQUIRE(index.rankOf(rows[rank]) == rank);
  }
  CHECK_THROWS_AS((void)index.unrank(rows.size()), ConfigError);
}

/// Ranks at both ends, around 2^64 and at random places against the oracle; rank and row are inverse.
void checkWide(const Vector& generators, std::uint64_t element, unsigned bits) {
  const WideOracle oracle(generators, element);
  const RankIndex index(generators, element);
  REQUIRE(index.count() == oracle.total());
  REQUIRE(index.countBits() == bits);
  CHECK(index.bytes() == generators.size() * (element + 1) * bits / 8);
  std::vector<Rank> ranks = {
      0, 1, kTwoTo64 - 1, kTwoTo64, kTwoTo64 + 1, index.count() - 2, index.count() - 1};
  RankSampler sampler(0, index.count(), 11);
  for (int i = 0; i < 40; ++i) ranks.push_back(sampler.next());
  for (const Rank& rank : ranks) {
    CAPTURE(rank.str());
    const Vector row = index.unrank(rank);
    REQUIRE(row == oracle.rowAt(rank));
    REQUIRE(oracle.rankOf(row) == rank);
    REQUIRE(index.rankOf(row) == rank);
  }
  CHECK_THROWS_AS((void)index.unrank(index.count()), ConfigError);
  CHECK_THROWS_AS((void)index.unrank(-1), ConfigError);
}

template <class F>
std::string messageOf(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("rank index: every rank of small sets, one generator to many, unreachable elements, zero") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 60; ++i) {
    Vector generators(1 + random() % 5);
    for (auto& g : generators) g = 1 + random() % 12;
    checkEveryRank(generators, random() % 45);
  }
  checkEveryRank({6, 9, 20}, 43);  // the Frobenius number
  checkEveryRank({6, 9, 20}, 0);
  checkEveryRank({7}, 21);
  checkEveryRank({100, 7}, 21);  // a generator above the element
}

TEST_CASE("rank index: rank and row are inverse on random rows beyond 2^64 and beyond 2^128") {
  checkWide(kBeyond64, 4000, 128);
  checkWide(kBeyond128, 10000, 192);
}

TEST_CASE("rank index: counts that wrap in residuals that are never reached do not matter") {
  Vector generators(30, 2);  // even residuals have up to C(239, 29) > 2^64 factorizations over these
  generators.push_back(401);
  const RankIndex index(generators, 421);
  CHECK(index.count() == 635745396);  // C(39, 29): 401 once, and 10 twos over 30 generators
  CHECK(index.countBits() == 64);
  for (const std::uint64_t rank : {0U, 1U, 123456789U, 635745395U}) {
    const Vector row = index.unrank(rank);
    CHECK(row.back() == 1);
    CHECK(index.rankOf(row) == rank);
  }
}

TEST_CASE("rank index: what is not a factorization is refused with its sum") {
  const RankIndex index({6, 9, 20}, 60);
  CHECK(contains(messageOf([&] { (void)index.rankOf({3, 0, 2}); }), "rank_of: got 3,0,2, whose sum is 58"));
  CHECK(contains(messageOf([&] { (void)index.rankOf({10, 0}); }), "which has 2 coordinates"));
  // The sum modulo 2^64 would be 60.
  const std::uint64_t wrapping = (std::uint64_t{1} << 63) + 10;
  CHECK(contains(messageOf([&] {
                   (void)index.rankOf({wrapping, 0, 0});
                 }),
                 "whose sum is 55340232221128654908"));
  CHECK(contains(messageOf([&] { (void)index.unrank(5); }), "number of factorizations, 5"));
  CHECK(contains(messageOf([&] {
                   RankIndex({6, 9, 20}, 1'000'000, 1'000'000);
                 }),
                 "24000024 bytes; 1000000 allowed"));
  CHECK(contains(messageOf([&] { RankIndex(kBeyond64, 4000, 500'000); }), "128 bits take 832208 bytes"));
  CHECK(contains(messageOf([&] { RankIndex({6, 0}, 60); }), "generators[1]"));
}

TEST_CASE("ranks in decimal: leading zeros are no octal numbers, anything but digits is refused") {
  CHECK(parseRank("0", "x") == 0);
  CHECK(parseRank("000", "x") == 0);
  CHECK(parseRank("0100", "x") == 100);
  CHECK(parseRank("340282366920938463463374607431768211456", "x") == Rank(1) << 128);
  for (const char* text : {"", "-1", "+1", "1.0", " 1", "0x10", "1e3"}) {
    CAPTURE(text);
    CHECK_THROWS_AS((void)parseRank(text, "x"), ConfigError);
  }
  CHECK_THROWS_AS((void)parseRank(std::string(2001, '1'), "x"), ConfigError);
}

TEST_CASE("draws follow the documented recipe: std::mt19937_64, lowest word first, masked, rejected") {
  std::mt19937_64 generator(5);
  RankSampler words(7, kTwoTo64 + 7, 5);
  for (int i = 0; i < 10; ++i) CHECK(words.next() == Rank(7) + generator());

  std::mt19937_64 second(6);
  RankSampler small(0, 5, 6);
  for (int i = 0; i < 100; ++i) {
    std::uint64_t draw = second() & 7;
    while (draw >= 5) draw = second() & 7;
    CHECK(small.next() == draw);
  }
  std::mt19937_64 third(8);
  RankSampler wide(0, Rank(1) << 100, 8);
  for (int i = 0; i < 10; ++i) {
    const std::uint64_t low = third();
    CHECK(wide.next() == (Rank(third() & ((std::uint64_t{1} << 36) - 1)) << 64) + low);
  }
  RankSampler single(3, 4, 1);
  CHECK(single.next() == 3);
  CHECK_THROWS_AS(RankSampler(3, 3, 1), ConfigError);
}

TEST_CASE("draws are uniform where a remainder of 64 bits would not be") {
  // Of 3 * 2^62 ranks, 2^64 modulo 3 * 2^62 would give half of all draws to the first third.
  RankSampler sampler(0, Rank(3) << 62, 2026);
  const int draws = 30000;
  int first = 0;
  for (int i = 0; i < draws; ++i) first += sampler.next() < (Rank(1) << 62) ? 1 : 0;
  CHECK(first > 9600);  // 10000 expected, standard deviation 82
  CHECK(first < 10400);
}

TEST_CASE("samples: every row with the same probability (chi-square), fixed seed") {
  const Vector generators = {13, 37, 38, 40};
  const auto rows = bruteForce(generators, 1000);
  REQUIRE(rows.size() == 274);
  const RankIndex index(generators, 1000);
  std::map<Vector, int> seen;
  for (const Vector& row : rows) seen[row] = 0;
  for (const Vector& row : rowsOf(index.sample(27400, 42))) {
    const auto found = seen.find(row);
    REQUIRE(found != seen.end());
    ++found->second;
  }
  double square = 0;
  for (const auto& [row, count] : seen) square += (count - 100.0) * (count - 100.0) / 100.0;
  CAPTURE(square);
  // 273 degrees of freedom: mean 273, standard deviation 23.4. Too even a sample would be wrong as well.
  CHECK(square > 180);
  CHECK(square < 366);
}

TEST_CASE("samples: the same seed gives the same rows, whatever the threads and how many follow") {
  const RankIndex index(kBeyond64, 4000);
  const RowMatrix one = index.sample(70000, 9, 1);  // more than one block of draws
  const RowMatrix many = index.sample(70000, 9, 3);
  REQUIRE(std::memcmp(one.data(), many.data(), one.rows() * one.rowBytes()) == 0);
  const RowMatrix few = index.sample(100, 9, 2);
  CHECK(std::memcmp(one.data(), few.data(), few.rows() * few.rowBytes()) == 0);
  const RowMatrix other = index.sample(100, 10, 2);
  CHECK(std::memcmp(other.data(), few.data(), few.rows() * few.rowBytes()) != 0);

  const WideOracle oracle(kBeyond64, 4000);
  RankSampler sampler(0, index.count(), 9);
  for (const auto& row : rowsOf(few)) CHECK(row == oracle.rowAt(sampler.next()));
  CHECK_THROWS_AS((void)RankIndex({6, 9, 20}, 43).sample(1, 0), ConfigError);
  CHECK(index.sample(0, 0).rows() == 0);
  std::vector<std::byte> room(std::size_t{8} * 13);
  CHECK_THROWS_AS(index.sample(sampler, 1, 1, room.data()), ConfigError);  // coordinates up to 1333
  CHECK_THROWS_AS(index.sample(sampler, 1, 3, room.data()), ConfigError);
  index.sample(sampler, 1, 8, room.data());
}
