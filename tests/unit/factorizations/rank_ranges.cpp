// Requests for a range of ranks: every sink sees exactly the results of these ranks, below and beyond 64
// bits, on CPU workers and on the emulated device, with files and checkpoints.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/problem_factory.hpp"
#include "support/factorizations/front.hpp"
#include "support/factorizations/oracle.hpp"
#include "support/text.hpp"
#include "support/wide_oracle.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;
using slicepool::test::kBeyond128;
using slicepool::test::kBeyond64;
using slicepool::test::lengthOf;
using slicepool::test::WideNumber;
using slicepool::test::WideOracle;
using slicepool::testing::contentOf;
using slicepool::testing::engineOptions;
using slicepool::testing::outcomeOf;
using slicepool::testing::request;
using slicepool::testing::rowsOf;
using slicepool::testing::TemporaryFolder;
using slicepool::testing::Vector;
using Vectors = std::vector<Vector>;
using slicepool::test::contains;

namespace {

RankInterval interval(const WideNumber& begin, const WideNumber& end) { return {begin.str(), end.str()}; }

Request ranged(const Vector& generators, std::uint64_t element, SinkKind kind, const RankInterval& ranks,
               Algorithm algorithm = Algorithm::automatic) {
  Request made = request(generators, element, kind, algorithm);
  made.ranks = ranks;
  return made;
}

/// Every sink of one range against the rows that it must see.
void checkSinks(const Vector& generators, std::uint64_t element, const RankInterval& ranks,
                const Vectors& rows, Algorithm algorithm, const EngineOptions& options) {
  CAPTURE(ranks.begin);
  CAPTURE(ranks.end);
  const auto outcome = [&](SinkKind kind) {
    Outcome found = outcomeOf(ranged(generators, element, kind, ranks, algorithm), options);
    CHECK(found.run.complete);
    CHECK(found.count == std::to_string(rows.size()));
    return found;
  };
  outcome(SinkKind::count);
  REQUIRE(rowsOf(outcome(SinkKind::rows).rows) == rows);
  const auto fingerprint = outcome(SinkKind::fingerprint).fingerprint;
  REQUIRE(fingerprint.has_value());
  CHECK(fingerprint->sum == test::fingerprintOf(rows).sum);
  CHECK(fingerprint->exclusiveOr == test::fingerprintOf(rows).exclusiveOr);

  std::map<std::uint64_t, std::uint64_t> lengths;
  Vector maxima(rows.empty() ? 0 : generators.size());
  for (const Vector& row : rows) {
    ++lengths[lengthOf(row)];
    for (std::size_t k = 0; k < row.size(); ++k) maxima[k] = std::max(maxima[k], row[k]);
  }
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> histogram(lengths.begin(), lengths.end());
  CHECK(outcome(SinkKind::lengths).lengths == histogram);
  CHECK(outcome(SinkKind::coordinateMaxima).coordinateMaxima == maxima);
  const Outcome extremes = outcome(SinkKind::extremes);
  CHECK(extremes.minimumLength.has_value() == !rows.empty());
  if (!rows.empty()) {
    CHECK(extremes.minimumLength == histogram.front().first);
    CHECK(extremes.maximumLength == histogram.back().first);
  }
  Request first = ranged(generators, element, SinkKind::first, ranks, algorithm);
  first.sink.firstCount = 3;
  const Vectors firstRows(rows.begin(), rows.begin() + std::min<std::ptrdiff_t>(3, std::ssize(rows)));
  CHECK(rowsOf(outcomeOf(first, options).rows) == firstRows);
}

void checkPredicates(const Vector& generators, std::uint64_t element, const RankInterval& ranks,
                     const Vectors& rows, const EngineOptions& options) {
  const auto holds = [&](SinkKind kind, const std::string& text) {
    Request wanted = ranged(generators, element, kind, ranks);
    wanted.sink.predicate = parsePredicate(text, generators.size());
    return outcomeOf(wanted, options).predicateHolds.value();
  };
  const std::string last = "a1 = " + std::to_string(rows.back()[0]);
  const auto same = static_cast<std::ptrdiff_t>(
      std::count_if(rows.begin(), rows.end(), [&](const Vector& row) { return row[0] == rows.back()[0]; }));
  CHECK(holds(SinkKind::any, last));
  CHECK(holds(SinkKind::all, last) == (same == std::ssize(rows)));
  CHECK_FALSE(holds(SinkKind::any, "a1 = " + std::to_string(rows.front()[0] + 1)));
  CHECK(holds(SinkKind::all, "a1 <= " + std::to_string(rows.front()[0])));
}

std::string refusal(const Request& wanted, const EngineOptions& options) {
  try {
    Enumeration enumeration(wanted, options);
  } catch (const Error& error) {
    return std::to_string(error.exitCode()) + " " + error.what();
  }
  return {};
}

Vectors slice(const Vectors& rows, std::size_t begin, std::size_t end) {
  return {rows.begin() + static_cast<std::ptrdiff_t>(begin), rows.begin() + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace

TEST_CASE("rank ranges: rows of every range of small sets, by ranked and by candidate") {
  for (const Vector& generators : {Vector{6, 9, 20}, Vector{4, 4, 6, 3}, Vector{7}}) {
    const std::uint64_t element = generators.size() == 4 ? 18 : 84;
    const Vectors rows = testing::bruteForce(generators, element);
    REQUIRE(!rows.empty());
    for (std::size_t begin = 0; begin <= rows.size(); ++begin) {
      for (std::size_t end = begin; end <= rows.size(); ++end) {
        for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::candidate}) {
          const auto found =
              outcomeOf(ranged(generators, element, SinkKind::rows, interval(begin, end), algorithm),
                        engineOptions(Mode::cpu, 1));
          REQUIRE(rowsOf(found.rows) == slice(rows, begin, end));
        }
      }
    }
  }
}

TEST_CASE("rank ranges: all sinks, algorithms that start anywhere, CPU workers and the emulated device") {
  const Vector generators = {13, 37, 38, 40};
  const Vectors rows = testing::bruteForce(generators, 1500);
  for (const Mode mode : {Mode::cpu, Mode::emulated}) {
    for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::ranked, Algorithm::candidate}) {
      for (const auto& [begin, end] : std::vector<std::pair<std::size_t, std::size_t>>{
               {0, rows.size()}, {0, 1}, {17, 400}, {400, 400}, {rows.size() - 1, rows.size()}}) {
        checkSinks(generators, 1500, interval(begin, end), slice(rows, begin, end), algorithm,
                   engineOptions(mode));
      }
    }
    checkPredicates(generators, 1500, interval(17, 400), slice(rows, 17, 400), engineOptions(mode));
  }
}

