// Targets that are searched in groups, as a GPU searches them, by the emulator.
#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "runtime/lattice/device_groups.hpp"
#include "runtime/lattice/reduction.hpp"
#include "slicepool/lattice/many_lattices.hpp"
#include "support/lattice/searched_targets.hpp"
#include "support/scale.hpp"
#include "support/text.hpp"

namespace {
namespace target_searcher_test {

using namespace slicepool;
using namespace slicepool::lattice;
using test::given;
using test::givenTarget;
using test::Rows;
using test::SearchedTargets;

void searchOn(SearchedTargets& made) {
  makeEmulatedSearcher()->search(made.group.numbers, made.group.items, made.group.coefficients);
}

/// 10, 11, 12, .. on the diagonal: orthogonal, so that answers are seen.
Rows axes(std::size_t d) {
  Rows rows(d, std::vector<std::int64_t>(d));
  for (std::size_t i = 0; i < d; ++i) rows[i][i] = 10 + static_cast<std::int64_t>(i);
  return rows;
}

ManyOutcome outcomeOf(const ManyRequest& request, const EngineOptions& options) {
  ManyLattices many(request, options);
  many.run();
  CHECK(many.finished());
  return many.outcome();
}

TEST_CASE("a searcher finds the closest vectors of a core, by a basis and by its Gram matrix") {
  if (!fplllLinked()) return;
  std::size_t searched = 0;
  std::size_t targets = 0;
  for (std::uint64_t seed = 51; seed < 51 + test::scaled(24); ++seed) {
    CAPTURE(seed);
    // 31 rows and a target are the last ones of the smaller capacity.
    const int d = seed % 6 == 0 ? 31 : seed % 6 == 1 ? 32 : 12 + static_cast<int>(seed * 7 % 24);
    SearchedTargets made = test::searchedTargets(seed, d, 9, seed % 4 == 3);
    searched += made.numbers.size();
    targets += made.targets.size();
    searchOn(made);
    made.check();
  }
  // Few are left to the core: those with a denominator for which doubles are not sure of norms.
  CHECK(searched * 10 >= targets * 7);
}

TEST_CASE("a searcher that finds nothing leaves the vector of the nearest plane") {
  if (!fplllLinked()) return;
  SearchedTargets made;
  made.lattice = test::targetLattice(axes(12));
  made.targets = {givenTarget("[1 1 1 1 1 1 1 1 1 1 1 1]")};
  made.prepare();
  REQUIRE(made.numbers.size() == 1);
  searchOn(made);
  CHECK(made.group.items[0].squaredNorm == 0);
  made.check();
}

TEST_CASE("vectors that are one unit nearer than the nearest plane's are found") {
  if (!fplllLinked()) return;
  std::mt19937_64 random(66);
  std::size_t nearer = 0;
  for (int round = 0; round < 8; ++round) {
    Rows rows(12, std::vector<std::int64_t>(12));
    for (std::size_t i = 0; i < 12; ++i) {
      for (auto& entry : rows[i]) entry = test::below(random, 5) - 2;
      rows[i][i] += 4;
    }
    SearchedTargets made;
    made.lattice = test::targetLattice(rows);
    for (int i = 0; i < 12; ++i) made.targets.push_back(test::nearTarget(random, rows));
    made.prepare();
    for (SearcherItem& item : made.group.items) item.firstSquaredRadius = 0;
    searchOn(made);
    made.check();
    for (const SearcherItem& item : made.group.items) {
      // The target's height is in both, and the vector of the nearest plane has a unit more than the radius.
      nearer += item.squaredNorm == std::floor(item.squaredRadius) ? 1 : 0;
    }
  }
  CHECK(nearer > 0);
}

TEST_CASE("a closest vector that is the target's own, but for a unit, is found") {
  if (!fplllLinked()) return;
  std::mt19937_64 random(61);
  const Rows rows = test::randomRows(random, 24, 0);
  SearchedTargets made;
  made.lattice = test::targetLattice(rows);
  for (int i = 0; i < 12; ++i) made.targets.push_back(test::nearTarget(random, rows));
  made.prepare();
  searchOn(made);
  made.check();
}

TEST_CASE("a vector that is not at the distance that a device says is no answer") {
  if (!fplllLinked()) return;
  SearchedTargets made = test::searchedTargets(62, 24, 12);
  searchOn(made);
  const std::atomic<bool> stop{false};
  OneTarget core(made.lattice, stop);
  std::size_t found = 0;
  for (std::size_t k = 0; k < made.numbers.size(); ++k) {
    if (made.group.items[k].squaredNorm == 0) continue;
    ++found;
    const GivenLattice& target = made.targets[made.numbers[k]];
    std::int16_t* const x = made.coefficients(k);
    LatticeAnswer answer;
    ++x[3];
    CHECK_FALSE(core.finish(target, made.group.items[k], x, answer));
    --x[3];
    SearcherItem item = made.group.items[k];
    item.squaredNorm += 1;
    CHECK_FALSE(core.finish(target, item, x, answer));
    CHECK(answer.vectors.empty());
    CHECK(core.finish(target, made.group.items[k], x, answer));
  }
  CHECK(found > 0);
}

TEST_CASE("what a searcher does not take is left to the core") {
  if (!fplllLinked()) return;
  const auto taken = [](const Rows& rows, GivenLattice target, const ManyWanted& wanted = {}) {
    SearchedTargets made;
    made.lattice = test::targetLattice(rows);
    made.targets = {std::move(target)};
    made.prepare(wanted);
    return !made.numbers.empty();
  };
  const std::string ones = "[1 1 1 1 1 1 1 1 1 1 1 1]";
  CHECK(taken(axes(12), givenTarget(ones)));
  CHECK_FALSE(taken(axes(11), givenTarget("[1 1 1 1 1 1 1 1 1 1 1]")));     // too few rows
  CHECK_FALSE(taken(axes(12), givenTarget("[0 0 0 0 0 0 0 0 0 0 0 21]")));  // nothing is closer than itself
  CHECK_FALSE(taken(axes(12), givenTarget("[1 1 1]")));                     // the core says what is wrong
  // One over q^2 is less than doubles are sure of.
  CHECK_FALSE(taken(axes(12), givenTarget("[1 1 1 1 1 1 1 1 1 1 1 0.1234567890123]")));
  ManyWanted within;
  within.squaredRadius = SquaredRadius(40.0);
  CHECK_FALSE(taken(axes(12), givenTarget(ones), within));
  GivenLattice own = givenTarget(ones);
  own.squaredRadius = SquaredRadius(40.0);
  CHECK_FALSE(taken(axes(12), own));
  GivenLattice withMatrix = given(axes(12));
  withMatrix.targetText = ones;
  CHECK_FALSE(taken(axes(12), withMatrix));
  std::mt19937_64 random(63);
  const Rows wide = test::randomRows(random, 12, 1);  // 13 columns
  CHECK_FALSE(taken(wide, givenTarget("[1 1 1 1 1 1 1 1 1 1 1 1 1]")));
}

TEST_CASE("a search ends on its way when it is to stop, and its answers come from nobody") {
  if (!fplllLinked()) return;
  SearchedTargets made = test::largeTarget();
  REQUIRE(made.numbers.size() == 1);
  const std::atomic<bool> stop{true};
  const auto searcher = makeEmulatedSearcher();
  CHECK_FALSE(searcher->search(made.group.numbers, made.group.items, made.group.coefficients, stop));
  // Within a warp as well.
  std::vector<FourWords> shared(WarpShortestShape{37}.sharedBytes() / sizeof(FourWords) + 1);
  std::vector<FourWords> memory(WarpShortestShape{37}.memoryBytes() / sizeof(FourWords) + 1);
  const WarpShortest<HostLanes, 64> warp(reinterpret_cast<std::byte*>(shared.data()),
                                         reinterpret_cast<std::byte*>(memory.data()));
  const auto answer = [&](bool stopped) {
    int asked = 0;
    const auto found = warp.run(made.group.items[0], made.group.numbers.data(), made.coefficients(0), [&] {
      ++asked;
      return stopped;
    });
    CHECK(asked > 0);
    return found.nodes;
  };
  const std::uint64_t some = answer(true);
  CHECK(some > 4096);
  CHECK(answer(false) > 2 * some);
  EngineOptions options;
  options.mode = Mode::emulated;
  DeviceGroups devices(options, 1, 0, {});
  CHECK_FALSE(devices.search(made.group, 0, stop));
  CHECK(devices.warnings().empty());
}

TEST_CASE("in mode emulated a device searches for targets, and its faults cost warnings and no answers") {
  if (!fplllLinked()) return;
  std::mt19937_64 random(64);
  const Rows rows = test::randomRows(random, 22, 0);
  ManyRequest request;
  request.basis = matrixText(given(rows));
  for (int i = 0; i < 20; ++i) request.lattices.push_back(test::farTarget(random, 22, 1 + i % 3));
  request.lattices[7] = givenTarget("[1 2 3]");
  EngineOptions options;
  options.mode = Mode::cpu;
  options.threads = 1;
  const ManyOutcome expected = outcomeOf(request, options);
  CHECK(expected.searchedByDevice == 0);
  struct Fault {
    std::int64_t fails, spoils;
    std::size_t searched;
    std::string warning;
  };
  options.mode = Mode::emulated;
  // Nothing is to be reduced, so that the first launch is a search.
  for (const Fault& fault :
       {Fault{-1, -1, 19, ""},
        Fault{0, -1, 0, "lattices are searched by cores: emulated device: injected fault"},
        Fault{-1, 0, 18, "vectors that a device found do not have the norms that it computed"}}) {
    CAPTURE(fault.warning);
    options.emulator.failAtLaunch = fault.fails;
    options.emulator.spoilAtLaunch = fault.spoils;
    const ManyOutcome outcome = outcomeOf(request, options);
    CHECK(outcome.searchedByDevice == fault.searched);
    CHECK(outcome.failed == 1);
    REQUIRE(outcome.run.warnings.size() == (fault.warning.empty() ? 0 : 1));
    for (const std::string& warning : outcome.run.warnings) CHECK(test::contains(warning, fault.warning));
    REQUIRE(outcome.answers.size() == expected.answers.size());
    for (std::size_t i = 0; i < expected.answers.size(); ++i) {
      CAPTURE(i);
      CHECK(outcome.answers[i].error == expected.answers[i].error);
      REQUIRE(outcome.answers[i].vectors.size() == expected.answers[i].vectors.size());
      if (i != 7)
        CHECK(outcome.answers[i].vectors[0].squaredNorm == expected.answers[i].vectors[0].squaredNorm);
    }
  }
}

}  // namespace target_searcher_test
}  // namespace
