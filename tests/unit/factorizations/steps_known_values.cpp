// Known values of factorization sets: the papers' tables with their errors corrected, and invariants by
// numericalsgps 4.12 for GAP. Problems are driven directly, by every algorithm.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/problem_factory.hpp"
#include "support/factorizations/oracle.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;
using slicepool::test::Driver;
using slicepool::test::Vector;

namespace {

/// The generators of both papers' tables.
Vector tableGenerators(std::size_t dimension) {
  Vector all{13, 37, 38, 40, 41, 42, 43, 44, 45};
  all.resize(dimension);
  return all;
}

ProblemSpec specFor(const Vector& generators, std::uint64_t element, Algorithm algorithm,
                    unsigned leafDimension = 2) {
  ProblemSpec spec;
  spec.generators = generators;
  spec.element = element;
  spec.algorithm = algorithm;
  if (algorithm == Algorithm::tabulated) {
    spec.leafTable = std::make_shared<LeafTable>(makeLeafTable(
        generators, leafDimension, element + 1, FillMethod::sequential, 1, std::size_t{1} << 29));
  }
  if (algorithm == Algorithm::ranked)
    spec.suffixCounts = std::make_shared<SuffixCounts>(makeSuffixCounts(generators, element));
  return spec;
}

std::vector<std::uint64_t> wordsOf(const ProblemSpec& spec) {
  const auto problem = makeProblem(spec);
  Driver driver(*problem);
  driver.finishAll();
  return driver.words();
}

}  // namespace

TEST_CASE("counts of the papers' tables, where the publications are right and where they are wrong") {
  struct Known {
    std::size_t dimension;
    std::uint64_t element;
    std::uint64_t count;
  };
  // Barron 2024a, Table 1 and 2024b, Table 1. The last four are published as 9466814, 273456, 1910466 and
  // 779252.
  for (const Known& known : std::vector<Known>{{3, 1000, 30},
                                               {3, 20000, 10991},
                                               {3, 300000, 2462699},
                                               {4, 5000, 29601},
                                               {4, 9000, 169752},
                                               {5, 3000, 125780},
                                               {6, 1000, 10873},
                                               {7, 1000, 52036},
                                               {8, 1000, 216822},
                                               {9, 500, 9054},
                                               {9, 1000, 801745},
                                               {5, 9000, 9466815},
                                               {6, 2000, 273487},
                                               {6, 3000, 1910535},
                                               {4, 15000, 779257}}) {
    CAPTURE(known.dimension);
    CAPTURE(known.element);
    const Vector generators = tableGenerators(known.dimension);
    CHECK(makeSuffixCounts(generators, known.element).total() == known.count);
    if (known.count < 400000) {
      ProblemSpec plain = specFor(generators, known.element, Algorithm::candidate);
      plain.moduloJump = false;
      CHECK(wordsOf(plain)[0] == known.count);
      CHECK(wordsOf(specFor(generators, known.element, Algorithm::ranked))[0] == known.count);
    }
    CHECK(wordsOf(specFor(generators, known.element, Algorithm::candidate))[0] == known.count);
    CHECK(wordsOf(specFor(generators, known.element, Algorithm::tabulated))[0] == known.count);
  }
}

TEST_CASE("lengths, delta sets and elasticities by numericalsgps 4.12 for GAP") {
  struct Known {
    Vector generators;
    std::uint64_t element;
    std::uint64_t denumerant;
    Vector deltaSet;
    std::uint64_t shortest, longest, lengths;  // elasticity is longest / shortest
  };
  for (const Known& known : std::vector<Known>{{{6, 9, 20}, 180, 23, {1, 4}, 9, 30, 19},
                                               {{6, 9, 20}, 60, 5, {1, 4}, 3, 10, 5},
                                               {{13, 37, 38}, 1000, 30, {1, 2, 11}, 27, 75, 29},
                                               {{13, 37, 38, 40}, 1000, 274, {1, 2}, 25, 75, 46},
                                               {{10, 11, 17, 23, 35}, 150, 40, {1, 2}, 5, 15, 10},
                                               {{4, 6, 9}, 48, 10, {1}, 6, 12, 7},
                                               {{5, 7}, 70, 3, {2}, 10, 14, 3},
                                               {{13, 37, 38, 40, 41}, 700, 525, {1, 2}, 18, 52, 30}}) {
    for (const Algorithm algorithm : {Algorithm::candidate, Algorithm::tabulated, Algorithm::ranked}) {
      CAPTURE(known.element);
      ProblemSpec spec = specFor(known.generators, known.element, algorithm);
      spec.reductions.lengths = true;
      spec.reductions.extremes = true;
      const auto words = wordsOf(spec);
      const ReductionWords index = reductionWords(spec);
      CHECK(words[0] == known.denumerant);
      CHECK(words[static_cast<std::size_t>(index.minimumLength)] == known.shortest);
      CHECK(words[static_cast<std::size_t>(index.maximumLength)] == known.longest);
      Vector lengths;
      Vector gaps;
      for (std::size_t length = 0; length + static_cast<std::size_t>(index.lengths) < words.size();
           ++length) {
        if (words[length + static_cast<std::size_t>(index.lengths)] == 0) continue;
        if (!lengths.empty()) gaps.push_back(length - lengths.back());
        lengths.push_back(length);
      }
      std::sort(gaps.begin(), gaps.end());
      gaps.erase(std::unique(gaps.begin(), gaps.end()), gaps.end());
      CHECK(lengths.size() == known.lengths);
      CHECK(gaps == known.deltaSet);
    }
  }
}

