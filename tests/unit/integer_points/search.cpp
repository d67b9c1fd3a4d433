// The search for integer points against an oracle that tries every vector of a box: points, counts,
// fingerprints and sums by every sink, by both widths of integers, by tables of completions, whole and in
// pieces. Without an engine.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "runtime/integer_points/point_files.hpp"
#include "runtime/integer_points/problem_factory.hpp"
#include "slicepool/integer_points/sinks.hpp"
#include "support/integer_points/oracle.hpp"
#include "support/reducing_driver.hpp"
#include "support/scale.hpp"

using namespace slicepool;
using namespace slicepool::integer_points;
using slicepool::test::pointsInBox;
using slicepool::test::randomSystem;
using slicepool::test::ReducingDriver;

namespace {

constexpr TableLimits kLarge{.entries = 1e7, .work = 1e9};

std::uint64_t numberOf(const std::vector<std::uint64_t>& words) {
  CHECK(Tally::numberOf(words) == words.at(0));
  return words.at(0);
}

/// A driver of `problem`, run whole or in pieces.
ReducingDriver driven(const Problem& problem, std::mt19937_64* random) {
  ReducingDriver driver(problem);
  if (random == nullptr)
    driver.runWhole();
  else
    driver.runInPieces(*random);
  return driver;
}

std::vector<Point> collectedPoints(const PreparedSearch& search, const ReducingDriver& driver) {
  std::vector<std::byte> records;
  for (const auto& record : driver.collected()) records.insert(records.end(), record.begin(), record.end());
  std::vector<Point> points = pointsIn({lineShapeOf(search), records});
  std::sort(points.begin(), points.end());
  return points;
}

std::size_t countsReadOff = 0;  ///< by tables of 128 bits

void compare(const Request& request, const std::vector<Point>& expected, std::mt19937_64& random) {
  Request own = request;
  own.sink = SinkKind::count;
  const PreparedSearch counting = prepareSearch(own);
  if (!counting.emptyBecause.empty()) {
    CHECK(expected.empty());
    return;
  }
  for (const bool wide : {false, true}) {
    for (std::mt19937_64* pieces : {static_cast<std::mt19937_64*>(nullptr), &random}) {
      CAPTURE(wide);
      CAPTURE(pieces != nullptr);
      const auto counted = makeProblem(counting, nullptr, wide);
      const auto whole = driven(*counted, nullptr);
      CHECK(numberOf(driven(*counted, pieces).words()) == expected.size());
      CHECK(driven(*counted, pieces).steps() == whole.steps());

      own.sink = SinkKind::sums;
      const PreparedSearch summing = prepareSearch(own);
      const auto summed = makeProblem(summing, nullptr, wide);
      const auto words = driven(*summed, pieces).words();
      CHECK(numberOf(words) == expected.size());
      const Fingerprint fingerprint = test::fingerprintOfPoints(expected);
      CHECK(words.at(Digest::kFingerprintWord) == fingerprint.sum);
      CHECK(words.at(Digest::kFingerprintWord + 1) == fingerprint.exclusiveOr);
      std::vector<std::uint64_t> bins(static_cast<std::size_t>(summing.bins));
      for (const Point& point : expected) {
        std::int64_t sum = -summing.leastSum;
        for (const std::int64_t x : point) sum += x;
        ++bins.at(static_cast<std::size_t>(sum));
      }
      CHECK(std::equal(bins.begin(), bins.end(), words.begin() + Digest::kFirstBin, words.end()));

      for (const SinkKind sink : {SinkKind::list, SinkKind::first}) {
        own.sink = sink;
        own.firstCount = sink == SinkKind::first ? 1'000'000 : 0;
        const PreparedSearch listing = prepareSearch(own);
        const auto listed = makeProblem(listing, nullptr, wide);
        const auto driver = driven(*listed, pieces);
        CHECK(collectedPoints(listing, driver) == expected);
        CHECK(numberOf(driver.words()) == expected.size());
      }
      own.firstCount = 0;
    }
  }
  if (!counting.conditions.empty()) return;
  // Tables of every height.
  for (double entries = 1; entries <= 1e7; entries *= 10) {
    const CompletionTable table = completionTable(counting.system, {.entries = entries, .work = kLarge.work});
    CAPTURE(table.level);
    if (table.level == 0) {
      CHECK(table.counts.front() == expected.size());
      break;
    }
    const auto wide = wideCount(counting.system, table, kLarge);
    if (wide) ++countsReadOff;
    CHECK(wide.value_or(expected.size()) == expected.size());
    const auto problem = makeProblem(counting, &table, entries >= 100);
    CHECK(numberOf(driven(*problem, &random).words()) == expected.size());
  }
}

}  // namespace

