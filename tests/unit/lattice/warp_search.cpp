// The lattice search by warps, run by loops over lanes on the host, against the plain step: nodes of every
// level, vectors, fingerprint and least norm must be the same however the work is cut into launches.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "slicepool/lattice/problem_factory.hpp"
#include "slicepool/lattice/sinks.hpp"
#include "support/lattice/instances.hpp"
#include "support/lattice/warps.hpp"
#include "support/scale.hpp"

using namespace slicepool;
using namespace slicepool::lattice;
using namespace slicepool::test;

namespace {

template <int kBits>
WarpOutcome byWarps(const ProblemSpec& spec, const WarpRun& run) {
  return runWarps<AutomaticWarps, kBits>(spec, run);
}

}  // namespace

TEST_CASE("lattice warps: known lattices have their known numbers of nodes and vectors") {
  for (const char* id : {"e8", "bw16", "k40"}) {
    INFO(id);
    const LatticeInstance instance = latticeInstance(id);
    if (instance.spec.dimension > largest(40, 16)) continue;
    const auto expected = plainLatticeWords(instance.spec);
    for (const WarpOutcome& outcome :
         {byWarps<8>(instance.spec, {}), byWarps<16>(instance.spec, {.warps = 3, .budget = 300})}) {
      checkLatticeWords(instance.spec, outcome.words, expected);
      CHECK(outcome.words[kCountWord] == instance.solutions);
      CHECK(outcome.steps == instance.nodes);
    }
  }
}

TEST_CASE("lattice warps: random lattices, every capacity, however launches are cut") {
  std::mt19937_64 random(20261122);
  for (const int dimension : {1, 2, 7, 16, 17, 24, 33, 64, 65, 96, 97, 160}) {
    if (dimension > largest(160, 33)) continue;
    for (const bool pruned : {false, true}) {
      INFO("seed 20261122, dimension " << dimension << ", pruned " << pruned);
      const ProblemSpec spec = randomLattice(random, dimension, 5000, pruned);
      const auto expected = plainLatticeWords(spec);
      for (const WarpRun& run :
           {WarpRun{.warps = 5, .budget = 1}, WarpRun{.warps = 5, .budget = 40, .forget = true},
            WarpRun{.warps = 1, .budget = 100000}}) {
        INFO("budget " << run.budget);
        checkLatticeWords(spec, byWarps<8>(spec, run).words, expected);
        checkLatticeWords(spec, byWarps<16>(spec, run).words, expected);
      }
    }
  }
}

TEST_CASE("lattice warps: roots of every kind") {
  std::mt19937_64 random(7);
  ProblemSpec spec = randomLattice(random, 20, 50000, false);
  // The children of the zero node at the top, and the top itself without them.
  spec.roots = {{18, {0, 0}},  {18, {1, 0}},     {18, {0, 1}},
                {18, {-1, 1}}, {17, {2, -1, 1}}, {0, std::vector<std::int16_t>(20, 0)}};
  const auto expected = plainLatticeWords(spec);
  checkLatticeWords(spec, byWarps<8>(spec, {}).words, expected);
  checkLatticeWords(spec, byWarps<8>(spec, {.budget = 1, .forget = true}).words, expected);
}

TEST_CASE("lattice warps: a sink that is mostly full loses no vector and takes none twice") {
  LatticeInstance instance = latticeInstance("bw16");
  instance.spec.collect = true;
  const auto expected = plainLatticeWords(instance.spec);
  const auto problem = makeProblem(instance.spec);
  const auto collect = [&problem](const WarpRun& run) {
    return WarpHost<AutomaticWarps, 16, 8, CollectVectors<16>>(*problem, run).run();
  };
  const WarpOutcome all = collect({.results = 40000});
  CHECK(all.refusals == 0);
  const auto vectors = sortedVectors(all, 16);
  CHECK(vectors.size() == instance.solutions);
  CHECK(std::adjacent_find(vectors.begin(), vectors.end()) == vectors.end());
  for (const std::uint32_t results : {1U, 33U, 1000U}) {
    if (results == 1 && largest(1, 0) == 0) continue;  // the slowest by far
    INFO("room for " << results);
    const WarpOutcome outcome = collect({.results = results});
    CHECK(outcome.refusals != 0);
    checkLatticeWords(instance.spec, outcome.words, expected);
    CHECK(sortedVectors(outcome, 16) == vectors);
  }
}

TEST_CASE("lattice warps: little room for slices only costs time") {
  const LatticeInstance instance = latticeInstance("bw16");
  const auto expected = plainLatticeWords(instance.spec);
  for (const std::uint32_t capacity : {1U, 5U, 64U, 700U}) {
    INFO("room for " << capacity);
    const WarpOutcome outcome = byWarps<8>(instance.spec, {.capacity = capacity, .budget = 50});
    checkLatticeWords(instance.spec, outcome.words, expected);
  }
}

TEST_CASE("lattice warps: a shrinking radius ends at the shortest vector") {
  for (const char* id : {"k40", "bw16"}) {
    INFO(id);
    LatticeInstance instance = latticeInstance(id);
    instance.spec.squaredRadius *= 1.2;
    instance.spec.shrinking = true;
    const WarpOutcome outcome = byWarps<8>(instance.spec, {.budget = 100});
    const double least = valueOf(outcome.words[minimumWord(instance.spec.dimension)]);
    CHECK(least == doctest::Approx(static_cast<double>(instance.shortest)).epsilon(1e-9));
  }
}

TEST_CASE("lattice warps: packed numbers come back") {
  const auto check = [](auto pack, int most) {
    using Pack = decltype(pack);
    FourWords four{{Pack::kZeros, Pack::kZeros, Pack::kZeros, Pack::kZeros}};
    CHECK(Pack::template unpack<0>(four.word[3]) == 0);
    for (const int value : {-most, -1, 0, 1, most}) {
      CHECK(Pack::load(Pack::store(value)) == value);
      Pack::insert(four, Pack::kPerWord + 1, value);
      CHECK(Pack::template unpack<1>(four.word[1]) == value);
      CHECK(Pack::template unpack<0>(four.word[1]) == 0);
    }
    int sum = 0;
    for (int count = 0; count < 200; ++count) {
      CHECK(Pack::foursBelow(count) == sum);
      sum += Pack::foursOf(count);
    }
  };
  check(Packing<8>{}, 127);
  check(Packing<16>{}, 32767);
}
