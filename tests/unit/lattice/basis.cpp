// Bases as exact integers: text in and out, where errors are, and linear dependence.
#include <doctest/doctest.h>

#include <random>
#include <string>

#include "runtime/lattice/integer_basis.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/lattice/types.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

namespace {

using slicepool::ConfigError;
using slicepool::lattice::basisText;
using slicepool::lattice::firstDependentRow;
using slicepool::lattice::Integer;
using slicepool::lattice::IntegerBasis;
using slicepool::lattice::kMaximumDimension;
using slicepool::lattice::leastSquaredNorm;
using slicepool::lattice::parseBasis;
using slicepool::lattice::readBasis;
using slicepool::test::contains;

std::string refusal(const std::string& text) {
  try {
    (void)parseBasis(text, "B");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

IntegerBasis randomBasis(std::mt19937_64& random, int rows, int columns, int bits) {
  IntegerBasis basis{rows, columns, {}};
  for (int i = 0; i < rows * columns; ++i) {
    Integer value = 0;
    for (int b = 0; b < bits; b += 32) value = (value << 32) + static_cast<std::uint32_t>(random());
    basis.entries.push_back(random() % 2 == 0 ? value : Integer(-value));
  }
  return basis;
}

}  // namespace

TEST_CASE("a matrix is read with any white space, signs and leading zeros") {
  const IntegerBasis basis = parseBasis(" [[1 -2\t3]\r\n[ -04 0 006 ][7 8 -0]\n]\n\n", "B");
  CHECK(basis.dimension == 3);
  CHECK(basis.columns == 3);
  CHECK(basis.entries == std::vector<Integer>{1, -2, 3, -4, 0, 6, 7, 8, 0});
}

TEST_CASE("rows without brackets around them are read, as fpylll prints a matrix") {
  CHECK(parseBasis("[ 1 2 ]\n[ 3 5 ]", "B") == parseBasis("[[1 2] [3 5]]", "B"));
  CHECK(parseBasis("\n [ -1 2 ][3 5]\n\n", "B") == parseBasis("[[-1 2] [3 5]]", "B"));
  CHECK(parseBasis("[7]", "B").entries == std::vector<Integer>{7});
  CHECK(contains(refusal("[1 2]\n[3 5]]"),
                 "line 2, column 6: got \"]\"; accepted: [ of the next row, or nothing more"));
  CHECK(contains(refusal("[1 2]\n3 5"),
                 "line 2, column 1: got \"3\"; accepted: [ of the next row, or nothing more"));
  CHECK(contains(refusal("[1 2]\n[3 5"), "got the end of the text; accepted: integers"));
  CHECK(contains(refusal("[1 2]\n[3 [5]]"), "line 2, column 4: got \"[5\"; accepted: integers"));
  CHECK(contains(refusal("[1 2]\n[]"), "line 2, column 1: got row 2 with 0 numbers"));
}

TEST_CASE("a zero byte does not cut the message") {
  CHECK(refusal(std::string("[[1 2]\n[3 \0004]]", 14)) ==
        "B: line 2, column 4: got \"\\x004\"; accepted: integers separated by white space or commas, and ] "
        "at the end of a row");
}

TEST_CASE("commas may stand between integers and between rows, as in lists of JSON and Python") {
  const IntegerBasis rows = parseBasis("[[1 -2] [3 5]]", "B");
  for (const char* text :
       {"[[1, -2], [3, 5]]", "[[1,-2],[3,5]]", "[[1 ,-2] ,\n[3, 5]\n]", "[1, -2],\n[3, 5]"})
    CHECK(parseBasis(text, "B") == rows);
  CHECK(contains(refusal("[[1, -2,], [3, 5]]"), "column 9: got \"],\"; accepted: the next integer"));
  CHECK(contains(refusal("[[1,, -2], [3, 5]]"), "column 5: got \",\"; accepted: integers"));
  CHECK(contains(refusal("[[, 1]]"), "column 3: got \",\"; accepted: integers"));
  CHECK(contains(refusal("[[1, -2], [3, 5],]"), "column 18: got \"]\"; accepted: [ of the next row"));
  CHECK(contains(refusal("[[1, -2],, [3, 5]]"), "column 10: got \",\"; accepted: [ of the next row"));
  CHECK(contains(refusal("[1, -2], "), "column 10: got the end of the text; accepted: [ of the next row"));
}

TEST_CASE("entries are of 20000 digits at most, and depth is no matter of the stack") {
  const std::string digits(20000, '7');
  CHECK(parseBasis("[[" + digits + "]]", "B").entries[0].str() == digits);
  CHECK(contains(refusal("[[1] [-" + digits + "7]]"),
                 "line 1, column 7: got an integer of 20001 digits; accepted: at most 20000 digits"));
  CHECK(contains(refusal(std::string(1'000'000, '[')), "column 3: got \"[\""));
}

TEST_CASE("integers of a thousand bits are read exactly and written as they were") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20; ++i) {
    const IntegerBasis basis = randomBasis(random, 1 + i % 4, 3 + i % 3, 1000);
    CHECK(parseBasis(basisText(basis), "B") == basis);
  }
}

