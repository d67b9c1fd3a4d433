// The range of ranks that a request names, checked against the number of factorizations. Called by
// algorithm_choice.cpp, request_check.cpp and runtime/app/config.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "slicepool/factorizations/enumeration.hpp"
#include "slicepool/factorizations/steps/wide_counts.hpp"

namespace slicepool::factorizations {

/// Ranks and numbers of rows beyond it need Rank.
constexpr std::uint64_t kMaximum64 = std::numeric_limits<std::uint64_t>::max();

/// Ranks begin .. begin + count - 1 of a set that has that many.
struct RankSelection {
  std::string count;                    ///< how many, decimal
  std::optional<std::uint64_t> begin;   ///< empty when it does not fit 64 bits
  std::optional<std::uint64_t> length;  ///< `count`; empty when it does not fit 64 bits
};

/// "A:B" without leading zeros. Throws ConfigError with field "rank_range" when A and B are not decimal
/// numbers with A <= B.
[[nodiscard]] std::string rankRangeText(const RankInterval& interval);

/// `total` is the number of factorizations, decimal. Throws ConfigError with field "rank_range" as above, and
/// when the range ends beyond the total.
[[nodiscard]] RankSelection selectRanks(const RankInterval& interval, const std::string& total);

/// The same range over counts as wide as `total` needs: O(d n) time. Throws LimitError with the numbers when
/// they take more than `bytes` bytes, ConfigError when the range has 2^63 ranks or more.
[[nodiscard]] std::shared_ptr<const WideRanks> makeWideRanks(const std::vector<std::uint64_t>& generators,
                                                             std::uint64_t element,
                                                             const RankInterval& interval,
                                                             const std::string& total, std::size_t bytes);

}  // namespace slicepool::factorizations
