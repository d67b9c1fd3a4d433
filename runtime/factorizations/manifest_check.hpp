// `slicepool verify`: shards read whole and compared with their manifest, field by field and row by row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/factorizations/manifest.hpp"

namespace slicepool::factorizations {

struct ManifestCheck {
  Manifest manifest;
  std::uint64_t bytes = 0;  ///< of all shards, as the manifest says
  /// One sentence for each thing that is wrong: a shard that is missing, shorter, longer or of another hash,
  /// has another header, or rows that are not those of its ranks; a gap between two shards, an unfinished
  /// output.
  std::vector<std::string> problems;
  /// What could not be checked, one sentence each.
  std::vector<std::string> notes;
};

/// Reads every shard once: size, hash, header, and every row, which must be a factorization of the element
/// and less than the one before it. Ranks of the first and the last row of every shard are compared where the
/// counting table of the element takes no more than 1 GiB. O(bytes), several shards at a time. Throws
/// ConfigError for a file that is not a manifest.
[[nodiscard]] ManifestCheck verifyManifest(const std::string& path);

}  // namespace slicepool::factorizations
