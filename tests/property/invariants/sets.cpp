// Catenary and tame degrees of sets of factorizations against their definitions: by trades, by nearest rows,
// of lists, in every mode; witnesses are what they say.
#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <set>

#include "runtime/invariants/set_degrees.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/invariants/enumeration.hpp"
#include "support/invariants/oracle.hpp"
#include "support/scale.hpp"
#include "support/worker_options.hpp"

using namespace slicepool;
using namespace slicepool::invariants;
using namespace slicepool::test;

namespace {

struct Degrees {
  std::uint64_t catenary = 0, equal = 0, adjacent = 0, monotone = 0, tame = 0;
  friend bool operator==(const Degrees&, const Degrees&) = default;
};

Degrees byDefinition(const std::vector<Vector>& rows) {
  return {catenaryByDefinition(rows), equalCatenaryByDefinition(rows), adjacentCatenaryByDefinition(rows),
          monotoneCatenaryByDefinition(rows), tameByDefinition(rows)};
}

ElementInvariants degreesOfElement(const Vector& generators, std::uint64_t n, const EngineOptions& options) {
  Request request;
  request.generators = generators;
  request.asGiven = true;
  request.elements = {{n, n}};
  request.ofElements = {ElementInvariant::catenaryDegree, ElementInvariant::equalCatenaryDegree,
                        ElementInvariant::adjacentCatenaryDegree, ElementInvariant::monotoneCatenaryDegree,
                        ElementInvariant::tameDegree};
  Enumeration enumeration(request, options);
  enumeration.run();
  return enumeration.outcome().elements.at(0);
}

/// Of a set that is given, as an enumeration has them.
ElementInvariants degreesOfSet(const std::vector<Vector>& rows, const EngineOptions& options) {
  Request request;
  request.factorizations = rows;
  request.ofElements = {ElementInvariant::rClasses,
                        ElementInvariant::catenaryDegree,
                        ElementInvariant::equalCatenaryDegree,
                        ElementInvariant::adjacentCatenaryDegree,
                        ElementInvariant::monotoneCatenaryDegree,
                        ElementInvariant::tameDegree};
  Enumeration enumeration(request, options);
  enumeration.run();
  return enumeration.outcome().elements.at(0);
}

template <class Found>
Degrees valuesOf(const Found& found) {
  if constexpr (std::is_same_v<Found, SetInvariants>)
    return {found.catenary.value, found.equalCatenary.value, found.adjacentCatenary.value,
            found.monotoneCatenary.value, found.tame.value};
  else
    return {found.catenary->value, found.equalCatenary->value, found.adjacentCatenary->value,
            found.monotoneCatenary->value, found.tame->value};
}

void checkWitness(const std::set<Vector>& rows, const DegreeOfSet& degree) {
  CHECK(rows.count(degree.left) == 1);
  CHECK(rows.count(degree.right) == 1);
  CHECK(distanceOf(degree.left, degree.right) == degree.value);
}

}  // namespace

TEST_CASE("invariants: degrees of whole sets are those of the definitions") {
  for (std::uint64_t seed = 0; seed < scaled(150); ++seed) {
    std::mt19937_64 random(seed);
    CAPTURE(seed);
    const std::size_t dimension = 2 + random() % 4;
    Vector generators(dimension);
    for (auto& generator : generators) generator = 2 + random() % 30;
    if (seed % 7 == 0) generators[0] = generators[1];
    std::uint64_t n = 40 + random() % 200;
    auto rows = bruteForce(generators, n);
    for (; rows.empty() || rows.size() > 60; rows = bruteForce(generators, --n)) {}
    CAPTURE(generators);
    CAPTURE(n);
    const Degrees expected = byDefinition(rows);
    const auto found = degreesOfElement(generators, n, onCpu(1 + static_cast<int>(seed % 3)));
    REQUIRE(valuesOf(found) == expected);
    const SetInvariants listed = invariantsOfSet(rows);
    REQUIRE(valuesOf(listed) == expected);
    REQUIRE(listed.rClasses == rClassesByDefinition(rows));
    const std::set<Vector> set(rows.begin(), rows.end());
    for (const auto* degree :
         {&*found.catenary, &*found.equalCatenary, &*found.adjacentCatenary, &*found.tame, &listed.catenary,
          &listed.equalCatenary, &listed.adjacentCatenary, &listed.tame})
      checkWitness(set, *degree);
  }
}

TEST_CASE("invariants: degrees of lists that are no whole sets") {
  for (std::uint64_t seed = 0; seed < scaled(150); ++seed) {
    std::mt19937_64 random(seed);
    CAPTURE(seed);
    std::set<Vector> rows;
    const std::size_t dimension = 1 + random() % 25;
    const std::uint64_t most = seed % 3 == 0 ? 1'000'000 : 6;  // beyond 16 bits, and below
    for (std::size_t i = 0; i < 1 + random() % 30; ++i) {
      Vector row(dimension);
      for (auto& coordinate : row) coordinate = random() % 2 == 0 ? 0 : random() % most;
      rows.insert(row);
    }
    const std::vector<Vector> list(rows.begin(), rows.end());
    if (most > 6) {
      // Too many distances for leastChain(), which tries them in turn.
      const SetInvariants found = invariantsOfSet(list);
      checkWitness(rows, found.catenary);
      REQUIRE(found.tame.value == tameByDefinition(list));
      REQUIRE(found.adjacentCatenary.value == adjacentCatenaryByDefinition(list));
      continue;
    }
    const Degrees expected = byDefinition(list);
    REQUIRE(valuesOf(invariantsOfSet(list)) == expected);
    const ElementInvariants found =
        degreesOfSet(list, seed % 4 == 0 ? onEmulator() : onCpu(1 + static_cast<int>(seed % 3)));
    REQUIRE(valuesOf(found) == expected);
    REQUIRE(found.rClasses == rClassesByDefinition(list));
  }
  CHECK_THROWS_AS((void)invariantsOfSet({}), ConfigError);
  CHECK_THROWS_AS((void)invariantsOfSet({{1, 2}, {1}}), ConfigError);
  CHECK_THROWS_AS((void)invariantsOfSet({{1, 2}, {1, 2}}), ConfigError);
}

// Sets of the sizes that leastChain() can do are too small for trades: pairs are cheaper.
TEST_CASE("invariants: degrees of larger sets by trades are those by pairs") {
  for (std::uint64_t seed = 0; seed < scaled(24); ++seed) {
    std::mt19937_64 random(seed);
    CAPTURE(seed);
    const std::size_t dimension = 3 + random() % 4;
    Vector generators(dimension);
    for (auto& generator : generators) generator = 5 + random() % 40;
    std::uint64_t n = 1;
    while (countByRecurrence(generators, n) < 800) ++n;
    CAPTURE(generators);
    CAPTURE(n);
    const RowSet set(bruteForce(generators, n));
    const SetDegrees byTrades(set, WholeSet{generators, n}, advanceHere);
    const SetDegrees byPairs(set, std::nullopt, advanceHere);
    REQUIRE(byTrades.catenary().value == byPairs.catenary().value);
    REQUIRE(byTrades.equalCatenary().value == byPairs.equalCatenary().value);
    REQUIRE(byTrades.adjacentCatenary().value == byPairs.adjacentCatenary().value);
    REQUIRE(byTrades.tame().value == byPairs.tame().value);
  }
}
