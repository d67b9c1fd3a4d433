// See front.hpp.
#include "runtime/app/config/front.hpp"

#include <algorithm>

namespace slicepool::config {
namespace {

/// By its member, as in a list of `unused`.
const Parameter* findIn(const std::vector<Parameter>& parameters, const std::string& member) {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const Parameter& p) { return p.member == member; });
  return found == parameters.end() ? nullptr : &*found;
}

}  // namespace

std::string commandName(const Front& front) {
  if (!front.command.empty()) return front.command;
  std::string name = front.name;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

bool uses(const Front& front, const Parameter& parameter) {
  return std::find(front.unused.begin(), front.unused.end(), parameter.member) == front.unused.end();
}

std::string labelValue(const Json& value) {
  if (!value.is_array()) return value.is_string() ? value.get<std::string>() : value.dump();
  std::string text;
  for (const auto& item : value) text += (text.empty() ? "" : ",") + labelValue(item);
  return text;
}

std::string problemLabel(const Front& front, const Json& document) {
  std::string text;
  for (const auto& parameter : front.parameters)
    if (parameter.label && document.contains(parameter.member))
      text += (text.empty() ? "" : " ") + parameter.label(document[parameter.member]);
  return text.empty() ? front.name : text;
}

const Parameter* findParameter(const Front& front, const std::string& member) {
  for (const auto* parameters : {&front.parameters, &engineParameters(), &runParameters()})
    if (const Parameter* found = findIn(*parameters, member)) return found;
  return nullptr;
}

}  // namespace slicepool::config
