// See schema_rules.hpp.
#include "runtime/app/config/schema_rules.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "slicepool/core/error.hpp"

namespace slicepool::config {
namespace {

bool hasType(const Json& value, std::string_view type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  throw Error("internal: schema.json has a type that nothing checks: " + std::string(type));
}

bool hasTypeOf(const Json& value, const Json& types) {
  if (!types.is_array()) return hasType(value, types.get_ref<const std::string&>());
  return std::any_of(types.begin(), types.end(),
                     [&](const Json& type) { return hasType(value, type.get_ref<const std::string&>()); });
}

/// The rules of `node` for `value` alone, without what is inside it.
bool fitsAlone(const Json& value, const Json& node) {
  const auto rule = [&](const char* name) -> const Json* {
    const auto found = node.find(name);
    return found == node.end() ? nullptr : &*found;
  };
  if (const Json* types = rule("type"); types != nullptr && !hasTypeOf(value, *types)) return false;
  if (const Json* words = rule("enum"); words != nullptr && !std::count(words->begin(), words->end(), value))
    return false;
  if (value.is_number()) {
    const double number = value.get<double>();
    if (const Json* least = rule("minimum"); least != nullptr && number < least->get<double>()) return false;
    if (const Json* most = rule("maximum"); most != nullptr && number > most->get<double>()) return false;
    if (const Json* below = rule("exclusiveMinimum"); below != nullptr && number <= below->get<double>())
      return false;
    if (const Json* unit = rule("multipleOf"); unit != nullptr && std::fmod(number, unit->get<double>()) != 0)
      return false;
  } else if (value.is_string()) {  // minLength is 0 or 1: bytes and characters are the same
    const Json* least = rule("minLength");
    if (least != nullptr && value.get_ref<const std::string&>().size() < least->get<std::size_t>())
      return false;
  } else if (value.is_array()) {
    if (const Json* least = rule("minItems"); least != nullptr && value.size() < least->get<std::size_t>())
      return false;
    if (const Json* most = rule("maxItems"); most != nullptr && value.size() > most->get<std::size_t>())
      return false;
  }
  return true;
}

/// A key as a part of a JSON pointer (RFC 6901).
std::string escaped(const std::string& key) {
  std::string text;
  for (const char c : key)
    text += c == '~' ? std::string("~0") : c == '/' ? std::string("~1") : std::string(1, c);
  return text;
}

class Search {
 public:
  explicit Search(const Resolver& resolve) : resolve_(resolve) {}

  /// Whether `value` obeys `node`; notes what it breaks in `found`.
  bool visit(const Json& value, const Json& unresolved, const std::string& pointer, std::size_t depth,
             std::optional<BrokenRule>& found) const {
    const Json& node = resolve_(unresolved);
    bool fits = fitsAlone(value, node);
    if (node.contains("anyOf")) {
      std::optional<BrokenRule> inside;
      const bool any = std::any_of(node["anyOf"].begin(), node["anyOf"].end(), [&](const Json& one) {
        return visit(value, one, pointer, depth, inside);
      });
      if (!any) note({pointer, depth, {}}, found);
      if (!any && inside) note(*inside, found);
      fits = fits && any;
    }
    if (value.is_object()) fits = visitMembers(value, node, pointer, depth, found) && fits;
    if (value.is_array() && node.contains("items"))
      for (std::size_t i = 0; i < value.size(); ++i)
        fits = visit(value[i], node["items"], pointer + "/" + std::to_string(i), depth + 1, found) && fits;
    if (!fits) note({pointer, depth, {}}, found);
    return fits;
  }

 private:
  static void note(const BrokenRule& rule, std::optional<BrokenRule>& found) {
    if (!found || rule.depth > found->depth) found = rule;
  }

  bool visitMembers(const Json& value, const Json& node, const std::string& pointer, std::size_t depth,
                    std::optional<BrokenRule>& found) const {
    bool fits = true;
    std::map<std::string, const Json*> members;
    for (const auto& member : value.items()) members[member.key()] = &member.value();
    for (const auto& [key, inside] : members) {
      const Json* rules = nullptr;
      if (node.contains("properties") && node["properties"].contains(key))
        rules = &node["properties"][key];
      else if (node.contains("additionalProperties") && node["additionalProperties"].is_object())
        rules = &node["additionalProperties"];
      else if (node.value("additionalProperties", Json(true)) == Json(false))
        fits = false;
      if (rules != nullptr)
        fits = visit(*inside, *rules, pointer + "/" + escaped(key), depth + 1, found) && fits;
    }
    std::set<std::string> missing;
    for (const auto& name : node.value("required", Json::array()))
      if (members.count(name.get<std::string>()) == 0) missing.insert(name.get<std::string>());
    if (!missing.empty()) note({pointer, depth, *missing.begin()}, found);
    return fits && missing.empty();
  }

  const Resolver& resolve_;
};

}  // namespace

std::optional<BrokenRule> deepestBrokenRule(const Json& document, const Json& node, const Resolver& resolve) {
  std::optional<BrokenRule> found;
  (void)Search(resolve).visit(document, node, "", 0, found);
  return found;
}

}  // namespace slicepool::config
