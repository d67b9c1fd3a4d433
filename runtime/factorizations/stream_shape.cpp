// See stream_shape.hpp.
#include "runtime/factorizations/stream_shape.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/factorizations/request_check.hpp"
#include "runtime/io/zstd_frames.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::factorizations {
namespace {

constexpr std::size_t kMaximumBufferBytes = std::size_t{1} << 30;
constexpr unsigned kMemoryShare = 4;  // of the memory limit that buffers take by default: one part in four
constexpr unsigned kBuffers = 4;      // one is enumerated into, one waits, two are on their way to the disk
constexpr unsigned kMinimumBuffers = 2;
constexpr std::size_t kPlainBlockBytes = std::size_t{4} << 20;
constexpr int kPlainWriters = 2;  // one writes while the other places (and hashes) the next block

/// Bytes that `writers` threads hold beside the buffers: a compressed block each.
std::size_t writerBytes(const StreamShape& shape, int writers) {
  return shape.compressed
             ? static_cast<std::size_t>(writers) * longestFrame(shape.blockRows * shape.rowBytes())
             : 0;
}

void chooseBlocks(StreamShape& shape, const OutputSpec& output, std::size_t bufferBytes) {
  const std::size_t frame = output.frameBytes != 0 ? output.frameBytes : kDefaultFrameBytes;
  const std::size_t bytes = shape.compressed ? frame : std::min(kPlainBlockBytes, bufferBytes / kBuffers);
  shape.blockRows = std::max<std::uint64_t>(1, bytes / shape.rowBytes());
}

void chooseWriters(StreamShape& shape, const OutputSpec& output, int threads, std::size_t bufferBytes) {
  shape.writers = output.writers != 0 ? output.writers : shape.compressed ? threads : kPlainWriters;
  if (output.writers != 0) return;
  while (shape.writers > 1 && writerBytes(shape, shape.writers) > bufferBytes / 4) --shape.writers;
}

void requireShardCount(const StreamShape& shape) {
  if (!shape.sharded() || shape.shardCount() <= kMaximumShards) return;
  throw ConfigError("output.shard_rows", std::to_string(shape.shardRows),
                    "at least " + std::to_string((shape.rows - 1) / kMaximumShards + 1) + " for " +
                        std::to_string(shape.rows) + " rows, so that there are at most " +
                        std::to_string(kMaximumShards) + " shards");
}

}  // namespace

std::uint64_t StreamShape::shardCount() const {
  return sharded() && rows != 0 ? (rows - 1) / shardRows + 1 : 1;
}

std::uint64_t StreamShape::shardEnd(std::uint64_t shard) const {
  return sharded() ? std::min(rows, (shard + 1) * shardRows) : rows;
}

std::uint64_t StreamShape::blockEnd(std::uint64_t row) const {
  const std::uint64_t shard = shardOf(row);
  const std::uint64_t within = row - shardBegin(shard);
  return std::min(shardEnd(shard), shardBegin(shard) + (within / blockRows + 1) * blockRows);
}

std::uint64_t StreamShape::windowEnd(std::uint64_t row) const {
  if (rows - row <= windowRows) return rows;
  const std::uint64_t most = row + windowRows;
  const std::uint64_t begin = shardBegin(shardOf(most));
  return begin + (most - begin) / blockRows * blockRows;
}

std::string StreamShape::shardPath(std::uint64_t shard) const {
  if (!sharded()) return path;
  const std::size_t suffix = path.rfind(".npy");
  return fmt::format("{}-{:05}{}", path.substr(0, suffix), shard, path.substr(suffix));
}

std::string StreamShape::manifestPath() const {
  return path.substr(0, path.rfind(".npy")) + ".manifest.json";
}

StreamShape makeStreamShape(const Request& request, const StreamLimits& limits) {
  const OutputSpec& output = request.output;
  StreamShape shape;
  shape.path = output.path;
  shape.rows = limits.rows;
  shape.dimension = static_cast<unsigned>(request.generators.size());
  shape.elementBytes = limits.elementBytes;
  shape.shardRows = output.shardRows;
  shape.compressed = outputFormat(output) == OutputFormat::npyZstd;
  shape.level = output.compressionLevel.value_or(kDefaultCompressionLevel);
  requireShardCount(shape);

  const std::size_t byDefault = std::min(kMaximumBufferBytes, limits.memoryLimit / kMemoryShare);
  std::size_t bytes = output.bufferBytes != 0 ? output.bufferBytes : byDefault;
  chooseBlocks(shape, output, bytes);
  chooseWriters(shape, output, limits.threads, bytes);
  const std::size_t held = writerBytes(shape, shape.writers);
  const std::size_t least = kMinimumBuffers * shape.blockRows * shape.rowBytes() + held;
  if (output.bufferBytes != 0 && bytes < least) {
    throw ConfigError("output.buffer_memory", std::to_string(bytes),
                      "at least " + std::to_string(least) + " bytes here: two blocks of " +
                          std::to_string(shape.blockRows * shape.rowBytes()) + " bytes and " +
                          std::to_string(held) + " for the writers");
  }
  bytes = std::max(bytes, least);
  if (bytes + limits.tableBytes > limits.memoryLimit) {
    throw LimitError("output " + shape.path + ": buffers of " + std::to_string(bytes) +
                     " bytes and tables of " + std::to_string(limits.tableBytes) +
                     " bytes are more than the memory limit of " + std::to_string(limits.memoryLimit) +
                     " bytes");
  }
  const std::uint64_t blockBytes = shape.blockRows * shape.rowBytes();
  shape.buffers = static_cast<unsigned>(std::min<std::uint64_t>(kBuffers, (bytes - held) / blockBytes));
  const std::uint64_t windowBytes = (bytes - held) / shape.buffers;
  shape.windowRows = std::min({limits.windowRows, std::max<std::uint64_t>(1, limits.rows),
                               windowBytes / blockBytes * shape.blockRows});
  if (shape.windowRows < std::min(shape.blockRows, limits.rows)) {
    throw LimitError("output " + shape.path + ": a device that takes " + std::to_string(shape.windowRows) +
                     " rows at a time cannot fill a frame of " + std::to_string(shape.blockRows) +
                     " rows; ask for smaller frames");
  }
  return shape;
}

}  // namespace slicepool::factorizations
