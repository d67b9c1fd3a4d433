// See plan.hpp.
#include "runtime/cluster/plan.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "runtime/cluster/shard_document.hpp"
#include "runtime/io/digits.hpp"
#include "runtime/io/durable_file.hpp"
#include "runtime/io/exact_json.hpp"
#include "runtime/io/file_hash.hpp"
#include "runtime/io/regular_file.hpp"
#include "runtime/io/sealed_json.hpp"
#include "slicepool/build_info.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cluster {
namespace {

constexpr ShardDocument kPlan{kPlanFormat, 1};
constexpr const char* kAccepted = "a plan as slicepool plan wrote it (format slicepool-plan, version 1)";

Json shardToJson(std::uint64_t shard, const PlannedShard& planned) {
  Json json = {{"shard", shard}, {"share", planned.share}};
  if (!planned.count.empty()) json["count"] = exactNumber(planned.count);
  json["outputs"] = planned.outputs;
  return json;
}

std::string countText(const Json& value) {
  std::string text = decimalText(value);
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || value != exactNumber(text)) throw Error("count is no number of results");
  return text;
}

PlannedShard shardFromJson(const Json& json, std::uint64_t shard) {
  StrictObject object(json, "shards[" + std::to_string(shard) + "]");
  (void)object.count("shard", shard, shard);
  PlannedShard planned;
  planned.share = object.object("share");
  if (object.has("count")) planned.count = countText(object.member("count"));
  const Json& outputs = object.member("outputs");
  if (!outputs.is_array()) throw Error("outputs is not a list");
  for (const auto& name : outputs) {
    if (!name.is_string()) throw Error("outputs has something that is no name");
    planned.outputs.push_back(fileName(name.get<std::string>(), "outputs"));
  }
  object.done();
  return planned;
}

}  // namespace

bool looksLikePlan(const Json& document) {
  return document.is_object() && document.contains("format") && document["format"] == kPlanFormat;
}

void writePlan(const std::string& path, Plan& plan) {
  const std::string text = shardDocumentText(
      kPlan, plan, [&](std::uint64_t shard) { return shardToJson(shard, plan.shards[shard]); });
  replaceFileOrThrow("plan", path, text);
  plan.hash = hashDigits(text);
}

Plan readPlan(const std::string& path) {
  std::string text;
  try {
    text = readRegularFile(path);
  } catch (const Error& error) {
    throw ConfigError(path, std::string("a file that ") + error.what(), kAccepted);
  }
  try {
    Plan plan = planOfShardDocument(kPlan, text, shardFromJson);
    plan.hash = hashDigits(text);
    return plan;
  } catch (const ConfigError&) {
    throw;
  } catch (const std::exception& error) {
    throw ConfigError(path, std::string("no plan: ") + error.what(), kAccepted);
  }
}

void requireProgram(const Plan& plan, const std::string& path) {
  if (plan.program == build::kVersion) return;
  throw ConfigError(path, "a plan of slicepool " + plan.program,
                    std::string("plans of this version, ") + build::kVersion +
                        ": another one may cut the search elsewhere");
}

PlanFiles::PlanFiles(const std::string& planPath, const std::string& stem) {
  const auto folder = std::filesystem::path(planPath).parent_path();
  base_ = (folder / stem).string();
}

std::string PlanFiles::of(std::uint64_t shard) const { return base_ + "-" + std::to_string(shard); }

bool isOfPlan(const std::string& path, const std::string& stem) {
  const std::string name = std::filesystem::path(path).filename().string();
  if (name == stem + ".json" || name == stem + ".record.json") return true;
  return name.starts_with(stem + "-") && name.size() > stem.size() + 1 && isDigit(name[stem.size() + 1]);
}

std::vector<std::string> leftovers(const std::string& planPath, const std::string& stem) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folderOf(planPath), error)) {
    const std::string name = entry.path().filename().string();
    const bool ours = name.ends_with(".lease") || name.ends_with(".checkpoint") ||
                      name.ends_with(".record.json") || name.ends_with(".ended.json");
    if (ours && name.starts_with(stem + "-") && isOfPlan(name, stem)) found.push_back(name);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string stemOf(const std::string& planPath) {
  const std::filesystem::path name = std::filesystem::path(planPath).filename();
  return name.extension() == ".json" ? name.stem().string() : name.string();
}

std::string fileName(const std::string& text, const std::string& key) {
  if (text.empty() || text.find('/') != std::string::npos || text == "." || text == "..")
    throw Error(key + " is no name of a file");
  return text;
}

}  // namespace slicepool::cluster
