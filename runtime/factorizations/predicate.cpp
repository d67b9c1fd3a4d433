// The linear predicates ("2*a1 - a3 >= 5") that the sinks any:EXPR and all:EXPR take. Called by the
// command line, by JSON configurations and by library users.
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/io/linear_text.hpp"
#include "slicepool/factorizations/enumeration.hpp"

namespace slicepool::factorizations {
LinearPredicate parsePredicate(const std::string& text, std::size_t dimension) {
  const std::string last = "a" + std::to_string(dimension);
  LinearText linear = parseLinear(
      text, {.size = dimension,
             .read =
                 [dimension](std::string_view rest) {
                   return readIndexedName(
                       rest, {'a', "length", "the index of a coordinate", "coordinates", dimension});
                 },
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