TEST_CASE("points of random systems are the oracle's, by every sink, whole and in pieces") {
  std::mt19937_64 random(20261125);
  std::size_t points = 0;
  for (std::size_t i = 0; i < test::scaled(400); ++i) {
    CAPTURE(i);
    const auto [system, lower, upper] = randomSystem(random);
    const std::vector<Point> expected = pointsInBox(system, lower, upper);
    points += expected.size();
    compare({.system = system}, expected, random);
  }
  CHECK(points > test::scaled(400));
  CHECK(countsReadOff > 0);
}

TEST_CASE("conditions are the oracle's: as rows, and with alternatives at each point") {
  std::mt19937_64 random(7);
  for (std::size_t i = 0; i < test::scaled(200); ++i) {
    CAPTURE(i);
    auto [system, lower, upper] = randomSystem(random);
    const std::size_t columns = lower.size();
    if (columns < 2) continue;
    const auto a = static_cast<std::int64_t>(random() % 3) + 1;
    const auto b = static_cast<std::int64_t>(random() % 5) - 2;
    const std::string at = std::to_string(a);
    const std::string first = "x1 - " + at + "*x2 <= " + std::to_string(b);
    const std::string second = "sum > " + std::to_string(b + 3);
    const auto holdsFirst = [&, c = a, d = b](const Point& x) { return x[0] - c * x[1] <= d; };
    const auto holdsSecond = [&, d = b](const Point& x) {
      std::int64_t sum = 0;
      for (const std::int64_t entry : x) sum += entry;
      return sum > d + 3;
    };
    system.where = first + " and " + second;
    compare(
        {.system = system},
        pointsInBox(system, lower, upper, [&](const Point& x) { return holdsFirst(x) && holdsSecond(x); }),
        random);
    system.where = first + " or " + second;
    compare(
        {.system = system},
        pointsInBox(system, lower, upper, [&](const Point& x) { return holdsFirst(x) || holdsSecond(x); }),
        random);
  }
}

TEST_CASE("residues of several rows must agree") {
  std::mt19937_64 random(9);
  // x1 + x2 is even and x2 is odd; x2 = 1 (mod 4) and x1 + x2 = 2 (mod 6).
  for (const LinearSystem& system :
       {LinearSystem{.matrix = {{1, 1, 2, 0}, {0, 1, 0, 2}}, .rightSide = {10, 7}},
        LinearSystem{.matrix = {{0, 1, 4, 0}, {1, 1, 0, 6}}, .rightSide = {21, 26}},
        LinearSystem{.matrix = {{2, 3, 6, 0, 0}, {0, 1, 0, 4, 0}, {1, 2, 0, 0, 10}},
        .rightSide = {41, 15, 33}}}) {
    const std::size_t columns = system.matrix.front().size();
    compare({.system = system}, pointsInBox(system, Point(columns, 0), Point(columns, 26)), random);
  }
}

