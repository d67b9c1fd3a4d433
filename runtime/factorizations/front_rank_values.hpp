// Ranks in configurations: integers of any width, and ranges of them. Called by the parsers of the
// factorizations workload.
#pragma once

#include <string>

#include "runtime/app/config/json.hpp"
#include "slicepool/factorizations/enumeration.hpp"

namespace slicepool::config {

/// A JSON integer from 0, or a string of decimal digits; the digits without leading zeros. Throws ConfigError
/// naming `field`.
[[nodiscard]] std::string requireRank(const Json& value, const std::string& field);

/// "A:B" or [A, B] with 0 <= A <= B. Throws ConfigError with field "rank_range".
[[nodiscard]] factorizations::RankInterval parseRankRange(const Json& value);

/// [A, B], each a number up to 2^53 and a decimal string above.
[[nodiscard]] Json rankRangeRecord(const factorizations::RankInterval& interval);

}  // namespace slicepool::config