TEST_CASE("rank ranges: candidate without the modulo jump, a set of zero, leading zeros") {
  const Vectors rows = testing::bruteForce({6, 9, 20}, 120);
  Request plain = ranged({6, 9, 20}, 120, SinkKind::rows, {"003", "9"}, Algorithm::candidate);
  plain.moduloJump = false;
  CHECK(rowsOf(outcomeOf(plain, engineOptions(Mode::cpu)).rows) == slice(rows, 3, 9));
  CHECK(rowsOf(outcomeOf(ranged({6, 9}, 0, SinkKind::rows, {"0", "1"}), engineOptions(Mode::cpu)).rows) ==
        Vectors{{0, 0}});
  CHECK(
      outcomeOf(ranged({6, 9, 20}, 43, SinkKind::fingerprint, {"0", "0"}), engineOptions(Mode::cpu)).count ==
      "0");
}

TEST_CASE("rank ranges: the outcome has range and total, a count is read off at any width") {
  const Outcome narrow = outcomeOf(ranged({13, 37, 38, 40}, 20000, SinkKind::fingerprint, {"1000", "3000"}),
                                   engineOptions(Mode::cpu));
  CHECK(narrow.count == "2000");
  CHECK(narrow.total == "1841247");
  CHECK(narrow.ranks->begin == "1000");
  CHECK(narrow.algorithm == Algorithm::ranked);
  const Outcome whole = outcomeOf(request({6, 9, 20}, 60, SinkKind::count), engineOptions(Mode::cpu));
  CHECK(whole.total.empty());
  CHECK_FALSE(whole.ranks.has_value());

  const WideOracle oracle(kBeyond64, 4000);
  const Outcome counted = outcomeOf(ranged(kBeyond64, 4000, SinkKind::count, interval(5, oracle.total())),
                                    engineOptions(Mode::cpu));
  CHECK(counted.countedByTable);
  CHECK(counted.count == WideNumber(oracle.total() - 5).str());
  CHECK(counted.total == oracle.total().str());
}

