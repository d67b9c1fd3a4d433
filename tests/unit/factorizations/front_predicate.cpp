// The parser of linear predicates: what it accepts, what it means, and where it says an error is.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/enumeration.hpp"
#include "support/text.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;
using slicepool::test::contains;

namespace {

void checkParsed(const std::string& text, std::vector<std::int64_t> coefficients, Relation relation,
                 std::int64_t bound) {
  CAPTURE(text);
  const LinearPredicate predicate = parsePredicate(text, coefficients.size());
  CHECK(predicate.coefficients == coefficients);
  CHECK(predicate.relation == relation);
  CHECK(predicate.bound == bound);
}

std::string errorOf(const std::string& text, std::size_t dimension = 3) {
  try {
    (void)parsePredicate(text, dimension);
  } catch (const ConfigError& error) {
    CHECK(error.field() == "sink");
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("every relation and every spelling of a term is understood") {
  checkParsed("a1 <= 4", {1, 0, 0}, Relation::lessEqual, 4);
  checkParsed("2*a1 - a3 >= 5", {2, 0, -1}, Relation::greaterEqual, 5);
  checkParsed("2a1+3 a2==7", {2, 3, 0}, Relation::equal, 7);
  checkParsed("  - a2 = -3 ", {0, -1, 0}, Relation::equal, -3);
  checkParsed("length >= 10", {1, 1, 1}, Relation::greaterEqual, 10);
  checkParsed("3*length - 2*a2 <= 0", {3, 1, 3}, Relation::lessEqual, 0);
}

TEST_CASE("strict relations become weak ones over the integers") {
  checkParsed("a1 < 4", {1, 0}, Relation::lessEqual, 3);
  checkParsed("a1 > 4", {1, 0}, Relation::greaterEqual, 5);
  checkParsed("4 < a1", {-1, 0}, Relation::lessEqual, -5);
}

TEST_CASE("terms and constants move across the relation") {
  checkParsed("a1 + 2 >= a2 - 3", {1, -1}, Relation::greaterEqual, -5);
  checkParsed("a1 - a1 >= 0", {0, 0}, Relation::greaterEqual, 0);
}

TEST_CASE("errors name the character and what was expected there") {
  CHECK(contains(errorOf("a1 2 >= 3"), "at character 4: expected one of <="));
  CHECK(contains(errorOf("a4 >= 3"), "at character 2: coordinates are a1 .. a3"));
  CHECK(contains(errorOf("a0 >= 3"), "at character 2"));
  CHECK(contains(errorOf("b1 >= 3"), "at character 1: expected a term"));
  CHECK(contains(errorOf("a1 >="), "at character 6: expected a term"));
  CHECK(contains(errorOf(""), "at character 1: expected a term"));
  CHECK(contains(errorOf("2* >= 3"), "at character 4: expected a1 .. a3 or 'length'"));
  CHECK(contains(errorOf("a >= 3"), "expected the index"));
  CHECK(contains(errorOf("a1 >= 3 x"), "at character 9"));
  CHECK(contains(errorOf("a1 >= 99999999999999999999"), "at character 7: integers go up to 2^63-1"));
  CHECK(contains(errorOf("9223372036854775807*a1 + a1 >= 0"), "does not fit 64 bits"));
  CHECK(contains(errorOf("a1 > 9223372036854775807"), "does not fit 64 bits"));
}
