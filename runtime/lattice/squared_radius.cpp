// See slicepool/lattice/squared_radius.hpp.
#include "slicepool/lattice/squared_radius.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "runtime/io/digits.hpp"
#include "runtime/io/shown.hpp"
#include "runtime/lattice/integer_basis.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::lattice {
namespace {

constexpr int kMaximumPower = 300;                    ///< of ten
constexpr std::size_t kMaximumLetters = 4096;         ///< of a text
constexpr double kMaximumExact = 9007199254740992.0;  // 2^53

[[noreturn]] void refuse(std::string_view text) {
  const bool number = text.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
  throw ConfigError("squared_radius", number ? shown(text) : inQuotes(text),
                    "a number above 0, from 1e-300 to 1e300 (1234, 1234.5 or 1e30)");
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

}  // namespace

SquaredRadius::SquaredRadius(double value) {
  if (value == 0) return;
  const std::string text = fmt::format("{}", value);
  if (!(value > 0) || !std::isfinite(value)) refuse(text);
  *this = value >= kMaximumExact ? SquaredRadius(Integer(value).str()) : SquaredRadius(text);
}

SquaredRadius::SquaredRadius(std::string_view text) {
  if (text.empty()) return;
  if (text.size() > kMaximumLetters) refuse(text);
  std::string_view rest = text;
  const Mantissa mantissa = takeMantissa(rest);
  long power = 0;
  if (!takeExponent(rest, power)) refuse(text);
  text_ = written(text, mantissa, power);
}

double SquaredRadius::rounded() const {
  double value = 0;
  (void)std::from_chars(text_.data(), text_.data() + text_.size(), value);
  return value;
}

}  // namespace slicepool::lattice
