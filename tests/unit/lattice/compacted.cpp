// The search over the compacted tree, run by loops over lanes on the host, against the plain step: nodes of
// every level, vectors, fingerprint and least norm must be the same however launches are cut, however little
// room there is, and whatever the sink refuses.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
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

template <int kCapacity, int kBits>
WarpOutcome compacted(const ProblemSpec& spec, const WarpRun& run) {
  const auto problem = makeProblem(spec);
  return WarpHost<CompactedWarps, kCapacity, kBits, Tally<kCapacity>>(*problem, run).run();
}

/// Both sizes of coefficients, in few instantiations.
WarpOutcome compacted(const ProblemSpec& spec, const WarpRun& run) {
  switch (capacityOf(spec.dimension)) {
    case 16: return compacted<16, 8>(spec, run);
    case 32: return compacted<32, 16>(spec, run);
    case 64: return compacted<64, 8>(spec, run);
    case 96: return compacted<96, 16>(spec, run);
    default: return compacted<160, 8>(spec, run);
  }
}

}  // namespace

TEST_CASE("lattice compacted: known lattices have their known numbers of nodes and vectors") {
  for (const char* id : {"e8", "bw16", "k40"}) {
    INFO(id);
    const LatticeInstance instance = latticeInstance(id);
    if (instance.spec.dimension > largest(40, 16)) continue;
    const auto expected = plainLatticeWords(instance.spec);
    for (const WarpOutcome& outcome :
         {compacted(instance.spec, {}), compacted(instance.spec, {.warps = 3, .budget = 300}),
          compacted(instance.spec, {.places = 256})}) {
      checkLatticeWords(instance.spec, outcome.words, expected);
      CHECK(outcome.words[kCountWord] == instance.solutions);
      CHECK(outcome.steps == instance.nodes);
    }
  }
}

TEST_CASE("lattice compacted: random lattices, all remainders of the dimension, however launches are cut") {
  std::mt19937_64 random(20261122);
  for (const int dimension :
       {1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 17, 24, 31, 32, 33, 64, 65, 96, 97, 98, 159, 160}) {
    for (const bool pruned : {false, true}) {
      INFO("seed 20261122, dimension " << dimension << ", pruned " << pruned);
      const ProblemSpec spec = randomLattice(random, dimension, 5000, pruned);
      const auto expected = plainLatticeWords(spec);
      for (const WarpRun& run :
           {WarpRun{.warps = 5, .budget = 1}, WarpRun{.warps = 5, .budget = 40, .forget = true},
            WarpRun{.warps = 1, .budget = 100000, .places = 128}}) {
        INFO("budget " << run.budget);
        checkLatticeWords(spec, compacted(spec, run).words, expected);
      }
    }
  }
}

TEST_CASE("lattice compacted: nodes with more children than a list has places") {
  // In dimension 4 the first stored level has one node with all choices of three coefficients below it.
  std::mt19937_64 random(5);
  for (const int dimension : {2, 3, 4, 5, 7}) {
    INFO("seed 5, dimension " << dimension);
    const ProblemSpec spec = randomLattice(random, dimension, largest(200000, 20000), false);
    const auto expected = plainLatticeWords(spec);
    for (const std::uint64_t budget : {std::uint64_t{3}, std::uint64_t{100000}}) {
      INFO("budget " << budget);
      checkLatticeWords(spec, compacted(spec, {.budget = budget}).words, expected);
    }
  }
}

TEST_CASE("lattice compacted: roots of every kind") {
  std::mt19937_64 random(7);
  ProblemSpec spec = randomLattice(random, 20, 50000, false);
  // The children of the zero node at the top, and the top itself without them.
  spec.roots = {{18, {0, 0}},  {18, {1, 0}},     {18, {0, 1}},
                {18, {-1, 1}}, {17, {2, -1, 1}}, {0, std::vector<std::int16_t>(20, 0)}};
  const auto expected = plainLatticeWords(spec);
  checkLatticeWords(spec, compacted(spec, {}).words, expected);
  checkLatticeWords(spec, compacted(spec, {.budget = 1, .forget = true}).words, expected);
}

TEST_CASE("lattice compacted: a sink that is mostly full loses no vector and takes none twice") {
  LatticeInstance instance = latticeInstance("bw16");
  instance.spec.collect = true;
  const auto expected = plainLatticeWords(instance.spec);
  const auto problem = makeProblem(instance.spec);
  const auto collect = [&problem](const WarpRun& run) {
    return WarpHost<CompactedWarps, 16, 8, CollectVectors<16>>(*problem, run).run();
  };
  const WarpOutcome all = collect({.results = 40000});
  CHECK(all.refusals == 0);
  const auto vectors = sortedVectors(all, 16);
  CHECK(vectors.size() == instance.solutions);
  CHECK(std::adjacent_find(vectors.begin(), vectors.end()) == vectors.end());
  // With little room for slices as well: what a refusal leaves must fit.
  for (const std::uint32_t capacity : {1U, 30U, 100U, 1U << 15U}) {
    for (const std::uint32_t results : {1U, 33U, 1000U}) {
      if (results == 1 && largest(1, 0) == 0) continue;  // the slowest by far
      INFO("room for " << results << " vectors, " << capacity << " slices");
      const WarpOutcome outcome = collect({.capacity = capacity, .results = results});
      CHECK(outcome.refusals != 0);
      checkLatticeWords(instance.spec, outcome.words, expected);
      CHECK(sortedVectors(outcome, 16) == vectors);
    }
  }
}

TEST_CASE("lattice compacted: little room for slices only costs time") {
  const LatticeInstance instance = latticeInstance("bw16");
  const auto expected = plainLatticeWords(instance.spec);
  for (const std::uint32_t capacity : {1U, 5U, 48U, 52U, 64U, 700U}) {
    for (const std::uint64_t budget : {std::uint64_t{50}, std::uint64_t{1} << 20}) {
      INFO("room for " << capacity << ", budget " << budget);
      const WarpOutcome outcome = compacted(instance.spec, {.capacity = capacity, .budget = budget});
      checkLatticeWords(instance.spec, outcome.words, expected);
    }
  }
}

TEST_CASE("lattice compacted: a shrinking radius ends at the shortest vector") {
  for (const char* id : {"k40", "bw16"}) {
    INFO(id);
    LatticeInstance instance = latticeInstance(id);
    instance.spec.squaredRadius *= 1.2;
    instance.spec.shrinking = true;
    const WarpOutcome outcome = compacted(instance.spec, {.budget = 100});
    const double least = valueOf(outcome.words[minimumWord(instance.spec.dimension)]);
    CHECK(least == doctest::Approx(static_cast<double>(instance.shortest)).epsilon(1e-9));
  }
}

TEST_CASE("lattice compacted: packed coefficients come back") {
  const auto check = [](auto pack, int most) {
    using Pack = decltype(pack);
    CHECK(Pack::kMost >= most);
    for (const int value : {-most, -1, 0, 1, most}) {
      const Choice choices[kNodeLevels] = {{static_cast<std::int16_t>(value), 1},
                                           {static_cast<std::int16_t>(-value), -1},
                                           {static_cast<std::int16_t>(value / 2), 0}};
      const auto word = Pack::pack(choices);
      CHECK(Pack::unpack(word, 0) == value);
      CHECK(Pack::unpack(word, 1) == -value);
      CHECK(Pack::unpack(word, 2) == value / 2);
    }
  };
  check(PackedNode<8>{}, 511);
  check(PackedNode<16>{}, kMostCoefficient);
}
