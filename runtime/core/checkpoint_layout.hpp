// The parts of a checkpoint's layout that its writer and its reader share. Layout: 8-byte magic, u64 header
// length, JSON header, blocks (words, consumer blob, slices), u64 XXH3 hash of everything before it. All
// integers little-endian. Called by checkpoint_writer.cpp and checkpoint.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace slicepool::checkpoint_layout {

inline constexpr std::string_view kFamily = "SLPCKPT";  // and one digit, the format
inline constexpr char kFormat = '2';
inline constexpr std::size_t kMagicBytes = 8;
inline constexpr std::size_t kBlockBytes = 4U << 20;
inline constexpr std::size_t kBlockSlices = 1U << 14;
inline constexpr std::size_t kMaximumHeader = 64U << 20;
inline constexpr std::size_t kMaximumBlock = 1U << 30;

/// What stands before each block: bytes before compression, bytes in the file, slices (0 in other blocks).
struct BlockHead {
  std::uint64_t content = 0;
  std::uint64_t stored = 0;
  std::uint64_t slices = 0;
};

}  // namespace slicepool::checkpoint_layout
