// See shard_document.hpp.
#include "runtime/cluster/shard_document.hpp"

#include "runtime/io/exact_json.hpp"
#include "runtime/io/sealed_json.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cluster {

std::string shardDocumentText(const ShardDocument& kind, const Plan& plan,
                              const std::function<Json(std::uint64_t shard)>& lineOf) {
  const Json head = {{"format", kind.format},     {"version", kind.version}, {"program", plan.program},
                     {"workload", plan.workload}, {"stem", plan.stem},       {"identity", plan.identity},
                     {"rule", plan.rule},         {"config", plan.config}};
  std::string text = head.dump(1);
  text.resize(text.size() - 2);  // without "\n}", so that each shard gets a line
  text += ",\n \"shards\": [";
  for (std::uint64_t shard = 0; shard < plan.shards.size(); ++shard)
    text += (shard == 0 ? "\n  " : ",\n  ") + lineOf(shard).dump();
  return sealJson(text + "\n ]\n}");
}

Plan planOfShardDocument(const ShardDocument& kind, const std::string& text,
                         const std::function<PlannedShard(const Json& line, std::uint64_t shard)>& addShard) {
  if (!isSealed(text))
    throw Error("it does not end with the hash of its content (changed, cut off, or none)");
  const Json json = keptNumbersAsStrings(openSealed(text));
  StrictObject object(json);
  object.requireFormat(kind.format, kind.version);
  Plan plan;
  plan.program = object.text("program");
  plan.workload = object.text("workload");
  plan.stem = fileName(object.text("stem"), "stem");
  plan.identity = object.object("identity");
  plan.rule = object.object("rule");
  plan.config = object.object("config");
  const Json& shards = object.member("shards");
  if (!shards.is_array() || shards.empty() || shards.size() > kMaximumShards)
    throw Error("shards is not a list of 1 to " + std::to_string(kMaximumShards));
  for (const auto& line : shards) plan.shards.push_back(addShard(line, plan.shards.size()));
  object.done();
  return plan;
}

}  // namespace slicepool::cluster
