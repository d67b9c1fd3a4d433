// See schema_document.hpp. What no table has - rows' notes, measurement, reports - is in schema_common.json.
#include "runtime/app/config/schema_document.hpp"

#include "runtime/app/report/embedded.hpp"

namespace slicepool::config {
namespace {

constexpr const char* kEngine = "engine.";
constexpr const char* kOutput = "output.";

Json reference(const std::string& definition) { return {{"$ref", "#/definitions/" + definition}}; }

Json object(const std::string& description) {
  Json node = Json::object();
  node["description"] = description;
  node["type"] = "object";
  node["additionalProperties"] = false;
  return node;
}

Json listOf(const Json& item) { return {{"type", "array"}, {"minItems", 1}, {"items", item}}; }

/// `description`: of `one`.
Json oneOrList(const Json& one, const Json& list, const std::string& description) {
  const std::string of = list.value("description", std::string("a list"));
  return {{"description", description + ", or as an axis " + of + " of at least one of these"},
          {"anyOf", Json::array({one, list})}};
}

bool isMemberOf(const Parameter& parameter, const std::string& prefix) {
  return parameter.member.starts_with(prefix);
}

/// Members of "engine" that `front` uses, of which a nested object is a definition of its own.
class EngineObject {
 public:
  EngineObject(Json& definitions, const Front* front, std::string suffix, bool axes)
      : definitions_(definitions), front_(front), suffix_(std::move(suffix)), axes_(axes) {}

  void define() {
    const std::string lists = axes_ ? "; a list is an axis" : "";
    Json engine = object("an object with engine settings" + lists);
    Json emulated = object("an object with the settings of the lane emulator" + lists);
    engine["properties"] = emulated["properties"] = Json::object();
    for (const auto* table : {&engineParameters(), &runParameters()}) {
      for (const auto& parameter : *table) {
        if (!isMemberOf(parameter, kEngine)) continue;
        if ((front_ != nullptr && !uses(*front_, parameter)) || (axes_ && parameter.sweep != Sweep::axis))
          continue;
        const std::string name = parameter.member.substr(std::string(kEngine).size());
        const std::size_t dot = name.find('.');
        if (dot == std::string::npos) {
          engine["properties"][name] = valueOf(name);
        } else {
          engine["properties"][name.substr(0, dot)] = reference("emulated" + suffix_);
          emulated["properties"][name.substr(dot + 1)] = valueOf(name);
        }
      }
    }
    definitions_["emulated" + suffix_] = std::move(emulated);
    definitions_["engine" + suffix_] = std::move(engine);
  }

 private:
  [[nodiscard]] Json valueOf(const std::string& name) const {
    const Json one = reference("engine." + name);
    return axes_ ? oneOrList(one, listOf(one), definitions_.at("engine." + name).at("description")) : one;
  }

  Json& definitions_;
  const Front* front_;
  std::string suffix_;
  bool axes_;
};

class WorkloadDefinitions {
 public:
  WorkloadDefinitions(const Front& front, Json& definitions) : front_(front), definitions_(definitions) {}

  void define() {
    for (const auto& parameter : front_.parameters)
      if (!isMemberOf(parameter, kOutput)) definitions_[nameOf(parameter)] = parameter.domain;
    if (!front_.unused.empty()) {
      EngineObject(definitions_, &front_, engineSuffix(), false).define();
      EngineObject(definitions_, &front_, engineSuffix() + "_axes", true).define();
    }
    definitions_["run_" + front_.name] = run();
    definitions_["row_" + front_.name] = row();
    definitions_["parameters_" + front_.name] = axes();
    definitions_["sweep_" + front_.name] = sweep();
  }

 private:
  [[nodiscard]] std::string nameOf(const Parameter& parameter) const {
    return front_.name + "." + parameter.member;
  }
  [[nodiscard]] std::string engineSuffix() const { return front_.unused.empty() ? "" : "_" + front_.name; }

  /// What every file begins with.
  static void addHead(Json& properties) {
    properties["$schema"] = {{"type", "string"}};
    properties["description"] = {{"description", "a text"}, {"type", "string"}};
    properties["workload"] = {
        {"description", "the name of a workload"}, {"type", "string"}, {"minLength", 1}};
  }