TEST_CASE("zero has one factorization, an unreachable element none") {
  for (const Algorithm algorithm : {Algorithm::candidate, Algorithm::tabulated, Algorithm::ranked}) {
    CHECK(wordsOf(specFor({3, 5}, 0, algorithm))[0] == 1);
    CHECK(wordsOf(specFor({3, 5}, 7, algorithm))[0] == 0);
    CHECK(wordsOf(specFor({6, 10}, 13, algorithm))[0] == 0);
    CHECK(wordsOf(specFor({4}, 8, algorithm, 1))[0] == 1);
    CHECK(wordsOf(specFor({4}, 9, algorithm, 1))[0] == 0);
    CHECK(wordsOf(specFor({4}, 0, algorithm, 1))[0] == 1);
    CHECK(wordsOf(specFor({50, 60, 70}, 49, algorithm, 1))[0] == 0);
    CHECK(wordsOf(specFor({2, 2, 2}, 8, algorithm, 3))[0] == 15);
  }
}

TEST_CASE("`any` and `all` are decided by the first witness") {
  ProblemSpec spec = specFor(tableGenerators(5), 3000, Algorithm::candidate);
  spec.reductions.predicate = LinearPredicate{{1, 0, 0, 0, 0}, Relation::greaterEqual, 100};
  spec.stop = ProblemSpec::Stop::firstSatisfying;
  const auto any = makeProblem(spec);
  Driver driver(*any);
  auto slice = driver.roots()[0];
  REQUIRE_FALSE(any->decided(driver.words().data()));
  Turn turn = Turn::budgetSpent;
  while (turn != Turn::exhausted && !any->decided(driver.words().data())) turn = driver.turn(slice, 1000);
  CHECK(any->decided(driver.words().data()));
  CHECK(turn != Turn::exhausted);

  spec.reductions.predicate->bound = 0;  // all rows satisfy it
  spec.stop = ProblemSpec::Stop::firstViolating;
  const auto all = makeProblem(spec);
  Driver whole(*all);
  auto rest = whole.roots()[0];
  while (whole.turn(rest, 100000) != Turn::exhausted) {}
  CHECK_FALSE(all->decided(whole.words().data()));
  CHECK(whole.words()[static_cast<std::size_t>(reductionWords(spec).satisfied)] == whole.words()[0]);
}

TEST_CASE("combinations that make no sense are refused") {
  const ProblemSpec good = specFor({3, 5, 7}, 100, Algorithm::candidate);
  const auto refused = [&](auto change) {
    ProblemSpec spec = good;
    change(spec);
    CHECK_THROWS_AS((void)makeProblem(spec), ConfigError);
  };
  refused([](ProblemSpec& s) { s.generators.clear(); });
  refused([](ProblemSpec& s) { s.generators[1] = 0; });
  refused([](ProblemSpec& s) { s.generators.assign(65, 3); });
  refused([](ProblemSpec& s) { s.generators[0] = std::uint64_t{1} << 63; });
  refused([](ProblemSpec& s) { s.element = std::uint64_t{1} << 63; });
  refused([](ProblemSpec& s) {
    s.algorithm = Algorithm::ranked;  // makes its own counts, here beyond 64 bits
    s.generators.assign(40, 1);
    s.element = 2000;
  });
  refused([](ProblemSpec& s) {
    s.algorithm = Algorithm::ranked;
    s.rankCounts = std::make_shared<RankCounts>(makeRankCounts(s.generators, 1000));
  });
  refused([](ProblemSpec& s) { s.ranks = RankRange{0, 1}; });
  refused([](ProblemSpec& s) { s.algorithm = Algorithm::tabulated; });
  refused([](ProblemSpec& s) { s.algorithm = Algorithm::dynamic; });
  refused([](ProblemSpec& s) { s.rows = ProblemSpec::Rows{}; });
  refused([](ProblemSpec& s) { s.stop = ProblemSpec::Stop::firstSatisfying; });
  refused([](ProblemSpec& s) {
    s.collectRows = true;
    s.reductions.lengths = true;
  });
  refused([](ProblemSpec& s) { s.reductions.predicate = LinearPredicate{{1, 2}, Relation::equal, 0}; });
  refused([](ProblemSpec& s) {
    s.suffixCounts = std::make_shared<SuffixCounts>(makeSuffixCounts(s.generators, 1000));
    s.rows = ProblemSpec::Rows{nullptr, {0, 1}, 4};
  });
  refused([](ProblemSpec& s) {
    s.element = 2000;
    s.suffixCounts = std::make_shared<SuffixCounts>(makeSuffixCounts(s.generators, 2000));
    s.rows = ProblemSpec::Rows{nullptr, {0, 1}, 1};  // coordinates go to 666
  });
}