TEST_CASE("rank ranges: the wide problem takes any budgets and splits, against brute force") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 40; ++i) {
    Vector generators(1 + random() % 5);
    for (auto& g : generators) g = 1 + random() % 9;
    const std::uint64_t element = random() % 60;
    const Vectors rows = testing::bruteForce(generators, element);
    const std::size_t begin = rows.empty() ? 0 : random() % rows.size();
    const std::size_t end = begin + (rows.empty() ? 0 : random() % (rows.size() - begin + 1));
    auto ranks = std::make_shared<WideRanks>();
    const unsigned limbs = 1 + static_cast<unsigned>(random() % 3);
    ranks->counts =
        std::make_shared<const WideSuffixCounts>(makeWideSuffixCounts(generators, element, limbs));
    ranks->begin.resize(limbs);
    ranks->begin[0] = begin;
    ranks->length = end - begin;
    std::vector<std::uint64_t> places((end - begin) * generators.size());
    ProblemSpec spec;
    spec.generators = generators;
    spec.element = element;
    spec.algorithm = Algorithm::ranked;
    spec.wideRanks = ranks;
    spec.reductions.fingerprint = true;
    spec.rows = ProblemSpec::Rows{reinterpret_cast<std::byte*>(places.data()), {0, end - begin}, 8};
    const auto problem = makeProblem(spec);
    test::Driver driver(*problem);
    for (auto& root : driver.roots()) driver.finishSplitting(root, random, 4);
    const Vectors wanted = slice(rows, begin, end);
    Vector flat;
    for (const Vector& row : wanted) flat.insert(flat.end(), row.begin(), row.end());
    REQUIRE(places == flat);
    CHECK(driver.words()[0] == wanted.size());
    CHECK(driver.words()[1] == test::fingerprintOf(wanted).sum);
  }
}

TEST_CASE("rank ranges: beyond 64 bits, all sinks around 2^64 and at both ends") {
  const WideOracle oracle(kBeyond64, 4000);
  const WideNumber two64 = WideNumber(1) << 64;
  REQUIRE(oracle.total() > two64);
  for (const WideNumber& begin : {WideNumber(0), WideNumber(two64 - 150), WideNumber(oracle.total() - 300)}) {
    const Vectors rows = oracle.rows(begin, 300);
    for (const Mode mode : {Mode::cpu, Mode::emulated}) {
      checkSinks(kBeyond64, 4000, interval(begin, begin + 300), rows, Algorithm::automatic,
                 engineOptions(mode));
    }
    checkPredicates(kBeyond64, 4000, interval(begin, begin + 300), rows, engineOptions(Mode::cpu));
  }
}

TEST_CASE("rank ranges: beyond 128 bits, steps that change early coordinates are taken right") {
  const WideOracle oracle(kBeyond128, 10000);
  REQUIRE(oracle.total() > (WideNumber(1) << 128));
  // The last row of a first coordinate and its successors: every coordinate changes.
  Vector row = oracle.rowAt(oracle.total() / 3);
  std::fill(row.begin() + 1, row.end(), 0);
  row.back() = 10000 - 20 * row.front();
  const WideNumber boundary = oracle.rankOf(row);
  REQUIRE(oracle.rowAt(boundary + 1)[0] == row[0] - 1);
  const Vectors rows = oracle.rows(boundary - 40, 80);
  for (const std::uint64_t budget : {1U, 7U, 1000U}) {
    EngineOptions options = engineOptions(Mode::cpu, 3);
    options.cpuBudget = budget;
    const Outcome found =
        outcomeOf(ranged(kBeyond128, 10000, SinkKind::rows, interval(boundary - 40, boundary + 40)), options);
    REQUIRE(rowsOf(found.rows) == rows);
    CHECK(contains(found.algorithmReason, "192 bits"));
  }
}

