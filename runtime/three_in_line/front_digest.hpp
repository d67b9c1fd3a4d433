// What the record of a shard of a plan says, whatever the machine that wrote it. Called by front_shards.cpp.
#pragma once

#include <string>

namespace slicepool::config {

/// XXH3 of the record without what says how it came about: seconds, algorithm, and its own hash. O(bytes).
/// Throws Error.
[[nodiscard]] std::string threeInLineDigest(const std::string& path);

}  // namespace slicepool::config
