// Bases that are too small, on random monoids: every exploration with a forced base must fail exactly if the
// base does not separate the elements that it found, and be right otherwise; one whose base may grow must be
// right. Whether a base separates is decided by a plain search over whole elements.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "runtime/semigroup/sources.hpp"
#include "slicepool/core/error.hpp"
#include "support/scale.hpp"
#include "support/semigroup/front.hpp"
#include "support/semigroup/oracle.hpp"
#include "support/temporary_folder.hpp"

using namespace slicepool;
using namespace slicepool::test;

namespace {

using Map = SemigroupOracle::Map;
using semigroup::Check;
using semigroup::Image;

class Monoids {
 public:
  explicit Monoids(std::uint64_t seed) : random_(seed) {}

  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }

  /// One of the kinds of maps that make different bases fail: any, permutations, idempotents, of rank two, of
  /// few moved points, monotone.
  Map map(std::uint32_t n) {
    Map images(n);
    std::iota(images.begin(), images.end(), 0U);
    switch (below(6)) {
      case 0:
        for (auto& image : images) image = below(n);
        break;
      case 1: std::shuffle(images.begin(), images.end(), random_); break;
      case 2: {
        const Map kept = twoOrMore(n);
        for (auto& image : images) image = kept[below(static_cast<std::uint32_t>(kept.size()))];
        for (const auto point : kept) images[point] = point;
        break;
      }
      case 3: {
        const std::uint32_t a = below(n);
        const std::uint32_t b = below(n);
        for (auto& image : images) image = below(2) == 0 ? a : b;
        break;
      }
      case 4:
        for (int moved = 0; moved < 2; ++moved) images[below(n)] = below(n);
        break;
      default:
        for (auto& image : images) image = below(n);
        std::sort(images.begin(), images.end());
    }
    return images;
  }

  /// One to four maps of n points; where n is large they act on blocks of at most six, so that monoids are
  /// small.
  std::vector<Map> generators(std::uint32_t n) {
    std::vector<Map> result;
    const std::uint32_t count = 1 + below(4);
    const std::uint32_t width = n <= 8 ? n : 3 + below(4);
    for (std::uint32_t g = 0; g < count; ++g) {
      Map images;
      while (images.size() < n) {
        const auto begin = static_cast<std::uint32_t>(images.size());
        for (const auto image : map(std::min(width, n - begin))) images.push_back(begin + image);
      }
      // Blocks that lead into each other: fewer sources, longer ways from them.
      if (n > 8 && below(2) == 0) images[below(n)] = below(n);
      result.push_back(images);
    }
    if (n > 8 && below(2) == 0) relabel(result, n);
    return result;
  }

 private:
  Map twoOrMore(std::uint32_t n) {
    Map kept;
    for (std::uint32_t i = 0; i < n; ++i)
      if (below(2) == 0) kept.push_back(i);
    if (kept.empty()) kept.push_back(below(n));
    return kept;
  }
  void relabel(std::vector<Map>& maps, std::uint32_t n) {
    Map name(n);
    std::iota(name.begin(), name.end(), 0U);
    std::shuffle(name.begin(), name.end(), random_);
    for (auto& images : maps) {
      Map renamed(n);
      for (std::uint32_t i = 0; i < n; ++i) renamed[name[i]] = name[images[i]];
      images = renamed;
    }
  }

  std::mt19937_64 random_;
};

/// Whether images of these points tell the first `count` elements apart.
bool separates(const SemigroupOracle& oracle, const std::vector<Image>& base, std::size_t count) {
  std::set<Map> keys;
  for (std::size_t x = 0; x < count; ++x) {
    Map key;
    for (const Image point : base) key.push_back(oracle.elements[x][point]);
    if (!keys.insert(key).second) return false;
  }
  return true;
}

/// Runs to the end; false when the base does not separate.
bool runs(semigroup::Enumeration& enumeration) {
  try {
    enumeration.run();
  } catch (const ConfigError& error) {
    if (error.field() != "base") throw;
    return false;
  }
  return true;
}

Everything expectedOf(const SemigroupOracle& oracle) {
  return {oracle.stages, oracle.words, oracle.right, oracle.left, oracle.rules, oracle.idempotents};
}

/// The case in hand: a monoid, and points to start with.
struct Case {
  SemigroupOracle oracle;
  semigroup::Request request;
  std::vector<Image> base;  ///< sources and chosen points
};

