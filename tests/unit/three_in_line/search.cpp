// The no-three-in-line search against known values and against the plain oracle: numbers and sets of
// solutions, symmetry classes, groups, frontiers, shapes. Problems are driven directly, without an engine.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "runtime/three_in_line/known_nodes.hpp"
#include "runtime/three_in_line/problem_build.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/three_in_line/problem_factory.hpp"
#include "slicepool/three_in_line/sinks.hpp"
#include "slicepool/three_in_line/steps/board.hpp"
#include "slicepool/three_in_line/steps/symmetry.hpp"
#include "support/scale.hpp"
#include "support/three_in_line/driver.hpp"

using namespace slicepool;
using namespace slicepool::three_in_line;
using slicepool::test::GridPoints;
using slicepool::test::largest;
using slicepool::test::ThreeInLineDriver;
using slicepool::test::ThreeInLineOracle;

namespace {

using Words = std::vector<std::uint64_t>;

const std::array<std::string, kSymmetryClasses> kClassNames{"iden", "rot2", "dia1", "ort1",
                                                            "rot4", "dia2", "ort2", "full"};

ProblemSpec specOf(int n, Group group = Group::none, bool collect = false) {
  ProblemSpec spec;
  spec.n = n;
  spec.group = group;
  spec.collect = collect;
  return spec;
}

Words wordsOf(const Problem& problem, bool fast = false) {
  return ThreeInLineDriver(problem, fast).runWhole().words();
}

/// Number of different images of a configuration of this class: 8, 4, 2 or 1.
unsigned orbitSize(SymmetryClass symmetry) {
  constexpr unsigned kSizes[kSymmetryClasses] = {8, 4, 4, 4, 2, 2, 2, 1};
  return kSizes[static_cast<int>(symmetry)];
}

/// True if a configuration of this class can be turned so that it is closed under the group.
bool hasGroup(SymmetryClass symmetry, Group group) {
  const auto in = [symmetry](std::initializer_list<SymmetryClass> classes) {
    for (const SymmetryClass one : classes)
      if (one == symmetry) return true;
    return false;
  };
  using enum SymmetryClass;
  switch (group) {
    case Group::c2: return in({rot2, rot4, dia2, ort2, full});
    case Group::c4: return in({rot4, full});
    case Group::diagonal: return in({dia1, dia2, full});
    case Group::orthogonal: return in({ort1, ort2, full});
    case Group::diagonals: return in({dia2, full});
    case Group::orthogonals: return in({ort2, full});
    case Group::full: return symmetry == full;
    default: return true;
  }
}

std::uint64_t total(const Words& words) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kSymmetryClasses; ++i)
    sum += orbitSize(static_cast<SymmetryClass>(i)) * words[kClassesWord + i];
  return sum;
}

/// The row-major first image, as the sink has it, of an oracle's representative.
GridPoints canonicalPoints(const GridPoints& points, int n) {
  Configuration configuration{};
  for (const auto& [x, y] : points) configuration.rows[y] |= 1U << x;
  return test::gridPoints(canonicalSolution(configuration, n).points);
}

}  // namespace

TEST_CASE("counts, totals and symmetry classes are those of A000769, A000755 and Flammenkamp's table") {
  struct Known {
    int n;
    std::uint64_t count, total;
    std::array<std::uint64_t, kSymmetryClasses> classes;
  };
  // iden rot2 dia1 ort1 rot4 dia2 ort2 full
  const std::vector<Known> known{{1, 0, 0, {}},
                                 {2, 1, 1, {0, 0, 0, 0, 0, 0, 0, 1}},
                                 {3, 1, 2, {0, 0, 0, 0, 0, 1, 0, 0}},
                                 {4, 4, 11, {0, 1, 0, 1, 0, 1, 0, 1}},
                                 {5, 5, 32, {3, 0, 2, 0, 0, 0, 0, 0}},
                                 {6, 11, 50, {4, 2, 0, 0, 3, 2, 0, 0}},
                                 {7, 22, 132, {11, 10, 1, 0, 0, 0, 0, 0}},
                                 {8, 57, 380, {40, 7, 5, 1, 4, 0, 0, 0}},
                                 {9, 51, 368, {41, 7, 3, 0, 0, 0, 0, 0}},
                                 {10, 156, 1135, {132, 13, 3, 0, 6, 1, 0, 1}}};
  for (const Known& row : known) {
    if (row.n > largest(10, 8)) continue;
    CAPTURE(row.n);
    for (const bool fast : {false, true}) {
      const Words words = wordsOf(*makeProblem(specOf(row.n)), fast);
      CHECK(words[kCountWord] == row.count);
      CHECK(total(words) == row.total);
      for (std::size_t i = 0; i < kSymmetryClasses; ++i) CHECK(words[kClassesWord + i] == row.classes[i]);
    }
  }
}

TEST_CASE("the nodes visited are what they were: the rules of the search are part of its results") {
  for (int n = 2; n <= largest(11, 8); ++n) {
    const Words words = wordsOf(*makeProblem(specOf(n)));
    CHECK(words[kNodesWord] == knownNodes(n, Group::none));
  }
  CHECK_FALSE(knownNodes(1, Group::none));
  CHECK(knownNodes(17, Group::none) == 353052919125);
  CHECK_FALSE(knownNodes(18, Group::none));
  CHECK_FALSE(knownNodes(10, Group::c2));
}

