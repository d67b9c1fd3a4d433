// See manifest.hpp.
#include "runtime/factorizations/manifest.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/factorizations/npy.hpp"
#include "runtime/factorizations/request_check.hpp"
#include "runtime/io/durable_file.hpp"
#include "runtime/io/exact_json.hpp"
#include "runtime/io/json_text.hpp"
#include "runtime/io/regular_file.hpp"
#include "runtime/io/sealed_json.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::factorizations {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "slicepool-rows";
constexpr int kVersion = 2;
constexpr int kOldVersion = 1;  ///< without a hash of its own
constexpr const char* kAccepted = "a manifest as slicepool wrote it (format slicepool-rows, version 2)";

Json rankToJson(const Rank& rank) { return exactNumber(rank.str()); }

/// A JSON integer, or the decimal string that a large one is written as.
Rank rankOf(StrictObject& object, const std::string& key) {
  const Json& value = object.member(key);
  const bool digits = value.is_number_unsigned() || value.is_string();
  Rank rank = digits ? parseRank(value.is_string() ? value.get<std::string>() : value.dump(), key) : Rank(0);
  if (!digits || (value.is_string() && value != rankToJson(rank))) throw Error(key + " is no rank");
  return rank;
}

unsigned bytesOfType(const std::string& dtype) {
  for (const unsigned bytes : {1U, 2U, 4U, 8U})
    if (dtype == npyType(bytes)) return bytes;
  throw Error("dtype is \"" + dtype + "\", expected |u1, <u2, <u4 or <u8");
}

std::string sinkFrom(const std::string& text) {
  const std::string first = "first:";
  const std::string digits = text.starts_with(first) ? text.substr(first.size()) : "";
  const bool number = !digits.empty() && digits[0] != '0' && digits.size() <= 20 &&
                      digits.find_first_not_of("0123456789") == std::string::npos;
  if (text != "rows" && !number) throw Error("sink is \"" + text + "\", expected rows or first:K");
  return text;
}

Manifest manifestFromJson(const Json& json, int version) {
  StrictObject object(json);
  if (const std::string format = object.text("format"); format != kFormat)
    throw Error("format is \"" + format + "\", expected " + kFormat);
  (void)object.count("version", static_cast<std::uint64_t>(version), static_cast<std::uint64_t>(version));
  Manifest manifest;
  manifest.version = version;
  manifest.generators = object.counts("generators");
  const auto& generators = manifest.generators;
  const auto outside = [](std::uint64_t g) { return g < 1 || g > kMaximumNumber; };
  if (generators.empty() || generators.size() > kMaximumGenerators ||
      std::any_of(generators.begin(), generators.end(), outside))
    throw Error("generators are not 1 to 64 integers from 1 to 2^63-1");
  manifest.element = object.count("element", 0, kMaximumNumber);
  manifest.sink = sinkFrom(object.text("sink"));
  manifest.dtype = object.text("dtype");
  manifest.elementBytes = bytesOfType(manifest.dtype);
  (void)object.count("dimension", generators.size(), generators.size());
  manifest.firstRank = rankOf(object, "first_rank");
  manifest.rows = object.count("rows");
  manifest.shardRows = object.count("shard_rows", 1);
  manifest.complete = object.flag("complete");
  manifest.shards = shardsFromJson(object.member("shards"));
  object.done();
  return manifest;
}

Manifest manifestFromText(const std::string& text) {
  if (isSealed(text)) return manifestFromJson(openSealed(text), kVersion);
  const Json json = parseJsonText(text, "content", Fractions::nearest);
  const bool old = json.is_object() && json.contains("version") && json["version"] == kOldVersion;
  if (!old) throw Error("it does not end with the hash of its content (changed, cut off, or no manifest)");
  return manifestFromJson(json, kOldVersion);
}

}  // namespace

Json shardsToJson(const std::vector<ShardRecord>& shards) {
  Json list = Json::array();
  for (const auto& shard : shards) {
    list.push_back({{"file", shard.file},
                    {"first_rank", rankToJson(shard.firstRank)},
                    {"end_rank", rankToJson(shard.endRank)},
                    {"rows", rankToJson(shard.endRank - shard.firstRank)},
                    {"bytes", exactNumber(shard.bytes)},
                    {"xxh3", shard.hash}});
  }
  return list;
}

std::vector<ShardRecord> shardsFromJson(const Json& list) {
  if (!list.is_array()) throw Error("shards is not a list");
  std::vector<ShardRecord> shards;
  for (const auto& item : list) {
    StrictObject object(item, "shards[" + std::to_string(shards.size()) + "]");
    ShardRecord shard;
    shard.file = object.text("file");
    shard.firstRank = rankOf(object, "first_rank");
    shard.endRank = rankOf(object, "end_rank");
    if (shard.endRank < shard.firstRank || rankOf(object, "rows") != shard.endRank - shard.firstRank)
      throw Error(shard.file + " has ranks and rows that do not fit together");
    shard.bytes = object.count("bytes");
    shard.hash = object.hash("xxh3");
    object.done();
    shards.push_back(std::move(shard));
  }
  return shards;
}

void writeManifest(const std::string& path, const Manifest& manifest) {
  Json generators = Json::array();
  for (const auto generator : manifest.generators) generators.push_back(exactNumber(generator));
  const Json json = {{"format", kFormat},
                     {"version", kVersion},
                     {"generators", std::move(generators)},
                     {"element", exactNumber(manifest.element)},
                     {"sink", manifest.sink},
                     {"dtype", manifest.dtype},
                     {"dimension", manifest.generators.size()},
                     {"first_rank", rankToJson(manifest.firstRank)},
                     {"rows", exactNumber(manifest.rows)},
                     {"shard_rows", exactNumber(manifest.shardRows)},
                     {"complete", manifest.complete},
                     {"shards", shardsToJson(manifest.shards)}};
  replaceFileOrThrow("manifest", path, sealJson(json.dump(1)));
}

Manifest readManifest(const std::string& path) {
  try {
    return manifestFromText(readRegularFile(path));
  } catch (const std::exception& error) {
    throw ConfigError("manifest", path + ": " + error.what(), kAccepted);
  }
}

}  // namespace slicepool::factorizations
