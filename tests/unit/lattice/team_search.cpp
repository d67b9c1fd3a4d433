// The lattice search by teams of warps, run by loops over warps and lanes on the host, against the plain
// step: nodes of every level, vectors, fingerprint and least norm must be the same however the work is cut
// into launches, and however small a team and its room for entries are.
#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <vector>

#include "slicepool/lattice/problem_factory.hpp"
#include "support/lattice/warp_cases.hpp"
#include "support/lattice/warps.hpp"
#include "support/scale.hpp"

using namespace slicepool;
using namespace slicepool::lattice;
using namespace slicepool::test;

namespace {

template <class Layout>
WarpOutcome byTeams(const ProblemSpec& spec, const WarpRun& run) {
  return runWarps<AutomaticTeams, Layout>(spec, run);
}

WarpOutcome asDevice(const ProblemSpec& spec, const WarpRun& run) { return runTeamsAsDevice(spec, run); }

/// Teams of one size, with so little room for entries that they have to go on carefully.
template <int kWarps>
WarpOutcome byNarrowTeams(const ProblemSpec& spec, WarpRun run) {
  run.teamWarps = kWarps;
  run.teamPlaces = 3 * spec.dimension + 40;
  return runTeamsAsDevice(spec, run);
}

}  // namespace

TEST_CASE("lattice teams: known lattices have their known numbers of nodes and vectors") {
  checkKnownLattices(asDevice, {{}, {.units = 2, .teamWarps = 8, .teamPlaces = 4096}});
  checkKnownLattices(byTeams<LongPaths>, {{.units = 3, .budget = 300, .teamWarps = 1}});
}

TEST_CASE("lattice teams: random lattices, every capacity, however launches are cut") {
  std::vector<int> dimensions = {1, 2, 7, 16, 17, 24, 33, 64, 65, 96, 97, 160};
  std::erase_if(dimensions, [](int dimension) { return dimension > largest(160, 33); });
  checkRandomLattices(asDevice, dimensions);
  checkRandomLattices(byTeams<LongPaths>, dimensions);
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
  checkWideCoefficients(byTeams<LongPaths>, dimensions, [](int dimension) {
    const int most = (dimension - 1 - dimension / 4) / LongPaths::kUnit * LongPaths::kUnit;
    return most == 0 ? std::vector<int>{0} : std::vector<int>{0, LongPaths::kUnit, most};
  });
}

TEST_CASE("lattice teams: a skewed basis is searched in one with a short dual") {
  std::vector<int> dimensions = {4, 17, 24, 40, 64, 86, 96, 118, 160};
  std::erase_if(
      dimensions, [](int dimension) { return dimension > largest(160, 40); });
  checkWideCoefficients(asDevice, dimensions, [](int) { return std::vector<int>{0}; });
  std::mt19937_64 random(17);
  for (const int dimension : dimensions) {
    INFO("seed 17, dimension " << dimension);
    ProblemSpec spec = randomLattice(random, dimension, 2000, false);
    TeamPaths before;
    const WarpOutcome given = runTeamsAsDevice(spec, {}, &before);
    skew(spec, dimension / 4);
    TeamPaths after;
    const WarpOutcome skewed = runTeamsAsDevice(spec, {}, &after);
    CHECK(after.packing == before.packing);
    CHECK(after.narrow == before.narrow);
    CHECK(skewed.steps == given.steps);
  }
}

TEST_CASE("lattice teams: paths of as few bits as coefficients and dimension are worth") {
  std::mt19937_64 random(5);
  const auto packing = [&](int dimension) {
    TeamPaths chosen;
    (void)runTeamsAsDevice(randomLattice(random, dimension, 500, false), {}, &chosen);
    return chosen.packing;
  };
  for (const int dimension : {24, 64, 65, 73}) CHECK(packing(dimension) == TeamPaths::Packing::shortest);
  if (!runsAll()) return;
  CHECK(packing(74) == TeamPaths::Packing::bytes);
  CHECK(packing(96) == TeamPaths::Packing::bytes);
  CHECK(packing(97) == TeamPaths::Packing::shortest);
}

TEST_CASE("lattice teams: roots of every kind") { checkRootsOfEveryKind(asDevice); }

TEST_CASE("lattice teams: a sink that is mostly full loses no vector and takes none twice") {
  checkFullSink<AutomaticTeams>({1U << 15U});
}

TEST_CASE("lattice teams: little room for slices only costs time") {
  checkLittleRoom(asDevice, {1, 5, 64, 700}, {50});
  checkLittleRoom(byNarrowTeams<2>, {1, 64}, {50});
}

TEST_CASE("lattice teams: launches do not add to the slices that wait") {
  if (!runsAll()) return;
  const LatticeInstance instance = latticeInstance("k45");
  const WarpOutcome outcome = asDevice(instance.spec, {.units = 2, .budget = 2, .teamPlaces = 2000});
  CHECK(outcome.launches > 100);
  CHECK(outcome.steps == instance.nodes);
  CHECK(outcome.mostKept < 2 * 2000);
}