TEST_CASE("rank ranges: beyond 64 bits, threads and many turns give the rows that one thread gives") {
  const RankInterval ranks = {"18446744073709500000", "18446744073709600000"};
  const Request wanted = ranged(kBeyond64, 4000, SinkKind::rows, ranks);
  EngineOptions many = engineOptions(Mode::cpu, 7);
  many.cpuBudget = 501;
  const Outcome one = outcomeOf(wanted, engineOptions(Mode::cpu, 1));
  const Outcome seven = outcomeOf(wanted, many);
  REQUIRE(one.rows.rows() == 100000);
  CHECK(std::memcmp(one.rows.data(), seven.rows.data(), one.rows.rows() * one.rows.rowBytes()) == 0);
  for (std::uint64_t i = 0; i + 1 < one.rows.rows(); ++i) {
    unsigned k = 0;
    while (one.rows.at(i, k) == one.rows.at(i + 1, k)) ++k;
    REQUIRE(one.rows.at(i, k) > one.rows.at(i + 1, k));
  }
}

TEST_CASE("rank ranges: files have the rows of the range, windows included") {
  const TemporaryFolder folder;
  const Vectors all = testing::bruteForce({13, 37, 38, 40}, 4000);
  const auto check = [&](const Request& wanted, const EngineOptions& options, const Vectors& rows) {
    Request written = wanted;
    for (const std::string name : {"rows.csv", "rows.npy"}) {
      written.output.path = folder.path(name);
      CHECK(outcomeOf(written, options).run.complete);
    }
    std::string csv;
    for (const Vector& row : rows) {
      for (std::size_t k = 0; k < row.size(); ++k) csv += (k == 0 ? "" : ",") + std::to_string(row[k]);
      csv += "\n";
    }
    CHECK((contentOf(folder.path("rows.csv")) == csv));
    const std::string npy = contentOf(folder.path("rows.npy"));
    const RowMatrix matrix = outcomeOf(wanted, options).rows;
    REQUIRE(npy.size() > matrix.rows() * matrix.rowBytes());
    CHECK(std::memcmp(npy.data() + npy.size() - matrix.rows() * matrix.rowBytes(), matrix.data(),
                      matrix.rows() * matrix.rowBytes()) == 0);
    CHECK(matrix.rows() == rows.size());
  };
  EngineOptions windows = engineOptions(Mode::cpu);
  windows.memoryLimit = 400'000;  // CSV windows of some thousand rows
  check(ranged({13, 37, 38, 40}, 4000, SinkKind::rows, {"100", "15000"}), engineOptions(Mode::emulated),
        slice(all, 100, 15000));
  check(ranged({13, 37, 38, 40}, 4000, SinkKind::rows, {"100", "15000"}), windows, slice(all, 100, 15000));
  const WideOracle oracle(kBeyond64, 4000);
  const WideNumber begin = (WideNumber(1) << 64) - 200;
  check(ranged(kBeyond64, 4000, SinkKind::rows, interval(begin, begin + 400)), engineOptions(Mode::cpu),
        oracle.rows(begin, 400));
}

