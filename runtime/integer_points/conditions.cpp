// See conditions.hpp.
#include "runtime/integer_points/conditions.hpp"

#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "runtime/io/linear_text.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/integer_points/steps/search_plan.hpp"

namespace slicepool::integer_points {
namespace {

void requireFew(const Alternatives& conditions, const std::string& field) {
  std::size_t count = 0;
  for (const auto& group : conditions) count += group.size();
  if (conditions.size() > 1 && count > kMaximumConditions)
    throw ConfigError(field, fmt::format("{} conditions in {} alternatives", count, conditions.size()),
                      fmt::format("at most {} conditions with \"or\"", kMaximumConditions));
}

std::vector<Condition> failuresOf(const Condition& condition, const std::string& field) {
  constexpr auto kMaximum = std::numeric_limits<std::int64_t>::max();
  if (condition.bound == kMaximum || condition.bound == -kMaximum - 1)
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
       .read =
           [columns](std::string_view rest) {
             return readIndexedName(rest, {'x', "sum", "the number of a column", "columns", columns});
           },
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
