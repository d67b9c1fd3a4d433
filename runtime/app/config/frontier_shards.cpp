// See frontier_shards.hpp.
#include "runtime/app/config/frontier_shards.hpp"

#include <fmt/format.h>

#include "runtime/core/fingerprint_sum.hpp"
#include "runtime/core/fingerprint_text.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::config {

void requireWholeSearch(const GivenSink& sink, const std::string& accepted) {
  if (!sink.seesAll())
    throw ConfigError("sink", sink.name + " in a plan", accepted + ": a search that goes to its end");
}

void requireFileOfRows(const std::string& path) {
  if (path.empty() || path.ends_with(".npy") || path.ends_with(".txt")) return;
  throw ConfigError("output.path", describeValue(Json(path)) + " in a plan",
                    "the name of a .npy or .txt file");
}

std::string dealText(std::uint64_t slices, const char* name) {
  if (slices == 0)
    return "nothing to deal: the search is over before it can be cut, and shard 0 has all of it";
  return fmt::format("a frontier of {} {}, dealt round robin", slices, name);
}

CutSearch cutFrontier(int searchRules, std::uint64_t shards, const std::function<std::uint64_t()>& slices) {
  CutSearch result;
  result.rule = {{"kind", "frontier"}, {"deal", "round robin"}, {"search_rules", searchRules}};
  result.text = "the whole search";
  if (shards == 1) {
    result.shares.push_back(Json::object());
    return result;
  }
  const std::uint64_t all = slices();
  result.rule["slices"] = all;
  result.text = dealText(all, "slices");
  for (std::uint64_t shard = 0; shard < shards; ++shard)
    result.shares.push_back({{"slices", all / shards + (shard < all % shards ? 1 : 0)}});
  return result;
}

ShardConfig frontierShard(const ShardOf& part, const Json& more) {
  ShardConfig result;
  Json& document = result.document;
  document = part.config;
  const char* standard = document.contains("output") ? "list" : "count";
  document.erase("output");
  if (document.value("sink", std::string(standard)) == "list") {
    const std::string own = part.stem + ".npy";
    document["sink"] = "list";
    document["output"] = {{"path", own}};
    document["output"].update(more);
    result.outputs = {own};
  }
  if (part.shards > 1) {
    document["shards"] = part.shards;
    document["shard"] = part.shard;
  }
  return result;
}

void requireRules(const Json& rule, int searchRules) {
  const Json rules = rule.value("search_rules", Json());
  if (rules == Json(searchRules)) return;
  throw ConfigError(
      "search_rules", describeValue(rules),
      std::to_string(searchRules) + ", those of this program: make the plan and its shards again");
}

void requireSlices(const DoneShard& shard) {
  if (shard.share.contains("slices") && shard.record.value("slices", Json()) != shard.share["slices"])
    throw ConfigError(
        shard.path,
        describeValue(shard.record.value("slices", Json())) + " slices, as this program cuts the search",
        shard.share["slices"].dump() + ", as the plan deals: make the plan and its shards again");
}

Fingerprint recordedFingerprint(const DoneShard& shard) {
  const Json fingerprint = shard.record.value("fingerprint", Json());
  if (!fingerprint.is_string()) throw ConfigError(shard.path, "no fingerprint", kShardRecord);
  return fingerprintFromText(fingerprint.get<std::string>());
}

Fingerprint recordedFingerprint(const DoneShards& all) {
  Fingerprint sum;
  for (const DoneShard& shard : all.shards) addTo(sum, recordedFingerprint(shard));
  return sum;
}

void RecordedSums::add(const DoneShard& shard) {
  if (!shard.record.contains(member_))
    throw ConfigError(shard.path, std::string("no ") + member_, kShardRecord);
  addTo(sum_, shard.record[member_], shard.path);
}

void RecordedSums::addTo(Json& sum, const Json& part, const std::string& path) const {
  if (part.is_array()) {
    if (sum.is_null()) sum = Json::array();
    if (!sum.is_array()) refuse(part, path);
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (i == sum.size()) sum.push_back(nullptr);
      addTo(sum[i], part[i], path);
    }
    return;
  }
  const auto number = exactUnsigned(part);
  const auto before = sum.is_null() ? std::uint64_t{0} : exactUnsigned(sum);
  std::uint64_t both = 0;
  if (!number || !before || __builtin_add_overflow(*number, *before, &both)) refuse(part, path);
  sum = exactNumber(both);
}

void RecordedSums::refuse(const Json& part, const std::string& path) const {
  throw ConfigError(path, std::string(member_) + " " + describeValue(part), kShardRecord);
}

}  // namespace slicepool::config
