// See exact_json.hpp.
#include "runtime/core/exact_json.hpp"

#include <charconv>

#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

using Json = nlohmann::ordered_json;

/// The number that the whole text is.
std::optional<std::uint64_t> parseDigits(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Json exactNumber(std::uint64_t value) {
  constexpr std::uint64_t kLargestExactDouble = std::uint64_t{1} << 53;
  return value <= kLargestExactDouble ? Json(value) : Json(std::to_string(value));
}

Json exactNumber(const std::string& decimal) {
  const auto value = parseDigits(decimal);
  return value ? exactNumber(*value) : Json(decimal);
}

std::optional<std::uint64_t> exactUnsigned(const Json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  // What a program has put into a document is signed even where it is not negative.
  if (value.is_number_integer() && value.get<std::int64_t>() >= 0) return value.get<std::uint64_t>();
  return value.is_string() ? parseDigits(value.get<std::string>()) : std::nullopt;
}

std::uint64_t countFromJson(const Json& value) {
  const auto number = exactUnsigned(value);
  if (!number) throw Error("not a count: " + value.dump());
  return *number;
}

}  // namespace slicepool
