// What `ranked` counts by and how it chooses its stored tails: the lean tables against the full ones, the
// closed form of the last two coordinates against trying, the cost model, and the option that overrules it.
#include "slicepool/factorizations/steps/rank_counts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/steps/pair.hpp"
#include "slicepool/factorizations/steps/ranked.hpp"
#include "slicepool/factorizations/steps/suffix_rows.hpp"
#include "slicepool/factorizations/steps/tables.hpp"
#include "support/factorizations/front.hpp"
#include "support/random_generators.hpp"
#include "support/ranked_view.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;
using slicepool::test::generatorsOfShape;
using slicepool::test::rankedViewOf;
using slicepool::test::Vector;
using slicepool::testing::engineOptions;
using slicepool::testing::outcomeOf;
using slicepool::testing::request;
using slicepool::testing::rowsOf;

namespace {

constexpr std::uint64_t kMaximumWord = (std::uint64_t{1} << 31) - 1;

/// Every count that a walk may ask for.
template <int D, class Word>
void checkCounts(const Vector& generators, std::uint64_t element) {
  CAPTURE(generators);
  CAPTURE(element);
  const RankCounts counts = makeRankCounts(generators, element);
  const SuffixCounts full = makeSuffixCounts(generators, element);
  REQUIRE_FALSE(full.overflow);
  CHECK_FALSE(counts.overflow);
  CHECK(counts.total == full.total());
  CHECK(counts.exactTotal == full.exactTotal);
  CHECK(counts.bytes() == RankCounts::bytesNeeded(generators, element));
  const auto view = rankedViewOf<D, Word>(generators, counts);
  std::uint64_t wrong = 0;
  for (std::size_t k = 0; k < generators.size(); ++k) {
    const std::uint64_t step = k == 0 ? generators[0] : 1;
    for (std::uint64_t below = 0; below <= element; below += step) {
      const std::uint64_t residual = element - below;
      const std::uint64_t expected = full.counts[k * (element + 1) + residual];
      if (view.count(static_cast<int>(k), static_cast<Word>(residual)) != expected) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

/// The solutions of x g + y h = p by trying, for g <= 1000 (every y below g) or h <= 1000 (every x).
template <class Word>
typename Pair<Word>::Solutions tried(Word g, Word h, Word p) {
  if (g <= h) {
    for (Word y = 0; y < g && y <= p / h; ++y) {
      const Word rest = static_cast<Word>(p - y * h);
      if (rest % g == 0) return {static_cast<Word>(rest / g), y, 0};
    }
  } else {
    const Word most = p / g;
    for (Word down = 0; down < h && down <= most; ++down) {
      const Word x = static_cast<Word>(most - down);
      const Word rest = static_cast<Word>(p - x * g);
      if (rest % h == 0) return {x, static_cast<Word>(rest / h), 0};
    }
  }
  return {0, 0, static_cast<Word>(~Word{0})};
}

template <class Word>
void checkPair(Word g, Word h, Word p) {
  CAPTURE(g);
  CAPTURE(h);
  CAPTURE(p);
  const auto pair = Pair<Word>::of(g, h);
  const auto solved = pair.solve(p);
  const auto first = tried(g, h, p);
  if (first.count != 0) {  // none
    CHECK(solved.count == 0);
    return;
  }
  const Word common = std::gcd(g, h);
  CHECK(solved.x == first.x);
  CHECK(solved.y == first.y);
  CHECK(solved.count == static_cast<Word>(first.x / (h / common) + 1));
  CHECK(pair.count(p) == solved.count);
}

std::string fieldOf(const Request& wanted, const EngineOptions& options = engineOptions(Mode::cpu)) {
  try {
    (void)outcomeOf(wanted, options);
  } catch (const ConfigError& error) {
    return error.field();
  } catch (const LimitError&) {
    return "limit";
  }
  return "none";
}

}  // namespace

TEST_CASE("lean counting tables agree with the full ones at every residual that is reached") {
  std::mt19937_64 random(3);
  for (unsigned shape = 0; shape < 12; ++shape) {
    const std::uint64_t element = random() % 1500;
    const auto of = [&](std::size_t d) {
      return generatorsOfShape(random, std::max<std::size_t>(2, d), shape);
    };
    checkCounts<1, std::uint32_t>({1 + random() % 9}, element);
    checkCounts<2, std::uint32_t>(of(2), element);
    checkCounts<3, std::uint32_t>(of(3), element);
    checkCounts<4, std::uint32_t>(of(4), element);
    checkCounts<5, std::uint32_t>(of(5), element);
    checkCounts<8, std::uint32_t>(of(8), element);
    checkCounts<12, std::uint32_t>(of(12), element / 4);
    for (const std::size_t d : {1U, 2U, 3U, 4U, 6U, 9U, 20U}) {
      Vector generators = of(d);
      generators.resize(d);
      checkCounts<0, std::uint64_t>(generators, element / (d > 9 ? 16 : 1));
    }
  }
}

TEST_CASE("lean counting tables: the element 0, and counts beyond 64 bits") {
  for (std::size_t d = 1; d <= 6; ++d) CHECK(makeRankCounts(Vector(d, 7), 0).total == 1);
  const RankCounts wide = makeRankCounts(Vector(40, 1), 2000);
  CHECK(wide.overflow);
  CHECK(wide.exactTotal == makeSuffixCounts(Vector(40, 1), 2000).exactTotal);
  // The second level has more than 2^64 at even residuals, but the element is odd: no factorization.
  Vector even(40, 2);
  CHECK(makeRankCounts(even, 2001).exactTotal == "0");
}

TEST_CASE("the last two coordinates in closed form are what trying finds, 32 bits") {
  std::mt19937_64 random(5);
  for (std::uint32_t g = 1; g <= 24; ++g) {
    for (std::uint32_t h = 1; h <= 24; ++h)
      for (std::uint32_t p = 0; p <= 160; ++p) checkPair<std::uint32_t>(g, h, p);
  }
  for (int round = 0; round < 4000; ++round) {
    const auto small = static_cast<std::uint32_t>(1 + random() % 1000);
    const auto large = static_cast<std::uint32_t>(1 + random() % kMaximumWord);
    const auto p = static_cast<std::uint32_t>(random() % (kMaximumWord + 1));
    checkPair<std::uint32_t>(small, large, p);
    checkPair<std::uint32_t>(large, small, p);
    checkPair<std::uint32_t>(small, small, p);
  }
  checkPair<std::uint32_t>(1, static_cast<std::uint32_t>(kMaximumWord),
                           static_cast<std::uint32_t>(kMaximumWord));
  checkPair<std::uint32_t>(static_cast<std::uint32_t>(kMaximumWord), 1,
                           static_cast<std::uint32_t>(kMaximumWord));
}

TEST_CASE("the last two coordinates in closed form are what trying finds, 64 bits") {
  std::mt19937_64 random(6);
  constexpr std::uint64_t kMaximum = (std::uint64_t{1} << 63) - 1;
  for (std::uint64_t g = 1; g <= 16; ++g) {
    for (std::uint64_t h = 1; h <= 16; ++h)
      for (std::uint64_t p = 0; p <= 80; ++p) checkPair<std::uint64_t>(g, h, p);
  }
  for (int round = 0; round < 4000; ++round) {
    const std::uint64_t small = 1 + random() % 1000;
    const std::uint64_t large = 1 + (random() & kMaximum) % (kMaximum >> (random() % 60));
    const std::uint64_t p = (random() & kMaximum) >> (random() % 4);
    checkPair<std::uint64_t>(small, large, p);
    checkPair<std::uint64_t>(large, small, p);
  }
  checkPair<std::uint64_t>(1, kMaximum, kMaximum);
  checkPair<std::uint64_t>(kMaximum, 1, kMaximum);
}

TEST_CASE("two large generators: a solution that is put in is the one that comes out") {
  std::mt19937_64 random(8);
  for (int round = 0; round < 2000; ++round) {
    const std::uint64_t common = 1 + random() % 30;
    const std::uint64_t g = common * (1 + random() % 1'000'000'000);
    const std::uint64_t h = common * (1 + random() % 1'000'000'000);
    const auto pair = Pair<std::uint64_t>::of(g, h);
    const std::uint64_t x = random() % 100'000;
    const std::uint64_t y = random() % std::min<std::uint64_t>(pair.secondStep, 100'000);
    const auto solved = pair.solve(x * g + y * h);
    CHECK(solved.x == x);
    CHECK(solved.y == y);
    CHECK(solved.count == x / pair.firstStep + 1);
    if (common > 1) CHECK(pair.solve(x * g + y * h + 1).count == 0);
  }
}

TEST_CASE("the tail that the cost model chooses can be made and fits the memory") {
  std::mt19937_64 random(9);
  int chosen = 0;
  for (int round = 0; round < 600; ++round) {
    const std::size_t d = 3 + random() % 16;
    const Vector generators = generatorsOfShape(random, d, static_cast<unsigned>(round));
    const RankCounts counts = makeRankCounts(generators, random() % 2000);
    TailChoice choice;
    choice.elementBytes = 1U << (random() % 4);
    choice.threads = static_cast<int>(1 + random() % 64);
    choice.memoryLimit = std::size_t{1} << (random() % 24);
    choice.device = random() % 2 == 0;
    choice.values = random() % 2 == 0;
    choice.rowless = choice.values && random() % 2 == 0;
    if (random() % 2 == 0) choice.rows = random() % 1000;
    CAPTURE(generators);
    CAPTURE(counts.element);
    const unsigned tail = chooseTail(generators, counts, choice);
    if (tail == 0) continue;
    ++chosen;
    REQUIRE(suffixRowsApply(generators, counts.element));
    REQUIRE_FALSE(counts.overflow);
    REQUIRE(tail >= 2);
    REQUIRE(tail < d);
    const std::size_t bytes = suffixRowsBytes(generators, counts, tail, choice);
    CHECK(bytes <= choice.memoryLimit);
    const Vector weights = choice.values ? Vector(d, 3) : Vector{};
    const SuffixRows made =
        makeSuffixRows(generators, counts, tail, choice.elementBytes, weights, {.rowless = choice.rowless});
    const std::size_t taken = made.stored()
                                  ? (choice.rowless ? 0 : made.memoryBytes()) + made.offsets.size() * 4 +
                                        (choice.values ? made.storedRows() * 8 : 0)
                                  : made.smallestSecond.size() * 4;
    CHECK(taken == bytes);
  }
  CHECK(chosen > 300);
}

TEST_CASE("no tail where stored rows do not apply") {
  TailChoice choice;
  choice.memoryLimit = std::size_t{1} << 30;
  const auto refused = [&](const Vector& generators, std::uint64_t element) {
    const RankCounts counts = makeRankCounts(generators, element);
    CHECK(chooseTail(generators, counts, choice) == 0);
    for (const unsigned tail : {1U, 2U, 3U, 17U})
      CHECK_THROWS_AS((void)makeSuffixRows(generators, counts, tail, 4, {}), ConfigError);
  };
  refused({3, 5}, 100);
  refused(Vector(17, 30), 300);
  refused(Vector(16, 1), 1'000'000);  // counts beyond 64 bits
  refused({std::uint64_t{1} << 28, 3, 5}, std::uint64_t{1} << 31);
  refused({7, std::uint64_t{1} << 31, 5}, 1000);
}

TEST_CASE("few rows are not worth a large table") {
  const Vector generators{13, 37, 38, 40, 41, 42, 43, 44, 45};
  const RankCounts counts = makeRankCounts(generators, 1500);
  TailChoice choice;
  choice.elementBytes = 1;
  choice.memoryLimit = std::size_t{1} << 30;
  const unsigned all = chooseTail(generators, counts, choice);
  choice.rows = 10;
  CHECK(all > 3);
  CHECK(chooseTail(generators, counts, choice) == 2);
}

TEST_CASE("ranked takes a tabulated dimension of 2 to d - 1, and gives the same rows with each") {
  const Vector generators{7, 11, 5, 9, 8};
  const auto truth = slicepool::testing::bruteForce(generators, 120);
  auto wanted = request(generators, 120, SinkKind::rows, Algorithm::ranked);
  wanted.sink.fingerprint = true;
  for (const Mode mode : {Mode::cpu, Mode::emulated}) {
    for (const unsigned m : {2U, 3U, 4U}) {
      wanted.tabulatedDimension = m;
      const Outcome outcome = outcomeOf(wanted, engineOptions(mode));
      CHECK(outcome.algorithm == Algorithm::ranked);
      CHECK(outcome.tabulatedDimension == m);
      CHECK(rowsOf(outcome.rows) == truth);
      CHECK(outcome.fingerprint == slicepool::test::fingerprintOf(truth));
    }
  }
  for (const unsigned m : {0U, 1U, 5U, 6U}) {
    wanted.tabulatedDimension = m;
    CHECK(fieldOf(wanted) == "tabulated_dimension");
  }
  // A range of ranks too.
  wanted.tabulatedDimension = 3;
  wanted.ranks = RankInterval{"5", "9"};
  const Outcome some = outcomeOf(wanted, engineOptions(Mode::cpu));
  CHECK(rowsOf(some.rows) == std::vector<Vector>(truth.begin() + 5, truth.begin() + 9));
}

TEST_CASE("ranked refuses a tabulated dimension that it cannot have") {
  const auto with = [](Vector generators, std::uint64_t element, unsigned m) {
    auto wanted = request(std::move(generators), element, SinkKind::rows, Algorithm::ranked);
    wanted.tabulatedDimension = m;
    return wanted;
  };
  CHECK(fieldOf(with({3, 5}, 60, 2)) == "tabulated_dimension");
  CHECK(fieldOf(with(Vector(17, 30), 60, 3)) == "tabulated_dimension");
  CHECK(fieldOf(with({std::uint64_t{1} << 31, 3, 5, 6}, 60, 3)) == "tabulated_dimension");
  EngineOptions small = engineOptions(Mode::cpu);
  small.memoryLimit = 1'000'000;
  CHECK(fieldOf(with({9, 100, 2, 1, 3}, 400, 4), small) == "limit");
  auto wide = with(Vector(16, 1), 1'000'000, 3);
  wide.ranks = RankInterval{"0", "5"};
  EngineOptions large = engineOptions(Mode::cpu);
  large.memoryLimit = std::size_t{2} << 30;
  CHECK(fieldOf(wide, large) == "tabulated_dimension");
}
