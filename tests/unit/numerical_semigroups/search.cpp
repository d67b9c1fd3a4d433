// The tree of numerical semigroups against an oracle of plain sets and published numbers: nodes as sets,
// counts by genus and multiplicity, widths of the windows, the plain step and the CPU's walk. Without an
// engine.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "slicepool/core/error.hpp"
#include "slicepool/numerical_semigroups/problem_factory.hpp"
#include "slicepool/numerical_semigroups/sinks.hpp"
#include "slicepool/numerical_semigroups/steps/node.hpp"
#include "support/numerical_semigroups/oracle.hpp"
#include "support/reducing_driver.hpp"
#include "support/scale.hpp"

using namespace slicepool;
using namespace slicepool::numerical_semigroups;
using slicepool::test::Gaps;
using slicepool::test::GenusOracle;
using slicepool::test::largest;
using slicepool::test::ReducingDriver;

namespace {

using Words = std::vector<std::uint64_t>;

Words wordsOf(const ProblemSpec& spec, bool fast) {
  return ReducingDriver(*makeProblem(spec), fast).runWhole().words();
}

std::uint64_t ofGenus(const Words& words, int bound, int genus) {
  std::uint64_t sum = 0;
  for (int m = 1; m <= bound + 1; ++m) sum += words.at(Tally::wordOf(bound, m, genus));
  return sum;
}

/// Walks a class by node.hpp alone and collects the gaps of every node.
template <int kWords>
class ClassWalk {
 public:
  ClassWalk(const Class& in, int bound) : in_(in), bound_(bound) {
    Gaps gaps;
    for (int i = 1; i < in.second; ++i)
      if (i != in.multiplicity) gaps.insert(i);
    visit(Node<kWords, 2 * kWords>::first(), firstGenerators<kWords>(in), gaps, true);
  }
  std::vector<Gaps> found;

 private:
  void visit(Node<kWords, 2 * kWords> node, const Bits<kWords>& generators, const Gaps& gaps, bool first) {
    if (static_cast<int>(gaps.size()) > bound_) return;
    found.push_back(gaps);
    const int frobenius = node.last + in_.second;
    std::set<int> removable;
    for (auto left = generators; !left.empty(); left.removeLowest())
      removable.insert(frobenius + 1 + left.lowest());
    std::set<int> expected = GenusOracle::removable(gaps);
    if (first) {
      // Removing one of the two smallest elements leaves the class.
      expected.erase(in_.multiplicity);
      expected.erase(in_.second);
    }
    REQUIRE(removable == expected);
    for (auto left = generators; !left.empty(); left.removeLowest()) {
      const int j = left.lowest();
      Gaps child = gaps;
      child.insert(frobenius + 1 + j);
      auto below = node;
      below.remove(j);
      auto back = below;
      REQUIRE(back.restore() == j);
      REQUIRE(back.elements == node.elements);
      REQUIRE(back.mirror == node.mirror);
      REQUIRE(back.last == node.last);
      auto open = generators;
      for (int i = 0; i < j; ++i) open.remove(i);
      visit(below, childGenerators(in_, open, j, node.frees(in_, j)), child, false);
    }
  }

  Class in_;
  int bound_;
};

template <int kWords>
void compareNodes(int bound, const GenusOracle& oracle) {
  std::set<Gaps> all;
  std::size_t visited = 0;
  for (const Class& in : classesOf({.genus = bound})) {
    const ClassWalk<kWords> walk(in, bound);
    visited += walk.found.size();
    for (const Gaps& gaps : walk.found) {
      CHECK(GenusOracle::multiplicityOf(gaps) == in.multiplicity);
      CHECK(GenusOracle::secondOf(gaps) == in.second);
      all.insert(gaps);
    }
  }
  std::set<Gaps> expected;
  for (int genus = 1; genus <= bound; ++genus)
    expected.insert(oracle.ofGenus(genus).begin(), oracle.ofGenus(genus).end());
  CHECK(visited == all.size());
  CHECK(all == expected);
}

}  // namespace

TEST_CASE("the nodes of all classes are the oracle's semigroups, each once, with their generators") {
  const int bound = largest(13, 10);
  const GenusOracle oracle(bound);
  compareNodes<1>(bound, oracle);
  compareNodes<2>(bound, oracle);
}

TEST_CASE("counts by genus and multiplicity are the oracle's") {
  const int bound = largest(14, 10);
  const GenusOracle oracle(bound);
  for (const bool fast : {false, true}) {
    const Words words = wordsOf({.genus = bound}, fast);
    for (int genus = 1; genus <= bound; ++genus) {
      std::vector<std::uint64_t> byMultiplicity(static_cast<std::size_t>(bound) + 2);
      for (const Gaps& gaps : oracle.ofGenus(genus))
        ++byMultiplicity.at(static_cast<std::size_t>(GenusOracle::multiplicityOf(gaps)));
      for (int m = 1; m <= bound + 1; ++m) {
        CAPTURE(genus);
        CAPTURE(m);
        CHECK(words.at(Tally::wordOf(bound, m, genus)) == byMultiplicity.at(static_cast<std::size_t>(m)));
      }
    }
  }
}

