// See rank_selection.hpp.
#include "runtime/factorizations/rank_selection.hpp"

#include <limits>
#include <utility>

#include "runtime/factorizations/rank_limbs.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::factorizations {
namespace {

constexpr auto kMaximumRange = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

std::pair<Rank, Rank> endsOf(const RankInterval& interval) {
  std::pair<Rank, Rank> ends(parseRank(interval.begin, "rank_range"), parseRank(interval.end, "rank_range"));
  if (ends.first > ends.second) {
    throw ConfigError("rank_range", ends.first.str() + ":" + ends.second.str(),
                      "A:B with A <= B, the ranks A to B-1");
  }
  return ends;
}

}  // namespace

std::string rankRangeText(const RankInterval& interval) {
  const auto [begin, end] = endsOf(interval);
  return begin.str() + ":" + end.str();
}

RankSelection selectRanks(const RankInterval& interval, const std::string& total) {
  const auto [begin, end] = endsOf(interval);
  if (end > parseRank(total, "count")) {
    throw ConfigError("rank_range", begin.str() + ":" + end.str(),
                      "A:B with A <= B <= " + total + ", the number of factorizations");
  }
  const Rank count = end - begin;
  RankSelection selection;
  selection.count = count.str();
  if (begin <= kMaximum64) selection.begin = begin.convert_to<std::uint64_t>();
  if (count <= kMaximum64) selection.length = count.convert_to<std::uint64_t>();
  return selection;
}

std::shared_ptr<const WideRanks> makeWideRanks(const std::vector<std::uint64_t>& generators,
                                               std::uint64_t element, const RankInterval& interval,
                                               const std::string& total, std::size_t bytes) {
  const RankSelection selection = selectRanks(interval, total);
  if (selection.length.value_or(kMaximum64) > kMaximumRange) {
    throw ConfigError("rank_range", rankRangeText(interval) + ", " + selection.count + " ranks",
                      "at most 2^63 - 1 ranks, except with sink count");
  }
  const unsigned limbs = limbsFor(parseRank(total, "count"));
  const std::size_t needed = WideSuffixCounts::bytesNeeded(generators.size(), element, limbs);
  if (needed > bytes) {
    throw LimitError(
        "rank_range: suffix counts of " + std::to_string(64 * limbs) + " bits take " +
        (needed == std::numeric_limits<std::size_t>::max() ? "more than 2^64" : std::to_string(needed)) +
        " bytes; " + std::to_string(bytes) + " allowed (half of the memory limit)");
  }
  auto ranks = std::make_shared<WideRanks>();
  ranks->counts = std::make_shared<const WideSuffixCounts>(makeWideSuffixCounts(generators, element, limbs));
  ranks->begin = toLimbs(parseRank(interval.begin, "rank_range"), limbs);
  ranks->length = *selection.length;
  return ranks;
}

}  // namespace slicepool::factorizations
