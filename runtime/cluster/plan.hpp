// A plan: one search cut into shards that separate processes run, on one machine or on many. A sealed JSON
// file, read strictly; everything that a shard needs is in it. Written by `slicepool plan`, read by run,
// status, merge and slurm. docs/file-formats.md describes it, docs/cluster.md shows its use.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace slicepool::cluster {

using Json = nlohmann::ordered_json;

/// The member "format" of a plan.
inline constexpr const char* kPlanFormat = "slicepool-plan";
inline constexpr std::uint64_t kMaximumShards = 100'000;

struct PlannedShard {
  Json share;         ///< an object: what of the search is in this shard, in the words of the rule
  std::string count;  ///< results of the shard, exact, decimal; empty: not known before
  std::vector<std::string> outputs;  ///< names of the files that it writes beside its record
};

struct Plan {
  std::string program;   ///< version of slicepool that cut the search
  std::string workload;  ///< its name in configurations
  std::string stem;      ///< shard 3 writes STEM-3.record.json, ..
  Json identity;         ///< what determines count and fingerprint of the whole search
  Json rule;             ///< an object whose "kind" says how the search was cut
  Json config;           ///< the run configuration
  std::vector<PlannedShard> shards;
  std::string hash;  ///< XXH3 (64-bit) of the file: 16 hexadecimal digits; parts name their plan by it
};

/// Whether a JSON document says that it is a plan, of any version.
[[nodiscard]] bool looksLikePlan(const Json& document);

/// Replaces the file as a whole and sets `plan.hash`. Throws LimitError when the disk is full, Error
/// otherwise.
void writePlan(const std::string& path, Plan& plan);
/// Throws ConfigError with the path as field when it cannot be read, is no plan of this version, or was
/// changed after it was written.
[[nodiscard]] Plan readPlan(const std::string& path);

/// Throws ConfigError unless this program is of the version that cut the search: another one may cut it
/// elsewhere. `path` is of the plan.
void requireProgram(const Plan& plan, const std::string& path);

/// The files of a plan: all of them lie beside it.
class PlanFiles {
 public:
  PlanFiles(const std::string& planPath, const std::string& stem);

  /// FOLDER/STEM-3, with which the names of all files of shard 3 begin.
  [[nodiscard]] std::string of(std::uint64_t shard) const;
  [[nodiscard]] std::string record(std::uint64_t shard) const { return of(shard) + ".record.json"; }
  [[nodiscard]] std::string checkpoint(std::uint64_t shard) const { return of(shard) + ".checkpoint"; }
  /// A record whose outputs are not hashed yet: the run is over.
  [[nodiscard]] std::string ended(std::uint64_t shard) const { return of(shard) + ".ended.json"; }
  [[nodiscard]] std::string lease(std::uint64_t shard) const { return of(shard) + ".lease"; }
  /// Of the merged search.
  [[nodiscard]] std::string merged() const { return base_ + ".record.json"; }

 private:
  std::string base_;  ///< FOLDER/STEM
};

/// Whether a file of this name is the plan's, or may become it: STEM.json, STEM.record.json, STEM-I and what
/// follows.
[[nodiscard]] bool isOfPlan(const std::string& path, const std::string& stem);
/// Files of shards of an earlier plan of this name, which a run would take for its own.
[[nodiscard]] std::vector<std::string> leftovers(const std::string& planPath, const std::string& stem);

/// The stem for a plan of this path: its name without ".json".
[[nodiscard]] std::string stemOf(const std::string& planPath);

/// A name from a plan or a part, which becomes a path beside it. Throws Error with `key` when it could leave
/// its folder.
[[nodiscard]] std::string fileName(const std::string& text, const std::string& key);

}  // namespace slicepool::cluster
