// See front_rank_values.hpp.
#include "runtime/factorizations/front_rank_values.hpp"

#include "runtime/factorizations/rank_selection.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/rank_index.hpp"

namespace slicepool::config {
namespace {

constexpr const char* kRange = "A:B or [A, B] with 0 <= A <= B, the ranks A to B-1";

/// Whether it is one is checked where it becomes a rank.
std::string rankText(const Json& value) {
  const bool integer = value.is_number_integer() || isKeptNumber(value) || value.is_string();
  return integer ? decimalText(value) : std::string();
}

}  // namespace

std::string requireRank(const Json& value, const std::string& field) {
  try {
    return factorizations::parseRank(rankText(value), field).str();
  } catch (const ConfigError&) {
    throw ConfigError(field, describeValue(value), "an integer from 0, or a string of decimal digits");
  }
}

factorizations::RankInterval parseRankRange(const Json& value) {
  factorizations::RankInterval interval;
  if (value.is_array() && value.size() == 2) {
    interval = {requireRank(value[0], "rank_range[0]"), requireRank(value[1], "rank_range[1]")};
  } else {
    const std::string text = rankText(value);
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) throw ConfigError("rank_range", describeValue(value), kRange);
    interval = {text.substr(0, colon), text.substr(colon + 1)};
  }
  const std::string canonical = factorizations::rankRangeText(interval);
  const std::size_t colon = canonical.find(':');
  return {canonical.substr(0, colon), canonical.substr(colon + 1)};
}

Json rankRangeRecord(const factorizations::RankInterval& interval) {
  return Json::array({exactNumber(interval.begin), exactNumber(interval.end)});
}

}  // namespace slicepool::config
