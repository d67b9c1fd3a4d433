// Cuts of ranks by cost: costs are those of all prefixes and blocks, cuts partition every range, and the
// parts cost about the same.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "slicepool/factorizations/problem_factory.hpp"
#include "slicepool/factorizations/sinks.hpp"
#include "slicepool/factorizations/steps/rank_costs.hpp"
#include "slicepool/factorizations/steps/ranked.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;

namespace {

using Boundaries = std::vector<std::uint64_t>;
using View = RankedView<0, std::uint64_t>;

const std::vector<std::vector<std::uint64_t>> kSets = {
    {13, 37, 38}, {13, 37, 38, 40}, {12, 18, 30, 45, 8}, {13, 37, 38, 40, 41, 42}};

/// Counts and costs of one set, and the view over them.
struct Costed {
  Costed(const std::vector<std::uint64_t>& generators, std::uint64_t element, unsigned tail,
         std::size_t rowBytes, std::uint32_t stride = 1)
      : counts(makeRankCounts(generators, element)),
        costs(makeRankCosts(generators, counts, tail, rowBytes, stride)),
        view(rankedView<0, std::uint64_t>(generators, element)) {
    view.levels = counts.levels.data();
    view.chain = counts.chain.data();
    view.costs = costs.on(costs.levels.data(), costs.chain.data());
  }
  Costed(const Costed&) = delete;
  Costed& operator=(const Costed&) = delete;

  [[nodiscard]] Boundaries cut(RankRange ranks, std::uint32_t parts) const {
    Boundaries boundaries;
    for (std::uint32_t i = 0; i <= parts; ++i)
      boundaries.push_back(cutOfRanks(view, ranks.begin, ranks.end, i, parts));
    return boundaries;
  }

  RankCounts counts;
  RankCosts costs;
  View view;
};

}  // namespace

TEST_CASE("the cost of all rows is that of their prefixes, for every tail and stride") {
  for (const auto& generators : kSets) {
    for (unsigned tail = 2; tail + 1 < generators.size(); ++tail) {
      for (const std::uint32_t stride : {1U, 3U}) {
        CAPTURE(generators);
        CAPTURE(tail);
        const Costed set(generators, 300, tail, 8, stride);
        const std::size_t axis = generators.size() - tail - 1;
        REQUIRE(set.costs.chain.size() == 300 / generators[0] + 1);
        const RankCuts<View> cuts(set.view);
        std::uint64_t sum = 0;
        std::uint64_t rows = 0;
        // Every row as the cursor has it; a prefix begins where its coordinates are new.
        RankedCursor<View> cursor(set.view, 0);
        std::vector<std::uint64_t> prefix;
        const auto close = [&] {
          std::uint64_t left = 300;
          for (std::size_t k = 0; k < axis; ++k) left -= prefix[k] * generators[k];
          sum += rows * 8 + 1500 + 48 * (left / generators[axis] / stride + 1);
          rows = 0;
        };
        for (std::uint64_t rank = 0; rank < set.counts.total; ++rank) {
          const std::vector<std::uint64_t> now(cursor.coordinates(), cursor.coordinates() + axis);
          if (now != prefix) {
            if (rows != 0) close();
            prefix = now;
            CHECK(cuts.costBefore(rank) == sum);
            if (rank != 0) CHECK(cuts.rankAt(sum, 0) == rank);
          }
          ++rows;
          if (rank + 1 < set.counts.total) cursor.moveToNext();
        }
        close();
        CHECK(cuts.total() == sum);
      }
    }
  }
}

