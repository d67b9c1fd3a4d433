// runtime/app/config/schema_rules: each rule on a small schema, and no rule in configs/schema.json that it
// does not know; the schema of one workload against that of all.
#include <doctest/doctest.h>

#include <set>

#include "runtime/app/config/schema.hpp"
#include "runtime/app/config/schema_document.hpp"
#include "runtime/app/config/schema_rules.hpp"
#include "runtime/app/config/workloads.hpp"

using namespace slicepool::config;

namespace {

/// "-" when `text` obeys `schema`; else the pointer, and after '?' the name of the missing member.
std::string broken(const char* schema, const char* text) {
  const auto found = deepestBrokenRule(Json::parse(text), Json::parse(schema),
                                       [](const Json& node) -> const Json& { return node; });
  if (!found) return "-";
  return found->pointer + (found->missingName.empty() ? "" : "?" + found->missingName);
}

}  // namespace

TEST_CASE("each rule refuses what it says and nothing else") {
  CHECK(broken(R"({"type": "integer", "minimum": 2, "maximum": 6, "multipleOf": 2})", "4") == "-");
  for (const char* text : {"1", "3", "8", "4.0", "\"4\"", "null", "[4]"})
    CHECK(broken(R"({"type": "integer", "minimum": 2, "maximum": 6, "multipleOf": 2})", text).empty());
  CHECK(broken(R"({"type": "number", "exclusiveMinimum": 0})", "0.5") == "-");
  CHECK(broken(R"({"type": "number", "exclusiveMinimum": 0})", "0").empty());
  CHECK(broken(R"({"type": ["integer", "string"], "minLength": 1})", "\"x\"") == "-");
  CHECK(broken(R"({"type": ["integer", "string"], "minLength": 1})", "\"\"").empty());
  CHECK(broken(R"({"enum": ["lifo", "fifo"]})", "\"fifo\"") == "-");
  CHECK(broken(R"({"enum": ["lifo", "fifo"]})", "\"filo\"").empty());
  CHECK(broken(R"({"type": "array", "minItems": 1, "maxItems": 2})", "[1, 2]") == "-");
  CHECK(broken(R"({"type": "array", "minItems": 1, "maxItems": 2})", "[]").empty());
  CHECK(broken(R"({"type": "array", "minItems": 1, "maxItems": 2})", "[1, 2, 3]").empty());
}

TEST_CASE("the deepest broken place is found, the first of equal depth, and missing members by name") {
  const char* schema = R"({"type": "object", "required": ["z", "b"], "additionalProperties": false,
    "properties": {"a": {"type": "array", "items": {"type": "integer"}}, "b": {"type": "integer"}, "z": {}}})";
  CHECK(broken(schema, R"({"a": [1], "b": 2, "z": null})") == "-");
  CHECK(broken(schema, R"({"b": "x", "a": [1, "y", "z"]})") == "/a/1");
  CHECK(broken(schema, R"({"b": "x"})") == "/b");
  CHECK(broken(schema, R"({"a": [1]})") == "?b");
  CHECK(broken(schema, R"({"b": 1, "z": 1, "c": 1})").empty());
  CHECK(broken(R"({"additionalProperties": {"type": "null"}})", R"({"a/b": null, "c~": 1})") == "/c~0");
  CHECK(broken(R"({"additionalProperties": {"type": "null"}})", R"({"a/b": 1})") == "/a~1b");
  const char* choice = R"({"anyOf": [{"type": "integer"}, {"required": ["x"]}]})";
  CHECK(broken(choice, R"({"x": 1})") == "-");
  CHECK(broken(choice, R"({"y": 1})").empty());
  CHECK(broken(R"({"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]})",
               R"([1, "x"])") == "/1");
}

TEST_CASE("the schema of one workload says of it what the schema of all says") {
  for (const Front& front : workloads()) {
    CAPTURE(front.name);
    const Json schema = makeSchema(workloads(), front.name);
    const Json& all = schemaDocument().at("definitions");
    for (const auto& definition : schema.at("definitions").items()) {
      CAPTURE(definition.key());
      REQUIRE(all.contains(definition.key()));
      CHECK(definition.value() == all.at(definition.key()));
    }
    const auto resolves = [&](const Json& node, const auto& self) -> void {
      if (node.is_object() && node.contains("$ref"))
        CHECK_NOTHROW((void)schema.at(Json::json_pointer(node.at("$ref").get<std::string>().substr(1))));
      if (node.is_structured())
        for (const auto& child : node) self(child, self);
    };
    resolves(schema, resolves);
    for (const char* kind : {"run_", "sweep_"}) CHECK(schema.at("definitions").contains(kind + front.name));
  }
}

TEST_CASE("configs/schema.json uses no rule that nothing checks") {
  const std::set<std::string> known = {"type",
                                       "enum",
                                       "minimum",
                                       "maximum",
                                       "exclusiveMinimum",
                                       "multipleOf",
                                       "minLength",
                                       "minItems",
                                       "maxItems",
                                       "items",
                                       "anyOf",
                                       "properties",
                                       "required",
                                       "additionalProperties",
                                       "pattern",
                                       "definitions",
                                       "$ref",
                                       "$schema",
                                       "$id",
                                       "title",
                                       "description"};
  const auto visit = [&](const Json& node, const auto& self) -> void {
    if (node.is_array())
      for (const auto& item : node) self(item, self);
    if (!node.is_object()) return;
    for (const auto& member : node.items()) {
      CHECK_MESSAGE(known.count(member.key()) == 1, member.key());
      if (member.key() != "properties" && member.key() != "definitions") {
        self(member.value(), self);
        continue;
      }
      for (const auto& named : member.value().items()) self(named.value(), self);
    }
  };
  visit(schemaDocument(), visit);
}
