// See conditions.hpp.
#include "runtime/integer_points/conditions.hpp"

#include <limits>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "runtime/io/digits.hpp"
#include "runtime/io/linear_text.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/integer_points/steps/search_plan.hpp"

namespace slicepool::integer_points {
namespace {

/// x1 .. xn, or sum: all of them.
LinearName readColumn(std::string_view text, std::size_t columns) {
  constexpr std::string_view kSum = "sum";
  LinearName name;
  if (text.starts_with(kSum)) {
    name.length = kSum.size();
    name.members.resize(columns);
    std::iota(name.members.begin(), name.members.end(), std::size_t{0});
    return name;
  }
  if (!text.starts_with('x')) return name;
  std::size_t end = 1;
  std::uint64_t index = 0;
  for (; end < text.size() && isDigit(text[end]); ++end)
    if (index <= columns) index = index * 10 + static_cast<std::uint64_t>(text[end] - '0');
  name.errorAt = 1;
  if (end == 1)
    name.error = "expected the number of a column after 'x'";
  else if (index < 1 || index > columns)
    name.error = fmt::format("columns are x1 .. x{}", columns);
  name.length = end;
  name.members = {static_cast<std::size_t>(index - 1)};
  return name;
}

void requireFew(const Alternatives& conditions, const std::string& field) {
  std::size_t count = 0;
  for (const auto& group : conditions) count += group.size();
  if (conditions.size() > 1 && count > kMaximumConditions)
    throw ConfigError(field, fmt::format("{} conditions in {} alternatives", count, conditions.size()),
                      fmt::format("at most {} conditions with \"or\"", kMaximumConditions));
}

std::vector<Condition> failuresOf(const Condition& condition, const std::string& field) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  if (condition.bound == kMost || condition.bound == -kMost - 1)
    throw ConfigError(field, std::to_string(condition.bound), "numbers within 63 bits");
  const Condition above{condition.coefficients, 1, condition.bound + 1};
  const Condition below{condition.coefficients, -1, condition.bound - 1};
  if (condition.relation < 0) return {above};
  if (condition.relation > 0) return {below};
  return {below, above};
}

}  // namespace

Alternatives parseAlternatives(const std::string& text, std::size_t columns, const std::string& field) {
  Alternatives alternatives(1);
  if (text.empty()) return alternatives;
  const std::string listed = fmt::format("x1 .. x{} or 'sum'", columns);
  const auto joined = parseJoinedLinear(
      text,
      {.size = columns,
       .read = [columns](std::string_view rest) { return readColumn(rest, columns); },
       .listed = listed,
       .field = field,
       .accepted = fmt::format("linear conditions such as x1 - 2*x2 >= 5 over x1 .. x{} and sum, with <=, "
                               ">=, =, < or >, joined by and, or",
                               columns)});
  for (const LinearText& linear : joined) {
    if (linear.alternative) alternatives.emplace_back();
    alternatives.back().push_back({linear.coefficients, linear.relation, linear.bound});
  }
  requireFew(alternatives, field);
  return alternatives;
}

Alternatives negationOf(const Alternatives& conditions, const std::string& field) {
  Alternatives result(1);
  for (const auto& group : conditions) {
    Alternatives failures;
    for (const Condition& condition : group)
      for (Condition& failure : failuresOf(condition, field)) failures.push_back({std::move(failure)});
    result = bothOf(result, failures, field);
  }
  return result;
}

Alternatives bothOf(const Alternatives& a, const Alternatives& b, const std::string& field) {
  Alternatives result;
  for (const auto& one : a) {
    for (const auto& other : b) {
      result.push_back(one);
      result.back().insert(result.back().end(), other.begin(), other.end());
      requireFew(result, field);
    }
  }
  return result;
}

}  // namespace slicepool::integer_points