TEST_CASE("cuts partition every range of ranks, for every tail") {
  for (const auto& generators : kSets) {
    for (unsigned tail = 2; tail < generators.size(); ++tail) {
      const Costed set(generators, 1200, tail, 8);
      const std::uint64_t total = set.counts.total;
      for (const RankRange ranks : {RankRange{0, total}, RankRange{0, 1}, RankRange{7, 8}, RankRange{5, 5},
                                    RankRange{total / 3, total / 2}, RankRange{total - 1, total}}) {
        for (const std::uint32_t parts : {1U, 10U, 1000U}) {
          INFO("d = " << generators.size() << ", tail " << tail << ", " << ranks.begin << ":" << ranks.end);
          const Boundaries boundaries = set.cut(ranks, parts);
          CHECK(boundaries.front() == ranks.begin);
          CHECK(boundaries.back() == ranks.end);
          CHECK(std::is_sorted(boundaries.begin(), boundaries.end()));
        }
      }
      const Boundaries slices = cutRows(generators, set.counts, set.costs, 512);
      CHECK(slices.front() == 0);
      CHECK(slices.back() == total);
      CHECK(std::is_sorted(slices.begin(), slices.end(), std::less_equal<>()));
    }
  }
}

TEST_CASE("parts cost about the same, so that those with small blocks have few rows") {
  const Costed set({13, 37, 38, 40, 41, 42}, 3000, 3, 12);
  constexpr std::uint32_t kParts = 1000;
  const RankCuts<View> cuts(set.view);
  for (const RankRange ranks : {RankRange{0, set.counts.total}, RankRange{100'000, set.counts.total / 2}}) {
    const Boundaries boundaries = set.cut(ranks, kParts);
    const auto before = [&](std::uint64_t rank) {
      return static_cast<double>(rank == set.counts.total ? cuts.total() : cuts.costBefore(rank));
    };
    const double mean = (before(ranks.end) - before(ranks.begin)) / kParts;
    double most = 0;
    for (std::size_t i = 1; i < boundaries.size(); ++i)
      most = std::max(most, before(boundaries[i]) - before(boundaries[i - 1]));
    CHECK(most < 1.5 * mean);
    if (ranks.begin == 0) CHECK(10 * boundaries[1] < set.counts.total / kParts);
  }
}

TEST_CASE("costs beyond 64 bits: parts have equally many ranks") {
  // 3.6e15 factorizations
  const Costed set({7, 11, 13, 17, 19, 23}, 100'000, 2, 12);
  REQUIRE_FALSE(set.counts.overflow);
  REQUIRE(set.counts.total > std::uint64_t{1} << 50);
  CHECK(set.costs.chain.empty());
  const std::uint64_t begin = set.counts.total / 2;
  const Boundaries boundaries = set.cut({begin, begin + 10'007}, 100);
  for (std::size_t i = 1; i < boundaries.size(); ++i) {
    CHECK(boundaries[i] - boundaries[i - 1] >= 100);
    CHECK(boundaries[i] - boundaries[i - 1] <= 101);
  }
}

TEST_CASE("roots of ranked have equally many ranks, and their parts are all of them") {
  ProblemSpec spec;
  spec.generators = {13, 37, 38, 40, 41, 42};
  spec.element = 900;
  spec.algorithm = Algorithm::ranked;
  spec.rankCounts = std::make_shared<RankCounts>(makeRankCounts(spec.generators, spec.element));
  const auto tail = std::make_shared<DeviceTail>(
      planDeviceTail(spec.generators, *spec.rankCounts, 3, 1, fingerprintWeights(6)));
  spec.reductions.fingerprint = true;
  for (const bool device : {false, true}) {
    spec.deviceTail = device ? tail : nullptr;
    for (const std::uint32_t roots : {0U, 1U, 7U}) {
      spec.rootSlices = roots;
      const auto problem = makeProblem(spec);
      REQUIRE(problem->sliceBytes() == sizeof(RankedSlice));
      const std::size_t count = problem->roots().size() / sizeof(RankedSlice);
      CHECK(count == std::max(1U, roots));
      std::uint64_t next = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const std::byte* const root = problem->roots().data() + i * sizeof(RankedSlice);
        CHECK(problem->size(root) >= static_cast<double>(spec.rankCounts->total / count));
        for (std::uint32_t part = 0; part < 40; ++part) {
          RankedSlice slice{};
          REQUIRE(problem->part(root, part, 40, reinterpret_cast<std::byte*>(&slice)));
          CHECK(slice.first == next);
          CHECK(slice.first <= slice.last);
          next = slice.last;
        }
      }
      CHECK(next == spec.rankCounts->total);
    }
  }
}
