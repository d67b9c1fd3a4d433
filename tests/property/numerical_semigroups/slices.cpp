// Slices of the tree of numerical semigroups: any budgets, any splits, and slices that were packed in between
// give the counts and the steps of one uninterrupted search, by the plain step and by the CPU's walk.
#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "runtime/numerical_semigroups/conditions.hpp"
#include "slicepool/numerical_semigroups/problem_factory.hpp"
#include "support/reducing_driver.hpp"
#include "support/scale.hpp"

using namespace slicepool;
using namespace slicepool::numerical_semigroups;
using slicepool::test::ReducingDriver;

TEST_CASE("numerical semigroups: budgets, splits and checkpoints of slices change nothing") {
  std::uint64_t splits = 0;
  for (const int genus : {1, 2, 3, 4, 5, 9, 14}) {
    for (const int words : {1, 2}) {
      // Every other bound by a statistic that visits the last levels as well.
      const Statistic by = genus % 2 == 0 ? Statistic::multiplicity : Statistic::type;
      const auto problem = makeProblem({.genus = genus, .by = by, .words = words});
      ReducingDriver whole(*problem);
      whole.runWhole();
      for (std::uint64_t seed = 0; seed < test::scaled(12); ++seed) {
        std::mt19937_64 random(seed);
        CAPTURE(genus);
        CAPTURE(words);
        CAPTURE(seed);
        ReducingDriver pieces(*problem, seed % 2 != 0);
        pieces.runInPieces(random);
        REQUIRE(pieces.words() == whole.words());
        REQUIRE(pieces.steps() == whole.steps());
        splits += pieces.splits();
      }
    }
  }
  CHECK(splits >= 8 * test::scaled(12));
}

TEST_CASE("numerical semigroups: budgets, splits, checkpoints and full sinks change nothing of a selection") {
  struct Case {
    std::string name;
    ProblemSpec spec;
  };
  const auto selecting = [](const std::string& where) {
    ProblemSpec spec{.genus = 11};
    spec.where = parseConditions(where, "where");
    spec.collect = true;
    return spec;
  };
  std::vector<Case> cases{{"conditions", selecting("t <= 2 or wilf > 10 and children = 1")},
                          {"trimmed", selecting("eliahou > 3")},
                          {"exactly", selecting("d <= 3")},
                          {"by Frobenius number", selecting("")},
                          {"two statistics", {.genus = 11, .by = Statistic::type}},
                          {"classes", {.genus = 13, .by = Statistic::second}}};
  cases[1].spec.trimmed = true;
  cases[2].spec.exactly = true;
  cases[3].spec.genus = 0;
  cases[3].spec.frobenius = 12;
  cases[4].spec.also = Statistic::children;
  cases[4].spec.fingerprint = true;
  for (auto& one : cases) {
    CAPTURE(one.name);
    auto& spec = one.spec;
    for (const int words : {1, 2}) {
      CAPTURE(words);
      spec.words = words;
      const auto problem = makeProblem(spec);
      ReducingDriver whole(*problem);
      whole.runWhole();
      CHECK((spec.collect ? whole.refusals() > 0 : whole.words()[0] > 0));
      for (std::uint64_t seed = 0; seed < test::scaled(8); ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        ReducingDriver pieces(*problem, seed % 2 != 0);
        pieces.runInPieces(random);
        REQUIRE(pieces.words() == whole.words());
        REQUIRE(pieces.collected() == whole.collected());
        REQUIRE(pieces.steps() == whole.steps());
      }
    }
  }
}

TEST_CASE(
    "numerical semigroups: changed bytes of a packed slice are refused, or are a slice that can be "
    "advanced") {
  std::size_t refused = 0;
  for (const Statistic by : {Statistic::multiplicity, Statistic::type}) {
    const auto problem = makeProblem({.genus = 14, .by = by});
    std::mt19937_64 random(5);
    for (std::size_t round = 0; round < test::scaled(20'000); ++round) {
      ReducingDriver driver(*problem, round % 2 != 0);
      auto slice = driver.roots()[random() % driver.roots().size()];
      (void)driver.turn(slice, random() % 60);
      std::vector<std::byte> packed;
      problem->packSlice(slice.data(), packed);
      for (auto changes = 1 + random() % 3; changes != 0; --changes)
        packed[random() % packed.size()] = static_cast<std::byte>(random());
      packed.resize(random() % (packed.size() + 4));
      refused += problem->unpackSlice(packed, slice.data()) ? 0 : 1;
    }
  }
  CHECK(refused > test::scaled(20'000));  // of twice as many
}

TEST_CASE(
    "numerical semigroups: a packed slice of another genus, or with children below the bound, is refused") {
  const auto problem = makeProblem({.genus = 14});
  const auto smaller = makeProblem({.genus = 12});
  ReducingDriver driver(*problem);
  std::size_t deep = 0;
  for (auto slice : driver.roots()) {
    (void)driver.turn(slice, 40);
    std::vector<std::byte> packed;
    problem->packSlice(slice.data(), packed);
    auto into = slice;
    REQUIRE(problem->unpackSlice(packed, into.data()));
    // Multiplicity, second element, genus of the first node.
    for (const int change : {-1, 1}) {
      auto other = packed;
      other[2] = static_cast<std::byte>(static_cast<int>(other[2]) + change);
      CHECK_FALSE(problem->unpackSlice(other, into.data()));
    }
    // Second element and genera fit; open generators of the last two levels do not.
    const int genus = static_cast<int>(packed[2]) + static_cast<int>(packed[4]);
    if (static_cast<int>(packed[1]) <= 14 && genus <= 12)
      deep += smaller->unpackSlice(packed, into.data()) ? 0 : 1;
  }
  CHECK(deep > 3);
}

TEST_CASE("numerical semigroups: the walk and the lane of CPU workers leave the bytes of the plain step") {
  for (const Statistic by : {Statistic::multiplicity, Statistic::type}) {
    const auto problem = makeProblem({.genus = 13, .by = by});
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      std::mt19937_64 random(seed);
      CAPTURE(seed);
      ReducingDriver plain(*problem, false);
      ReducingDriver fast(*problem, true);
      for (const auto& root : plain.roots()) {
        auto one = root;
        auto two = root;
        for (Turn turn = Turn::budgetSpent; turn != Turn::exhausted;) {
          const std::uint64_t steps = random() % 20;
          turn = plain.turn(one, steps);
          const Turn other = fast.turn(two, steps);
          REQUIRE(plain.words() == fast.words());
          // The lane sees at once that nothing is left.
          if (turn == Turn::budgetSpent && other == Turn::exhausted && by == Statistic::type) {
            REQUIRE(plain.turn(one, 0) == Turn::exhausted);
            break;
          }
          REQUIRE(other == turn);
          if (turn == Turn::exhausted && by == Statistic::type) break;
          std::vector<std::byte> packedOne;
          std::vector<std::byte> packedTwo;
          problem->packSlice(one.data(), packedOne);
          problem->packSlice(two.data(), packedTwo);
          REQUIRE(packedOne == packedTwo);
        }
      }
    }
  }
}
