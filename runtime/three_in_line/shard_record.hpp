// The record of a search or of one shard of it: which search, which part, and what was found there. A sealed
// JSON file, read strictly. Written by enumeration.cpp, read and added up by `slicepool merge`.
// docs/file-formats.md describes it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "slicepool/three_in_line/enumeration.hpp"

namespace slicepool::three_in_line {

struct ShardRecord {
  int rules = 0;  ///< version of the search rules (kSearchRules)
  int size = 0;
  Group group = Group::none;
  Algorithm algorithm = Algorithm::automatic;  ///< told, not compared: it changes neither nodes nor frontier
  std::uint32_t shards = 1;
  std::uint32_t shard = 0;
  std::uint64_t boards = 0;  ///< roots of this part; 0: searched from the empty board
  Findings findings;
  double seconds = 0;  ///< of enumeration
  bool hasSolutions = false;
  std::vector<Configuration> solutions;  ///< sorted
};

/// Replaces the file as a whole. Throws LimitError when the disk is full, Error otherwise.
void writeShardRecord(const std::string& path, const ShardRecord& record);
/// Throws ConfigError, with the path as field, when it cannot be read, is not a record of this version, was
/// changed after it was written, or contradicts itself (sums, and the solutions where it has them).
[[nodiscard]] ShardRecord readShardRecord(const std::string& path);

/// The records of all shards of one search, in any order, as one record of the whole search. Throws
/// ConfigError that names the files: of another search, given twice, or missing.
[[nodiscard]] ShardRecord mergeShardRecords(const std::vector<std::string>& paths);

/// [[[x, y], ..], ..]: points of each solution sorted by x, then y, from 0.
[[nodiscard]] nlohmann::ordered_json solutionsToJson(const std::vector<Configuration>& solutions, int size);

/// Sum and exclusive-or over the solutions, as the search computes it.
[[nodiscard]] Fingerprint fingerprintOf(const std::vector<Configuration>& solutions);

}  // namespace slicepool::three_in_line
