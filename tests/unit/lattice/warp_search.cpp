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

TEST_CASE("lattice warps: coefficients of hundreds behind others that fit 8 bits") {
  std::vector<int> dimensions = {4, 22, 23, 24, 40, 64, 86, 96, 118, 160};
  std::erase_if(dimensions, [](int dimension) { return dimension > largest(160, 40); });
  checkWideCoefficients(byWarps<16>, dimensions, [](int dimension) {
    const int most = (dimension - 1 - dimension / 4) / PathLayout<16>::kUnit * PathLayout<16>::kUnit;
    return most == 0 ? std::vector<int>{0} : std::vector<int>{0, PathLayout<16>::kUnit, most};
  });
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
  };
  check(Packing<8>{}, 127);
  check(Packing<16>{}, 32767);
}

TEST_CASE("lattice warps: every coefficient of a path has a place of its own") {
  const auto check = [](auto layout, int narrow) {
    INFO("narrow " << narrow);
    layout.narrow = narrow;
    int fours = 0;
    int room = 0;
    for (int count = 0; count < 200; ++count) {
      CHECK(layout.foursBelow(count) == fours);
      CHECK(layout.roomBelow(count) == room);
      const int held = layout.foursOf(count);
      CHECK(layout.roomOf(count) == layout.firstOf(held));
      CHECK(layout.roomOf(count) >= count);
      if (held > 0) CHECK(layout.firstOf(held - 1) < count);
      CHECK(held <= decltype(layout)::mostFours(count));
      fours += held;
      room += layout.roomOf(count);
    }
  };
  check(PathLayout<8>{}, 0);
  for (const int narrow : {0, 16, 48, 144}) check(PathLayout<16>{}, narrow);
}

TEST_CASE("lattice warps: lists give back the coefficients that they were given") {
  for (const int narrow : {0, 16, 32, 64}) {
    WarpLists<16> lists{};
    lists.shape(70, narrow);
    std::vector<FourWords> memory(lists.memoryBytes() / sizeof(FourWords) + 1);
    lists.memory = reinterpret_cast<std::byte*>(memory.data());
    const auto value = [&](int depth, int place, int at) {
      const int mixed = (depth * 31 + place * 17 + at * 7) % 200 - 100;
      return at < narrow ? mixed : 100 * mixed;
    };
    for (int depth = 0; depth < 70; ++depth)
      for (const int place : {0, 1, 31, 63})
        for (int i = 0; i < depth; ++i) lists.setCoefficient(depth, place, i, value(depth, place, i));
    int wrong = 0;
    for (int depth = 0; depth < 70; ++depth)
      for (const int place : {0, 1, 31, 63})
        for (int i = 0; i < depth; ++i)
          wrong += lists.coefficient(depth, place, i) == value(depth, place, i) ? 0 : 1;
    CHECK(wrong == 0);
  }
}
