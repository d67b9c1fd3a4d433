// The search by the lanes of a warp, with lanes that are arrays on the host, against the plain step: the
// same nodes, solutions and fingerprints, on packed and wide boards, with and without groups, in small turns
// and into a sink that refuses.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "runtime/three_in_line/problem_build.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/three_in_line/problem_factory.hpp"
#include "slicepool/three_in_line/sinks.hpp"
#include "slicepool/three_in_line/steps/lane_search.hpp"
#include "slicepool/three_in_line/steps/search.hpp"
#include "support/array_lanes.hpp"
#include "support/scale.hpp"

using namespace slicepool;
using namespace slicepool::three_in_line;
using slicepool::test::ArrayLanes;

namespace {

/// What a turn emits to: refuses every third solution once.
struct Emit {
  bool solution(const std::uint32_t* rows) {
    if (++offered % 3 == 0) return false;
    return tally(solutionOfRows(rows, n));
  }
  void visited() { tally.visited(); }
  int n;
  Tally::Emitter tally;
  int offered = 0;
};

template <class Shape>
const SearchView& viewOf(const Problem& problem) {
  return dynamic_cast<const TypedProblem<Search<Shape>, Tally>&>(problem).viewOnHost();
}

/// The whole search by random turns of lanes, with splits by the plain step in between.
template <class Shape>
std::vector<std::uint64_t> wordsByLanes(const Problem& problem, std::uint64_t mostSteps, unsigned seed) {
  using Slice = SearchSlice<Shape>;
  const SearchView& view = viewOf<Shape>(problem);
  std::vector<std::uint64_t> words = problem.words().fresh();
  Emit emit{view.geometry.n, Tally::Emitter(Tally::View{}, {words.data()})};
  std::mt19937_64 random(seed);
  Slice root;
  std::memcpy(&root, problem.roots().data(), sizeof root);
  std::vector<Slice> waiting{root};
  LaneScratch<Shape> scratch;
  while (!waiting.empty()) {
    Slice slice = waiting.back();
    waiting.pop_back();
    std::memset(&scratch, 0xee, sizeof scratch);  // a turn begins in memory that was used before
    const std::uint64_t steps = 1 + random() % mostSteps;
    Budget budget{steps};
    const Turn turn = LaneSearch<ArrayLanes, Shape>(view, slice, scratch).advance(budget, emit);
    REQUIRE((turn == Turn::budgetSpent) == (turn != Turn::exhausted && turn != Turn::sinkFull));
    if (turn == Turn::budgetSpent) REQUIRE(budget.left == 0);
    if (turn == Turn::exhausted) continue;
    Slice given{};
    if (random() % 4 == 0 && Search<Shape>::split(view, slice, given)) waiting.push_back(given);
    waiting.push_back(slice);
  }
  emit.tally.flush();
  return words;
}

std::vector<std::uint64_t> wordsByPlainStep(const Problem& problem) {
  std::vector<std::uint64_t> words = problem.words().fresh();
  std::vector<std::byte> slice = problem.roots();
  SinkMemory memory;
  memory.words = words.data();
  Budget budget{~std::uint64_t{0}};
  REQUIRE(problem.advance(slice.data(), budget, memory) == Turn::exhausted);
  return words;
}

template <class Shape>
void compare(int n, Group group = Group::none) {
  CAPTURE(n);
  CAPTURE(Shape::kLines);
  CAPTURE(Shape::kRowsInWord);
  CAPTURE(static_cast<int>(group));
  ProblemSpec spec;
  spec.n = n;
  spec.group = group;
  const auto problem = buildProblem<Shape>(spec);
  const auto expected = wordsByPlainStep(*problem);
  for (const std::uint64_t mostSteps : {std::uint64_t{1}, std::uint64_t{30}, ~std::uint64_t{0} - 1}) {
    CAPTURE(mostSteps);
    CHECK(wordsByLanes<Shape>(*problem, mostSteps, 20261120U + static_cast<unsigned>(n)) == expected);
  }
}

/// A board, a bit of chance at every cell that exists.
template <class Shape>
Cells<Shape> randomCells(const Geometry& geometry, std::mt19937_64& random) {
  Cells<Shape> cells;
  for (int w = 0; w < Shape::kWords; ++w)
    cells.words[w] = static_cast<std::uint32_t>(random()) & existing<Shape>(geometry, w);
  return cells;
}

template <class Shape>
void compareImages(int n, std::mt19937_64& random) {
  CAPTURE(n);
  CAPTURE(Shape::kLines);
  const Geometry geometry = geometryOf<Shape>(n);
  const Cells<Shape> cells = randomCells<Shape>(geometry, random);
  const auto lanes = bothWays<ArrayLanes, Shape>(readRows<ArrayLanes, Shape>(cells, 0));
  anyImage<Shape>(geometry, cells, 0xfeU, [&](const Cells<Shape>& image, int number) {
    CAPTURE(number);
    const auto found = imageOf<ArrayLanes>(geometry, lanes, number);
    Cells<Shape> rows{};
    Cells<Shape> columns{};
    writeRows<ArrayLanes, Shape>(found.rows, rows);
    writeRows<ArrayLanes, Shape>(found.columns, columns);
    const Cells<Shape> turned = transpose(image);
    CHECK(std::equal(rows.words, rows.words + Shape::kWords, image.words));
    CHECK(std::equal(columns.words, columns.words + Shape::kWords, turned.words));
    const auto fixed = fixedCellsOf<ArrayLanes>(geometry, number);
    Cells<Shape> fixedRows{};
    writeRows<ArrayLanes, Shape>(fixed, fixedRows);
    for (int w = 0; w < Shape::kWords; ++w)
      CHECK((fixedRows.words[w] & existing<Shape>(geometry, w)) ==
            (fixedCells<Shape>(geometry, number, w) & existing<Shape>(geometry, w)));
    return false;
  });
}

}  // namespace

TEST_CASE("images of boards held by lanes are those of boards in words") {
  std::mt19937_64 random(7);
  for (int repeat = 0; repeat < 5; ++repeat) {
    for (const int n : {5, 6}) compareImages<Packed<3>>(n, random);
    for (const int n : {15, 16}) compareImages<Packed<8>>(n, random);
    for (const int n : {9, 17, 18, 20}) compareImages<Wide<20>>(n, random);
    for (const int n : {31, 32}) compareImages<Wide<32>>(n, random);
  }
}

TEST_CASE("lanes visit the nodes of the plain step and find its solutions: packed boards") {
  compare<Packed<3>>(5);
  compare<Packed<3>>(6);
  if (test::runsAll()) compare<Packed<5>>(9);
}

TEST_CASE("lanes visit the nodes of the plain step and find its solutions: boards of 32-bit rows") {
  for (const int n : {3, 6, 7, 8}) {
    if (n > test::largest(8, 7)) break;
    compare<Wide<20>>(n);
  }
  compare<Wide<20>>(18, Group::c4);
}

TEST_CASE("lanes visit the nodes of the plain step within groups") {
  for (const Group group : {Group::c2, Group::c4, Group::diagonal, Group::orthogonal, Group::diagonals,
                            Group::orthogonals, Group::full}) {
    compare<Packed<3>>(6, group);
    compare<Packed<5>>(10, group);
    compare<Wide<20>>(8, group);
  }
  compare<Packed<5>>(9, Group::diagonal);
  compare<Wide<20>>(7, Group::c2);
}
