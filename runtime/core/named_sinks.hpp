// The sinks that searches have in common (count, list, first:K, any:CONDITION, all:CONDITION, ..): their
// names, what may follow a colon, and what goes with what. Included by runtime/<workload>/request_check.hpp;
// runtime/app/config/sink_parameter.hpp reads them from configurations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace slicepool {

/// What follows the colon of a sink.
enum class SinkArgument : std::uint8_t {
  none,
  number,    ///< of results that the search stops at
  condition  ///< of which the search says whether it holds
};

template <class Kind>
struct NamedSink {
  Kind kind;
  const char* name;
  SinkArgument argument = SinkArgument::none;
};

template <class Kind, std::size_t kSinks>
[[nodiscard]] const NamedSink<Kind>& namedSink(const std::array<NamedSink<Kind>, kSinks>& sinks, Kind kind) {
  for (const NamedSink<Kind>& sink : sinks)
    if (sink.kind == kind) return sink;
  return sinks.front();
}

/// The sink of a request, whatever the workload.
struct GivenSink {
  std::string name;
  SinkArgument argument = SinkArgument::none;
  std::uint64_t number = 0;
  std::string condition = {};

  /// "any:x1 = x2"
  [[nodiscard]] std::string text() const;
  /// The same with the condition in quotes, for what determines a search.
  [[nodiscard]] std::string canonicalText() const;
  [[nodiscard]] bool asks() const { return argument == SinkArgument::condition; }
  /// It looks at every result.
  [[nodiscard]] bool seesAll() const { return argument == SinkArgument::none; }
  /// Results that the search stops at; 0: none.
  [[nodiscard]] std::uint64_t wanted() const {
    return argument == SinkArgument::number ? number : asks() ? 1 : 0;
  }

  // These throw ConfigError. `results` is what they are called: "points".

  /// An argument that is missing, or that goes with another sink.
  void requireArgument(const std::string& results) const;
  /// A fingerprint is that of a whole set; `result` is the name of one: "point".
  void requireFingerprint(const std::string& result) const;
  /// A shard, from 0, of a search that goes to its end.
  void requireShard(std::uint32_t shard, std::uint32_t shards, std::uint32_t mostShards) const;
  /// Files have the results of `list` and `first`; standard output cannot be gone on with after a checkpoint.
  void requireOutput(const std::string& path, const std::string& checkpointPath) const;
};

}  // namespace slicepool
