// Blocks of bytes compressed and back, by libzstd where the build has it. Called by checkpoints.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace slicepool {

enum class Compression : unsigned char { none, zstd };

/// The best that this build has.
[[nodiscard]] Compression availableCompression();
[[nodiscard]] std::string compressionName(Compression compression);

/// Throws Error.
[[nodiscard]] std::vector<std::byte> compressed(std::span<const std::byte> bytes, Compression compression);
/// False unless `block` is exactly `bytes.size()` bytes compressed. Throws Error in a build without it.
[[nodiscard]] bool decompress(std::span<const std::byte> block, Compression compression,
                              std::span<std::byte> bytes);

}  // namespace slicepool
