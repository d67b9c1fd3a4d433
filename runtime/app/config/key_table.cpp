// See key_table.hpp.
#include "runtime/app/config/key_table.hpp"

#include <algorithm>

#include "runtime/app/config/suggest.hpp"
#include "runtime/app/config/workloads.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::config {
namespace {

/// What a cell of a Markdown table can hold.
std::string cell(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '<' || c == '_') safe += '\\';
    safe += c;
  }
  return safe;
}

/// In backquotes, where only the bar has to be escaped.
std::string code(const std::string& text) {
  std::string safe;
  for (const char c : text) safe += c == '|' ? std::string("\\|") : std::string(1, c);
  return text.empty() ? "" : "`" + safe + "`";
}

std::string flagText(const Parameter& parameter) {
  if (parameter.flag.empty()) return {};
  const std::size_t comma = parameter.flag.find(',');
  const std::string type = typeText(parameter);
  // Words are said by what is accepted.
  const std::string value = type.empty() || type.find('|') != std::string::npos ? "" : " " + type;
  if (comma == std::string::npos) return code(parameter.flag + value);
  return code(parameter.flag.substr(0, comma)) + ", " + code(parameter.flag.substr(comma + 1) + value);
}

const char* sweepText(Sweep sweep) {
  return sweep == Sweep::axis ? "axis" : sweep == Sweep::rows ? "rows" : "";
}

}  // namespace

std::string keyTable(const std::vector<Parameter>& parameters, const std::string& prefix) {
  std::string text = "| key | flag | meaning | accepted | in sweeps |\n|---|---|---|---|---|\n";
  for (const auto& parameter : parameters) {
    const std::string key =
        parameter.member.starts_with(prefix) ? parameter.member.substr(prefix.size()) : parameter.member;
    text += "| " + code(key) + " | " + flagText(parameter) + " | " + cell(helpText(parameter)) + " | " +
            cell(parameter.domain.value("description", std::string{})) + " | " + sweepText(parameter.sweep) +
            " |\n";
  }
  return text;
}

std::vector<std::string> keyTableNames() {
  std::vector<std::string> names = {"engine", "run"};
  for (const auto& name : workloadNames()) names.push_back(name);
  return names;
}

std::string keyTableOf(const std::string& name) {
  const auto isEngine = [](const Parameter& parameter) { return parameter.member.starts_with("engine."); };
  std::vector<Parameter> parameters = engineParameters();
  for (const auto& parameter : runParameters()) parameters.push_back(parameter);
  if (name == "engine") {
    std::erase_if(parameters, [&](const Parameter& parameter) { return !isEngine(parameter); });
    return keyTable(parameters, "engine.");
  }
  if (name == "run") {
    std::erase_if(parameters, isEngine);
    return keyTable(parameters);
  }
  for (const auto& front : workloads())
    if (front.name == name) return keyTable(front.parameters);
  throw ConfigError("--table", describeValue(Json(name)), joinWords(keyTableNames()));
}

}  // namespace slicepool::config
