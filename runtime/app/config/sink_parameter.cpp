// See sink_parameter.hpp.
#include "runtime/app/config/sink_parameter.hpp"

#include <utility>

#include "runtime/app/config/domain.hpp"
#include "runtime/app/config/json.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::config {
namespace {

/// "first" and what follows it.
std::string shown(const SinkWord& sink, const std::string& number, const std::string& condition) {
  switch (sink.argument) {
    case SinkArgument::number: return sink.name + ":" + number;
    case SinkArgument::condition: return sink.name + ":" + condition;
    case SinkArgument::none: break;
  }
  return sink.name;
}

std::string accepted(const std::vector<SinkWord>& sinks, const std::string& condition) {
  std::vector<std::string> all;
  all.reserve(sinks.size());
  for (const SinkWord& sink : sinks) all.push_back(shown(sink, "K", condition));
  return domain::alternativesText(all);
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "|") + part;
  return text;
}

}  // namespace

Parameter sinkParameter(const std::vector<SinkWord>& sinks, std::string help, std::string standard) {
  std::vector<std::string> shapes;
  std::vector<std::string> patterns;  // plain words first
  shapes.reserve(sinks.size());
  patterns.reserve(sinks.size());
  for (const SinkWord& sink : sinks) shapes.push_back(shown(sink, "K", "CONDITION"));
  for (const bool plain : {true, false})
    for (const SinkWord& sink : sinks)
      if ((sink.argument == SinkArgument::none) == plain) patterns.push_back(shown(sink, ".*", ".*"));
  return {.member = "sink",
          .flag = "--sink",
          .type = joined(shapes),
          .help = std::move(help),
          .standard = std::move(standard),
          .domain = domain::textLike(accepted(sinks, "CONDITION"), "^(" + joined(patterns) + ")$"),
          .sweep = Sweep::axis,
          .recordedApart = true};
}

SinkChoice sinkChoice(const std::string& text, const std::vector<SinkWord>& sinks,
                      const std::string& condition) {
  const auto colon = text.find(':');
  const bool bare = colon == std::string::npos;
  const std::string head = text.substr(0, colon);
  const std::string tail = bare ? "" : text.substr(colon + 1);
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    const SinkWord& sink = sinks[i];
    if (head != sink.name || bare != (sink.argument == SinkArgument::none)) continue;
    if (sink.argument == SinkArgument::number)
      return {i, requireUnsigned(Json(tail), "sink (" + sink.name + ":K)", 1, kMaximumInteger), {}};
    return {i, 0, tail};
  }
  throw ConfigError("sink", describeValue(Json(text)), accepted(sinks, condition));
}

}  // namespace slicepool::config
