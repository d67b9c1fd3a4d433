// Nearest rows: the step by any budgets and splits, the CPU's vectors and the engine in every mode find what
// a plain loop finds. And how runs of invariants stop.
#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "runtime/invariants/nearest_problem.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/invariants/enumeration.hpp"
#include "support/invariants/engine.hpp"
#include "support/invariants/oracle.hpp"
#include "support/reducing_driver.hpp"
#include "support/scale.hpp"
#include "support/worker_options.hpp"

using namespace slicepool;
using namespace slicepool::invariants;
using namespace slicepool::test;

namespace {

struct NearestCase {
  std::vector<Vector> rows;  ///< in decreasing order
  std::vector<std::uint32_t> order;
  std::vector<NearestQuery> queries;
};

NearestCase randomCase(std::mt19937_64& random, std::size_t size, std::size_t dimension, std::uint64_t most) {
  std::set<Vector, std::greater<>> rows;
  while (rows.size() < size) {
    Vector row(dimension);
    for (auto& coordinate : row) coordinate = random() % 3 == 0 ? 0 : random() % most;
    rows.insert(row);
  }
  NearestCase found{{rows.begin(), rows.end()}, std::vector<std::uint32_t>(size), {}};
  std::iota(found.order.begin(), found.order.end(), 0U);
  std::shuffle(found.order.begin(), found.order.end(), random);
  const auto at = [&](std::uint64_t bound) { return static_cast<std::uint32_t>(random() % (bound + 1)); };
  for (std::size_t q = 0; q < 1 + size / 3; ++q) {
    NearestQuery query{at(size - 1), at(size), at(size), 0, 0};
    if (query.first > query.end) std::swap(query.first, query.end);
    query.groupFirst = query.first + at(query.end - query.first);
    query.groupEnd = query.groupFirst + at(query.end - query.groupFirst);
    found.queries.push_back(query);
  }
  return found;
}

std::vector<NearestRow> byPlainLoop(const NearestCase& given) {
  std::vector<NearestRow> found;
  for (const auto& query : given.queries) {
    NearestRow best;
    for (std::uint32_t column = query.first; column < query.end; ++column) {
      if (column >= query.groupFirst && column < query.groupEnd) continue;
      const auto distance = static_cast<std::uint32_t>(
          distanceOf(given.rows[given.order[query.row]], given.rows[given.order[column]]));
      if (distance < best.distance) best = {distance, given.order[column]};
    }
    found.push_back(best);
  }
  return found;
}

bool sameRows(const std::vector<NearestRow>& a, const std::vector<NearestRow>& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const NearestRow& x, const NearestRow& y) {
        return x.distance == y.distance && (x.distance == kNoDistance || x.row == y.row);
      });
}

}  // namespace

TEST_CASE("nearest rows: budgets, splits, vectors and workers change nothing") {
  for (std::uint64_t seed = 0; seed < scaled(25); ++seed) {
    std::mt19937_64 random(seed);
    CAPTURE(seed);
    const std::size_t size = seed % 5 == 0 ? 5000 : 1 + random() % 700;  // several tiles, or one
    const std::uint64_t most = seed % 2 == 0 ? 9 : 1000;
    const auto given = randomCase(random, size, most == 9 ? 5 + random() % 20 : 2 + random() % 12, most);
    const RowSet set(std::vector<Factorization>(given.rows.begin(), given.rows.end()));
    const auto expected = byPlainLoop(given);
    REQUIRE(sameRows(nearestRows(set, given.order, given.queries, advanceHere), expected));
    for (const bool wide : {false, true}) {
      const auto owned = makeNearestProblem(set, given.order, given.queries, wide);
      const auto words = advanceHere(*owned.problem);
      for (std::size_t q = 0; q < expected.size(); ++q) {
        const std::uint64_t word = words.at(1 + q);
        REQUIRE(static_cast<std::uint32_t>(word >> 32) == expected[q].distance);
        if (expected[q].distance != kNoDistance)
          REQUIRE(given.order[static_cast<std::uint32_t>(word)] == expected[q].row);
      }
      for (const bool fast : {false, true}) {
        ReducingDriver pieces(*owned.problem, fast);
        pieces.runInPieces(random);
        REQUIRE(pieces.words() == words);
      }
      for (const auto& options : {onCpu(3), onEmulator(), onEmulator(2)})
        REQUIRE(wordsOnEngine(*owned.problem, options) == words);
    }
  }
}

TEST_CASE("invariants: a run that is cancelled has no values") {
  Request request;
  request.generators = {13, 37, 38, 40};
  request.elements = {{5000, 5000}};
  request.ofElements = {ElementInvariant::catenaryDegree};
  Enumeration enumeration(request, onCpu(1));
  enumeration.cancel();
  enumeration.run();
  CHECK_FALSE(enumeration.finished());
  CHECK(enumeration.outcome().elements.size() <= 1);
  CHECK_THROWS_AS(enumeration.run(), Error);
}

TEST_CASE("invariants: refusals of requests") {
  const auto refused = [](const Request& request, const EngineOptions& options = onCpu(1)) {
    CHECK_THROWS_AS(Enumeration(request, options), ConfigError);
  };
  Request request;
  refused(request);
  request.generators = {6, 9, 20};
  request.ofElements = {ElementInvariant::denumerant};
  refused(request);
  request.elements = {{5, 4}};
  refused(request);
  request.elements = {{0, std::uint64_t{1} << 63}};
  refused(request);
  request.elements = {{1, 9}};
  request.ofElements = {ElementInvariant::denumerants};
  refused(request);
  request.ofElements = {ElementInvariant::denumerant};
  request.ofSemigroup = {SemigroupInvariant::genus};
  refused(request);
  request.ofSemigroup.clear();
  EngineOptions options = onCpu(1);
  options.checkpointPath = "c.ckpt";
  refused(request, options);
  options = onCpu(1);
  options.tracePath = "trace.json";
  refused(request, options);
  Enumeration enumeration(request, onCpu(1));
  CHECK_THROWS_AS(enumeration.resumeFrom("c.ckpt"), ConfigError);
}
