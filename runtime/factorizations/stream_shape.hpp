// The arithmetic of a streamed output: which rows are in which shard, which rows are written (and compressed)
// together, how many are enumerated at a time, and how much memory that takes. Called by enumeration.cpp and
// row_stream.
//
// Three sizes. A *shard* is a file. A *block* is what one writer thread handles; in a compressed output it is
// a frame, so its size is part of the request and never depends on the machine: the same request gives the
// same bytes. Blocks start anew in every shard. A *window* is what one engine run enumerates into one buffer:
// whole blocks, as many as the memory allows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "slicepool/factorizations/enumeration.hpp"

namespace slicepool::factorizations {

/// Uncompressed bytes of a frame unless the request says otherwise.
constexpr std::size_t kDefaultFrameBytes = std::size_t{1} << 20;
/// Names have five digits, and a folder of more files is no longer handy.
constexpr std::uint64_t kMaximumShards = 100'000;

struct StreamShape {
  std::string path;
  std::uint64_t rows = 0;
  unsigned dimension = 1;
  unsigned elementBytes = 1;
  std::uint64_t shardRows = 0;  ///< 0: one file, named `path`
  bool compressed = false;
  int level = 0;  ///< of the compression
  std::uint64_t blockRows = 1;
  std::uint64_t windowRows = 1;  ///< most rows of a window; at least blockRows
  unsigned buffers = 1;          ///< windows in memory at a time
  int writers = 1;               ///< threads

  [[nodiscard]] std::size_t rowBytes() const { return std::size_t{dimension} * elementBytes; }
  [[nodiscard]] bool sharded() const { return shardRows != 0; }
  /// At least one: an empty set is one file without rows.
  [[nodiscard]] std::uint64_t shardCount() const;
  /// The shard of row `row` < rows.
  [[nodiscard]] std::uint64_t shardOf(std::uint64_t row) const { return sharded() ? row / shardRows : 0; }
  [[nodiscard]] std::uint64_t shardBegin(std::uint64_t shard) const {
    return sharded() ? shard * shardRows : 0;
  }
  [[nodiscard]] std::uint64_t shardEnd(std::uint64_t shard) const;
  /// Where the block that contains `row` < rows ends.
  [[nodiscard]] std::uint64_t blockEnd(std::uint64_t row) const;
  /// Where a window that starts at `row` < rows ends: at the end of a block, at most windowRows later.
  [[nodiscard]] std::uint64_t windowEnd(std::uint64_t row) const;
  /// rows.npy, or rows-00007.npy when sharded.
  [[nodiscard]] std::string shardPath(std::uint64_t shard) const;
  /// rows.npy and rows.npy.zst have rows.manifest.json.
  [[nodiscard]] std::string manifestPath() const;
};

/// What decides a shape beside the request.
struct StreamLimits {
  std::uint64_t rows = 0;        ///< of the output
  std::uint64_t windowRows = 0;  ///< most that a device enumerates at a time
  unsigned elementBytes = 1;
  std::size_t memoryLimit = 0;  ///< host memory, bytes
  std::size_t tableBytes = 0;   ///< of which the counting tables take
  int threads = 1;
};

/// Throws ConfigError for a buffer memory below what two frames need or shards beyond kMaximumShards,
/// LimitError when the memory limit leaves no room for the buffers.
[[nodiscard]] StreamShape makeStreamShape(const Request& request, const StreamLimits& limits);

}  // namespace slicepool::factorizations
