// Checkpoints of outputs that are written window after window (CSV, streamed rows, and rows beyond a device's
// memory): a sealed JSON file that says which ranks are done, and length and hash of the output then. Called
// by enumeration.cpp and row_stream.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/factorizations/manifest.hpp"

namespace slicepool::factorizations {

struct WindowCheckpoint {
  std::string identity;           ///< canonical text of the request
  std::uint64_t nextRank = 0;     ///< rows of all smaller ranks are written
  std::uint64_t outputBytes = 0;  ///< length then of the file that was being written; 0: there was none
  std::string outputHash{};       ///< of these bytes; empty: of a mapped file, whose rows are checked instead
  std::vector<std::uint64_t>
      words;  ///< merged reduction words of the finished windows; empty before the first
  std::uint64_t steps = 0;
  std::vector<ShardRecord> shards{};  ///< sharded outputs: those that are whole
};

/// Replaces the file as a whole. Throws LimitError when the disk is full, CheckpointError otherwise.
void writeWindowCheckpoint(const std::string& path, const WindowCheckpoint& checkpoint);
/// Throws CheckpointError when it cannot be read, was changed in any bit, is of another format version, or
/// its identity is not `identity` (both are named).
[[nodiscard]] WindowCheckpoint readWindowCheckpoint(const std::string& path, const std::string& identity);
/// True when `path` is such a file, false when it is anything else. Throws CheckpointError when it cannot be
/// opened.
[[nodiscard]] bool isWindowCheckpoint(const std::string& path);

}  // namespace slicepool::factorizations
