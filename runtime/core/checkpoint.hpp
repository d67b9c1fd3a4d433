// Checkpoint files: unfinished slices, merged reduction words, buffered results. Format:
// docs/file-formats.md. Used by the engine, and by enumerations that are asked to resume.
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

/// The checkpoint of one problem. Throws CheckpointError as above, and when it is of another workload or
/// identity.
[[nodiscard]] Checkpoint readCheckpointOf(const std::string& path, const std::string& workload,
                                          const std::string& identity);
/// `resume auto`: whether a checkpoint lies where the run would save. Throws ConfigError when nothing says
/// where (`path` is empty); `savers` are what would, in words: "a checkpoint file".
[[nodiscard]] bool checkpointIsThere(const std::string& path, const std::string& savers);
/// Of a run that is complete. Those that are not there, and empty paths, are no error.
void removeCheckpoints(const std::vector<std::string>& paths) noexcept;

}  // namespace slicepool
