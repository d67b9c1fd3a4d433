// Lattices that are searched in groups, as a GPU searches them, by the emulator.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <random>
#include <vector>

#include "support/lattice/searcher_groups.hpp"
#include "support/scale.hpp"

namespace {
namespace searcher_test {

using namespace slicepool;
using namespace slicepool::lattice;

TEST_CASE("a searcher finds vectors as short as a core does, in both capacities") {
  test::SearcherCase searched = test::searcherCase(31, test::scaled(60), 36);
  CHECK(searched.numbers.size() * 10 >= searched.lattices.size() * 9);
  makeEmulatedSearcher()->search(searched.group.numbers, searched.group.items, searched.group.coefficients);
  test::checkSearched(searched);
}

TEST_CASE("the radius falls with what a searcher finds, so that it visits no more nodes than a core") {
  std::mt19937_64 random(35);
  test::ReducerGroup given;
  const std::atomic<bool> stop{false};
  OneLattice core(stop);
  SearcherGroup group;
  std::uint64_t byCore = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    given.add(random, 34, 1009);
    GivenLattice one = given.given(i);
    REQUIRE(core.prepare(one, {}, kNodesOfWarp, group));
    LatticeAnswer answer;
    REQUIRE(core.search(one, {}, answer) == Way::certified);
    byCore += answer.nodes;
  }
  group.coefficients.resize(group.items.size() * std::size_t{WarpShortestShape::kMaximumDimension});
  makeEmulatedSearcher()->search(group.numbers, group.items, group.coefficients);
  std::uint64_t bySearcher = 0;
  for (const SearcherItem& item : group.items) bySearcher += item.nodes;
  CAPTURE(byCore);
  CAPTURE(bySearcher);
  // 0.90 of the core's by these seeds; 1.11 or more with a radius that stays.
  CHECK(bySearcher <= byCore);
}

TEST_CASE("a searcher that finds nothing leaves the shortest row") {
  // Rows of an orthogonal basis are the shortest vectors, but for a radius that a search may look within.
  const std::atomic<bool> stop{false};
  OneLattice core(stop);
  GivenLattice lattice;
  lattice.rows = lattice.columns = 14;
  lattice.entries.assign(14 * 14, 0);
  for (int i = 0; i < 14; ++i) lattice.entries[static_cast<std::size_t>(15 * i)] = 3 + i % 4;
  SearcherGroup group;
  REQUIRE(core.prepare(lattice, {}, kNodesOfWarp, group));
  group.coefficients.resize(WarpShortestShape::kMaximumDimension);
  makeEmulatedSearcher()->search(group.numbers, group.items, group.coefficients);
  CHECK(group.items[0].squaredNorm == 0);
  LatticeAnswer answer;
  REQUIRE(core.finish(lattice, group.items[0], group.coefficients.data(), answer));
  REQUIRE(answer.vectors.size() == 1);
  CHECK(answer.vectors[0].squaredNorm == "9");
}

TEST_CASE("a vector that is not of the norm that a device says is no answer") {
  test::SearcherCase searched = test::searcherCase(32, 12, 24);
  makeEmulatedSearcher()->search(searched.group.numbers, searched.group.items, searched.group.coefficients);
  const std::atomic<bool> stop{false};
  OneLattice core(stop);
  std::size_t found = 0;
  for (std::size_t k = 0; k < searched.numbers.size(); ++k) {
    if (searched.group.items[k].squaredNorm == 0) continue;
    ++found;
    std::int16_t* const x = searched.group.coefficients.data() + k * WarpShortestShape::kMaximumDimension;
    LatticeAnswer answer;
    ++x[3];
    CHECK_FALSE(core.finish(searched.prepared[k], searched.group.items[k], x, answer));
    CHECK(answer.vectors.empty());
    --x[3];
    SearcherItem item = searched.group.items[k];
    item.squaredNorm += 1;
    CHECK_FALSE(core.finish(searched.prepared[k], item, x, answer));
    CHECK(core.finish(searched.prepared[k], searched.group.items[k], x, answer));
  }
  CHECK(found > 0);
}

TEST_CASE("what a searcher does not take is left to the core") {
  const std::atomic<bool> stop{false};
  OneLattice core(stop);
  SearcherGroup group;
  GivenLattice unit{.rows = 14, .columns = 14, .entries = std::vector<std::int64_t>(14 * 14, 0)};
  for (std::size_t i = 0; i < 14; ++i) unit.entries[15 * i] = 1;
  CHECK_FALSE(core.prepare(unit, {}, kNodesOfWarp, group));  // nothing is shorter than 1
  test::SearcherCase small = test::searcherCase(33, 1, 12);
  ManyWanted within;
  within.squaredRadius = SquaredRadius(40.0);
  CHECK_FALSE(core.prepare(small.lattices[0], within, kNodesOfWarp, group));
  GivenLattice dependent{.rows = 13, .columns = 13, .entries = std::vector<std::int64_t>(169, 1)};
  CHECK_FALSE(core.prepare(dependent, {}, kNodesOfWarp, group));
  std::mt19937_64 random(34);
  test::ReducerGroup large;
  large.add(random, 34, 1009);
  GivenLattice wide = large.given(0);
  OneLattice modest(stop, {.maximumNodes = 1});
  CHECK_FALSE(modest.prepare(wide, {}, kNodesOfWarp, group));
  CHECK(group.items.empty());
  CHECK(wide.reduced);  // which serves the core
  CHECK_FALSE(core.prepare(wide, {}, 1, group));
  CHECK(core.prepare(wide, {}, kNodesOfWarp, group));
}

}  // namespace searcher_test
}  // namespace