Case randomCase(Monoids& monoids) {
  for (;;) {
    const std::uint32_t n = monoids.below(3) == 0 ? 17 + monoids.below(8) : 1 + monoids.below(8);
    const auto generators = monoids.generators(n);
    SemigroupOracle oracle(generators, 700);
    if (oracle.tooMany) continue;
    semigroup::Request request;
    request.generators = generators;
    request.idempotents = true;
    const auto sources = semigroup::sourcePoints({n, generators});
    for (std::uint32_t i = monoids.below(4); i > 0; --i) request.base.push_back(monoids.below(n));
    std::vector<Image> base = sources;
    base.insert(base.end(), request.base.begin(), request.base.end());
    return {std::move(oracle), std::move(request), std::move(base)};
  }
}

void checkForcedBase(const Case& some, const EngineOptions& options, Check check) {
  auto request = some.request;
  request.fixedBase = true;
  request.check = check;
  semigroup::Enumeration enumeration(request, options);
  const bool right = runs(enumeration);
  CHECK(right == separates(some.oracle, some.base, some.oracle.elements.size()));
  if (right) CHECK(everythingOf(enumeration) == expectedOf(some.oracle));
}

/// Stops at a stage; what was found by then is exact. Then goes on from the checkpoint.
void checkStopped(const Case& some, std::uint32_t stage, bool fixedBase, const std::string& checkpoint) {
  std::uint64_t count = 0;
  for (std::uint32_t k = 0; k <= stage; ++k) count += some.oracle.stages[k];
  auto request = some.request;
  request.fixedBase = fixedBase;
  auto limited = request;
  limited.maxStage = stage;
  EngineOptions options = cpu(1);
  options.checkpointPath = checkpoint;
  semigroup::Enumeration first(limited, options);
  const bool right = runs(first);
  CHECK(right == (!fixedBase || separates(some.oracle, some.base, count)));
  if (!right) return;
  CHECK(first.size() == count);
  for (semigroup::Element x = 0; x < count; ++x) CHECK(first.word(x) == some.oracle.words[x]);
  if (first.outcome().complete) return;
  semigroup::Enumeration second(request, options);
  REQUIRE(second.resumeIfSaved());
  const bool rightInTheEnd = runs(second);
  CHECK(rightInTheEnd == (!fixedBase || separates(some.oracle, some.base, some.oracle.elements.size())));
  if (rightInTheEnd) CHECK(everythingOf(second) == expectedOf(some.oracle));
}

}  // namespace

TEST_CASE("a forced base fails exactly if it does not separate the elements, by both checks") {
  for (std::size_t seed = 0; seed < scaled(1000); ++seed) {
    Monoids monoids(seed);
    const Case some = randomCase(monoids);
    CAPTURE(seed);
    for (const Check check : {Check::certificate, Check::rules}) checkForcedBase(some, cpu(1), check);
  }
}

TEST_CASE("a base that may grow ends with the right answer, from any start and by both checks") {
  for (std::size_t seed = 0; seed < scaled(500); ++seed) {
    Monoids monoids(seed);
    auto some = randomCase(monoids);
    CAPTURE(seed);
    some.request.check = seed % 2 == 0 ? Check::certificate : Check::rules;
    some.request.hashBits = seed % 5 == 0 ? 1 : 64;
    CHECK(explore(some.request, cpu(1)) == expectedOf(some.oracle));
  }
}

TEST_CASE("stopped at any stage what was found is exact, and a resumed run is as exact as one at once") {
  TemporaryFolder folder;
  for (std::size_t seed = 0; seed < scaled(300); ++seed) {
    Monoids monoids(seed);
    const Case some = randomCase(monoids);
    CAPTURE(seed);
    const std::uint32_t stage = monoids.below(static_cast<std::uint32_t>(some.oracle.stages.size()));
    for (const bool fixedBase : {false, true})
      checkStopped(some, stage, fixedBase, folder.path(fixedBase ? "fixed" : "free"));
    std::filesystem::remove(folder.path("fixed"));
  }
}

TEST_CASE("a device that fails on the way makes no base pass that fails") {
  for (std::size_t seed = 0; seed < scaled(30); ++seed) {
    Monoids monoids(seed);
    auto some = randomCase(monoids);
    CAPTURE(seed);
    some.request.smallStage = 10;
    EngineOptions options = cpu(1);
    options.mode = Mode::emulated;
    options.emulator.lanes = 4;
    options.emulator.failAtLaunch = static_cast<std::int64_t>(seed % 3);
    checkForcedBase(some, options, Check::certificate);
  }
}
