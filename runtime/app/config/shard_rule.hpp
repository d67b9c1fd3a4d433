// What a workload contributes to plans (`slicepool plan`): how its search is cut into shards that separate
// processes run, and how what they found becomes what one run would have found. A member of its Front.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/app/config/answers.hpp"
#include "runtime/app/config/parameter.hpp"
#include "runtime/app/config/run_config.hpp"

namespace slicepool::config {

/// A search that was cut.
struct CutSearch {
  Json rule;                        ///< an object: "kind", and what else decides who gets what
  std::vector<Json> shares;         ///< an object for each shard: its part, for people and for `document`
  std::vector<std::string> counts;  ///< results of each shard, exact, decimal; empty: not known before
  std::string text;                 ///< one line of the report: how it was cut
};

/// One shard of a plan.
struct ShardOf {
  const Json& config;  ///< of the plan
  const Json& rule;
  const Json& share;
  std::uint64_t shard = 0;
  std::uint64_t shards = 1;
  std::string stem;  ///< FOLDER/NAME-3: names of its files begin with it
};

/// A shard that is done. Its outputs are as it wrote them: their hashes were compared.
struct DoneShard {
  const Json& share;
  const Json& record;                ///< of its run
  std::vector<std::string> outputs;  ///< paths, in the order of ShardConfig::outputs
  std::string path;                  ///< of its record, for messages
};

/// All of a plan, in order.
struct DoneShards {
  const RunConfig& config;  ///< of the plan
  const Json& rule;
  std::vector<DoneShard> shards;
};

struct ShardConfig {
  Json document;                     ///< the run configuration of the shard
  std::vector<std::string> outputs;  ///< paths of the files that it writes and a merge needs
};

struct ShardRule {
  /// Why the workload has no shards: a sentence for error messages. Empty: it has the functions.
  std::string refusal = "its registration has no rule for shards";
  /// Throws ConfigError for a member that does not go with shards, or for more shards than there can be.
  std::function<CutSearch(const RunConfig&, std::uint64_t shards)> cut{};
  /// Any process, any time: the same configuration. O(1): it is called for every shard of a plan.
  std::function<ShardConfig(const ShardOf&)> shardConfig{};
  /// Once before a shard runs; may be empty. Throws ConfigError when what the search reads is not what it
  /// was, or this machine would cut it elsewhere.
  std::function<void(const ShardOf&)> verify{};
  /// Checks what can be checked, writes the outputs of the configuration and returns the answers of a single
  /// run. Throws ConfigError that names the shard, and leaves no output half-written.
  std::function<Answers(const DoneShards&)> merge{};
  /// Members of the record of a shard's run that every run of it has alike: on any machine, in any mode.
  std::vector<std::string> results{};
  /// Of one output: a text that every run of the shard has alike, and that changes with what the output says.
  /// Reads it once. Throws Error for a file that is no such output. Empty: the hash of its bytes.
  std::function<std::string(const std::string& path)> digest{};
};

/// The part of a search that a run without a plan makes: members "shards" and "shard".
struct ShardChoice {
  std::uint32_t shards = 1;
  std::uint32_t shard = 0;
};
/// Throws ConfigError for one without the other, and beyond `most` shards.
[[nodiscard]] ShardChoice shardChoice(const Json& document, std::uint32_t most);
/// Their parameters.
[[nodiscard]] Parameter shardsParameter(const std::string& help, std::uint32_t most);
[[nodiscard]] Parameter shardParameter(std::uint32_t most);

/// Throws ConfigError for the members in `names` that the configuration has.
void refuseMembers(const Json& document, const std::vector<std::string>& names, const std::string& accepted);

}  // namespace slicepool::config
