// Checkpoint files: unfinished slices, merged reduction words, buffered results. Format:
// docs/file-formats.md. Used by the engine, and by enumerations that are asked to resume.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "slicepool/core/checkpoint.hpp"

namespace slicepool {

class Problem;

/// Slices where another owner keeps them; `memory` keeps them alive.
struct SliceSpan {
  std::shared_ptr<const void> memory;
  std::span<const std::byte> slices;
};

/// Replaces PATH durably (durable_file.hpp), block by block. `more`: slices beside those of the checkpoint.
/// `problem` packs the slices; null: they are stored as they are. By up to `threads` threads. Returns the
/// bytes written. Throws LimitError when the disk is full, CheckpointError when the file cannot be written
/// for another reason; the older one is untouched then.
std::uint64_t writeCheckpoint(const std::string& path, const Checkpoint& checkpoint,
                              const std::vector<SliceSpan>& more = {}, const Problem* problem = nullptr,
                              int threads = 1);
/// Throws CheckpointError when the file is missing, torn, of another format, fails its hash, or was packed by
/// another problem than this.
[[nodiscard]] Checkpoint readCheckpoint(const std::string& path, const Problem* problem = nullptr,
                                        int threads = 1);

/// Without the contents, which are only checked against the hash. Throws CheckpointError as above.
[[nodiscard]] CheckpointHeader readCheckpointHeader(const std::string& path);
/// The same; throws CheckpointError also when it is of another workload or identity.
[[nodiscard]] CheckpointHeader readCheckpointHeaderOf(const std::string& path, const std::string& workload,
                                                      const std::string& identity);
/// `resume auto`: whether a checkpoint lies where the run would save. Throws ConfigError when nothing says
/// where (`path` is empty); `savers` are what would, in words: "a checkpoint file".
[[nodiscard]] bool checkpointIsThere(const std::string& path, const std::string& savers);
/// Throws what an errno means for a checkpoint of so many bytes: LimitError when the disk is full,
/// CheckpointError otherwise.
[[noreturn]] void throwUnwrittenCheckpoint(const std::string& path, std::uint64_t bytes, int code);

/// Checkpoints on the way, of one run. One that cannot be written does not end the search: the older one is
/// kept, the first failure is a warning, and the next interval tries again. The last checkpoint of a run that
/// stops is written without this: its failure is the run's.
class IntervalSaves {
 public:
  /// Calls `save`, which writes a checkpoint and nothing else. True when it did.
  bool attempt(const std::function<void()>& save, const std::function<void(const std::string&)>& warn);

 private:
  bool warned_ = false;
};

/// Of a run that is complete. Those that are not there, and empty paths, are no error.
void removeCheckpoints(const std::vector<std::string>& paths) noexcept;

}  // namespace slicepool
