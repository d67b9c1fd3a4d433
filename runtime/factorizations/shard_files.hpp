// The files of a streamed output, in order: blocks get their places one after the other, finished files get
// their names one after the other. A single output is one shard under the output's own name. Called by
// row_stream.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/factorizations/manifest.hpp"
#include "runtime/factorizations/stream_shape.hpp"
#include "runtime/factorizations/window_checkpoint.hpp"
#include "runtime/io/file_hash.hpp"
#include "runtime/io/part_file.hpp"
#include "runtime/io/zstd_frames.hpp"
#include "slicepool/factorizations/rank_index.hpp"

namespace slicepool::factorizations {

/// place() and position() are for one thread at a time, publishUpTo() and sync() too; the two may overlap.
class ShardFiles {
 public:
  /// `firstRank`: of row 0. `keepParts`: unfinished files stay for a resume.
  ShardFiles(const StreamShape& shape, Rank firstRank, bool keepParts);

  /// Goes on where an earlier process was: its finished shards and what it had written of the next one, all
  /// of which is read and compared with the hashes of the checkpoint before anything is changed. `manifest`
  /// says what the rows are. Before the first place(). Throws CheckpointError when something is not there or
  /// differs.
  void resume(const WindowCheckpoint& checkpoint, const Manifest& manifest);

  struct Place {
    std::shared_ptr<const PartFile> file;
    std::uint64_t offset = 0;
  };
  /// Where the rows [begin, end) of one block go, which are `bytes` in the file. Blocks come in order; the
  /// first one of a shard makes its file. Throws LimitError, Error.
  [[nodiscard]] Place place(std::uint64_t begin, std::uint64_t end, std::span<const std::byte> bytes);
  /// Length of the file of the last block up to there; 0 when that block was the last one of its file.
  [[nodiscard]] std::uint64_t position() const { return position_; }
  /// Hash of that file up to there; empty when position() is 0. For the thread that places.
  [[nodiscard]] std::string positionHash() const;

  /// Every file whose rows all come before `row` becomes durable under its name; all of them must have been
  /// written. Returns how many there were.
  std::size_t publishUpTo(std::uint64_t row);
  /// Makes the file durable that is being written and may hold rows before the last publishUpTo.
  void sync() const;
  /// The one file of an empty set.
  void publishEmpty();

  /// The shards with smaller indices have files that were made here or by the process that is continued.
  /// While no thread places.
  [[nodiscard]] std::uint64_t made() const { return made_; }
  /// Published files, those of an earlier process included.
  [[nodiscard]] const std::vector<ShardRecord>& published() const { return published_; }
  [[nodiscard]] std::uint64_t publishedBytes() const;

 private:
  struct Shard {
    std::uint64_t index = 0;
    std::shared_ptr<PartFile> file;
    std::uint64_t bytes = 0;
    FileHash hash;  ///< of all bytes so far
  };
  void open(std::uint64_t shard);
  void append(Shard& shard, std::span<const std::byte> bytes) const;
  void publish(Shard& shard);
  [[nodiscard]] std::string header(std::uint64_t shard) const;
  void adopt(const WindowCheckpoint& checkpoint);
  void reopen(const WindowCheckpoint& checkpoint, const Manifest& manifest);
  void checkRows(const PartFile& file, const Shard& shard, std::uint64_t row, const Manifest& manifest) const;

  const StreamShape& shape_;
  Rank firstRank_;
  bool keepParts_;
  std::optional<FrameEncoder> headerEncoder_;
  mutable std::mutex mutex_;  ///< of the list; its elements belong to the thread that places, then publishes
  std::deque<Shard> open_;
  std::uint64_t position_ = 0;
  std::uint64_t made_ = 0;
  std::vector<ShardRecord> published_;
};

}  // namespace slicepool::factorizations
