// See json.hpp.
#include "runtime/app/config/json.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#define XXH_INLINE_ALL  // the header is all that is linked
#include <xxhash.h>

#include "runtime/io/json_text.hpp"
#include "runtime/io/shown.hpp"
#include "runtime/io/text_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::config {
namespace {

constexpr std::uint64_t kMaximumFileBytes = std::uint64_t{64} << 20;
constexpr std::size_t kMaximumShownLength = 60;

std::string rangeText(std::uint64_t low, std::uint64_t high) {
  constexpr auto kSigned = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  constexpr auto kUnsigned = std::numeric_limits<std::uint64_t>::max();
  return fmt::format("an integer from {} to {}", low,
                     high == kSigned     ? "2^63-1"
                     : high == kUnsigned ? "2^64-1"
                                         : std::to_string(high));
}

double unitFactor(const std::string& unit, bool& known) {
  static const std::vector<std::pair<std::string, double>> kUnits = {
      {"", 1.0},     {"B", 1.0},      {"K", 0x1p10},   {"KiB", 0x1p10}, {"KB", 1e3},
      {"M", 0x1p20}, {"MiB", 0x1p20}, {"MB", 1e6},     {"G", 0x1p30},   {"GiB", 0x1p30},
      {"GB", 1e9},   {"T", 0x1p40},   {"TiB", 0x1p40}, {"TB", 1e12}};
  for (const auto& [name, factor] : kUnits) {
    if (name == unit) {
      known = true;
      return factor;
    }
  }
  known = false;
  return 0;
}

}  // namespace

Json parseJson(const std::string& text, const std::string& sourceName) {
  return parseJsonText(text, sourceName);
}

Json readJsonFile(const std::string& path) {
  return parseJson(readTextFile(path, path, "a readable JSON file of at most 64 MiB", kMaximumFileBytes),
                   path);
}

std::string describeValue(const Json& value) {
  if (isKeptNumber(value)) return shown(decimalText(value));
  if (value.is_number_float()) {
    const auto number = value.get<double>();
    return std::isfinite(number) ? value.dump() : fmt::format("{}", number);  // 60.0, which is no integer
  }
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    const std::string dumped = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    return dumped.size() <= kMaximumShownLength ? dumped : inQuotes(text, kMaximumShownLength);
  }
  return shown(keptNumbersAsStrings(value).dump(-1, ' ', false, Json::error_handler_t::replace),
               kMaximumShownLength);
}

std::string fieldName(const std::string& pointer) {
  if (pointer.empty()) return "configuration";
  std::string name;
  std::istringstream parts(pointer.substr(1));
  for (std::string part; std::getline(parts, part, '/');)
    if (!part.empty() && part.find_first_not_of("0123456789") == std::string::npos)
      name += "[" + part + "]";
    else
      name += (name.empty() ? "" : ".") + part;
  return name;
}

std::uint64_t requireUnsigned(const Json& value, const std::string& field, std::uint64_t low,
                              std::uint64_t high) {
  const auto number = exactUnsigned(value);
  if (!number || *number < low || *number > high)
    throw ConfigError(field, describeValue(value), rangeText(low, high));
  return *number;
}

double requireNumber(const Json& value, const std::string& field, double low, double high) {
  double number = std::numeric_limits<double>::quiet_NaN();
  if (value.is_number()) {
    number = value.get<double>();
  } else if (value.is_string() || isKeptNumber(value)) {
    const auto text = decimalText(value);
    double parsed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
    if (error == std::errc{} && end == text.data() + text.size()) number = parsed;
  }
  if (!(number >= low && number <= high))
    throw ConfigError(field, describeValue(value), fmt::format("a number from {} to {}", low, high));
  return number;
}

bool requireBoolean(const Json& value, const std::string& field) {
  if (!value.is_boolean()) throw ConfigError(field, describeValue(value), "true or false");
  return value.get<bool>();
}

std::string requireString(const Json& value, const std::string& field, const std::string& accepted) {
  if (!value.is_string() || value.get<std::string>().empty())
    throw ConfigError(field, describeValue(value), accepted);
  return value.get<std::string>();
}

std::size_t requireSize(const Json& value, const std::string& field) {
  const std::string accepted = "a size such as 500MB or 4GiB, at least 1 byte";
  if (const auto bytes = exactUnsigned(value); bytes && *bytes > 0) return *bytes;
  if (!value.is_string()) throw ConfigError(field, describeValue(value), accepted);
  const auto text = value.get<std::string>();
  const auto unitBegin = std::min(text.find_first_not_of("0123456789."), text.size());
  double amount = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + unitBegin, amount);
  bool unitKnown = false;
  const double bytes = amount * unitFactor(text.substr(unitBegin), unitKnown);
  if (unitBegin == 0 || error != std::errc{} || end != text.data() + unitBegin || !unitKnown ||
      !(bytes >= 1) || bytes > 0x1p62)
    throw ConfigError(field, describeValue(value), accepted);
  return static_cast<std::size_t>(bytes);
}

std::string canonicalText(const Json& document) {
  return nlohmann::json(keptNumbersAsStrings(document))
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string documentHash(const Json& document) {
  const std::string text = canonicalText(document);
  return fmt::format("{:016x}", static_cast<std::uint64_t>(XXH3_64bits(text.data(), text.size())));
}

}  // namespace slicepool::config
