// R^2 as text and numbers: every digit is kept, and what is no such number is refused by name.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include <limits>
#include <string>
#include <utility>

#include "runtime/lattice/exact_ratio.hpp"
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

TEST_CASE("a fraction keeps its value, as a decimal where that ends and else in lowest terms") {
  CHECK(SquaredRadius("2/3").text() == "2/3");
  CHECK(SquaredRadius("0010/015").text() == "2/3");
  CHECK(SquaredRadius("12/4").text() == "3");
  CHECK(SquaredRadius("5/4").text() == "1.25");
  CHECK(SquaredRadius("1/1024").text() == "0.0009765625");
  CHECK(SquaredRadius("3000/2").text() == "1500");
  CHECK(SquaredRadius("7/625").text() == "0.0112");
  CHECK(SquaredRadius("5/4") == SquaredRadius("1.25"));
  CHECK(SquaredRadius("20/3").integerPart() == "6");
  CHECK(SquaredRadius("2/3").integerPart() == "0");
  CHECK_FALSE(SquaredRadius("20/3").isInteger());
  CHECK(SquaredRadius("12/4").isInteger());
  CHECK(SquaredRadius("1" + std::string(300, '0') + "/1").text().size() == 301);
  CHECK(SquaredRadius("1/1" + std::string(300, '0')).text().size() == 302);
  for (const auto& [above, below] : {std::pair(2.0, 3.0),
                                     {1.0, 3.0},
                                     {22.0, 7.0},
                                     {9007199254740991.0, 3.0},
                                     {1.0, 9007199254740991.0},
                                     {6.0, 9007199254740991.0}})
    CHECK(SquaredRadius(fmt::format("{:.0f}/{:.0f}", above, below)).rounded() == above / below);
  CHECK(SquaredRadius("1" + std::string(299, '0') + "/3").rounded() ==
        doctest::Approx(1e299 / 3).epsilon(1e-15));
}

TEST_CASE("a ratio of long numbers is itself, whatever its decimals are") {
  using slicepool::lattice::exactRatio;
  using slicepool::lattice::Integer;
  using slicepool::lattice::squaredRadiusOf;
  // 3^4000 / 2^6300 has 6300 decimals.
  const Integer above = pow(Integer(3), 4000);
  const Integer below = pow(Integer(2), 6300);
  const SquaredRadius radius(above.str() + "/" + below.str());
  CHECK(radius.text() == above.str() + "/" + below.str());
  CHECK(SquaredRadius(radius.text()) == radius);
  CHECK(radius.integerPart() == Integer(above / below).str());
  // Of more letters than a text that is given may have.
  const Integer longer = pow(Integer(7), 6000);
  const SquaredRadius made = squaredRadiusOf({longer + 1, longer});
  CHECK(exactRatio(made).numerator == longer + 1);
  CHECK(exactRatio(made).denominator == longer);
  CHECK(made.rounded() == 1);
  CHECK_THROWS_AS((void)squaredRadiusOf({1, pow(Integer(10), 301)}), ConfigError);
  CHECK_THROWS_AS((void)squaredRadiusOf({pow(Integer(10), 301), 1}), ConfigError);
}

TEST_CASE("decimals and fractions are compared exactly") {
  using slicepool::lattice::isAtMost;
  const std::string thirds(60, '3');
  CHECK(isAtMost("0." + thirds, "1/3"));
  CHECK_FALSE(isAtMost("1/3", "0." + thirds));
  CHECK(isAtMost("1/3", "0." + thirds + "4"));
  CHECK(isAtMost("2/6", "1/3"));
  CHECK(isAtMost("0.5", "10"));
  CHECK_FALSE(isAtMost("10", "9.9"));
  CHECK(isAtMost("9.25", "9.5"));
  CHECK_FALSE(isAtMost("9.5", "9.25"));
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
  const std::string accepted =
      "; accepted: a number above 0, from 1e-300 to 1e300, of up to 4096 characters (1234, 1234.5, 2/3 or "
      "1e30)";
  for (const char* number : {"0", "0.0", "-1", "1e500", "1e-500", "1.1e300", "9e999999999999999999999"})
    CHECK(radiusRefusal(number) == "squared_radius: got " + std::string(number) + accepted);
  for (const char* text : {"nan", "inf", "1,5", "0x10", "12 ", " 12", "one"})
    CHECK(radiusRefusal(text) == "squared_radius: got \"" + std::string(text) + "\"" + accepted);
  for (const char* bad : {"1.", ".5", "1e", "1e+", "e5", "1.2.3", "+5", "1e5.5", ".", "1/", "/3", "0/3",
                          "1/0", "1/2/3", "1.5/2", "-1/2", "1/-2", "1e3/7"})
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
