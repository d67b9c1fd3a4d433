// The parameter "sink" of the workloads, from the names of their sinks (runtime/core/named_sinks.hpp): what
// is accepted, and how a text is read. Called by runtime/<workload>/front_request.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/app/config/parameter.hpp"
#include "runtime/core/named_sinks.hpp"

namespace slicepool::config {

/// A sink in words.
struct SinkWord {
  std::string name;
  SinkArgument argument;
};

template <class Kind, std::size_t kSinks>
[[nodiscard]] std::vector<SinkWord> sinkWords(const std::array<NamedSink<Kind>, kSinks>& sinks) {
  std::vector<SinkWord> words;
  words.reserve(kSinks);
  for (const NamedSink<Kind>& sink : sinks) words.push_back({sink.name, sink.argument});
  return words;
}

/// "sink" with --sink, an axis of sweeps.
[[nodiscard]] Parameter sinkParameter(const std::vector<SinkWord>& sinks, std::string help,
                                      std::string standard);

struct SinkChoice {
  std::size_t index;  ///< in the list of sinks
  std::uint64_t number;
  std::string condition;
};
/// Throws ConfigError for "sink". `condition` is what it is called in messages.
[[nodiscard]] SinkChoice sinkChoice(const std::string& text, const std::vector<SinkWord>& sinks,
                                    const std::string& condition = "CONDITION");

/// Sets sink, firstCount and condition of a request.
template <class Request, class Kind, std::size_t kSinks>
void setSink(const std::string& text, const std::array<NamedSink<Kind>, kSinks>& sinks, Request& request) {
  SinkChoice choice = sinkChoice(text, sinkWords(sinks));
  request.sink = sinks.at(choice.index).kind;
  request.firstCount = choice.number;
  request.condition = std::move(choice.condition);
}

}  // namespace slicepool::config