  [[nodiscard]] Json run() const {
    Json node = object("a run configuration of the workload " + front_.name);
    node["required"] = Json::array({"workload"});
    Json properties = Json::object();
    addHead(properties);
    Json outputs = Json::object();
    for (const auto& parameter : front_.parameters) {
      if (parameter.required) node["required"].push_back(parameter.member);
      if (isMemberOf(parameter, kOutput))
        outputs[parameter.member.substr(std::string(kOutput).size())] = parameter.domain;
      else
        properties[parameter.member] = reference(nameOf(parameter));
    }
    properties["engine"] = reference("engine" + engineSuffix());
    if (!outputs.empty()) {
      properties["output"] = object(front_.outputs);
      properties["output"]["properties"] = std::move(outputs);
    }
    for (const auto& parameter : runParameters())
      if (!isMemberOf(parameter, kEngine) && uses(front_, parameter))
        properties[parameter.member] = parameter.domain;
    node["properties"] = std::move(properties);
    return node;
  }

  /// The common notes of rows around what a row sets.
  [[nodiscard]] Json row() const {
    Json node = object("an object with the parameters that this row sets and what is known about it");
    const Json& notes = definitions_.at("row_notes").at("properties");
    Json properties = Json::object();
    for (const char* first : {"label", "time_class"}) properties[first] = notes.at(first);
    for (const auto& parameter : front_.parameters)
      if (parameter.sweep != Sweep::no) properties[parameter.member] = reference(nameOf(parameter));
    properties["engine"] = reference("engine" + engineSuffix());
    for (const auto& note : notes.items()) properties[note.key()] = note.value();
    node["properties"] = std::move(properties);
    return node;
  }

  [[nodiscard]] Json axes() const {
    std::string listValued;
    Json properties = Json::object();
    for (const auto& parameter : front_.parameters) {
      if (parameter.sweep != Sweep::axis) continue;
      const Json one = parameter.axisDomain.is_null() ? reference(nameOf(parameter)) : parameter.axisDomain;
      Json many = listOf(one);
      if (isListValued(parameter)) {
        listValued += (listValued.empty() ? "" : ", ") + parameter.member;
        many["description"] = "a list of lists";
      }
      const Json& described = one.contains("description") ? one : parameter.domain;
      properties[parameter.member] = oneOrList(one, many, described.at("description"));
    }
    Json node = object("an object with parameters of the workload; a list is an axis" +
                       (listValued.empty() ? "" : " (for " + listValued + " a list of lists)"));
    node["properties"] = std::move(properties);
    return node;
  }

  [[nodiscard]] Json sweep() const {
    Json node = object("a sweep over the workload " + front_.name);
    node["required"] = Json::array({"workload"});
    Json properties = Json::object();
    addHead(properties);
    properties["parameters"] = reference("parameters_" + front_.name);
    properties["rows"] = listOf(reference("row_" + front_.name));
    properties["rows"]["description"] = "a list of at least one row object";
    properties["engine"] = reference("engine" + engineSuffix() + "_axes");
    for (const char* common : {"zip", "measurement", "report"}) properties[common] = reference(common);
    properties["output"] = reference("sweep_output");
    node["properties"] = std::move(properties);
    return node;
  }

  const Front& front_;
  Json& definitions_;
};

}  // namespace

Json makeSchema(const std::vector<Front>& fronts, const std::string& only) {
  Json schema = parseJson(std::string(embedded::schemaCommon()), "schema_common.json");
  Json& definitions = schema["definitions"];
  for (const auto* table : {&engineParameters(), &runParameters()})
    for (const auto& parameter : *table)
      if (isMemberOf(parameter, kEngine)) definitions[parameter.member] = parameter.domain;
  EngineObject(definitions, nullptr, "", false).define();
  EngineObject(definitions, nullptr, "_axes", true).define();
  for (const auto& front : fronts) {
    if (only.empty() || only == front.name) {
      for (const char* kind : {"run_", "sweep_"}) schema["anyOf"].push_back(reference(kind + front.name));
      WorkloadDefinitions(front, definitions).define();
    }
    for (const ExtraTime& time : front.times) {
      for (const char* figures : {"published_figures", "reference_figures"}) {
        Json& properties = definitions[figures]["properties"];
        Json figure = properties["seconds"];
        figure["description"] = "an object: " + time.names + " -> seconds";
        properties[time.member] = std::move(figure);
      }
    }
  }
  definitions.erase("row_notes");  // each row_W has them
  return schema;
}

}  // namespace slicepool::config
