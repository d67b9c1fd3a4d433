// What the rules for shards (shard_rule.hpp) have in common where a frontier of slices is dealt round robin:
// the cut, and what a merge checks and adds up. Called by runtime/<workload>/front_shards.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "runtime/app/config/shard_rule.hpp"
#include "runtime/core/named_sinks.hpp"
#include "slicepool/core/fingerprint.hpp"

namespace slicepool::config {

/// What a record that a merge takes is, for messages.
inline constexpr const char* kShardRecord = "the record of a shard of this search";

/// Throws ConfigError for a sink that may stop early. `accepted`: "count or list".
void requireWholeSearch(const GivenSink& sink, const std::string& accepted);
/// Throws ConfigError for an output that is no .npy or .txt file.
void requireFileOfRows(const std::string& path);

/// How `slices` of a search are dealt to shards, for its user. `name`: what they are.
[[nodiscard]] std::string dealText(std::uint64_t slices, const char* name);
/// The cut; `slices` counts those of the frontier, and is called for several shards only.
[[nodiscard]] CutSearch cutFrontier(int searchRules, std::uint64_t shards,
                                    const std::function<std::uint64_t()>& slices);
/// The configuration of a shard; of a list with an array of its own, whose "output" has `more` members.
[[nodiscard]] ShardConfig frontierShard(const ShardOf& part, const Json& more);
/// Throws ConfigError when the rule of a plan was made for other rules of the search.
void requireRules(const Json& rule, int searchRules);

/// Throws ConfigError when a shard started from other slices than the plan deals.
void requireSlices(const DoneShard& shard);
/// Throws ConfigError when there is none.
[[nodiscard]] Fingerprint recordedFingerprint(const DoneShard& shard);
/// That of the union of all.
[[nodiscard]] Fingerprint recordedFingerprint(const DoneShards& all);

/// Numbers of the records of shards, added up member by member, however deep their lists are nested.
class RecordedSums {
 public:
  explicit RecordedSums(const char* member) : member_(member) {}

  /// Throws ConfigError for another record, and beyond 64 bits.
  void add(const DoneShard& shard);
  [[nodiscard]] const Json& sum() const { return sum_; }

 private:
  void addTo(Json& sum, const Json& part, const std::string& path) const;
  [[noreturn]] void refuse(const Json& part, const std::string& path) const;

  const char* member_;
  Json sum_;
};

}  // namespace slicepool::config
