// The linear predicates ("2*a1 - a3 >= 5") that the sinks any:EXPR and all:EXPR take. Called by the
// command line, by JSON configurations and by library users.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/io/digits.hpp"
#include "runtime/io/linear_text.hpp"
#include "slicepool/factorizations/enumeration.hpp"

namespace slicepool::factorizations {
namespace {

/// a1 .. ad, or length: the sum of all.
LinearName readCoordinate(std::string_view text, std::size_t dimension) {
  constexpr std::string_view kLength = "length";
  LinearName name;
  if (text.starts_with(kLength)) {
    name.length = kLength.size();
    name.members.resize(dimension);
    std::iota(name.members.begin(), name.members.end(), std::size_t{0});
    return name;
  }
  if (!text.starts_with('a')) return name;
  std::size_t end = 1;
  std::uint64_t index = 0;
  for (; end < text.size() && isDigit(text[end]); ++end)
    if (index <= dimension) index = index * 10 + static_cast<std::uint64_t>(text[end] - '0');
  name.errorAt = 1;
  if (end == 1)
    name.error = "expected the index of a coordinate after 'a'";
  else if (index < 1 || index > dimension)
    name.error = "coordinates are a1 .. a" + std::to_string(dimension);
  name.length = end;
  name.members = {static_cast<std::size_t>(index - 1)};
  return name;
}

}  // namespace

LinearPredicate parsePredicate(const std::string& text, std::size_t dimension) {
  const std::string last = "a" + std::to_string(dimension);
  LinearText linear = parseLinear(
      text, {.size = dimension,
             .read = [dimension](std::string_view rest) { return readCoordinate(rest, dimension); },
             .listed = "a1 .. " + last + " or 'length'",
             .field = "sink",
             .accepted = "a linear predicate such as 2*a1 - a3 >= 5 over a1 .. " + last +
                         " and length, with <=, >=, =, < or >"});
  const Relation relation = linear.relation < 0   ? Relation::lessEqual
                            : linear.relation > 0 ? Relation::greaterEqual
                                                  : Relation::equal;
  return {std::move(linear.coefficients), relation, linear.bound};
}

}  // namespace slicepool::factorizations
