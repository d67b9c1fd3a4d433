// The search over the compacted tree, run by loops over lanes on the host, against the plain step: nodes of
// every level, vectors, fingerprint and least norm must be the same however launches are cut, however little
// room there is, and whatever the sink refuses.
#include <doctest/doctest.h>

#include <cstdint>
#include <random>

#include "slicepool/lattice/problem_factory.hpp"
#include "slicepool/lattice/sinks.hpp"
#include "support/lattice/instances.hpp"
#include "support/lattice/warp_cases.hpp"
#include "support/lattice/warps.hpp"
#include "support/lattice/words.hpp"
#include "support/scale.hpp"

using namespace slicepool;
using namespace slicepool::lattice;
using namespace slicepool::test;

namespace {

template <int kCapacity, class Layout>
WarpOutcome compacted(const ProblemSpec& spec, const WarpRun& run) {
  const auto problem = makeProblem(spec);
  return WarpHost<CompactedWarps, kCapacity, Layout, Tally<kCapacity>>(*problem, run).run();
}

/// Both sizes of coefficients, in few instantiations.
WarpOutcome compacted(const ProblemSpec& spec, const WarpRun& run) {
  switch (capacityOf(spec.dimension)) {
    case 16: return compacted<16, BytePaths>(spec, run);
    case 32: return compacted<32, LongPaths>(spec, run);
    case 64: return compacted<64, BytePaths>(spec, run);
    case 96: return compacted<96, LongPaths>(spec, run);
    default: return compacted<160, BytePaths>(spec, run);
  }
}

const auto search = [](const ProblemSpec& spec, const WarpRun& run) { return compacted(spec, run); };

}  // namespace

TEST_CASE("lattice compacted: known lattices have their known numbers of nodes and vectors") {
  checkKnownLattices(search, {{}, {.units = 3, .budget = 300}, {.places = 256}});
}

TEST_CASE("lattice compacted: random lattices, all remainders of the dimension, however launches are cut") {
  checkRandomLattices(search,
                      {1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 17, 24, 31, 32, 33, 64, 65, 96, 97, 98, 159, 160});
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

TEST_CASE("lattice compacted: roots of every kind") { checkRootsOfEveryKind(search); }

TEST_CASE("lattice compacted: a sink that is mostly full loses no vector and takes none twice") {
  // With little room for slices as well: what a refusal leaves must fit.
  checkFullSink<CompactedWarps>({1, 30, 100, 1U << 15U});
}

TEST_CASE("lattice compacted: little room for slices only costs time") {
  checkLittleRoom(search, {1, 5, 48, 52, 64, 700}, {50, 1U << 20U});
}

TEST_CASE("lattice compacted: a shrinking radius ends at the shortest vector") {
  checkShrinkingRadius(search);
}

TEST_CASE("lattice compacted: packed coefficients come back") {
  const auto check = [](auto pack, int most) {
    using Pack = decltype(pack);
    CHECK(Pack::kMaximum >= most);
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
  check(PackedNode<16>{}, kMaximumCoefficient);
}
