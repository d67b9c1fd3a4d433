// See manifest.hpp.
#include "runtime/factorizations/manifest.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/core/durable_file.hpp"
#include "runtime/core/exact_json.hpp"
#include "runtime/core/file_hash.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::factorizations {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "slicepool-rows";
constexpr int kVersion = 1;
constexpr std::size_t kReadBytes = std::size_t{4} << 20;
constexpr const char* kAccepted = "a manifest that slicepool wrote (format slicepool-rows, version 1)";

Json rankToJson(const Rank& rank) { return exactNumber(rank.str()); }

Rank rankFromJson(const Json& value) {
  return parseRank(value.is_string() ? value.get<std::string>() : value.dump(), "rank");
}

Manifest manifestFromJson(const Json& json) {
  if (json.at("format") != kFormat || json.at("version") != kVersion) throw Error("another format");
  Manifest manifest;
  for (const auto& generator : json.at("generators")) manifest.generators.push_back(countFromJson(generator));
  manifest.element = countFromJson(json.at("element"));
  manifest.sink = json.at("sink");
  manifest.dtype = json.at("dtype");
  manifest.firstRank = rankFromJson(json.at("first_rank"));
  manifest.rows = countFromJson(json.at("rows"));
  manifest.shardRows = countFromJson(json.at("shard_rows"));
  manifest.complete = json.at("complete");
  manifest.shards = shardsFromJson(json.at("shards"));
  return manifest;
}

/// Empty when the shard is what the manifest says.
std::string problemOf(const std::filesystem::path& folder, const ShardRecord& shard) {
  // A name with a folder in it could make `verify` read files that are no shards.
  if (std::filesystem::path(shard.file).filename() != shard.file) return "is not a plain file name";
  const std::string path = (folder / shard.file).string();
  std::ifstream file(path, std::ios::binary);
  std::error_code code;
  const std::uint64_t bytes = std::filesystem::file_size(path, code);
  if (!file || code) return "cannot be read";
  if (bytes != shard.bytes)
    return "has " + std::to_string(bytes) + " bytes, expected " + std::to_string(shard.bytes);
  std::vector<char> buffer(std::min<std::uint64_t>(kReadBytes, std::max<std::uint64_t>(1, bytes)));
  FileHash hash;
  std::uint64_t read = 0;
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())), file.gcount() > 0) {
    const auto count = static_cast<std::size_t>(file.gcount());
    hash.update(std::as_bytes(std::span(buffer.data(), count)));
    read += count;
  }
  if (read != bytes) return "cannot be read beyond " + std::to_string(read) + " bytes";
  return hash.digits() == shard.hash ? "" : "has hash " + hash.digits() + ", expected " + shard.hash;
}

std::string rangeProblem(const Manifest& manifest) {
  Rank next = manifest.firstRank;
  for (const auto& shard : manifest.shards) {
    if (shard.firstRank != next || shard.endRank < shard.firstRank) {
      return shard.file + " has ranks " + shard.firstRank.str() + " to " + shard.endRank.str() +
             ", expected them from " + next.str();
    }
    next = shard.endRank;
  }
  const Rank end = manifest.firstRank + manifest.rows;
  if (next != end) return "ranks " + next.str() + " to " + end.str() + " are missing";
  return manifest.shards.empty() ? "there is no shard" : "";
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
  std::vector<ShardRecord> shards;
  for (const auto& shard : list) {
    shards.push_back({shard.at("file"), rankFromJson(shard.at("first_rank")),
                      rankFromJson(shard.at("end_rank")), countFromJson(shard.at("bytes")),
                      shard.at("xxh3")});
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
  replaceFileOrThrow("manifest", path, json.dump(1) + "\n");
}

Manifest readManifest(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw ConfigError("manifest", path + ", which cannot be opened", kAccepted);
  try {
    return manifestFromJson(Json::parse(file));
  } catch (const std::exception& error) {
    throw ConfigError("manifest", path + ": " + error.what(), kAccepted);
  }
}

ManifestCheck verifyManifest(const std::string& path) {
  ManifestCheck check{readManifest(path), 0, {}};
  const auto folder = std::filesystem::path(path).parent_path();
  for (const auto& shard : check.manifest.shards) {
    check.bytes += shard.bytes;
    if (const std::string problem = problemOf(folder, shard); !problem.empty())
      check.problems.push_back(shard.file + " " + problem);
  }
  if (!check.manifest.complete) {
    check.problems.push_back("the output is unfinished: " + std::to_string(check.manifest.shards.size()) +
                             " shards are whole");
  } else if (const std::string problem = rangeProblem(check.manifest); !problem.empty()) {
    check.problems.push_back(problem);
  }
  return check;
}

}  // namespace slicepool::factorizations
