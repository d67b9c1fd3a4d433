// See schema.hpp.
#include "runtime/app/config/schema.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>

#include "runtime/app/config/pattern.hpp"
#include "runtime/app/config/schema_document.hpp"
#include "runtime/app/config/schema_rules.hpp"
#include "runtime/app/config/suggest.hpp"
#include "runtime/app/config/workloads.hpp"
#include "runtime/io/shown.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::config {
namespace {

bool acceptsType(const Json& node, const Json& value) {
  if (node.contains("properties")) return value.is_object();
  if (node.contains("items")) return value.is_array();
  return !value.is_object() && !value.is_array();
}

/// A schema, by whose definitions references are followed.
class References {
 public:
  explicit References(const Json& schema) : schema_(schema) {}

  [[nodiscard]] const Json& resolve(const Json& node) const {
    const Json* current = &node;
    while (current->is_object() && current->contains("$ref")) {
      const auto reference = (*current)["$ref"].get<std::string>();
      current = &schema_.at(Json::json_pointer(reference.substr(1)));
    }
    return *current;
  }

  /// The schema node that describes `value`: follows references and picks the alternative of matching shape.
  /// Among arrays (a list, or a list of lists) the one whose items match the first element wins.
  [[nodiscard]] const Json& nodeFor(const Json& unresolved, const Json& value) const {
    const Json& node = resolve(unresolved);
    for (const char* keyword : {"anyOf", "oneOf"}) {
      if (!node.contains(keyword)) continue;
      for (const auto& alternative : node[keyword]) {
        const Json& candidate = nodeFor(alternative, value);
        const bool itemsFit = !value.is_array() || value.empty() || !candidate.contains("items") ||
                              acceptsType(nodeFor(candidate["items"], value[0]), value[0]);
        if (acceptsType(candidate, value) && itemsFit) return candidate;
      }
    }
    return node;
  }

 private:
  const Json& schema_;
};

std::string placeName(const std::string& pointer, FieldStyle style, const std::string& prefix) {
  if (style == FieldStyle::dotted) return fieldName(prefix.empty() ? pointer : "/" + prefix + pointer);
  return (prefix.empty() ? "" : prefix + ": ") + (pointer.empty() ? "/" : pointer);
}

std::vector<std::string> propertyNames(const Json& node) {
  std::vector<std::string> names;
  if (node.contains("properties"))
    for (const auto& property : node["properties"].items()) names.push_back(property.key());
  return names;
}

struct KeyCheck {
  const References& references;
  FieldStyle style;
  const std::string& prefix;

  void visit(const Json& value, const Json& unresolved, const std::string& pointer) const {
    const Json& node = references.nodeFor(unresolved, value);
    if (value.is_object() && node.contains("properties"))
      for (const auto& member : value.items()) visitMember(member.key(), member.value(), node, pointer);
    else if (value.is_array() && node.contains("items"))
      for (std::size_t i = 0; i < value.size(); ++i)
        visit(value[i], node["items"], pointer + "/" + std::to_string(i));
  }

  void visitMember(const std::string& key, const Json& value, const Json& node,
                   const std::string& pointer) const {
    const std::string place = pointer + "/" + key;
    if (node["properties"].contains(key)) {
      visit(value, node["properties"][key], place);
    } else if (node.value("additionalProperties", Json(true)) == Json(false)) {
      const auto known = propertyNames(node);
      throw ConfigError(
          shown(placeName(place, style, prefix), 200), "an unknown key " + inQuotes(key),
          "nearest known key \"" + nearestWord(key, known) + "\"; known keys: " + joinWords(known));
    }
  }
};

/// Every text fits what the schema says of it: one of its alternatives takes it.
struct PatternCheck {
  const References& references;
  FieldStyle style;
  const std::string& prefix;

  void visit(const Json& value, const Json& unresolved, const std::string& pointer) const {
    if (value.is_string()) {
      if (fits(value, unresolved)) return;
      throw ConfigError(placeName(pointer, style, prefix), describeValue(value), description(unresolved));
    }
    const Json& node = references.nodeFor(unresolved, value);
    if (value.is_object() && node.contains("properties")) {
      for (const auto& member : value.items())
        if (node["properties"].contains(member.key()))
          visit(member.value(), node["properties"][member.key()], pointer + "/" + member.key());
    } else if (value.is_array() && node.contains("items")) {
      for (std::size_t i = 0; i < value.size(); ++i)
        visit(value[i], node["items"], pointer + "/" + std::to_string(i));
    }
  }

