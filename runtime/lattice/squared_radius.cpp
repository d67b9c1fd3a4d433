// See slicepool/lattice/squared_radius.hpp and exact_ratio.hpp.
#include "slicepool/lattice/squared_radius.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

#include "runtime/io/digits.hpp"
#include "runtime/io/shown.hpp"
#include "runtime/lattice/exact_ratio.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::lattice {
namespace {

constexpr int kMaximumPower = 300;                    ///< of ten
constexpr std::size_t kMaximumLetters = 4096;         ///< of a text
constexpr double kMaximumExact = 9007199254740992.0;  // 2^53

[[noreturn]] void refuse(std::string_view text) {
  const bool number = text.find_first_not_of("0123456789+-.eE/") == std::string_view::npos;
  throw ConfigError("squared_radius", number ? shown(text) : inQuotes(text), kAcceptedRadius);
}

/// A number without its exponent: digits, of which `whole` stand before the point.
struct Mantissa {
  std::string digits;
  std::size_t whole = 0;
};

/// Takes the mantissa off the front of `rest`.
Mantissa takeMantissa(std::string_view& rest) {
  Mantissa mantissa;
  const auto digits = [&] {
    while (!rest.empty() && isDigit(rest.front())) {
      mantissa.digits += rest.front();
      rest.remove_prefix(1);
    }
  };
  digits();
  mantissa.whole = mantissa.digits.size();
  if (!rest.empty() && rest.front() == '.') {
    rest.remove_prefix(1);
    digits();
    if (mantissa.digits.size() == mantissa.whole) mantissa.digits.clear();  // no digit behind the point
  }
  if (mantissa.whole == 0) mantissa.digits.clear();
  return mantissa;
}

/// The power of ten behind the mantissa; none if it is malformed. Clamped to +-10^6.
bool takeExponent(std::string_view rest, long& power) {
  power = 0;
  if (rest.empty()) return true;
  if (rest.front() != 'e' && rest.front() != 'E') return false;
  rest.remove_prefix(1);
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest.empty() || !std::all_of(rest.begin(), rest.end(), isDigit)) return false;
  constexpr long kBeyond = 1000000;
  for (const char c : rest) power = std::min(kBeyond, 10 * power + (c - '0'));
  if (negative) power = -power;
  return true;
}

/// All digits of mantissa * 10^power. Throws where that is out of range.
std::string written(std::string_view text, const Mantissa& mantissa, long power) {
  const std::size_t first = mantissa.digits.find_first_not_of('0');
  if (mantissa.digits.empty() || first == std::string::npos) refuse(text);
  const std::size_t last = mantissa.digits.find_last_not_of('0');
  const std::string digits = mantissa.digits.substr(first, last + 1 - first);
  const long whole =
      static_cast<long>(mantissa.whole) - static_cast<long>(first) + power;  // digits before the point
  const bool largest = whole == kMaximumPower + 1 && digits == "1";
  if (whole < 1 - kMaximumPower || (whole > kMaximumPower && !largest)) refuse(text);
  if (whole <= 0) return "0." + std::string(static_cast<std::size_t>(-whole), '0') + digits;
  const auto before = static_cast<std::size_t>(whole);
  if (before >= digits.size()) return digits + std::string(before - digits.size(), '0');
  return digits.substr(0, before) + "." + digits.substr(before);
}

/// Takes all factors `prime` out of `number`; how many these were.
std::size_t takeOut(Integer& number, unsigned prime) {
  std::size_t count = 0;
  for (; number % prime == 0; ++count) number /= prime;
  return count;
}

/// Two integers with a slash between them. Throws where that is malformed.
ExactRatio ratioIn(std::string_view text, std::size_t slash) {
  const auto integerOf = [&](std::string_view part) {
    if (part.empty() || !std::all_of(part.begin(), part.end(), isDigit)) refuse(text);
    part.remove_prefix(std::min(part.find_first_not_of('0'), part.size() - 1));  // else it is octal
    return Integer(std::string(part));
  };
  return {integerOf(text.substr(0, slash)), integerOf(text.substr(slash + 1))};
}

