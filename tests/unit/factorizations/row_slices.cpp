// Slices cut by estimated work: they partition the window, are of the size asked for, and cost only what the
// window is worth, however large the set.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "slicepool/factorizations/problem_factory.hpp"
#include "slicepool/factorizations/steps/row_slices.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;

namespace {

using Boundaries = std::vector<std::uint64_t>;

const std::vector<std::vector<std::uint64_t>> kSets = {
    {13, 37, 38}, {13, 37, 38, 40}, {12, 18, 30, 45, 8}, {13, 37, 38, 40, 41, 42}};

void checkPartition(const Boundaries& boundaries, RankRange window) {
  REQUIRE(boundaries.size() >= 2);
  CHECK(boundaries.front() == window.begin);
  CHECK(boundaries.back() == window.end);
  CHECK(std::is_sorted(boundaries.begin(), boundaries.end(), std::less_equal<>()));
}

}  // namespace

TEST_CASE("slices by work partition every window, for every tail") {
  for (const auto& generators : kSets) {
    const RankCounts counts = makeRankCounts(generators, 1200);
    for (unsigned tail = 2; tail < generators.size(); ++tail) {
      for (const RankRange window :
           {RankRange{0, counts.total}, RankRange{0, 1}, RankRange{7, 8},
            RankRange{counts.total / 3, counts.total / 2}, RankRange{counts.total - 1, counts.total}}) {
        INFO("d = " << generators.size() << ", tail " << tail << ", " << window.begin << ":" << window.end);
        for (const std::uint32_t slices : {1U, 10U, 1000U})
          checkPartition(cutWindow(generators, counts, tail, 8, window, slices), window);
      }
      checkPartition(cutRows(generators, counts, tail, 8, 512), {0, counts.total});
      CHECK(cutWindow(generators, counts, tail, 8, {5, 5}, 10).empty());
    }
  }
}

TEST_CASE("there are about as many slices as asked for, and the first ones have the fewest rows") {
  const std::vector<std::uint64_t> generators = {13, 37, 38, 40, 41, 42};
  const RankCounts counts = makeRankCounts(generators, 3000);
  const Boundaries boundaries = cutWindow(generators, counts, 3, 12, {0, counts.total}, 1000);
  CHECK(boundaries.size() > 500);
  CHECK(boundaries.size() < 2000);
  // The first ranks have blocks of one or two rows, which cost more than their rows.
  CHECK(10 * (boundaries[1] - boundaries[0]) < counts.total / (boundaries.size() - 1));
}

TEST_CASE("a small window of a huge set is cut as fast as a small set") {
  // 3.6e15 factorizations; one pass over all slices of that width would never end.
  const std::vector<std::uint64_t> generators = {7, 11, 13, 17, 19, 23};
  const RankCounts counts = makeRankCounts(generators, 100'000);
  REQUIRE_FALSE(counts.overflow);
  REQUIRE(counts.total > std::uint64_t{1} << 50);
  for (const unsigned tail : {2U, 5U}) {
    for (const RankRange window :
         {RankRange{0, 10'000}, RankRange{counts.total / 2, counts.total / 2 + 10'000}}) {
      const Boundaries boundaries = cutWindow(generators, counts, tail, 12, window, 100);
      checkPartition(boundaries, window);
      CHECK(boundaries.size() <= 201);
    }
  }
}
