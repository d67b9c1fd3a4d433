// The rules of a JSON Schema that configs/schema.json uses, applied to a document. Called by schema.cpp,
// which words the error. docs/decisions/0006-own-schema-rules.md says why no library does this.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "runtime/app/config/json.hpp"

namespace slicepool::config {

/// Where a document breaks its schema.
struct BrokenRule {
  std::string pointer;      ///< JSON pointer to the value
  std::size_t depth = 0;    ///< members and items on the way to it
  std::string missingName;  ///< the required member that the value lacks; empty: the value itself is wrong
};

/// Follows the "$ref" of a node of the schema.
using Resolver = std::function<const Json&(const Json& node)>;

/// The deepest place of `document` that breaks `node`, the first one of equal depth (members in alphabetical
/// order, items in theirs); nothing when it breaks no rule. Knows type, enum, minimum, maximum,
/// exclusiveMinimum, multipleOf, minLength, minItems, maxItems, items, properties, additionalProperties,
/// required and anyOf; texts are left to PatternCheck, other keywords are taken for notes. Numbers are those
/// of keptNumbersClamped().
[[nodiscard]] std::optional<BrokenRule> deepestBrokenRule(const Json& document, const Json& node,
                                                          const Resolver& resolve);

}  // namespace slicepool::config