/// "2/3" in lowest terms, or a decimal where that ends and is not long. Throws where it is out of range.
std::string writtenRatio(const ExactRatio& ratio) {
  const auto given = [&] { return ratio.numerator.str() + "/" + ratio.denominator.str(); };
  const Integer most = pow(Integer(10), static_cast<unsigned>(kMaximumPower));
  if (ratio.denominator == 0 || ratio.numerator * most < ratio.denominator ||
      ratio.numerator > ratio.denominator * most)
    refuse(given());
  const Integer common = gcd(ratio.numerator, ratio.denominator);
  const Integer numerator = ratio.numerator / common;
  const Integer denominator = ratio.denominator / common;
  Integer rest = denominator;
  const std::size_t twos = takeOut(rest, 2);
  const std::size_t places = std::max(twos, takeOut(rest, 5));
  if (rest != 1 || places > kMaximumLetters) return numerator.str() + "/" + denominator.str();
  Mantissa mantissa;
  mantissa.digits = Integer(numerator * pow(Integer(10), static_cast<unsigned>(places)) / denominator).str();
  mantissa.whole = mantissa.digits.size();
  return written(mantissa.digits, mantissa, -static_cast<long>(places));
}

/// To the nearest double, of a ratio that is neither too large nor too small for one.
double nearestDouble(const ExactRatio& ratio) {
  constexpr int kBits = 62;  // and more than a double has
  const auto bits = [](const Integer& number) { return static_cast<int>(msb(number)); };
  const int shift = kBits - 1 - (bits(ratio.numerator) - bits(ratio.denominator));
  Integer quotient;
  Integer rest;
  const Integer above = shift > 0 ? Integer(ratio.numerator << shift) : ratio.numerator;
  const Integer below = shift < 0 ? Integer(ratio.denominator << -shift) : ratio.denominator;
  divide_qr(above, below, quotient, rest);
  auto whole = quotient.convert_to<std::uint64_t>();
  if (rest != 0) whole |= 1;  // what is left counts where the bits before it are halfway
  return std::ldexp(static_cast<double>(whole), -shift);
}

}  // namespace

SquaredRadius squaredRadiusOf(const ExactRatio& ratio) {
  SquaredRadius made;
  made.text_ = writtenRatio(ratio);
  return made;
}

ExactRatio exactRatio(const SquaredRadius& number) {
  const std::string& text = number.text();
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos) return {Integer(text.substr(0, slash)), Integer(text.substr(slash + 1))};
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string behind = point < text.size() ? text.substr(point + 1) : "";
  std::string digits = text.substr(0, point) + behind;
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  return {Integer(digits), pow(Integer(10), static_cast<unsigned>(behind.size()))};
}

bool isAtMost(const SquaredRadius& a, const SquaredRadius& b) {
  const ExactRatio left = exactRatio(a);
  const ExactRatio right = exactRatio(b);
  return left.numerator * right.denominator <= right.numerator * left.denominator;
}

SquaredRadius::SquaredRadius(double value) {
  if (value == 0) return;
  const std::string text = fmt::format("{}", value);
  if (!(value > 0) || !std::isfinite(value)) refuse(text);
  *this = value >= kMaximumExact ? SquaredRadius(Integer(value).str()) : SquaredRadius(text);
}

SquaredRadius::SquaredRadius(std::string_view text) {
  if (text.empty()) return;
  if (text.size() > kMaximumLetters) refuse(text);
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    const ExactRatio ratio = ratioIn(text, slash);
    try {
      text_ = writtenRatio(ratio);
    } catch (const ConfigError&) {
      refuse(text);  // as it was written
    }
    return;
  }
  std::string_view rest = text;
  const Mantissa mantissa = takeMantissa(rest);
  long power = 0;
  if (!takeExponent(rest, power)) refuse(text);
  text_ = written(text, mantissa, power);
}

std::string SquaredRadius::integerPart() const {
  if (text_.find('/') == std::string::npos) return text_.substr(0, text_.find('.'));
  const ExactRatio ratio = exactRatio(*this);
  return Integer(ratio.numerator / ratio.denominator).str();
}

double SquaredRadius::rounded() const {
  if (text_.find('/') != std::string::npos) return nearestDouble(exactRatio(*this));
  double value = 0;
  (void)std::from_chars(text_.data(), text_.data() + text_.size(), value);
  return value;
}

}  // namespace slicepool::lattice