TEST_CASE("a syntax error names line, column, what stands there and what is accepted") {
  CHECK(contains(refusal("[[1 2]\n[3 x4]]"), "B: line 2, column 4: got \"x4\"; accepted: integers"));
  CHECK(contains(refusal("[[1 2]\n[3 4.5]]"), "line 2, column 4: got \"4.5\""));
  CHECK(contains(refusal("[[1 2]\n[3; 4]]"), "line 2, column 2: got \"3;\""));
  CHECK(contains(refusal("[[1 -]]"), "line 1, column 5: got \"-\""));
  CHECK(contains(refusal("1 2"), "line 1, column 1: got \"1\"; accepted: ["));
  CHECK(contains(refusal("[[1 2]\n[3 4]"),
                 "line 2, column 6: got the end of the text; accepted: [ of the next row"));
  CHECK(contains(refusal("[[1 2"), "got the end of the text"));
  CHECK(contains(refusal("[[1 2]] x"), "line 1, column 9: got \"x\"; accepted: nothing after the matrix"));
  CHECK(contains(refusal(""), "line 1, column 1: got the end of the text"));
  CHECK(contains(refusal("[]"), "a matrix without rows"));
  CHECK(contains(refusal("[[]]"), "a row without numbers"));
}

TEST_CASE("rows of different lengths are refused where the odd one begins") {
  CHECK(contains(refusal("[[1 2]\n [3 4 5]]"),
                 "line 2, column 2: got row 2 with 3 numbers; accepted: 2 numbers"));
}

TEST_CASE("more rows than can be searched are refused, as many are not") {
  std::string text = "[";
  for (int i = 0; i < kMaximumDimension; ++i) text += "[1]\n";
  CHECK(parseBasis(text + "]", "B").dimension == kMaximumDimension);
  CHECK(contains(refusal(text + "[1]]"), "line 161, column 1: got one more row; accepted: 1 to 160 rows"));
}

TEST_CASE("a file that cannot be read is an error of the basis") {
  CHECK_THROWS_WITH_AS(
      readBasis("/nowhere/basis.txt"),
      "basis: got \"/nowhere/basis.txt\" (No such file or directory); accepted: a file that can be "
      "read, of at most 1 GiB",
      ConfigError);
  CHECK_THROWS_WITH_AS(readBasis("/"), doctest::Contains("basis: got \"/\" (a folder)"), ConfigError);
}

TEST_CASE("the first dependent row is found, and rows that are independent are not") {
  std::mt19937_64 random(11);
  for (int i = 0; i < 30; ++i) {
    const int rows = 2 + i % 6;
    IntegerBasis basis = randomBasis(random, rows, rows + i % 3, i % 2 == 0 ? 32 : 300);
    CHECK(firstDependentRow(basis) == -1);
    // A row becomes a combination of two before it (or a multiple of the first).
    const int dependent = 1 + static_cast<int>(random() % static_cast<unsigned>(rows - 1));
    const int other = dependent - 1;
    for (int j = 0; j < basis.columns; ++j)
      basis.entries[static_cast<std::size_t>(dependent * basis.columns + j)] =
          3 * basis.at(0, j) - 5 * basis.at(other, j);
    CHECK(firstDependentRow(basis) == dependent);
  }
}

TEST_CASE("rows that only look dependent modulo the primes of the check are independent") {
  // The second row is a multiple of both primes, 2^61 - 1 and 2305843009213693921.
  const Integer primes = ((Integer(1) << 61) - 1) * Integer("2305843009213693921");
  IntegerBasis basis{2, 2, {1, 0, 0, primes}};
  CHECK(firstDependentRow(basis) == -1);
  basis.entries = {1, primes, primes, primes * primes};
  CHECK(firstDependentRow(basis) == 1);
}

TEST_CASE("more rows than columns depend, a zero row too") {
  CHECK(firstDependentRow(parseBasis("[[1 0][0 1][5 7]]", "B")) == 2);
  CHECK(firstDependentRow(parseBasis("[[0 0][0 1]]", "B")) == 0);
  CHECK_THROWS_WITH_AS(
      slicepool::lattice::requireIndependent(parseBasis("[[1 2][2 4]]", "B"), "B"),
      "B: got row 2 that is a combination of the rows before it (2 rows, 2 columns); accepted: "
      "linearly independent rows",
      ConfigError);
}

TEST_CASE("the least squared norm of a row is exact") {
  CHECK(leastSquaredNorm(parseBasis("[[3 4][100000000000000000000 0]]", "B")) == 25);
  CHECK(leastSquaredNorm(parseBasis("[[100000000000000000000 1]]", "B")) ==
        Integer("10000000000000000000000000000000000000001"));
}
