// The manifest of a sharded output (NAME.manifest.json): what the rows are, and range, size and hash of every
// shard that is whole. A sealed JSON file, read strictly. Written by row_stream, read by manifest_check.
// docs/file-formats.md describes it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "slicepool/factorizations/rank_index.hpp"

namespace slicepool::factorizations {

/// One whole shard. Ranks are positions in Z(n) in decreasing lexicographic order, from 0.
struct ShardRecord {
  std::string file;  ///< name in the folder of the manifest
  Rank firstRank = 0;
  Rank endRank = 0;         ///< exclusive
  std::uint64_t bytes = 0;  ///< of the file
  std::string hash;         ///< XXH3 (64-bit) of the file: 16 hexadecimal digits
};

struct Manifest {
  int version = 2;  ///< 1: it had no hash of its own
  std::vector<std::uint64_t> generators;
  std::uint64_t element = 0;
  std::string sink;           ///< "rows" or "first:K"
  std::string dtype;          ///< of the elements, as NumPy writes it: "|u1", "<u2", "<u4", "<u8"
  unsigned elementBytes = 0;  ///< the same; set by readManifest
  Rank firstRank = 0;
  std::uint64_t rows = 0;  ///< of all shards together, also of those that are not written yet
  std::uint64_t shardRows = 0;
  bool complete = false;
  std::vector<ShardRecord> shards;
};

/// Replaces the file as a whole. Throws Error, LimitError when the disk is full.
void writeManifest(const std::string& path, const Manifest& manifest);
/// Throws ConfigError when it cannot be read, is no manifest, or was changed after it was written. Version 1,
/// in which changes cannot be told, is still read.
[[nodiscard]] Manifest readManifest(const std::string& path);

/// The list of shards as manifests and checkpoints have it. The second throws Error when the list is not one.
[[nodiscard]] nlohmann::ordered_json shardsToJson(const std::vector<ShardRecord>& shards);
[[nodiscard]] std::vector<ShardRecord> shardsFromJson(const nlohmann::ordered_json& list);

}  // namespace slicepool::factorizations
