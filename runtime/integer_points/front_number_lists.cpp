// See front_number_lists.hpp.
#include "runtime/integer_points/front_number_lists.hpp"

#include <charconv>
#include <string_view>

#include "slicepool/core/error.hpp"

namespace slicepool::config {
namespace {

constexpr const char* kInteger = "an integer of 64 bits";

std::vector<std::string> partsOf(const std::string& text, char between) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find(between, begin);
    std::string part = text.substr(begin, end == std::string::npos ? end : end - begin);
    const std::size_t first = part.find_first_not_of(" \n\t");
    const std::size_t last = part.find_last_not_of(" \n\t");
    parts.push_back(first == std::string::npos ? std::string{} : part.substr(first, last - first + 1));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

/// The entries of a list: of JSON, of a text, or the value itself.
std::vector<Json> entriesOf(const Json& value, char between) {
  std::vector<Json> entries;
  if (value.is_array())
    entries.assign(value.begin(), value.end());
  else if (value.is_string() && !isKeptNumber(value))
    for (const std::string& part : partsOf(value.get<std::string>(), between)) entries.emplace_back(part);
  else
    entries.push_back(value);
  return entries;
}

}  // namespace

std::int64_t requireSigned(const Json& value, const std::string& field) {
  if (value.is_number_integer() && !value.is_number_unsigned()) return value.get<std::int64_t>();
  if (value.is_number_unsigned() || value.is_string() || isKeptNumber(value)) {
    std::string text = decimalText(value);
    if (text.starts_with('+')) text.erase(0, 1);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc{} && end == text.data() + text.size() && !text.empty()) return number;
  }
  throw ConfigError(field, describeValue(value), kInteger);
}

std::vector<std::int64_t> integersOf(const Json& value, const std::string& field) {
  std::vector<std::int64_t> integers;
  for (const Json& entry : entriesOf(value, ',')) integers.push_back(requireSigned(entry, field));
  return integers;
}

std::vector<std::optional<std::int64_t>> boundsOf(const Json& value, const std::string& field) {
  std::vector<std::optional<std::int64_t>> bounds;
  for (const Json& entry : entriesOf(value, ',')) {
    const bool isNone = entry.is_null() || (entry.is_string() && entry.get<std::string>() == "none");
    bounds.push_back(isNone ? std::nullopt : std::optional(requireSigned(entry, field)));
  }
  return bounds;
}

std::vector<std::vector<std::int64_t>> vectorsOf(const Json& value, const std::string& field) {
  std::vector<std::vector<std::int64_t>> vectors;
  for (const Json& entry : entriesOf(value, ';')) vectors.push_back(integersOf(entry, field));
  return vectors;
}

}  // namespace slicepool::config
