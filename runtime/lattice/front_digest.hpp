// What the vectors of a shard of a plan say, whatever the machine that wrote them. Called by
// front_shards.cpp.
#pragma once

#include <string>

namespace slicepool::config {

/// Of all vectors in a `.npy` or `.txt`. They come in the order in which they are found, so it is a digest of
/// the set: sum and exclusive-or over the hashes of the rows, after the hash of the header. O(bytes). Throws
/// Error.
[[nodiscard]] std::string latticeDigest(const std::string& path);

}  // namespace slicepool::config
