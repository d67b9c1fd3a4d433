// Zstandard frames: each block of an output becomes one frame of its own, so that blocks are compressed side
// by side and a file of frames can be continued after any of them. Called by row_stream, shard_files and
// manifest_check.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace slicepool::factorizations {

constexpr int kDefaultCompressionLevel = 3;
constexpr int kMaximumCompressionLevel = 22;

/// False in a build without libzstd.
[[nodiscard]] bool zstdAvailable();
/// Most bytes that a frame of `bytes` bytes takes.
[[nodiscard]] std::size_t longestFrame(std::size_t bytes);

/// Compresses one block after the other. One per thread.
class FrameEncoder {
 public:
  /// `level` from 1 (fast) to 22 (small). Throws Error in a build without libzstd.
  explicit FrameEncoder(int level);
  ~FrameEncoder();
  FrameEncoder(const FrameEncoder&) = delete;
  FrameEncoder& operator=(const FrameEncoder&) = delete;

  /// A whole frame with its content size and a checksum; valid until the next call. The same bytes give the
  /// same frame with the same version of libzstd. Throws Error.
  [[nodiscard]] std::span<const std::byte> encode(std::span<const std::byte> block);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Decompresses frames that come in pieces.
class FrameDecoder {
 public:
  /// Throws Error in a build without libzstd.
  FrameDecoder();
  ~FrameDecoder();
  FrameDecoder(const FrameDecoder&) = delete;
  FrameDecoder& operator=(const FrameDecoder&) = delete;

  /// Calls `plain` with what the next bytes of the file are, in order. Throws Error for other files.
  void decode(std::span<const std::byte> bytes, const std::function<void(std::span<const std::byte>)>& plain);
  /// Whether everything so far is whole frames.
  [[nodiscard]] bool atEnd() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace slicepool::factorizations