TEST_CASE("long lines come in pieces, and a split does not change the steps") {
  std::mt19937_64 random(3);
  Request request;
  request.system = {.matrix = {{2, 3, 0}, {0, 0, 1}}, .rightSide = {120'000, 1}};
  request.fingerprint = true;
  const PreparedSearch search = prepareSearch(request);
  const auto problem = makeProblem(search, nullptr);
  const auto whole = driven(*problem, nullptr);
  CHECK(numberOf(whole.words()) == 20'001);
  std::uint64_t splits = 0;
  for (int i = 0; i < 100; ++i) {
    const auto pieces = driven(*problem, &random);
    CHECK(pieces.words() == whole.words());
    CHECK(pieces.steps() == whole.steps());
    splits += pieces.splits();
  }
  CHECK(splits != 0);
}

TEST_CASE("a count beyond 64 bits keeps its carries") {
  std::vector<std::uint64_t> words = Tally::layout().fresh();
  SinkMemory memory;
  memory.words = words.data();
  for (int turn = 0; turn < 3; ++turn) {
    Tally::Emitter emit({}, memory);
    for (int i = 0; i < 5; ++i) emit.add((std::uint64_t{1} << 63) + 1);
    emit.flush();
  }
  CHECK(Tally::numberOf(words) == (static_cast<unsigned __int128>(15) << 63) + 15);
}

TEST_CASE("a count beyond 64 bits is exact after 2^47 flushes of any size") {
  const std::uint64_t counts[] = {0xffffffffU, 0xffffU, 0x1'0000'0000U, 0xffff'ffff'ffffU, 1};
  std::vector<std::uint64_t> words = Tally::layout().fresh();
  SinkMemory memory;
  memory.words = words.data();
  unsigned __int128 expected = 0;
  for (const std::uint64_t count : counts) {
    Tally::Emitter emit({}, memory);
    emit.add(count);
    emit.flush();
    expected += count;
  }
  CHECK(Tally::numberOf(words) == expected);
  for (int doubled = 0; doubled < 44; ++doubled) {
    const std::vector<std::uint64_t> same = words;
    mergeWords(Tally::layout(), words.data(), same.data());
    expected *= 2;
    CHECK(Tally::numberOf(words) == expected);
  }
}

TEST_CASE("known numbers of square tables and magic squares") {
  // Line sums 1 .. 5: https://oeis.org/A001496 (4 x 4), A003438 (5 x 5). Magic: the manual of LattE.
  struct Case {
    std::size_t n;
    std::int64_t t;
    bool magic;
    std::uint64_t count;
  };
  for (const auto& known : {Case{3, 1, false, 6}, Case{4, 1, false, 24}, Case{4, 2, false, 282},
                            Case{4, 3, false, 2008}, Case{4, 4, false, 10147}, Case{5, 1, false, 120},
                            Case{5, 2, false, 6210}, Case{4, 1, true, 8}, Case{4, 2, true, 48}}) {
    CAPTURE(known.n);
    CAPTURE(known.t);
    Request request;
    request.system = test::squareTables(known.n, known.t, known.magic);
    const PreparedSearch search = prepareSearch(request);
    CHECK(numberOf(driven(*makeProblem(search, nullptr), nullptr).words()) == known.count);
    // All but the last entry of a row is chosen, and in the last row but one all but two.
    if (!known.magic) CHECK(search.system.leaf == known.n * known.n - known.n - 2);
    CHECK(completionTable(search.system, kLarge).counts.front() == known.count);
  }
}

TEST_CASE("a line of many values below which a table counts is searched in steps of bounded work") {
  // Of three free columns the table has two: more completions have no room in 64 bits.
  constexpr std::int64_t kValues = 1 << 21;
  Request request;
  request.system.matrix = {{1, 1, 0, 0, 0}};
  request.system.rightSide = {10};
  request.system.upper = {10, 10, kValues - 1, kValues - 1, kValues - 1};
  const PreparedSearch search = prepareSearch(request);
  const CompletionTable table = completionTable(search.system, kLarge);
  CHECK(table.level == 3);
  std::mt19937_64 random(1);
  for (std::mt19937_64* pieces : {static_cast<std::mt19937_64*>(nullptr), &random}) {
    const auto driver = driven(*makeProblem(search, &table), pieces);
    CHECK(Tally::numberOf(driver.words()) == (static_cast<unsigned __int128>(11) << 63));
    CHECK(driver.steps() >= 11 * kValues / 4096);
  }
  CHECK(wideCount(search.system, table, kLarge) == (static_cast<unsigned __int128>(11) << 63));
  CHECK_FALSE(wideCount(search.system, table, {.entries = 5, .work = kLarge.work}).has_value());
  CHECK_FALSE(wideCount(search.system, table, kLarge, [] { return true; }).has_value());
}

TEST_CASE("a packed slice that the search cannot have come to is refused") {
  Request request;
  request.system = test::squareTables(4, 2);
  const auto problem = makeProblem(prepareSearch(request), nullptr);
  // Base, depth, the values of the path, the last open values; signed numbers are doubled.
  const auto unpacks = [&](const std::vector<unsigned>& numbers) {
    std::vector<std::byte> packed;
    for (const unsigned number : numbers) packed.push_back(static_cast<std::byte>(number));
    std::vector<std::byte> slice(problem->sliceBytes());
    return problem->unpackSlice(packed, slice.data());
  };
  CHECK(unpacks({0, 0, 0, 4}));
  CHECK(unpacks({0, 1, 4, 0, 4, 0}));
  CHECK(unpacks({1, 1, 4, 0, 0}));
  CHECK_FALSE(unpacks({0, 1, 4, 2, 4, 2}));  // 2 + 1 in a row of sum 2
  CHECK_FALSE(unpacks({0, 0, 0, 6}));        // 3
  CHECK_FALSE(unpacks({0, 0, 1, 4}));        // -1
  CHECK_FALSE(unpacks({0, 0, 4, 0}));        // the last one before the first
  CHECK_FALSE(unpacks({1, 0, 0, 4}));        // a base below the path
  CHECK_FALSE(unpacks({0, 11, 0, 0}));       // below the leaf
  CHECK_FALSE(unpacks({0, 0, 0}));
  CHECK_FALSE(unpacks({0, 0, 0, 4, 0}));
}