TEST_CASE("the set of solutions is the oracle's, each once, and the fingerprint is theirs") {
  for (int n = 2; n <= largest(9, 7); ++n) {
    CAPTURE(n);
    const ThreeInLineOracle oracle(n);
    std::set<GridPoints> expected;
    for (const GridPoints& points : oracle.representatives()) expected.insert(canonicalPoints(points, n));
    const auto problem = makeProblem(specOf(n, Group::none, true));
    ThreeInLineDriver driver(*problem);
    driver.runWhole();
    CHECK(driver.solutions().size() == expected.size());
    CHECK(driver.solutionSet() == expected);
    std::uint64_t sum = 0;
    std::uint64_t exclusiveOr = 0;
    for (const Configuration& solution : driver.solutions()) {
      sum += solutionHash(solution);
      exclusiveOr ^= solutionHash(solution);
    }
    CHECK(driver.words()[kFingerprintWord] == sum);
    CHECK(driver.words()[kFingerprintWord + 1] == exclusiveOr);
    CHECK(driver.steps() == driver.words()[kNodesWord]);
  }
}

TEST_CASE(
    "a search within a group finds the configurations that have it, as many as the oracle filters out") {
  const std::vector<std::pair<Group, bool>> groups{{Group::c2, true},        {Group::c4, false},
                                                   {Group::diagonal, true},  {Group::orthogonal, false},
                                                   {Group::diagonals, true}, {Group::orthogonals, false},
                                                   {Group::full, false}};
  for (int n = 2; n <= largest(9, 7); ++n) {
    const auto classes = ThreeInLineOracle(n).classes();
    for (const auto& entry : groups) {
      const auto& group = entry.first;
      const auto& oddSizes = entry.second;
      CAPTURE(n);
      CAPTURE(static_cast<int>(group));
      if (n % 2 != 0 && !oddSizes) {
        CHECK_THROWS_AS((void)makeProblem(specOf(n, group)), ConfigError);
        continue;
      }
      const Words words = wordsOf(*makeProblem(specOf(n, group)), true);
      for (std::size_t i = 0; i < kSymmetryClasses; ++i) {
        const auto found = classes.find(kClassNames.at(i));
        const std::uint64_t there = found == classes.end() ? 0 : found->second;
        CAPTURE(kClassNames.at(i));
        CHECK(words[kClassesWord + i] == (hasGroup(static_cast<SymmetryClass>(i), group) ? there : 0));
      }
    }
  }
}

TEST_CASE("fourfold rotation: as many as are known (Flammenkamp), on packed and on wide boards") {
  const std::vector<std::pair<int, std::uint64_t>> known{{6, 3},   {8, 4},   {10, 6}, {12, 4},
                                                         {14, 13}, {16, 13}, {18, 7}};
  for (const auto& entry : known) {
    const auto& n = entry.first;
    const auto& rot4 = entry.second;
    CAPTURE(n);
    const Words words = wordsOf(*makeProblem(specOf(n, Group::c4)));
    CHECK(words[kClassesWord + static_cast<std::size_t>(SymmetryClass::rot4)] == rot4);
    CHECK(words[kClassesWord + static_cast<std::size_t>(SymmetryClass::full)] == (n == 10 ? 1 : 0));
  }
}

TEST_CASE("wide boards visit the nodes of packed ones") {
  for (int n = 3; n <= largest(9, 7); ++n) {
    CAPTURE(n);
    CHECK(wordsOf(*buildProblem<Wide<20>>(specOf(n))) == wordsOf(*makeProblem(specOf(n))));
  }
  CHECK(wordsOf(*buildProblem<Wide<20>>(specOf(8, Group::diagonal))) ==
        wordsOf(*makeProblem(specOf(8, Group::diagonal))));
}

TEST_CASE("a frontier and the searches below it are the whole search") {
  for (const int n : {5, 8, 9}) {
    const Words whole = wordsOf(*makeProblem(specOf(n)));
    for (const std::size_t atLeast : {std::size_t{1}, std::size_t{2}, std::size_t{40}, std::size_t{500}}) {
      CAPTURE(n);
      CAPTURE(atLeast);
      const Frontier top = frontier(specOf(n), atLeast);
      const Frontier again = frontier(specOf(n), atLeast);
      REQUIRE(top.roots.size() == again.roots.size());
      CHECK(top.found.size() == top.words[kCountWord]);
      ProblemSpec spec = specOf(n);
      spec.roots = top.roots;
      if (spec.roots.empty()) {
        CHECK(top.words == whole);
        continue;
      }
      CHECK((top.roots.size() >= atLeast || top.words[kCountWord] == whole[kCountWord]));
      Words sum = top.words;
      const auto below = makeProblem(spec);
      mergeWords(below->words(), sum.data(), wordsOf(*below, true).data());
      CHECK(sum == whole);
    }
  }
}

TEST_CASE("impossible sizes and symmetries are refused by name") {
  for (const int n : {-1, 0, 33})
    CHECK_THROWS_WITH_AS((void)makeProblem(specOf(n)), doctest::Contains("size: got"), ConfigError);
  CHECK_THROWS_WITH_AS((void)makeProblem(specOf(7, Group::c4)), doctest::Contains("even"), ConfigError);
  CHECK_THROWS_AS((void)frontier(specOf(0), 1), ConfigError);
}

TEST_CASE("computed lines are the table's: the same nodes, by the steps of the post") {
  for (int n = 2; n <= largest(10, 8); ++n) {
    CAPTURE(n);
    ProblemSpec spec = specOf(n);
    spec.algorithm = Algorithm::posts;
    CHECK(wordsOf(*makeProblem(spec), true) == wordsOf(*makeProblem(specOf(n))));
  }
  ProblemSpec wide = specOf(18, Group::c4);
  wide.algorithm = Algorithm::posts;
  CHECK(wordsOf(*makeProblem(wide)) == wordsOf(*makeProblem(specOf(18, Group::c4))));
}
