// What the rows of a shard of a plan say, whatever the machine that wrote them. Called by front_shards.cpp.
#pragma once

#include <string>

namespace slicepool::config {

/// Of `FILE.manifest.json`: XXH3 of the ranks and rows of all its files, decompressed, because another
/// version of libzstd may write other bytes. Of any other output: of its bytes. O(bytes). Throws Error.
[[nodiscard]] std::string factorizationsDigest(const std::string& path);

}  // namespace slicepool::config
