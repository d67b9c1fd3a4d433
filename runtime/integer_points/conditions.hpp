// Conditions on a point in words, such as "x1 - 2*x3 >= 5 and x2 <= 7", and their logic. Called by
// request_check.cpp and problem_factory.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace slicepool::integer_points {

/// sum of coefficients * x  <relation>  bound, with -1: <=, 0: =, 1: >=.
struct Condition {
  std::vector<std::int64_t> coefficients;
  int relation = 0;
  std::int64_t bound = 0;
};

/// Groups joined by "or", of conditions joined by "and". One group without conditions is always true.
using Alternatives = std::vector<std::vector<Condition>>;

/// An empty text is always true. Throws ConfigError for `field`.
[[nodiscard]] Alternatives parseAlternatives(const std::string& text, std::size_t columns,
                                             const std::string& field);
/// What fails `conditions`.
[[nodiscard]] Alternatives negationOf(const Alternatives& conditions, const std::string& field);
/// What satisfies both. Throws ConfigError for `field` where that takes more than kMaximumConditions.
[[nodiscard]] Alternatives bothOf(const Alternatives& a, const Alternatives& b, const std::string& field);

}  // namespace slicepool::integer_points
