// See exact_json.hpp.
#include "runtime/io/exact_json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "runtime/io/digits.hpp"

namespace slicepool {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint8_t kKept = 'N';  ///< subtype of the binary values that hold literals

/// The number that the whole text is.
template <class Number>
std::optional<Number> parseWhole(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool isIntegerLiteral(std::string_view literal) {
  return literal.find_first_of(".eE") == std::string_view::npos;
}

/// A decimal as digits without zeros at either end, and the power of ten of its first digit.
struct Decimal {
  std::string digits;
  std::int64_t power = 0;
  friend bool operator==(const Decimal&, const Decimal&) = default;
};

Decimal decimalOf(std::string_view literal) {
  constexpr std::int64_t kBeyond = std::int64_t{1} << 40;  // no literal has so many digits
  Decimal result;
  const std::size_t mark = std::min(literal.find_first_of("eE"), literal.size());
  std::int64_t power = -1;
  bool fraction = false;
  for (const char c : literal.substr(0, mark)) {
    if (c == '.') fraction = true;
    if (!isDigit(c)) continue;
    const bool leading = result.digits.empty() && c == '0';
    if (!leading) result.digits += c;
    if (!fraction && !leading) ++power;
    if (fraction && leading) --power;
  }
  result.digits.erase(result.digits.find_last_not_of('0') + 1);
  if (result.digits.empty()) return {};
  if (mark < literal.size()) {
    std::string_view exponent = literal.substr(mark + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    const auto value = parseWhole<std::int64_t>(exponent);
    const std::int64_t limit = exponent.starts_with('-') ? -kBeyond : kBeyond;
    power += value ? std::clamp(*value, -kBeyond, kBeyond) : limit;
  }
  result.power = power;
  return result;
}

std::string shortestText(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

template <class Change>
Json changed(const Json& document, const Change& change) {
  if (document.is_structured()) {
    Json result = document;
    for (auto& member : result) member = changed(member, change);
    return result;
  }
  return change(document);
}

Json clamped(const Json& value) {
  constexpr auto kMaximum = std::numeric_limits<std::int64_t>::max();
  constexpr auto kMinimum = std::numeric_limits<std::int64_t>::min();
  if (value.is_number_unsigned())
    return value.get<std::uint64_t>() > static_cast<std::uint64_t>(kMaximum) ? Json(kMaximum) : value;
  if (!isKeptNumber(value)) return value;
  const std::string literal = decimalText(value);
  const bool negative = literal.starts_with('-');
  if (isIntegerLiteral(literal)) return negative ? Json(kMinimum) : Json(kMaximum);
  double number = 0;
  const auto [end, error] = std::from_chars(literal.data(), literal.data() + literal.size(), number);
  if (error == std::errc{}) return number;
  constexpr double kHuge = std::numeric_limits<double>::max();
  constexpr double kTiny = std::numeric_limits<double>::min();
  const double magnitude = decimalOf(literal).power > 0 ? kHuge : kTiny;
  return negative ? -magnitude : magnitude;
}

}  // namespace

Json exactNumber(std::uint64_t value) {
  constexpr std::uint64_t kMaximumExactDouble = std::uint64_t{1} << 53;
  return value <= kMaximumExactDouble ? Json(value) : Json(std::to_string(value));
}

Json exactNumber(const std::string& decimal) {
  const auto value = parseWhole<std::uint64_t>(decimal);
  return value ? exactNumber(*value) : Json(decimal);
}

std::optional<std::uint64_t> exactUnsigned(const Json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  // What a program has put into a document is signed even where it is not negative.
  if (value.is_number_integer() && value.get<std::int64_t>() >= 0) return value.get<std::uint64_t>();
  return value.is_string() ? parseWhole<std::uint64_t>(value.get_ref<const std::string&>()) : std::nullopt;
}

bool isNumberLiteral(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && isDigit(text[at])) ++at;
    return at - begin;
  };
  if (at < text.size() && text[at] == '-') ++at;
  const std::size_t first = at;
  const std::size_t whole = digits();
  if (whole == 0 || (whole > 1 && text[first] == '0')) return false;
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (digits() == 0) return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (digits() == 0) return false;
  }
  return at == text.size();
}

Json numberFromLiteral(std::string_view literal) {
  if (isIntegerLiteral(literal)) {
    if (const auto value = parseWhole<std::uint64_t>(literal)) return *value;
    if (const auto value = parseWhole<std::int64_t>(literal)) return *value;
  } else if (const auto value = parseWhole<double>(literal);
             value && std::isfinite(*value) && decimalOf(shortestText(*value)) == decimalOf(literal)) {
    return *value;
  }
  return Json::binary({literal.begin(), literal.end()}, kKept);
}

bool isKeptNumber(const Json& value) {
  return value.is_binary() && value.get_binary().has_subtype() && value.get_binary().subtype() == kKept;
}

std::string decimalText(const Json& value) {
  if (isKeptNumber(value)) return {value.get_binary().begin(), value.get_binary().end()};
  if (value.is_number_float()) return shortestText(value.get<double>());
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Json keptNumbersAsStrings(const Json& document) {
  return changed(
      document, [](const Json& v) { return isKeptNumber(v) ? Json(decimalText(v)) : v; });
}

Json keptNumbersClamped(const Json& document) { return changed(document, clamped); }

}  // namespace slicepool