TEST_CASE("lattice teams: launches that end by their budget fill no batch, and lose no time") {
  if (!runsAll()) return;
  const LatticeInstance instance = latticeInstance("k45");
  const WarpOutcome outcome =
      asDevice(instance.spec, {.units = 1, .budget = 300, .teamWarps = 8, .teamPlaces = 1500});
  CHECK(outcome.steps == instance.nodes);
  CHECK(outcome.mostKept < 2 * 1500);
  CHECK(outcome.launches < 180);
}

TEST_CASE("lattice teams: teams go on with their own slices where all of them are there") {
  using Slice = Search<16>::Slice;
  const auto stays = [](std::uint32_t live, std::uint32_t known, std::uint32_t ofTeams) {
    WarpBatch<Slice> batch{};
    batch.live = live;
    batch.known = known;
    batch.ofTeams = ofTeams;
    batch.capacity = 10000;
    batch.units = 4;
    batch.budget = 100;
    const TeamTurnPlan plan = TeamTurnPlan::of(batch, 500);
    CHECK(plan.share == (plan.stays ? 0 : (live + 3) / 4));
    return plan.stays;
  };
  CHECK(stays(2001, 2001, 1500));
  CHECK(stays(256, 256, 100));
  CHECK_FALSE(stays(255, 255, 100));     // so few are multiplied
  CHECK_FALSE(stays(2001, 2001, 0));     // the last launch ended early, or there was none
  CHECK(stays(3000, 1500, 1500));        // others came behind
  CHECK_FALSE(stays(3000, 1499, 1500));  // some were taken away before others came
}

TEST_CASE("lattice teams: what no team took goes behind what teams left, whatever there is room for") {
  for (const std::uint32_t capacity : {1U, 7U, 20U, 100U}) {
    for (std::uint32_t kept = 0; kept <= capacity; ++kept) {
      for (std::uint32_t rest = 0; rest <= capacity - kept; ++rest) {
        std::vector<Search<16>::Slice> slices(capacity);
        std::vector<PathState> states(capacity);
        const auto fill = [&](std::uint32_t at, std::int16_t value) {
          slices[at].level = slices[at].path[15].coefficient = value;
          states[at].norm = value;
        };
        for (std::uint32_t i = 0; i < kept; ++i) fill(i, static_cast<std::int16_t>(i));
        for (std::uint32_t i = 0; i < rest; ++i) fill(capacity - 1 - i, static_cast<std::int16_t>(kept + i));
        for (std::uint32_t worker = 0; worker < 3; ++worker)
          putTogether(slices.data(), states.data(), kept, rest, capacity, worker, 3);
        std::vector<bool> seen(kept + rest);
        std::uint32_t wrong = 0;
        for (std::uint32_t i = 0; i < kept + rest; ++i) {
          const auto value = static_cast<std::uint32_t>(slices[i].level);
          wrong += value >= kept + rest || seen[value] || (i < kept) != (value < kept) ||
                   slices[i].path[15].coefficient != slices[i].level || states[i].norm != slices[i].level;
          if (value < kept + rest) seen[value] = true;
        }
        INFO("capacity " << capacity << ", kept " << kept << ", rest " << rest);
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("lattice teams: a shrinking radius ends at the shortest vector") { checkShrinkingRadius(asDevice); }

TEST_CASE("lattice teams: paths give back the coefficients that they were given") {
  const auto check = [](auto layout, int narrow, int small, int large) {
    INFO("narrow " << narrow);
    layout.narrow = narrow;
    std::vector<FourWords> memory(static_cast<std::size_t>(layout.foursOf(69)));
    const auto value = [&](int at) {
      const int most = at < narrow ? small : large;
      return at * 7919 % (2 * most + 1) - most;
    };
    for (int v = 0; v < layout.foursOf(69); ++v)
      for (int w = 0; w < 4; ++w) memory[static_cast<std::size_t>(v)].word[w] = layout.wordOf(v, w, value);
    HeldPath<decltype(layout)::mostFours(96), decltype(layout)> held;
    held.read(layout, 0, memory.data(), 1);
    std::vector<double> rows(static_cast<std::size_t>(layout.roomBelow(70)), 0);
    int wrong = 0;
    for (int i = 0; i < 69; ++i) {
      wrong +=
          layout.coefficient(reinterpret_cast<const std::uint32_t*>(memory.data()), i) == value(i) ? 0 : 1;
      // A row that picks one coefficient: the first, one in the middle, or the new one.
      const int picked = i % 3 == 0 ? i : (i % 3 == 1 ? i / 2 : 0);
      double& one = rows[static_cast<std::size_t>(layout.roomBelow(i + 1) + picked)];
      one = 1;
      wrong += held.extend(layout, i, value(i), rows.data()) == -value(picked) ? 0 : 1;
      one = 0;
    }
    CHECK(wrong == 0);
  };
  check(ShortestPaths{}, 0, 0, 7);
  check(ShortPaths{}, 0, 0, 15);
  check(BytePaths{}, 0, 0, 127);
  for (const int narrow : {0, 16, 32, 64}) check(LongPaths{}, narrow, 127, 32767);
}