TEST_CASE("rank ranges: an interrupted wide run is resumed, another range is refused its checkpoint") {
  const TemporaryFolder folder;
  const std::string path = folder.path("c.ckpt");
  const RankInterval ranks = {"18446744073709000000", "18446744073709600000"};
  const Request wanted = ranged(kBeyond64, 4000, SinkKind::fingerprint, ranks);
  const Outcome whole = outcomeOf(wanted, engineOptions(Mode::cpu));
  int interruptions = 0;
  Outcome found;
  for (;;) {
    EngineOptions options = engineOptions(Mode::cpu);
    options.cpuBudget = 100;
    options.checkpointPath = path;
    options.stepLimit = whole.run.steps / 4;
    Enumeration enumeration(wanted, options);
    if (std::filesystem::exists(path)) enumeration.resumeFrom(path);
    enumeration.run();
    found = enumeration.outcome();
    if (found.run.complete) break;
    ++interruptions;
    REQUIRE(std::filesystem::exists(path));
    Enumeration other(ranged(kBeyond64, 4000, SinkKind::fingerprint, {ranks.begin, "18446744073709600001"}),
                      engineOptions(Mode::cpu));
    CHECK_THROWS_AS(other.resumeFrom(path), CheckpointError);
  }
  CHECK(interruptions > 0);
  CHECK(found.fingerprint->sum == whole.fingerprint->sum);
  CHECK(found.fingerprint->exclusiveOr == whole.fingerprint->exclusiveOr);
  CHECK(found.count == "600000");
}

TEST_CASE("rank ranges and rows: counts beyond 64 bits at residuals that no row passes do no harm") {
  // 1999 + 2: the other residual, 2001, is odd. But C(1038, 38) vectors have the sum 2000 over the
  // generators 2.
  Vector generators(40, 2);
  generators[0] = 1999;
  const Vectors rows = WideOracle(generators, 2001).rows(0, 39);
  const EngineOptions cpu = engineOptions(Mode::cpu);
  const Outcome all = outcomeOf(request(generators, 2001, SinkKind::rows), cpu);
  CHECK(rowsOf(all.rows) == rows);
  CHECK(all.count == "39");
  const Outcome some = outcomeOf(ranged(generators, 2001, SinkKind::rows, {"3", "10"}), cpu);
  CHECK(rowsOf(some.rows) == slice(rows, 3, 10));
  CHECK(some.total == "39");
}

TEST_CASE("rank ranges: what cannot be is refused with range, total or sizes") {
  const EngineOptions cpu = engineOptions(Mode::cpu);
  const auto rows = [](const RankInterval& ranks, Algorithm algorithm = Algorithm::automatic) {
    return ranged({6, 9, 20}, 60, SinkKind::rows, ranks, algorithm);
  };
  CHECK(contains(refusal(rows({"3", "2"}), cpu), "2 rank_range: got 3:2; accepted: A:B with A <= B"));
  CHECK(contains(refusal(rows({"0", "6"}), cpu), "A <= B <= 5, the number of factorizations"));
  CHECK(contains(refusal(rows({"x", "6"}), cpu), "2 rank_range: got \"x\""));
  CHECK(contains(refusal(rows({"0", "2"}, Algorithm::tabulated), cpu), "0:2 with algorithm tabulated"));
  CHECK(contains(refusal(rows({"0", "2"}, Algorithm::dynamic), cpu), "0:2 with algorithm dynamic"));
  Request table = rows({"0", "2"});
  table.tabulatedDimension = 1;
  CHECK(contains(refusal(table, cpu), "2 rank_range"));
  const auto wide = [](const RankInterval& ranks, Algorithm algorithm) {
    return ranged(kBeyond64, 4000, SinkKind::fingerprint, ranks, algorithm);
  };
  CHECK(contains(refusal(wide({"0", "9223372036854775808"}, Algorithm::automatic), cpu),
                 "at most 2^63 - 1 ranks"));
  CHECK(contains(refusal(wide({"0", "10"}, Algorithm::candidate), cpu), "algorithm auto or ranked"));
  EngineOptions small = cpu;
  small.memoryLimit = 1'000'000;
  CHECK(contains(refusal(wide({"0", "10"}, Algorithm::automatic), small),
                 "4 rank_range: suffix counts of 128 bits take 832208"));
  small.memoryLimit = 500'000;
  CHECK(contains(refusal(wide({"0", "10"}, Algorithm::automatic), small),
                 "4 rank_range: the counting tables take"));
}
