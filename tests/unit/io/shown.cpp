#include "runtime/io/shown.hpp"

#include <doctest/doctest.h>

using namespace slicepool;

TEST_CASE("long lists of numbers are shortened") {
  CHECK(numberList({5}) == "5");
  CHECK(numberList({1, 2, 30}) == "1, 2, 30");
  CHECK(numberList({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 others");
}
