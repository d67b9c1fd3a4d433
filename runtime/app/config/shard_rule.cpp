// See shard_rule.hpp.
#include "runtime/app/config/shard_rule.hpp"

#include "slicepool/core/error.hpp"

namespace slicepool::config {

ShardChoice shardChoice(const Json& document, std::uint32_t most) {
  ShardChoice choice;
  if (document.contains("shards"))
    choice.shards = static_cast<std::uint32_t>(requireUnsigned(document["shards"], "shards", 1, most));
  if (document.contains("shard")) {
    if (!document.contains("shards")) {
      throw ConfigError("shard", describeValue(document["shard"]) + " without shards",
                        "a shard only together with the number of shards");
    }
    choice.shard = static_cast<std::uint32_t>(requireUnsigned(document["shard"], "shard", 0, most));
  } else if (choice.shards > 1) {
    throw ConfigError("shard", "nothing with " + std::to_string(choice.shards) + " shards",
                      "0 to " + std::to_string(choice.shards - 1));
  }
  return choice;
}

Parameter shardsParameter(const std::string& help, std::uint32_t most) {
  return {.member = "shards",
          .flag = "--shards",
          .given = Given::integer,
          .type = "S",
          .help = help,
          .domain = domain::digits("an integer from 1 to " + std::to_string(most), 1, most)};
}

Parameter shardParameter(std::uint32_t most) {
  return {.member = "shard",
          .flag = "--shard",
          .given = Given::integer,
          .type = "I",
          .help = "the part to run, 0 to S - 1",
          .domain = domain::digits("an integer from 0 to one less than shards", 0,
                                   static_cast<std::int64_t>(most) - 1)};
}

void refuseMembers(const Json& document, const std::vector<std::string>& names, const std::string& accepted) {
  for (const auto& name : names)
    if (const Json* value = findMember(document, name))
      throw ConfigError(name, describeValue(*value) + " in a plan", accepted);
}

}  // namespace slicepool::config
