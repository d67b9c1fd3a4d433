// Rows on their way to files larger than memory: a ring of buffers that windows of rows are enumerated into,
// and writer threads that compress, place, hash and write finished windows meanwhile. What is durable is kept
// in a checkpoint. Called by enumeration.cpp.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/checkpoint.hpp"
#include "runtime/factorizations/manifest.hpp"
#include "runtime/factorizations/shard_files.hpp"
#include "runtime/factorizations/stream_shape.hpp"
#include "runtime/factorizations/window_checkpoint.hpp"
#include "runtime/io/ordered_pipeline.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/factorizations/enumeration.hpp"

namespace slicepool::factorizations {

/// What a stream notes beside the rows.
struct StreamBooks {
  std::string checkpointPath;  ///< empty: no checkpoint, and unfinished files are removed
  std::string identity;        ///< of the request, in the checkpoint
  std::chrono::milliseconds checkpointInterval{30'000};
  Manifest manifest;                                  ///< sharded outputs: all but `complete` and `shards`
  std::atomic<std::uint64_t>* rowsWritten = nullptr;  ///< raised by the rows that are written
  Meanwhile meanwhile;                                ///< of the producer, while it waits for the writers
};

/// The notes of this request for an output of `rows` rows; without a checkpoint.
[[nodiscard]] StreamBooks makeStreamBooks(const Request& request, std::uint64_t rows, unsigned elementBytes);

/// One producer calls acquire, submit, .. in turn; the threads are inside. Every call rethrows the first
/// error of a writer (LimitError when the disk is full), after which nothing is written any more and the last
/// checkpoint holds.
class RowStream {
 public:
  /// Starts a new output, or goes on with the one that `resume` describes. Writes manifest and checkpoint, so
  /// that from here on a killed process can be resumed. Throws LimitError, CheckpointError, Error.
  RowStream(StreamShape shape, StreamBooks books, const std::optional<WindowCheckpoint>& resume);
  ~RowStream();
  RowStream(const RowStream&) = delete;
  RowStream& operator=(const RowStream&) = delete;

  /// A buffer for the rows of one window, shape.windowRows rows. Waits for the disk when all are taken.
  [[nodiscard]] std::byte* acquire();
  /// Rows `window` are at `rows`: an acquired buffer, or memory of the caller that stays until finish().
  /// Windows come in order and end where blocks end. `words` and `steps` are those of all rows up to
  /// window.end, for the checkpoint.
  void submit(RankRange window, const std::byte* rows, std::vector<std::uint64_t> words, std::uint64_t steps);
  /// Everything submitted is written and in the checkpoint; to be resumed by another process.
  void suspend();
  /// All rows have been submitted: they are durable under their final names. The checkpoint is still there.
  void finish();

  /// After suspend() or finish().
  [[nodiscard]] std::uint64_t checkpoints() const { return checkpoints_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  /// Bytes of all finished files. After finish().
  [[nodiscard]] std::uint64_t bytes() const { return files_.publishedBytes(); }
  /// Time that acquire() waited for the disk.
  [[nodiscard]] double secondsWaited() const { return secondsWaited_; }

 private:
  struct Window {
    std::uint64_t end = 0;
    std::byte* buffer = nullptr;    ///< to be given back; null for memory of the caller
    std::uint64_t blocksLeft = 0;   ///< not written yet
    std::uint64_t outputBytes = 0;  ///< length of the file that goes on after `end`, 0: a new one begins
    std::string outputHash;         ///< of these bytes
    std::vector<std::uint64_t> words;
    std::uint64_t steps = 0;
  };
  struct Block {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::span<const std::byte> bytes;  ///< the rows, then what the file gets of them
    Window* window = nullptr;
    ShardFiles::Place place;
  };
  using Pipeline = OrderedPipeline<Block>;

  [[nodiscard]] Pipeline::Actions actions();
  void compress(Block& block, int writer);
  void place(Block& block);
  void leave(const Block& block, Pipeline::Lock& lock);
  void commit(const Window& window);
  void writeBooks(bool goesOn);
  void writeShardList(bool complete) const;
  void drain();
  void discardBeginning() const;

  StreamShape shape_;
  StreamBooks books_;
  ShardFiles files_;
  bool settled_ = false;  ///< finished, or suspended with a checkpoint

  // Used by the thread that commits, one at a time, and by the producer when nothing is under way.
  WindowCheckpoint durable_;  ///< what the next checkpoint says
  std::chrono::steady_clock::time_point booksTime_;
  std::chrono::steady_clock::duration booksCost_{0};
  std::uint64_t checkpoints_ = 0;
  IntervalSaves intervalSaves_;
  std::vector<std::string> warnings_;
  double secondsWaited_ = 0;
  std::vector<RowMatrix> buffers_;

  std::vector<std::unique_ptr<FrameEncoder>> encoders_;  ///< one a writer, made by it

  // Guarded by the pipeline's lock.
  std::deque<Window> windows_;  ///< submitted and not committed; elements stay where they are
  std::vector<std::byte*> free_;
  std::byte* lent_ = nullptr;
  bool committing_ = false;

  Pipeline pipeline_;  ///< last: its threads use the rest
};

/// finish(), and what it made into the outcome.
void finishStream(RowStream& stream, const StreamShape& shape, Outcome& outcome);

}  // namespace slicepool::factorizations
