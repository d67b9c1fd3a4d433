// Implementation of rank_costs.hpp.
#include "slicepool/factorizations/steps/rank_costs.hpp"

#include <algorithm>
#include <limits>

#include "runtime/factorizations/counting.hpp"
#include "slicepool/factorizations/steps/ranked.hpp"

namespace slicepool::factorizations {

namespace {

constexpr double kLargestCost = 0x1p62;  // of all rows together

}  // namespace

RankedCosts RankCosts::on(const std::uint64_t* levelTable, const std::uint64_t* chainTable) const {
  RankedCosts costs;
  costs.levels = levelTable;
  costs.chain = chain.empty() ? nullptr : chainTable;
  costs.axis = axis;
  costs.row = row;
  costs.stride = stride;
  return costs;
}

RankCosts makeRankCosts(const std::vector<std::uint64_t>& generators, const RankCounts& counts, unsigned tail,
                        std::size_t rowBytes, std::uint32_t stride) {
  RankCosts costs;
  costs.axis = static_cast<std::uint32_t>(generators.size() - tail - 1);
  costs.row = static_cast<std::uint32_t>(rowBytes);
  costs.stride = stride;
  const std::size_t axis = costs.axis;
  if (axis == 0) return costs;
  const std::uint64_t g = generators[axis];
  const RankedCosts rates = costs.on(nullptr, nullptr);
  // A prefix has at least one row, so that no row costs more than a prefix with one.
  const double most = static_cast<double>(rates.ofPrefix(1, counts.element / g));
  if (static_cast<double>(counts.total) * most > kLargestCost) return costs;

  const auto entries = static_cast<std::size_t>(counts.element) + 1;
  const std::uint64_t* const rows = counts.levels.data() + (axis - 1) * entries;
  costs.levels.resize((axis - 1) * entries);
  if (axis > 1) {
    // Those of the axis pass through the memory of the level in front of it.
    std::uint64_t* below = costs.levels.data() + (axis - 2) * entries;
    for (std::size_t top = 0, block = 0; block < entries; block += g, ++top)
      for (std::size_t p = block; p < std::min<std::size_t>(entries, block + g); ++p)
        below[p] = rates.ofPrefix(rows[p], top);
    for (std::size_t k = axis - 1; k >= 1; --k) {
      std::uint64_t* const level = costs.levels.data() + (k - 1) * entries;
      (void)addGenerator(level, below, entries, generators[k]);
      below = level;
    }
  }
  const auto behindFirst = [&](std::uint64_t p) {
    return axis > 1 ? costs.levels[static_cast<std::size_t>(p)]
                    : rates.ofPrefix(rows[static_cast<std::size_t>(p)], p / g);
  };
  costs.chain.resize(static_cast<std::size_t>(counts.element / generators[0]) + 1);
  std::uint64_t sum = 0;
  for (std::size_t t = costs.chain.size(); t-- > 0;) {
    sum += behindFirst(counts.element - t * generators[0]);
    costs.chain[t] = sum;
  }
  return costs;
}

std::vector<std::uint64_t> cutRows(const std::vector<std::uint64_t>& generators, const RankCounts& counts,
                                   const RankCosts& costs, std::uint64_t costPerSlice) {
  auto view = rankedView<0, std::uint64_t>(generators, counts.element);
  view.levels = counts.levels.data();
  view.chain = counts.chain.data();
  view.costs = costs.on(costs.levels.data(), costs.chain.data());
  // Without costs the blocks are those of the first coordinate.
  const std::uint64_t all = costs.chain.empty()
                                ? view.costs.ofPrefix(counts.total, counts.element / generators[costs.axis])
                                : costs.chain.front();
  const std::uint64_t parts = std::clamp<std::uint64_t>(all / std::max<std::uint64_t>(1, costPerSlice), 1,
                                                        std::numeric_limits<std::uint32_t>::max() - 1);
  std::vector<std::uint64_t> boundaries = {0};
  for (std::uint32_t i = 1; i <= parts; ++i) {
    const std::uint64_t cut = cutOfRanks(view, 0, counts.total, i, static_cast<std::uint32_t>(parts));
    if (cut != boundaries.back()) boundaries.push_back(cut);
  }
  return boundaries;
}

}  // namespace slicepool::factorizations
