// The lattice search by warps, run by loops over lanes on the host, against the plain step: nodes of every
// level, vectors, fingerprint and least norm must be the same however the work is cut into launches.
#include <doctest/doctest.h>

#include <vector>

#include "slicepool/lattice/problem_factory.hpp"
#include "support/lattice/warp_cases.hpp"
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
  checkKnownLattices(byWarps<8>, {{}});
  checkKnownLattices(byWarps<16>, {{.warps = 3, .budget = 300}});
}

TEST_CASE("lattice warps: random lattices, every capacity, however launches are cut") {
  std::vector<int> dimensions = {1, 2, 7, 16, 17, 24, 33, 64, 65, 96, 97, 160};
  std::erase_if(dimensions, [](int dimension) { return dimension > largest(160, 33); });
  checkRandomLattices(byWarps<8>, dimensions);
  checkRandomLattices(byWarps<16>, dimensions);
}

TEST_CASE("lattice warps: roots of every kind") { checkRootsOfEveryKind(byWarps<8>); }

TEST_CASE("lattice warps: a sink that is mostly full loses no vector and takes none twice") {
  checkFullSink<AutomaticWarps>({1U << 15U});
}

TEST_CASE("lattice warps: little room for slices only costs time") {
  checkLittleRoom(byWarps<8>, {1, 5, 64, 700}, {50});
}

TEST_CASE("lattice warps: a shrinking radius ends at the shortest vector") {
  checkShrinkingRadius(byWarps<8>);
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
