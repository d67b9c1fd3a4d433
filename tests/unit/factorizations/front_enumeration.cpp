// Enumeration against a brute force: every sink, algorithm and mode without a GPU; special elements;
// fallbacks; what is refused. One file, because all cases share the brute force.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "slicepool/core/error.hpp"
#include "support/factorizations/front.hpp"
#include "support/factorizations/oracle.hpp"
#include "support/text.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;
using namespace slicepool::testing;
using slicepool::test::contains;
using slicepool::test::fingerprintOf;
using slicepool::test::lengthOf;

namespace {

struct Case {
  Vector generators;
  std::uint64_t element;
};

const std::vector<Case> kCases = {
    {{6, 9, 20}, 240},            // the classic numerical semigroup
    {{13, 37, 38, 40}, 700},      // generators of the tables
    {{40, 13, 13, 38, 37}, 260},  // unsorted, one of them twice
    {{4, 6, 10}, 300},            // not coprime
    {{7}, 91},                    // one generator
    {{5, 3}, 200},
    {{3, 1, 2, 5, 4}, 24},
};

const std::vector<Algorithm> kAlgorithms = {Algorithm::automatic, Algorithm::candidate, Algorithm::tabulated,
                                            Algorithm::dynamic, Algorithm::ranked};
const std::vector<Mode> kModes = {Mode::cpu, Mode::emulated};

/// Calls `check` for every case, algorithm and mode.
template <class Check>
void forAll(Check check) {
  for (const Case& example : kCases) {
    const auto truth = bruteForce(example.generators, example.element);
    REQUIRE_FALSE(truth.empty());
    for (const Algorithm algorithm : kAlgorithms) {
      for (const Mode mode : kModes) {
        CAPTURE(example.generators);
        CAPTURE(example.element);
        CAPTURE(static_cast<int>(algorithm));
        CAPTURE(static_cast<int>(mode));
        check(example, algorithm, mode, truth);
      }
    }
  }
}

template <class ErrorType>
std::string refusal(const Request& wanted, const EngineOptions& options) {
  try {
    Enumeration enumeration(wanted, options);
    enumeration.run();
  } catch (const ErrorType& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("rows are the factorizations in decreasing lexicographic order, with their fingerprint") {
  forAll([](const Case& example, Algorithm algorithm, Mode mode, const std::vector<Vector>& truth) {
    auto wanted = request(example.generators, example.element, SinkKind::rows, algorithm);
    wanted.sink.fingerprint = true;
    const Outcome outcome = outcomeOf(wanted, engineOptions(mode));
    CHECK(rowsOf(outcome.rows) == truth);
    CHECK(outcome.count == std::to_string(truth.size()));
    REQUIRE(outcome.fingerprint.has_value());
    CHECK(*outcome.fingerprint == fingerprintOf(truth));
    CHECK(outcome.run.complete);
    CHECK_FALSE(outcome.countedByTable);
  });
}

TEST_CASE("count is exact, and read off the table only by auto and ranked") {
  forAll([](const Case& example, Algorithm algorithm, Mode mode, const std::vector<Vector>& truth) {
    const Outcome outcome = outcomeOf(
        request(example.generators, example.element, SinkKind::count, algorithm), engineOptions(mode));
    CHECK(outcome.count == std::to_string(truth.size()));
    CHECK(outcome.countedByTable == (algorithm == Algorithm::automatic || algorithm == Algorithm::ranked));
    CHECK_FALSE(outcome.fingerprint.has_value());
  });
}

TEST_CASE("lengths, extremes, delta set and elasticity are those of the set") {
  forAll([](const Case& example, Algorithm algorithm, Mode mode, const std::vector<Vector>& truth) {
    std::map<std::uint64_t, std::uint64_t> histogram;
    for (const Vector& row : truth) ++histogram[lengthOf(row)];
    std::set<std::uint64_t> gaps;
    for (auto at = histogram.begin(); std::next(at) != histogram.end(); ++at)
      gaps.insert(std::next(at)->first - at->first);
    const std::uint64_t shortest = histogram.begin()->first;
    const std::uint64_t longest = histogram.rbegin()->first;

    const Outcome lengths = outcomeOf(
        request(example.generators, example.element, SinkKind::lengths, algorithm), engineOptions(mode));
    CHECK(lengths.lengths ==
          std::vector<std::pair<std::uint64_t, std::uint64_t>>(histogram.begin(), histogram.end()));
    CHECK(lengths.deltaSet == Vector(gaps.begin(), gaps.end()));

    const Outcome extremes = outcomeOf(
        request(example.generators, example.element, SinkKind::extremes, algorithm), engineOptions(mode));
    for (const Outcome* outcome : {&lengths, &extremes}) {
      CHECK(outcome->minimumLength == shortest);
      CHECK(outcome->maximumLength == longest);
      REQUIRE(outcome->elasticity.has_value());
      CHECK(outcome->elasticity->first * shortest == outcome->elasticity->second * longest);
      CHECK(outcome->count == std::to_string(truth.size()));
    }
  });
}

TEST_CASE("coordinate maxima and fingerprint are those of the set") {
  forAll([](const Case& example, Algorithm algorithm, Mode mode, const std::vector<Vector>& truth) {
    Vector maxima(example.generators.size(), 0);
    for (const Vector& row : truth)
      for (std::size_t k = 0; k < row.size(); ++k) maxima[k] = std::max(maxima[k], row[k]);
    auto wanted = request(example.generators, example.element, SinkKind::coordinateMaxima, algorithm);
    wanted.sink.fingerprint = true;
    const Outcome outcome = outcomeOf(wanted, engineOptions(mode));
    CHECK(outcome.coordinateMaxima == maxima);
    CHECK(outcome.fingerprint == fingerprintOf(truth));
    const Outcome alone = outcomeOf(
        request(example.generators, example.element, SinkKind::fingerprint, algorithm), engineOptions(mode));
    CHECK(alone.fingerprint == fingerprintOf(truth));
  });
}

TEST_CASE("first:K is the beginning of the stream") {
  forAll([](const Case& example, Algorithm algorithm, Mode mode, const std::vector<Vector>& truth) {
    for (const std::uint64_t k : {std::uint64_t{1}, std::uint64_t{5}, std::uint64_t{1} << 40}) {
      auto wanted = request(example.generators, example.element, SinkKind::first, algorithm);
      wanted.sink.firstCount = k;
      const auto size = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(k, truth.size()));
      const Outcome outcome = outcomeOf(wanted, engineOptions(mode));
      CHECK(rowsOf(outcome.rows) == std::vector<Vector>(truth.begin(), truth.begin() + size));
      CHECK(outcome.count == std::to_string(truth.size()));
    }
  });
}

TEST_CASE("any and all agree with the set") {
  const std::vector<std::string> texts = {"a1 >= 3",      "a1 >= 0",      "a1 > 1000",
                                          "length <= 12", "length >= 10", "2*a1 - length >= -5",
                                          "a1 = 0",       "length < 1000"};
  forAll([&](const Case& example, Algorithm algorithm, Mode mode, const std::vector<Vector>& truth) {
    for (const std::string& text : texts) {
      CAPTURE(text);
      const LinearPredicate predicate = parsePredicate(text, example.generators.size());
      const auto satisfied =
          static_cast<std::size_t>(std::count_if(truth.begin(), truth.end(), [&](const Vector& row) {
            std::int64_t value = 0;
            for (std::size_t k = 0; k < row.size(); ++k)
              value += predicate.coefficients[k] * static_cast<std::int64_t>(row[k]);
            if (predicate.relation == Relation::lessEqual) return value <= predicate.bound;
            return predicate.relation == Relation::equal ? value == predicate.bound
                                                         : value >= predicate.bound;
          }));
      for (const SinkKind kind : {SinkKind::any, SinkKind::all}) {
        auto wanted = request(example.generators, example.element, kind, algorithm);
        wanted.sink.predicate = predicate;
        const Outcome outcome = outcomeOf(wanted, engineOptions(mode));
        CHECK(outcome.predicateHolds == (kind == SinkKind::any ? satisfied > 0 : satisfied == truth.size()));
      }
    }
  });
}

TEST_CASE("the zero element has one factorization, the zero vector") {
  for (const Algorithm algorithm : kAlgorithms) {
    for (const Mode mode : kModes) {
      CAPTURE(static_cast<int>(algorithm));
      const Vector generators = {6, 9, 20};
      CHECK(outcomeOf(request(generators, 0, SinkKind::count, algorithm), engineOptions(mode)).count == "1");
      CHECK(rowsOf(outcomeOf(request(generators, 0, SinkKind::rows, algorithm), engineOptions(mode)).rows) ==
            std::vector<Vector>{{0, 0, 0}});
      const Outcome lengths =
          outcomeOf(request(generators, 0, SinkKind::lengths, algorithm), engineOptions(mode));
      CHECK(lengths.lengths == std::vector<std::pair<std::uint64_t, std::uint64_t>>{{0, 1}});
      CHECK(lengths.elasticity == std::pair<std::uint64_t, std::uint64_t>{1, 1});
    }
  }
}

TEST_CASE("an element without factorizations is a success with nothing in it") {
  for (const Algorithm algorithm : kAlgorithms) {
    for (const Mode mode : kModes) {
      CAPTURE(static_cast<int>(algorithm));
      const Vector generators = {6, 9, 20};
      const Outcome count =
          outcomeOf(request(generators, 43, SinkKind::count, algorithm), engineOptions(mode));
      CHECK(count.count == "0");
      CHECK(count.run.complete);
      CHECK(outcomeOf(request(generators, 43, SinkKind::rows, algorithm), engineOptions(mode)).rows.rows() ==
            0);
      const Outcome extremes =
          outcomeOf(request(generators, 43, SinkKind::extremes, algorithm), engineOptions(mode));
      CHECK_FALSE(extremes.minimumLength.has_value());
      CHECK_FALSE(extremes.elasticity.has_value());
      CHECK(outcomeOf(request(generators, 43, SinkKind::coordinateMaxima, algorithm), engineOptions(mode))
                .coordinateMaxima.empty());
      auto any = request(generators, 43, SinkKind::any, algorithm);
      any.sink.predicate = parsePredicate("a1 >= 0", 3);
      CHECK(outcomeOf(any, engineOptions(mode)).predicateHolds == false);
      any.sink.kind = SinkKind::all;
      CHECK(outcomeOf(any, engineOptions(mode)).predicateHolds == true);
    }
  }
}

TEST_CASE("without the modulo jump the set is the same") {
  for (const Mode mode : kModes) {
    auto wanted = request({13, 37, 38, 40}, 900, SinkKind::rows, Algorithm::candidate);
    wanted.moduloJump = false;
    CHECK(rowsOf(outcomeOf(wanted, engineOptions(mode)).rows) ==
          bruteForce(wanted.generators, wanted.element));
    wanted.sink.kind = SinkKind::count;
    const Outcome counted = outcomeOf(wanted, engineOptions(mode));
    CHECK(counted.count == std::to_string(bruteForce(wanted.generators, wanted.element).size()));
  }
}

TEST_CASE("every tabulated dimension and every way to fill the lists gives the same rows") {
  const Vector generators = {13, 37, 38, 40};
  const auto truth = bruteForce(generators, 500);
  for (unsigned m = 1; m <= 4; ++m) {
    auto wanted = request(generators, 500, SinkKind::rows, Algorithm::tabulated);
    wanted.tabulatedDimension = m;
    const Outcome outcome = outcomeOf(wanted, engineOptions(Mode::cpu));
    CHECK(outcome.tabulatedDimension == m);
    CHECK(rowsOf(outcome.rows) == truth);
  }
  std::uint64_t listRows = 0;
  for (std::uint64_t n = 0; n <= 500; ++n) listRows += bruteForce(generators, n).size();
  for (const auto parallelism : {DynamicParallelism::sequential, DynamicParallelism::elementwise,
                                 DynamicParallelism::factorizationwise}) {
    auto wanted = request(generators, 500, SinkKind::rows, Algorithm::dynamic);
    wanted.dynamicParallelism = parallelism;
    const Outcome outcome = outcomeOf(wanted, engineOptions(Mode::cpu));
    CHECK(outcome.listRows == listRows);
    CHECK(rowsOf(outcome.rows) == truth);
  }
}

TEST_CASE("generators and elements beyond 32 bits, where no counting table fits, fall back to candidates") {
  // Generators 10^12 + 7, + 9, + 21, + 33: eight of them exceed 8 (10^12 + 7) by 10 in one way only, five
  // + 9. The counting tables of four generators would take 8 n bytes, beyond all memory.
  const Vector generators = {1'000'000'000'007, 1'000'000'000'009, 1'000'000'000'021, 1'000'000'000'033};
  const std::uint64_t n = 3 * generators[0] + 5 * generators[1];
  const std::vector<Vector> truth = {{3, 5, 0, 0}};
  for (const Algorithm algorithm :
       {Algorithm::automatic, Algorithm::candidate, Algorithm::tabulated, Algorithm::ranked}) {
    for (const Mode mode : kModes) {
      CAPTURE(static_cast<int>(algorithm));
      const Outcome rows = outcomeOf(request(generators, n, SinkKind::rows, algorithm), engineOptions(mode));
      CHECK(rowsOf(rows.rows) == truth);
      CHECK(rows.count == "1");
      if (algorithm == Algorithm::automatic || algorithm == Algorithm::ranked) {
        CHECK(rows.algorithm == Algorithm::candidate);
        CHECK(contains(rows.algorithmReason, "counting tables"));
      }
      CHECK(outcomeOf(request(generators, n, SinkKind::count, algorithm), engineOptions(mode)).count == "1");
      auto first = request(generators, n, SinkKind::first, algorithm);
      first.sink.firstCount = 3;
      first.sink.fingerprint = true;
      const Outcome firstRows = outcomeOf(first, engineOptions(mode));
      CHECK(rowsOf(firstRows.rows) == truth);
      CHECK(firstRows.count == "1");
      CHECK(firstRows.fingerprint == fingerprintOf(truth));
    }
  }
}

TEST_CASE("two generators need no counting tables: ranked at any size") {
  // a (10^9 + 7) + b (10^9 + 9) = n: one representation where a, b < 500.
  const Vector generators = {1'000'000'007, 1'000'000'009};
  const std::uint64_t n = 321 * generators[0] + 654 * generators[1];
  for (const Mode mode : kModes) {
    const Outcome rows = outcomeOf(request(generators, n, SinkKind::rows), engineOptions(mode));
    CHECK(rows.algorithm == Algorithm::ranked);
    CHECK(rowsOf(rows.rows) == std::vector<Vector>{{321, 654}});
    CHECK(rows.count == "1");
  }
}

TEST_CASE("rows without a counting table are collected and sorted to the same order") {
  // Counting tables of 96 kB against half of a memory limit of 100 kB.
  const Vector generators = {601, 397, 301, 197, 101};
  const auto truth = bruteForce(generators, 6000);
  REQUIRE(truth.size() > 3);
  for (const Mode mode : kModes) {
    EngineOptions options = engineOptions(mode);
    options.memoryLimit = 100'000;
    auto wanted = request(generators, 6000, SinkKind::rows);
    wanted.sink.fingerprint = true;
    const Outcome outcome = outcomeOf(wanted, options);
    CHECK(outcome.algorithm == Algorithm::candidate);
    CHECK(rowsOf(outcome.rows) == truth);
    CHECK(outcome.fingerprint == fingerprintOf(truth));
    auto first = request(generators, 6000, SinkKind::first);
    first.sink.firstCount = 3;
    const Outcome firstRows = outcomeOf(first, options);
    CHECK(rowsOf(firstRows.rows) == std::vector<Vector>(truth.begin(), truth.begin() + 3));
    CHECK(firstRows.count.empty());
  }
}

TEST_CASE("counts beyond 64 bits are exact, and their rows are refused with the number") {
  // Forty generators 1: the number of solutions of a1 + .. + a40 = 2000 is the binomial C(2039, 39).
  const Vector ones(40, 1);
  const Outcome outcome = outcomeOf(request(ones, 2000, SinkKind::count), engineOptions(Mode::cpu));
  CHECK(outcome.countedByTable);
  CHECK(outcome.count ==
        "39705935389267960587493378461441529079128140190934568836543484683840927861012448681");
  const Enumeration enumeration(request(ones, 2000, SinkKind::count), engineOptions(Mode::cpu));
  CHECK(enumeration.exactTotal() == outcome.count);
  CHECK(contains(refusal<LimitError>(request(ones, 2000, SinkKind::rows), engineOptions(Mode::cpu)),
                 outcome.count));
  auto first = request(ones, 2000, SinkKind::first);
  first.sink.firstCount = 2;
  const Outcome rows = outcomeOf(first, engineOptions(Mode::cpu));
  REQUIRE(rows.rows.rows() == 2);
  CHECK(rows.rows.at(0, 0) == 2000);
  CHECK(rows.rows.at(1, 0) == 1999);
  CHECK(rows.rows.at(1, 1) == 1);
  CHECK(rows.count == outcome.count);
}

TEST_CASE("what does not fit is refused beforehand with the numbers") {
  EngineOptions options = engineOptions(Mode::cpu);
  options.memoryLimit = std::size_t{4} << 20;
  const std::string rows = refusal<LimitError>(request({1, 2, 3, 4}, 2000, SinkKind::rows), options);
  CHECK(contains(rows, "rows of 8 bytes"));
  CHECK(contains(rows, "4194304"));
  const std::string lists =
      refusal<LimitError>(request({1, 2, 3, 4}, 2000, SinkKind::count, Algorithm::dynamic), options);
  CHECK(contains(lists, "Z(0..2000)"));
  CHECK(contains(lists, "4194304"));
  CHECK(contains(refusal<LimitError>(request({1, 1'000'003}, 2'000'000, SinkKind::lengths), options),
                 "histogram"));
  // Collected rows stop at the limit, whichever worker found them.
  options.memoryLimit = 100'000;
  CHECK(contains(refusal<LimitError>(request({1, 2, 3}, 9000, SinkKind::rows), options), "memory limit"));
}

TEST_CASE("bad requests are errors that name the field") {
  const EngineOptions options = engineOptions(Mode::cpu);
  const auto count = [](Vector generators, std::uint64_t element) {
    return request(std::move(generators), element, SinkKind::count);
  };
  CHECK(contains(refusal<ConfigError>(count({}, 5), options), "generators"));
  CHECK(contains(refusal<ConfigError>(count(Vector(65, 2), 5), options), "generators"));
  CHECK(contains(refusal<ConfigError>(count({3, 0}, 5), options), "generators[1]: got 0"));
  CHECK(contains(refusal<ConfigError>(count({std::uint64_t{1} << 63}, 5), options), "generators[0]"));
  CHECK(contains(refusal<ConfigError>(count({3}, std::uint64_t{1} << 63), options), "element"));

  auto wanted = request({3, 5}, 50, SinkKind::count, Algorithm::candidate);
  wanted.tabulatedDimension = 1;
  CHECK(contains(refusal<ConfigError>(wanted, options), "tabulated_dimension"));
  wanted.algorithm = Algorithm::tabulated;
  for (const unsigned m : {0U, 3U}) {
    wanted.tabulatedDimension = m;
    CHECK(contains(refusal<ConfigError>(wanted, options), "tabulated_dimension"));
  }
  wanted = request({3, 5}, 50, SinkKind::count);
  wanted.output.path = "rows.npy";
  CHECK(contains(refusal<ConfigError>(wanted, options), "output"));
  wanted.sink.kind = SinkKind::rows;
  wanted.output.path = "rows.txt";
  CHECK(contains(refusal<ConfigError>(wanted, options), "output"));
  wanted.output.path = "rows.npy";
  wanted.output.header = true;
  CHECK(contains(refusal<ConfigError>(wanted, options), "output.header"));
  wanted = request({3, 5}, 50, SinkKind::any);
  CHECK(contains(refusal<ConfigError>(wanted, options), "predicate"));
  wanted.sink.predicate = {{std::int64_t{1} << 62, 0}, Relation::equal, 0};
  CHECK(contains(refusal<ConfigError>(wanted, options), "magnitude"));
  wanted = request({3, 5}, 50, SinkKind::first);
  CHECK(contains(refusal<ConfigError>(wanted, options), "first:0"));
  wanted = request({3, 5}, 50, SinkKind::count, Algorithm::ranked);
  wanted.moduloJump = false;
  CHECK(contains(refusal<ConfigError>(wanted, options), "modulo"));
}

TEST_CASE("an enumeration cancelled beforehand does nothing and says so; it runs once") {
  Enumeration enumeration(request({13, 37, 38, 40}, 5000, SinkKind::rows), engineOptions(Mode::cpu));
  CHECK(enumeration.exactTotal().has_value());
  enumeration.cancel();
  enumeration.run();
  CHECK_FALSE(enumeration.finished());
  CHECK_THROWS_AS(enumeration.run(), Error);
  const Outcome outcome = enumeration.outcome();
  CHECK_FALSE(outcome.run.complete);
  CHECK(outcome.count.empty());
}
