// See sealed_json.hpp.
#include "runtime/io/sealed_json.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/io/exact_json.hpp"
#include "runtime/io/file_hash.hpp"
#include "runtime/io/json_text.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kDigits = 16;

/// What stands around the digits.
struct Seal {
  std::string_view before;
  std::string_view after;
  [[nodiscard]] std::size_t size() const { return before.size() + kDigits + after.size(); }
};
constexpr Seal kLineSeal = {",\n \"xxh3\": \"", "\"\n}\n"};
constexpr Seal kInlineSeal = {",\"xxh3\":\"", "\"}"};

bool endsWith(std::string_view text, const Seal& seal) {
  if (text.size() < seal.size() || !text.ends_with(seal.after)) return false;
  text.remove_prefix(text.size() - seal.size());
  return text.starts_with(seal.before);
}

std::string sealText(std::string_view content, const Seal& seal) {
  return std::string(seal.before) + hashDigits(content) + std::string(seal.after);
}

std::string shortened(const Json& value) {
  constexpr std::size_t kMaximumLength = 60;
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kMaximumLength) text = text.substr(0, kMaximumLength - 3) + "...";
  return text;
}

}  // namespace

std::string sealJson(std::string object) {
  while (object.ends_with('\n')) object.pop_back();
  object.pop_back();  // the brace
  const bool lines = object.ends_with('\n');
  if (lines) object.pop_back();
  return object + sealText(object, lines ? kLineSeal : kInlineSeal);
}

bool isSealed(std::string_view text) { return endsWith(text, kLineSeal) || endsWith(text, kInlineSeal); }

Json openSealed(std::string_view text) {
  for (const Seal& seal : {kLineSeal, kInlineSeal}) {
    if (!endsWith(text, seal)) continue;
    const std::string_view content = text.substr(0, text.size() - seal.size());
    if (text.substr(content.size()) != sealText(content, seal))
      throw Error("its content does not match its hash (changed or damaged)");
    return parseJsonText(std::string(content) + "}", "content", Fractions::nearest);
  }
  throw Error("it does not end with the hash of its content (changed, cut off or damaged)");
}

StrictObject::StrictObject(const Json& json, std::string name) : json_(json), name_(std::move(name)) {
  if (!json_.is_object()) throw Error((name_.empty() ? "the document" : name_) + " is not a JSON object");
}

void StrictObject::refuse(const std::string& key, const std::string& expected) const {
  const std::string place = name_.empty() ? key : name_ + "." + key;
  throw Error(place + " is " + shortened(json_.at(key)) + ", expected " + expected);
}

const Json& StrictObject::member(const std::string& key) {
  if (!json_.contains(key)) throw Error((name_.empty() ? key : name_ + "." + key) + " is missing");
  read_.push_back(key);
  return json_.at(key);
}

const nlohmann::ordered_json& StrictObject::object(const std::string& key) {
  const nlohmann::ordered_json& value = member(key);
  if (!value.is_object()) throw Error(key + " is not an object");
  return value;
}

std::uint64_t StrictObject::count(const std::string& key, std::uint64_t low, std::uint64_t high) {
  const Json& value = member(key);
  const auto number = exactUnsigned(value);
  // A string only where a number would not do, and without leading zeros.
  const bool canonical = number && (value.is_number() || value == exactNumber(*number));
  if (!canonical || *number < low || *number > high)
    refuse(key, "an integer from " + std::to_string(low) + " to " + std::to_string(high));
  return *number;
}

void StrictObject::requireFormat(const std::string& format, std::uint64_t version) {
  if (const std::string found = text("format"); found != format)
    throw Error("its format is \"" + found + "\"");
  (void)count("version", version, version);
}

std::string StrictObject::text(const std::string& key) {
  const Json& value = member(key);
  if (!value.is_string()) refuse(key, "a text");
  return value.get<std::string>();
}

bool StrictObject::flag(const std::string& key) {
  const Json& value = member(key);
  if (!value.is_boolean()) refuse(key, "true or false");
  return value.get<bool>();
}

double StrictObject::number(const std::string& key) {
  const Json& value = member(key);
  const double number = value.is_number() ? value.get<double>() : -1;
  if (!std::isfinite(number) || number < 0) refuse(key, "a number from 0");
  return number;
}

std::vector<std::uint64_t> StrictObject::counts(const std::string& key) {
  const Json& list = member(key);
  if (!list.is_array()) refuse(key, "a list of integers");
  std::vector<std::uint64_t> numbers;
  for (const auto& value : list) {
    const auto number = exactUnsigned(value);
    if (!number) refuse(key, "a list of integers from 0 to 2^64-1");
    numbers.push_back(*number);
  }
  return numbers;
}

std::string StrictObject::hash(const std::string& key) {
  std::string digits = text(key);
  if (digits.size() != kDigits || digits.find_first_not_of("0123456789abcdef") != std::string::npos)
    refuse(key, "16 hexadecimal digits");
  return digits;
}

void StrictObject::done() const {
  for (const auto& [key, value] : json_.items())
    if (std::find(read_.begin(), read_.end(), key) == read_.end())
      throw Error((name_.empty() ? "" : name_ + ".") + key + " is an unknown key");
}

}  // namespace slicepool
