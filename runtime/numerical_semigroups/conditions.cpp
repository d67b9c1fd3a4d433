// See conditions.hpp.
#include "runtime/numerical_semigroups/conditions.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <limits>
#include <string_view>

#include "runtime/io/linear_text.hpp"
#include "runtime/io/shown.hpp"
#include "runtime/numerical_semigroups/statistic_names.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::numerical_semigroups {
namespace {

constexpr const char* kNames = "g, m, u, e, t, F, d (depth), children, wilf or eliahou";

/// A word of letters.
LinearName readStatistic(std::string_view text) {
  LinearName name;
  const auto* const end = std::find_if(
      text.begin(), text.end(), [](char c) { return std::isalpha(static_cast<unsigned char>(c)) == 0; });
  const std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  if (word.empty()) return name;
  for (const StatisticInfo& info : kStatisticInfos) {
    if (word != info.letter && word != info.word) continue;
    name.length = word.size();
    name.members = {static_cast<std::size_t>(info.statistic)};
    return name;
  }
  name.error = "a name is " + std::string(kNames);
  return name;
}

/// Sums of sums of products: far from 64 bits.
bool fits(const LinearText& linear) {
  __int128 sum = linear.bound < 0 ? -static_cast<__int128>(linear.bound) : linear.bound;
  for (const std::int64_t c : linear.coefficients)
    sum += (c < 0 ? -static_cast<__int128>(c) : static_cast<__int128>(c)) * kMaximumStatistic;
  return sum < std::numeric_limits<std::int64_t>::max() / 2;
}

}  // namespace

Conditions parseConditions(const std::string& text, const std::string& field) {
  Conditions conditions{};
  if (text.empty()) return conditions;
  const std::string accepted = "linear conditions such as 2*e - t >= 5 on " + std::string(kNames) +
                               ", with <=, >=, =, < or >, joined by and, or";
  const auto joined = parseJoinedLinear(
      text,
      {.size = kStatistics, .read = readStatistic, .listed = kNames, .field = field, .accepted = accepted});
  if (joined.size() > kMaximumConditions)
    throw ConfigError(field, inQuotes(text), "at most " + std::to_string(kMaximumConditions) + " conditions");
  for (const LinearText& linear : joined) {
    if (!fits(linear)) throw ConfigError(field, inQuotes(text), "coefficients below 2^45");
    LinearCondition& condition = conditions.list[conditions.count++];
    std::copy(linear.coefficients.begin(), linear.coefficients.end(), condition.coefficients);
    condition.bound = linear.bound;
    condition.relation = linear.relation;
    condition.alternative = linear.alternative;
  }
  return conditions;
}

}  // namespace slicepool::numerical_semigroups
