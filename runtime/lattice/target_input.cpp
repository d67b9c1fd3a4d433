// See target_input.hpp.
#include "runtime/lattice/target_input.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "runtime/io/digits.hpp"
#include "runtime/io/shown.hpp"
#include "runtime/io/text_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::lattice {
namespace {

constexpr std::size_t kMaximumNumbers = 1U << 20;
constexpr std::size_t kMaximumNumberDigits = 2000;
constexpr int kMaximumTargetPower = 300;  ///< of ten
constexpr const char* kAccepted =
    "an integer, a decimal or a fraction such as 3, -0.25, 1e2 or 1/3, of at most 2000 digits and with "
    "powers of ten from -300 to 300";

using Fraction = std::pair<Integer, Integer>;

bool isDigits(std::string_view text) {
  return !text.empty() && text.size() <= kMaximumNumberDigits &&
         std::all_of(text.begin(), text.end(), isDigit);
}

/// A leading zero would mean octal to the parser of the library.
Integer integerOf(std::string_view digits) {
  const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  return Integer(std::string(digits.substr(first)));
}

Integer powerOfTen(int exponent) { return pow(Integer(10), static_cast<unsigned>(exponent)); }

/// "1e-3" after the point or without one. False: none.
bool takeDecimal(std::string_view text, Fraction& value) {
  int power = 0;
  const std::size_t e = text.find_first_of("eE");
  if (e != std::string_view::npos) {
    std::string_view exponent = text.substr(e + 1);
    const bool negative = exponent.starts_with('-');
    if (negative || exponent.starts_with('+')) exponent.remove_prefix(1);
    if (!isDigits(exponent) || exponent.size() > 3) return false;
    power = std::stoi(std::string(exponent));
    if (power > kMaximumTargetPower) return false;
    if (negative) power = -power;
    text = text.substr(0, e);
  }
  const std::size_t point = text.find('.');
  std::string digits(text.substr(0, point));
  if (!isDigits(digits)) return false;
  if (point != std::string_view::npos) {
    const std::string_view behind = text.substr(point + 1);
    if (!isDigits(behind)) return false;
    digits += behind;
    power -= static_cast<int>(behind.size());
  }
  value = {integerOf(digits) * powerOfTen(std::max(power, 0)), powerOfTen(std::max(-power, 0))};
  return true;
}

bool takeNumber(std::string_view text, Fraction& value) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    if (!isDigits(text.substr(0, slash)) || !isDigits(text.substr(slash + 1))) return false;
    value = {integerOf(text.substr(0, slash)), integerOf(text.substr(slash + 1))};
    if (value.second == 0) return false;
  } else if (!takeDecimal(text, value)) {
    return false;
  }
  if (negative) value.first = -value.first;
  return true;
}

bool separates(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ','; }

/// What stands between the brackets, of which there are one or two pairs.
std::string_view inner(std::string_view text, const std::string& name) {
  const auto trim = [&] {
    while (!text.empty() && separates(text.front())) text.remove_prefix(1);
    while (!text.empty() && separates(text.back())) text.remove_suffix(1);
  };
  trim();
  for (int pairs = 0; pairs < 2 && text.starts_with('['); ++pairs) {
    if (text.size() < 2 || !text.ends_with(']'))
      throw ConfigError(name, "no ] at the end", "one vector such as [1/2 -0.25 3]");
    text = text.substr(1, text.size() - 2);
    trim();
  }
  if (text.find_first_of("[]") != std::string_view::npos)
    throw ConfigError(name, "more than one row", "one vector such as [1/2 -0.25 3]");
  return text;
}

}  // namespace

Target parseTarget(std::string_view text, const std::string& name) {
  text = inner(text, name);
  std::vector<Fraction> values;
  Target target;
  while (!text.empty()) {
    if (separates(text.front())) {
      text.remove_prefix(1);
      continue;
    }
    const auto end = std::find_if(text.begin(), text.end(), separates);
    const std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    Fraction value;
    if (values.size() == kMaximumNumbers || !takeNumber(word, value))
      throw ConfigError(fmt::format("{}: number {}", name, values.size() + 1), inQuotes(word), kAccepted);
    const Integer common = gcd(value.first, value.second);
    value.first /= common;
    value.second /= common;
    target.denominator = lcm(target.denominator, value.second);
    values.push_back(std::move(value));
    text.remove_prefix(word.size());
  }
  if (values.empty()) throw ConfigError(name, "no numbers", "one vector such as [1/2 -0.25 3]");
  for (const auto& [numerator, denominator] : values)
    target.numerators.push_back(numerator * (target.denominator / denominator));
  return target;
}

Target readTarget(const std::string& path) {
  constexpr std::uint64_t kMaximumBytes = std::uint64_t{1} << 28;
  return parseTarget(
      readTextFile(path, "target", "a file that can be read, of at most 256 MiB", kMaximumBytes), path);
}

void requireTargetSize(std::size_t numbers, int columns, bool gram, const std::string& name) {
  if (numbers == static_cast<std::size_t>(columns)) return;
  throw ConfigError(
      name, fmt::format("{} numbers", numbers),
      fmt::format("{}, as many as {}", columns, gram ? "the Gram matrix has rows" : "the basis has columns"));
}

std::string fractionText(const Integer& numerator, const Integer& denominator) {
  const Integer common = gcd(numerator, denominator);
  const std::string whole = Integer(numerator / common).str();
  return common == denominator ? whole : whole + "/" + Integer(denominator / common).str();
}

}  // namespace slicepool::lattice
