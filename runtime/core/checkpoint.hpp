// Checkpoint files: unfinished slices, merged reduction words, buffered results. Format:
// docs/file-formats.md. Used by the engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace slicepool {

struct Checkpoint {
  std::string workload;
  std::string identity;  ///< canonical text of the problem; a resume must match it
  std::size_t sliceBytes = 0;
  std::vector<std::byte> slices;
  std::vector<std::uint64_t> words;
  std::vector<std::byte> consumer;  ///< blob of the ResultConsumer
  std::uint64_t shared = 0;
  double steps = 0;
  double seconds = 0;
};

/// Replaces PATH durably (durable_file.hpp). Throws CheckpointError.
void writeCheckpoint(const std::string& path, const Checkpoint& checkpoint);
/// Throws CheckpointError when the file is missing, torn, of another version, or fails its hash.
[[nodiscard]] Checkpoint readCheckpoint(const std::string& path);

}  // namespace slicepool
