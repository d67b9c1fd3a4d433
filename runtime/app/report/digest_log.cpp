// See digest_log.hpp.
#include "runtime/app/report/digest_log.hpp"

#include "runtime/app/report/file_format.hpp"
#include "runtime/io/durable_file.hpp"
#include "runtime/io/exact_json.hpp"
#include "runtime/io/regular_file.hpp"
#include "runtime/io/sealed_json.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::report {
namespace {

using config::Json;

constexpr const char* kLogFormat = "slicepool-digests";
constexpr std::uint64_t kLogVersion = 1;
constexpr const char* kLogAccepted =
    "a log as slicepool merge --digests wrote it (format slicepool-digests, version 1)";

Json lineOf(const DigestLog& log, std::uint64_t shard) {
  const ShardResults& results = log.shards[shard];
  Json outputs = Json::object();
  for (const auto& [name, digest] : results.outputs) outputs[name] = digest;
  return {{"shard", shard},
          {"share", log.plan.shards[shard].share},
          {"found", results.found},
          {"outputs", std::move(outputs)}};
}

const Json& objectIn(StrictObject& object, const std::string& key) {
  const Json& value = object.member(key);
  if (!value.is_object()) throw Error(key + " is not an object");
  return value;
}

void addShard(DigestLog& log, const Json& json) {
  const std::uint64_t shard = log.shards.size();
  StrictObject object(json, "shards[" + std::to_string(shard) + "]");
  (void)object.count("shard", shard, shard);
  cluster::PlannedShard planned;
  planned.share = objectIn(object, "share");
  ShardResults results;
  results.found = objectIn(object, "found");
  for (const auto& [name, digest] : objectIn(object, "outputs").items()) {
    if (!digest.is_string()) throw Error("the digest of an output is no text");
    planned.outputs.push_back(cluster::fileName(name, "name of an output"));
    results.outputs.emplace_back(name, digest.get<std::string>());
  }
  object.done();
  log.plan.shards.push_back(std::move(planned));
  log.shards.push_back(std::move(results));
}

DigestLog logFromJson(const Json& json) {
  StrictObject object(json);
  object.requireFormat(kLogFormat, kLogVersion);
  DigestLog log;
  log.plan.program = object.text("program");
  log.plan.workload = object.text("workload");
  log.plan.stem = cluster::fileName(object.text("stem"), "stem");
  log.plan.identity = objectIn(object, "identity");
  log.plan.rule = objectIn(object, "rule");
  log.plan.config = objectIn(object, "config");
  const Json& shards = object.member("shards");
  if (!shards.is_array() || shards.empty() || shards.size() > cluster::kMaximumShards)
    throw Error("shards is not a list of 1 to " + std::to_string(cluster::kMaximumShards));
  for (const auto& shard : shards) addShard(log, shard);
  object.done();
  return log;
}

}  // namespace

bool looksLikeDigestLog(const std::string& path) { return fileHasFormat(path, kLogFormat); }

void writeDigestLog(const std::string& path, const DigestLog& log) {
  const cluster::Plan& plan = log.plan;
  const Json head = {{"format", kLogFormat},      {"version", kLogVersion}, {"program", plan.program},
                     {"workload", plan.workload}, {"stem", plan.stem},      {"identity", plan.identity},
                     {"rule", plan.rule},         {"config", plan.config}};
  std::string text = head.dump(1);
  text.resize(text.size() - 2);  // without "\n}", so that each shard gets a line
  text += ",\n \"shards\": [";
  for (std::uint64_t shard = 0; shard < log.shards.size(); ++shard)
    text += (shard == 0 ? "\n  " : ",\n  ") + lineOf(log, shard).dump();
  replaceFileOrThrow("log of digests", path, sealJson(text + "\n ]\n}"));
}

DigestLog readDigestLog(const std::string& path) {
  try {
    const std::string text = readRegularFile(path);
    if (!isSealed(text))
      throw Error("it does not end with the hash of its content (changed, cut off, or none)");
    return logFromJson(keptNumbersAsStrings(openSealed(text)));
  } catch (const std::exception& error) {
    throw ConfigError(path, std::string("no log: ") + error.what(), kLogAccepted);
  }
}

}  // namespace slicepool::report
