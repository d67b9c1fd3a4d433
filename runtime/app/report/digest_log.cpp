// See digest_log.hpp.
#include "runtime/app/report/digest_log.hpp"

#include "runtime/app/report/file_format.hpp"
#include "runtime/cluster/shard_document.hpp"
#include "runtime/io/durable_file.hpp"
#include "runtime/io/regular_file.hpp"
#include "runtime/io/sealed_json.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::report {
namespace {

using config::Json;

constexpr cluster::ShardDocument kLog{"slicepool-digests", 1};
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

cluster::PlannedShard shardOf(const Json& json, std::uint64_t shard, ShardResults& results) {
  StrictObject object(json, "shards[" + std::to_string(shard) + "]");
  (void)object.count("shard", shard, shard);
  cluster::PlannedShard planned;
  planned.share = object.object("share");
  results.found = object.object("found");
  for (const auto& [name, digest] : object.object("outputs").items()) {
    if (!digest.is_string()) throw Error("the digest of an output is no text");
    planned.outputs.push_back(cluster::fileName(name, "name of an output"));
    results.outputs.emplace_back(name, digest.get<std::string>());
  }
  object.done();
  return planned;
}

}  // namespace

bool looksLikeDigestLog(const std::string& path) { return fileHasFormat(path, kLog.format); }

void writeDigestLog(const std::string& path, const DigestLog& log) {
  replaceFileOrThrow("log of digests", path,
                     cluster::shardDocumentText(
                         kLog, log.plan, [&](std::uint64_t shard) { return lineOf(log, shard); }));
}

DigestLog readDigestLog(const std::string& path) {
  try {
    DigestLog log;
    log.plan =
        cluster::planOfShardDocument(kLog, readRegularFile(path), [&](const Json& line, std::uint64_t shard) {
          return shardOf(line, shard, log.shards.emplace_back());
        });
    return log;
  } catch (const std::exception& error) {
    throw ConfigError(path, std::string("no log: ") + error.what(), kLogAccepted);
  }
}

}  // namespace slicepool::report