  [[nodiscard]] bool fits(const Json& text, const Json& unresolved) const {
    const Json& node = references.resolve(unresolved);
    for (const char* keyword : {"anyOf", "oneOf"}) {
      if (!node.contains(keyword)) continue;
      return std::any_of(node[keyword].begin(), node[keyword].end(),
                         [&](const Json& alternative) { return fits(text, alternative); });
    }
    if (node.contains("type") && node["type"] != "string") return false;
    return !node.contains("pattern") ||
           matchesPattern(text.get_ref<const std::string&>(), node["pattern"].get_ref<const std::string&>());
  }

  [[nodiscard]] std::string description(const Json& unresolved) const {
    const Json& node = references.resolve(unresolved);
    return node.value("description", unresolved.value("description", std::string("another text")));
  }
};

/// Deepest "description" on the way from the definition to `pointer`.
std::string acceptedAt(const References& references, const Json& document, const Json& definition,
                       const Json::json_pointer& pointer) {
  std::vector<std::string> parts;
  for (auto p = pointer; !p.empty(); p.pop_back()) parts.insert(parts.begin(), p.back());
  const Json* value = &document;
  const Json* unresolved = &definition;
  std::string accepted;
  for (std::size_t i = 0;; ++i) {
    const Json& named = references.resolve(*unresolved);
    const Json& node = references.nodeFor(*unresolved, *value);
    for (const Json* source : {&named, &node, unresolved})
      if (source->contains("description")) accepted = (*source)["description"].get<std::string>();
    if (i == parts.size()) return accepted;
    if (value->is_object() && node.contains("properties") && node["properties"].contains(parts[i])) {
      unresolved = &node["properties"][parts[i]];
      value = &(*value)[parts[i]];
    } else if (value->is_array() && node.contains("items")) {
      unresolved = &node["items"];
      value = &(*value)[static_cast<std::size_t>(std::stoul(parts[i]))];
    } else {
      return accepted;
    }
  }
}

[[noreturn]] void throwBroken(const References& references, const BrokenRule& broken, const Json& document,
                              const Json& definition, FieldStyle style, const std::string& prefix) {
  const std::string& name = broken.missingName;
  if (!name.empty()) {
    const Json& node = references.nodeFor(definition, document);
    std::string accepted;
    if (broken.pointer.empty() && node.contains("properties") && node["properties"].contains(name))
      accepted = references.resolve(node["properties"][name]).value("description", std::string{});
    throw ConfigError(placeName(broken.pointer + "/" + name, style, prefix), "nothing",
                      accepted.empty() ? "a value (it is required)" : accepted);
  }
  const Json::json_pointer pointer(broken.pointer);
  const std::string accepted = acceptedAt(references, document, definition, pointer);
  throw ConfigError(placeName(broken.pointer, style, prefix), describeValue(document.at(pointer)),
                    accepted.empty() ? "another value" : accepted);
}

/// The workload that a definition is of; empty: of none alone.
std::string workloadDefinedBy(const std::string& definition) {
  for (const char* kind : {"run_", "sweep_"}) {
    if (!definition.starts_with(kind)) continue;
    std::string name = definition.substr(std::string_view(kind).size());
    for (const Front& front : workloads())
      if (front.name == name) return name;
  }
  return {};
}

/// The schema with this definition: that of one workload where it is enough.
const Json& schemaWith(const std::string& definition) {
  const std::string workload = workloadDefinedBy(definition);
  if (workload.empty()) return schemaDocument();
  static std::mutex mutex;
  static std::map<std::string, Json> made;
  const std::lock_guard lock(mutex);
  const auto found = made.find(workload);
  return found != made.end() ? found->second
                             : made.emplace(workload, makeSchema(workloads(), workload)).first->second;
}

}  // namespace

std::string schemaText() { return schemaDocument().dump(2) + "\n"; }

const Json& schemaDocument() {
  static const Json kSchema = makeSchema(workloads());
  return kSchema;
}

void checkAgainstSchema(const Json& document, const std::string& definition, FieldStyle style,
                        const std::string& prefix) {
  const Json& schema = schemaWith(definition);
  const References references(schema);
  const Json& node = schema.at("definitions").at(definition);
  KeyCheck{references, style, prefix}.visit(document, node, "");

  const auto resolve = [&](const Json& reference) -> const Json& { return references.resolve(reference); };
  if (const auto broken = deepestBrokenRule(keptNumbersClamped(document), node, resolve))
    throwBroken(references, *broken, document, node, style, prefix);
  PatternCheck{references, style, prefix}.visit(document, node, "");
}

}  // namespace slicepool::config