TEST_CASE("counts are those of A007323, with every bound, and its words add up") {
  const auto& published = test::publishedGenusCounts();
  for (int bound = 1; bound <= largest(30, 18); bound += bound < 20 ? 1 : 5) {
    CAPTURE(bound);
    for (const bool fast : {false, true}) {
      const Words words = wordsOf({.genus = bound}, fast);
      CHECK(words[0] == published.at(static_cast<std::size_t>(bound)));
      for (int genus = 1; genus <= bound; ++genus)
        CHECK(ofGenus(words, bound, genus) == published.at(static_cast<std::size_t>(genus)));
    }
  }
}

TEST_CASE("windows of two words count what windows of one word count, in as many steps") {
  for (const int bound : {1, 2, 3, 4, 12, largest(24, 16)}) {
    CAPTURE(bound);
    const auto narrow = makeProblem({.genus = bound, .words = 1});
    const auto wide = makeProblem({.genus = bound, .words = 2});
    ReducingDriver one(*narrow, true);
    ReducingDriver two(*wide);
    CHECK(one.runWhole().words() == two.runWhole().words());
    CHECK(one.steps() == two.steps());
  }
  // Few elements, and the largest Frobenius numbers that a window of one word has to hold.
  for (const int m : {2, 3, 4, 5}) {
    CAPTURE(m);
    CHECK(wordsOf({.genus = 63, .multiplicity = m, .words = 1}, true) ==
          wordsOf({.genus = 63, .multiplicity = m, .words = 2}, false));
  }
}

TEST_CASE("narrow classes beyond genus 63: windows of one word count what windows of two words count") {
  // The smallest multiplicities that are narrow have the largest Frobenius numbers, the largest ones the most
  // generators.
  struct Narrow {
    int bound, multiplicity;
  };
  for (const auto& at : {Narrow{64, 2}, Narrow{65, 3}, Narrow{67, 2}, Narrow{67, 3}, Narrow{67, 4},
                         Narrow{67, 64}, Narrow{68, 4}, Narrow{69, 6}, Narrow{66, 63}}) {
    CAPTURE(at.bound);
    CAPTURE(at.multiplicity);
    const auto narrow =
        makeProblem({.genus = at.bound, .multiplicity = at.multiplicity, .classes = ClassChoice::narrow});
    const auto wide = makeProblem({.genus = at.bound, .multiplicity = at.multiplicity});
    CHECK(narrow->sliceBytes() < wide->sliceBytes());
    REQUIRE_FALSE(narrow->roots().empty());
    ReducingDriver two(*wide);
    const Words words = two.runWhole().words();
    for (const bool fast : {false, true}) {
      ReducingDriver one(*narrow, fast);
      CHECK(one.runWhole().words() == words);
      CHECK(one.steps() == two.steps());
    }
  }
}

TEST_CASE("narrow and wide classes are all classes, and two kinds") {
  for (int bound = kMaximumNarrowGenus; bound <= kMaximumGenus; ++bound) {
    CAPTURE(bound);
    auto classes = classesOf({.genus = bound, .classes = ClassChoice::narrow});
    for (const Class& in : classes) CHECK(isNarrow(in, bound));
    for (const Class& in : classesOf({.genus = bound, .classes = ClassChoice::wide})) classes.push_back(in);
    const auto all = classesOf({.genus = bound});
    CHECK(classes.size() == all.size());
    for (const Class& in : all) CHECK(std::count(classes.begin(), classes.end(), in) == 1);
  }
  CHECK(classesOf({.genus = 63, .classes = ClassChoice::wide}).empty());
}

TEST_CASE("fixed multiplicities to genus 127: those of a formula") {
  // Multiplicity 2: one of every genus. Multiplicity 3: floor(g / 3) + 1 (Kaplan 2012, Counting numerical
  // semigroups by genus and some cases of a question of Wilf).
  const int bound = kMaximumGenus;
  const Words two = wordsOf({.genus = bound, .multiplicity = 2}, true);
  const Words three = wordsOf({.genus = bound, .multiplicity = 3}, true);
  for (int genus = 1; genus <= bound; ++genus) {
    CHECK(two.at(Tally::wordOf(bound, 2, genus)) == 1);
    if (genus >= 2)
      CHECK(three.at(Tally::wordOf(bound, 3, genus)) == static_cast<std::uint64_t>(genus / 3 + 1));
  }
  // Multiplicities g + 1 and g: one, and g - 1.
  for (const int genus : {5, 63, 64, 127}) {
    CAPTURE(genus);
    CHECK(wordsOf({.genus = genus, .multiplicity = genus + 1}, true)[0] == 1);
    CHECK(wordsOf({.genus = genus, .multiplicity = genus}, true)[0] == static_cast<std::uint64_t>(genus - 1));
  }
}

TEST_CASE("impossible bounds are refused by name") {
  for (const int genus : {-1, 0, 128})
    CHECK_THROWS_WITH_AS((void)makeProblem({.genus = genus}), doctest::Contains("genus: got"), ConfigError);
  for (const int m : {-1, 1, 12})
    CHECK_THROWS_WITH_AS((void)makeProblem({.genus = 10, .multiplicity = m}),
                         doctest::Contains("multiplicity: got"), ConfigError);
  CHECK_THROWS_AS((void)makeProblem({.genus = 64, .words = 1}), ConfigError);
  CHECK_THROWS_AS((void)makeProblem({.genus = 64, .exactly = true, .classes = ClassChoice::narrow}),
                  ConfigError);
}
