// Random generators against the plain search: few points with packed keys, more points with fingerprints,
// several sources, repeated generators, identities and constants among them.
#include <doctest/doctest.h>

#include <random>

#include "support/semigroup/front.hpp"
#include "support/semigroup/oracle.hpp"

using namespace slicepool;
using namespace slicepool::test;

namespace {

using Map = SemigroupOracle::Map;

/// Maps of small semigroups on more points: blocks of points on which the same small map acts, shifted.
std::vector<Map> randomGenerators(std::mt19937_64& random, std::uint32_t points) {
  const std::size_t count = 1 + random() % 3;
  std::vector<Map> generators;
  for (std::size_t g = 0; g < count; ++g) {
    Map map(points);
    for (std::uint32_t i = 0; i < points; ++i) {
      const std::uint32_t block = i / 4 * 4;
      const std::uint32_t width = std::min(4U, points - block);
      map[i] = random() % 5 == 0 ? i : block + static_cast<std::uint32_t>(random() % width);
    }
    generators.push_back(map);
  }
  if (random() % 4 == 0) generators.push_back(generators.front());
  if (random() % 4 == 0) {
    Map identity(points);
    std::iota(identity.begin(), identity.end(), 0U);
    generators.insert(generators.begin(), identity);
  }
  return generators;
}

}  // namespace

TEST_CASE("random generators: elements, graphs, rules and idempotents are those of a plain search") {
  const std::uint64_t seed = std::random_device{}();
  MESSAGE("seed " << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 40; ++round) {
    const auto points = static_cast<std::uint32_t>(round % 3 == 0 ? 1 + random() % 6 : 17 + random() % 8);
    const auto generators = randomGenerators(random, points);
    // Blocks act side by side: products can be large, and the plain search is slow.
    semigroup::Request request;
    request.generators = generators;
    request.idempotents = true;
    request.maxElements = 3000;
    request.smallStage = round % 4 == 0 ? 200 : 8192;
    semigroup::Enumeration enumeration(request, cpu(1 + round % 3));
    enumeration.run();
    if (enumeration.outcome().limited) continue;
    const SemigroupOracle oracle(generators);
    CAPTURE(seed);
    CAPTURE(round);
    CAPTURE(points);
    const Everything found = everythingOf(enumeration);
    CHECK(found.words == oracle.words);
    CHECK(found.right == oracle.right);
    CHECK(found.left == oracle.left);
    CHECK(found.rules == oracle.rules);
    CHECK(found.idempotents == oracle.idempotents);
    request.algorithm = semigroup::Algorithm::froidurePin;
    CHECK(explore(request, cpu(2)) == found);
  }
}

TEST_CASE("a list of points and a file of more than 65536 points are explored alike") {
  // A cycle on the first 5 points and a map of the rest to point 0, on 70,000 points.
  semigroup::Request request;
  Map cycle(70000, 0);
  for (std::uint32_t i = 0; i < 5; ++i) cycle[i] = (i + 1) % 5;
  request.generators = {cycle};
  request.base = {7};
  semigroup::Enumeration enumeration(request, cpu(2));
  // All other points are sources: the base is nearly everything.
  enumeration.run();
  CHECK(enumeration.size() == SemigroupOracle({cycle}).elements.size());
}
