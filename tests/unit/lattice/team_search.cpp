// The lattice search by teams of warps, run by loops over warps and lanes on the host, against the plain
// step: nodes of every level, vectors, fingerprint and least norm must be the same however the work is cut
// into launches, and however small a team and its room for entries are.
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
WarpOutcome byTeams(const ProblemSpec& spec, const WarpRun& run) {
  return runWarps<AutomaticTeams, kBits>(spec, run);
}

/// Lanes hold as many FourWords of a path as the kernels for short ones do.
struct ShortPathTeams : AutomaticTeams {
  template <class Lanes, int kCapacity, int kBits, int = 0>
  using Searcher = TeamSearch<Lanes, kCapacity, kBits, AutomaticTeams::kFewFours<kCapacity>>;
};
WarpOutcome byShortPaths(const ProblemSpec& spec, const WarpRun& run) {
  return runWarps<ShortPathTeams, 16>(spec, run);
}

/// Teams of one size, with so little room for entries that they have to go on carefully.
template <int kWarps>
WarpOutcome byNarrowTeams(const ProblemSpec& spec, WarpRun run) {
  run.teamWarps = kWarps;
  run.teamPlaces = 3 * spec.dimension + 40;
  return runWarps<AutomaticTeams, 8>(spec, run);
}

}  // namespace

TEST_CASE("lattice teams: known lattices have their known numbers of nodes and vectors") {
  checkKnownLattices(byTeams<8>, {{}, {.units = 2, .teamWarps = 8, .teamPlaces = 4096}});
  checkKnownLattices(byTeams<16>, {{.units = 3, .budget = 300, .teamWarps = 1}});
}

TEST_CASE("lattice teams: random lattices, every capacity, however launches are cut") {
  std::vector<int> dimensions = {1, 2, 7, 16, 17, 24, 33, 64, 65, 96, 97, 160};
  std::erase_if(dimensions, [](int dimension) { return dimension > largest(160, 33); });
  checkRandomLattices(byTeams<8>, dimensions);
  checkRandomLattices(byTeams<16>, dimensions);
}

TEST_CASE("lattice teams: little room for entries only costs time") {
  std::vector<int> dimensions = {1, 7, 24, 33, 65, 160};
  std::erase_if(dimensions, [](int dimension) { return dimension > largest(160, 33); });
  checkRandomLattices(byNarrowTeams<1>, dimensions);
  checkRandomLattices(byNarrowTeams<5>, dimensions);
}

TEST_CASE("lattice teams: coefficients of hundreds behind others that fit 8 bits") {
  std::vector<int> dimensions = {4, 22, 23, 24, 40, 64, 86, 96, 118, 160};
  std::erase_if(dimensions, [](int dimension) { return dimension > largest(160, 40); });
  checkWideCoefficients(byTeams<16>, dimensions, [](int dimension) {
    const int most = (dimension - 1 - dimension / 4) / PathLayout<16>::kUnit * PathLayout<16>::kUnit;
    return most == 0 ? std::vector<int>{0} : std::vector<int>{0, PathLayout<16>::kUnit, most};
  });
}

TEST_CASE("lattice teams: paths that few registers hold") {
  std::vector<int> dimensions = {65, 81, 96, 97, 118, 144};
  std::erase_if(dimensions, [](int dimension) { return dimension > largest(144, 65); });
  checkWideCoefficients(byShortPaths, dimensions, [](int dimension) {
    // As few coefficients of 8 bits as fit, which uses all of the registers.
    const int most = dimension > 96 ? AutomaticTeams::kFewFours<160> : AutomaticTeams::kFewFours<96>;
    PathLayout<16> layout;
    while (layout.foursOf(dimension - 1) > most) layout.narrow += PathLayout<16>::kUnit;
    return std::vector<int>{layout.narrow};
  });
}

TEST_CASE("lattice teams: roots of every kind") { checkRootsOfEveryKind(byTeams<8>); }

TEST_CASE("lattice teams: a sink that is mostly full loses no vector and takes none twice") {
  checkFullSink<AutomaticTeams>({1U << 15U});
}

TEST_CASE("lattice teams: little room for slices only costs time") {
  checkLittleRoom(byTeams<8>, {1, 5, 64, 700}, {50});
  checkLittleRoom(byNarrowTeams<2>, {1, 64}, {50});
}

TEST_CASE("lattice teams: launches do not add to the slices that wait") {
  if (!runsAll()) return;
  const LatticeInstance instance = latticeInstance("k45");
  const WarpOutcome outcome = byTeams<8>(instance.spec, {.units = 2, .budget = 2, .teamPlaces = 2000});
  CHECK(outcome.launches > 100);
  CHECK(outcome.steps == instance.nodes);
  CHECK(outcome.mostKept < 2 * 2000);
}

TEST_CASE("lattice teams: a shrinking radius ends at the shortest vector") {
  checkShrinkingRadius(byTeams<8>);
}

TEST_CASE("lattice teams: lists give back the coefficients that they were given") {
  for (const int narrow : {0, 16, 32, 64}) {
    TeamLists<16> lists{};
    lists.shape(70, narrow);
    lists.places = 40;
    std::vector<FourWords> memory(lists.memoryBytes() / sizeof(FourWords) + 1);
    lists.memory = reinterpret_cast<std::byte*>(memory.data());
    const auto value = [&](int place, int at) {
      const int mixed = (place * 17 + at * 7) % 200 - 100;
      return at < narrow ? mixed : 100 * mixed;
    };
    for (int place = 0; place < 40; ++place)
      for (int i = 0; i < 69; ++i) lists.setCoefficient(place, i, value(place, i));
    int wrong = 0;
    for (int place = 0; place < 40; ++place)
      for (int i = 0; i < 69; ++i) wrong += lists.coefficient(place, i) == value(place, i) ? 0 : 1;
    CHECK(wrong == 0);
  }
}
