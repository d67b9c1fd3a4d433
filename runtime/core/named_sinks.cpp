// See named_sinks.hpp.
#include "runtime/core/named_sinks.hpp"

#include <fmt/format.h>

#include "runtime/io/shown.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool {

std::string GivenSink::text() const {
  std::string text = name;
  if (number != 0) text += fmt::format(":{}", number);
  if (!condition.empty()) text += ":" + condition;
  return text;
}

std::string GivenSink::canonicalText() const {
  return GivenSink{name, argument, number, condition.empty() ? "" : fmt::format("\"{}\"", condition)}.text();
}

void GivenSink::requireArgument(const std::string& results) const {
  if (asks() && condition.empty())
    throw ConfigError("sink", name + " without a condition", name + ":CONDITION");
  if (!asks() && !condition.empty())
    throw ConfigError("sink", name + " with a condition", "a condition only with any or all");
  if ((argument == SinkArgument::number) != (number != 0))
    throw ConfigError("sink", fmt::format("{} with {} {}", name, number, results), "first:K with K >= 1");
}

void GivenSink::requireFingerprint(const std::string& result) const {
  if (!seesAll())
    throw ConfigError("fingerprint", "with sink " + name, "a sink that looks at every " + result);
}

void GivenSink::requireShard(std::uint32_t shard, std::uint32_t shards, std::uint32_t mostShards) const {
  if (shards < 1 || shards > mostShards)
    throw ConfigError("shards", std::to_string(shards), fmt::format("1 to {}", mostShards));
  if (shard >= shards) throw ConfigError("shard", std::to_string(shard), fmt::format("0 to {}", shards - 1));
  if (shards != 1 && !seesAll())
    throw ConfigError("shards", fmt::format("{} with sink {}", shards, name),
                      "sink count or list: a search that goes to its end");
}

void GivenSink::requireOutput(const std::string& path, const std::string& checkpointPath) const {
  if (name != "list" && argument != SinkArgument::number)
    throw ConfigError("output.path", fmt::format("{} with sink {}", inQuotes(path), name),
                      "an output only with sink list or first:K");
  if (path == "-" && !checkpointPath.empty())
    throw ConfigError("checkpoint", inQuotes(checkpointPath), "no checkpoint with output \"-\"");
}

}  // namespace slicepool
