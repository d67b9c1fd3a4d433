// R^2 as text and numbers: every digit is kept, and what is no such number is refused by name.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include <limits>
#include <string>

#include "slicepool/core/error.hpp"
#include "slicepool/lattice/squared_radius.hpp"

namespace {

using slicepool::ConfigError;
using slicepool::lattice::SquaredRadius;

std::string radiusRefusal(const std::string& text) {
  try {
    (void)SquaredRadius(text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a decimal keeps its value, written without an exponent and without needless zeros") {
  CHECK(SquaredRadius("1234").text() == "1234");
  CHECK(SquaredRadius("01234.500").text() == "1234.5");
  CHECK(SquaredRadius("1e30").text() == "1" + std::string(30, '0'));
  CHECK(SquaredRadius("1.25E+1").text() == "12.5");
  CHECK(SquaredRadius("125e-2").text() == "1.25");
  CHECK(SquaredRadius("0.00125").text() == "0.00125");
  CHECK(SquaredRadius("12.5e-4").text() == "0.00125");
  CHECK(SquaredRadius("1000.0").text() == "1000");
  const std::string large = "123456789012345678901234567890123456789";
  CHECK(SquaredRadius(large).text() == large);
  CHECK(SquaredRadius(large + ".25").text() == large + ".25");
  CHECK(SquaredRadius("1e300").text().size() == 301);
  CHECK(SquaredRadius("1e-300").text().size() == 302);
}

TEST_CASE("the integer part is what norms are compared with") {
  CHECK(SquaredRadius("1234.9").integerPart() == "1234");
  CHECK(SquaredRadius("0.9").integerPart() == "0");
  CHECK(SquaredRadius("7").isInteger());
  CHECK(!SquaredRadius("7.5").isInteger());
  CHECK(SquaredRadius("7.5").rounded() == 7.5);
}

TEST_CASE("numbers of C++ are taken as they are, zero and an empty text as none") {
  CHECK(SquaredRadius(48).text() == "48");
  CHECK(SquaredRadius(std::numeric_limits<std::uint64_t>::max()).text() == "18446744073709551615");
  CHECK(SquaredRadius(48.25).text() == "48.25");
  CHECK(SquaredRadius(0.1).text() == "0.1");
  CHECK(SquaredRadius(1e30).text() == "1000000000000000019884624838656");
  for (const double value : {1e-5, 12648.5, 14388.514804515742, 1e9, 9007199254740993.0, 1e22, 3e299})
    CHECK(SquaredRadius(value).rounded() == value);
  CHECK(!SquaredRadius(0).given());
  CHECK(!SquaredRadius(0.0).given());
  CHECK(!SquaredRadius("").given());
  CHECK(!SquaredRadius().given());
}

TEST_CASE("what is no number above 0, or beyond what is accepted, is refused with its value") {
  const std::string accepted = "; accepted: a number above 0, from 1e-300 to 1e300 (1234, 1234.5 or 1e30)";
  for (const char* number : {"0", "0.0", "-1", "1e500", "1e-500", "1.1e300", "9e999999999999999999999"})
    CHECK(radiusRefusal(number) == "squared_radius: got " + std::string(number) + accepted);
  for (const char* text : {"nan", "inf", "1,5", "0x10", "12 ", " 12", "one"})
    CHECK(radiusRefusal(text) == "squared_radius: got \"" + std::string(text) + "\"" + accepted);
  for (const char* bad : {"1.", ".5", "1e", "1e+", "e5", "1.2.3", "+5", "1e5.5", "."})
    CHECK(radiusRefusal(bad) == "squared_radius: got " + std::string(bad) + accepted);
  const std::string shown =
      fmt::format("{}...{} (600 characters)", std::string(48, '7'), std::string(12, '7'));
  CHECK(radiusRefusal(std::string(600, '7')) == "squared_radius: got " + shown + accepted);
  CHECK(radiusRefusal(std::string("12\0003", 4)) == "squared_radius: got \"12\\x003\"" + accepted);
  CHECK(radiusRefusal(std::string(100001, '0')).find("(100001 characters)") != std::string::npos);
  CHECK_THROWS_WITH_AS(SquaredRadius(-1), doctest::Contains("squared_radius: got -1;"), ConfigError);
  CHECK_THROWS_WITH_AS(SquaredRadius(-0.5), doctest::Contains("squared_radius: got -0.5;"), ConfigError);
  CHECK_THROWS_WITH_AS(SquaredRadius{std::numeric_limits<double>::quiet_NaN()},
                       doctest::Contains("squared_radius: got \"nan\""), ConfigError);
  CHECK_THROWS_WITH_AS(SquaredRadius{std::numeric_limits<double>::infinity()},
                       doctest::Contains("squared_radius: got \"inf\""), ConfigError);
}
