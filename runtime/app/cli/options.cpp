// See options.hpp.
#include "runtime/app/cli/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "runtime/app/config/run_config.hpp"
#include "runtime/io/exact_json.hpp"

namespace slicepool::cli {
namespace {

using config::Front;
using config::Given;
using config::Json;
using config::Parameter;

std::vector<std::string> splitCommas(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    std::string part = text.substr(begin, comma - begin);
    part.erase(0, part.find_first_not_of(' '));
    part.erase(part.find_last_not_of(' ') + 1);
    parts.push_back(std::move(part));
    begin = comma + 1;
  }
  return parts;
}

Json valueOf(const Parameter& parameter, const std::string& text) {
  switch (parameter.given) {
    case Given::integer: return integerValue(text);
    case Given::number: return numberValue(text);
    case Given::integerList: return integerList(text);
    case Given::setTrue: return true;
    case Given::setFalse: return false;
    case Given::text: break;
  }
  return text;
}

/// "-n,--size" -> "--size"
std::string longName(const Parameter& parameter) {
  const std::size_t comma = parameter.flag.rfind(',');
  return comma == std::string::npos ? parameter.flag : parameter.flag.substr(comma + 1);
}

}  // namespace

void addAssignments(CLI::App& app, std::vector<std::string>& assignments, const std::string& help) {
  app.add_option("--set", assignments, help)
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

std::vector<Parameter> optionsOf(const Front& front) {
  std::vector<Parameter> options = front.parameters;
  for (const auto* table : {&config::engineParameters(), &config::runParameters()}) {
    for (const auto& parameter : *table) {
      if (!config::uses(front, parameter)) continue;
      options.push_back(parameter);
      if (parameter.member == "checkpoint") options.back().standard = front.checkpointDefault;
    }
  }
  return options;
}

std::vector<Parameter> optionsOfAll(const std::vector<Front>& fronts) {
  std::vector<Parameter> options = config::engineParameters();
  const std::size_t outputs = options.size();
  for (const auto& front : fronts) {
    for (const auto& parameter : front.parameters) {
      if (!parameter.member.starts_with("output.")) continue;
      const auto same = std::find_if(options.begin() + static_cast<std::ptrdiff_t>(outputs), options.end(),
                                     [&](const Parameter& p) { return p.flag == parameter.flag; });
      if (same == options.end())
        options.push_back(parameter);
      else
        same->help = "the output; the workload's own command says what it may be";
    }
  }
  const auto& run = config::runParameters();
  options.insert(options.end(), run.begin(), run.end());
  return options;
}

std::vector<std::string> completionOf(const std::vector<Parameter>& parameters, const std::string& name) {
  for (const auto& parameter : parameters)
    if (longName(parameter) == name) return parameter.completion;
  return {};
}

void OptionValues::add(CLI::App& app, const std::vector<Parameter>& parameters) {
  for (const auto& parameter : parameters) {
    if (parameter.flag.empty()) continue;
    auto entry = std::make_unique<Entry>();
    entry->parameter = parameter;
    const std::string help = helpText(parameter);
    const bool isFlag = parameter.given == Given::setTrue || parameter.given == Given::setFalse;
    entry->option = isFlag
                        ? app.add_flag(parameter.flag, entry->flag, help)
                        : app.add_option(parameter.flag, entry->text, help)->type_name(typeText(parameter));
    entry->option->group(parameter.group);
    entries_.push_back(std::move(entry));
  }
}

void OptionValues::apply(Json& document) const {
  for (const auto& entry : entries_)
    if (entry->option->count() > 0)
      config::setMember(document, entry->parameter.member, valueOf(entry->parameter, entry->text));
}

Json integerValue(const std::string& text) {
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  const bool digits = text.size() > sign && text.find_first_not_of("0123456789", sign) == std::string::npos;
  if (!digits) return text;
  const std::size_t first = std::min(text.find_first_not_of('0', sign), text.size() - 1);
  return numberFromLiteral(text.substr(0, sign) + text.substr(first));
}

Json numberValue(const std::string& text) {
  if (isNumberLiteral(text)) return numberFromLiteral(text);
  double value = 0;  // what C writes and JSON does not: .5 and 5.
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && std::isfinite(value) ? Json(value) : Json(text);
}

Json integerList(const std::string& text) {
  Json list = Json::array();
  if (text.find_first_not_of(' ') == std::string::npos) return list;
  for (const auto& part : splitCommas(text)) list.push_back(integerValue(part));
  return list;
}

Json oneOrList(const std::string& text, bool integers) {
  Json list = Json::array();
  for (const auto& part : splitCommas(text)) list.push_back(integers ? integerValue(part) : Json(part));
  return list.size() == 1 ? list[0] : list;
}

}  // namespace slicepool::cli
