// See domain.hpp.
#include "runtime/app/config/domain.hpp"

#include <utility>

namespace slicepool::config::domain {
namespace {

Json described(const std::string& description, const char* type) {
  Json node = Json::object();
  node["description"] = description;
  node["type"] = type;
  return node;
}

Json plainInteger(std::int64_t low) {
  Json node = Json::object();
  node["type"] = "integer";
  node["minimum"] = low;
  return node;
}

Json digitText() {
  Json node = Json::object();
  node["type"] = "string";
  node["pattern"] = "^[0-9]+$";
  return node;
}

}  // namespace

std::string alternativesText(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

Json words(const std::vector<std::string>& accepted, const std::string& description) {
  Json node = described(description.empty() ? alternativesText(accepted) : description, "string");
  node["enum"] = accepted;
  return node;
}

Json trueOrFalse(const std::string& description) { return described(description, "boolean"); }

Json text(const std::string& description) {
  Json node = described(description, "string");
  node["minLength"] = 1;
  return node;
}

Json textLike(const std::string& description, const std::string& pattern) {
  Json node = described(description, "string");
  node["pattern"] = pattern;
  return node;
}

Json integer(const std::string& description, std::int64_t low) {
  Json node = described(description, "integer");
  node["minimum"] = low;
  return node;
}

Json integer(const std::string& description, std::int64_t low, std::int64_t high) {
  Json node = integer(description, low);
  node["maximum"] = high;
  return node;
}

Json digits(const std::string& description, std::int64_t low) {
  return oneOf(description, {plainInteger(low), digitText()});
}

Json digits(const std::string& description, std::int64_t low, std::int64_t high) {
  Json bounded = plainInteger(low);
  bounded["maximum"] = high;
  return oneOf(description, {bounded, digitText()});
}

Json number(const std::string& description, double low) {
  Json node = described(description, "number");
  // A whole bound is written as one.
  const auto whole = static_cast<std::int64_t>(low);
  node["minimum"] = static_cast<double>(whole) == low ? Json(whole) : Json(low);
  return node;
}

Json numberAbove(const std::string& description, double bound) {
  Json node = number(description, bound);
  node["exclusiveMinimum"] = node["minimum"];
  node.erase("minimum");
  return node;
}

Json size() {
  Json unit = Json::object();
  unit["type"] = "string";
  unit["pattern"] = "^[0-9]+([.][0-9]+)?([KMGT]i?B?|B)?$";
  return oneOf("a size such as 500MB or 4GiB, or a number of bytes", {plainInteger(1), unit});
}

Json fileName() { return text("a file name"); }

Json list(const std::string& description, Json items) {
  Json node = described(description, "array");
  node["items"] = std::move(items);
  return node;
}

Json list(const std::string& description, Json items, std::size_t fewest, std::size_t most) {
  Json node = list(description, std::move(items));
  node["minItems"] = fewest;
  node["maxItems"] = most;
  return node;
}

Json oneOf(const std::string& description, std::vector<Json> alternatives) {
  Json node = Json::object();
  node["description"] = description;
  node["anyOf"] = Json::array();
  for (auto& alternative : alternatives) node["anyOf"].push_back(std::move(alternative));
  return node;
}

}  // namespace slicepool::config::domain
