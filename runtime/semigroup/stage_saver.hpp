// Writes finished stages of an exploration to its checkpoint: what is not there yet, by a thread, while the
// exploration goes on. Owned by the front (enumeration.cpp).
#pragma once

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "runtime/semigroup/explorer.hpp"
#include "runtime/semigroup/saved_stages.hpp"

namespace slicepool::semigroup {

/// Calls come from one thread.
class StageSaver {
 public:
  using Seconds = std::chrono::duration<double>;

  StageSaver(std::string identity, int threads) : identity_(std::move(identity)), threads_(threads) {}
  ~StageSaver();
  StageSaver(const StageSaver&) = delete;
  StageSaver& operator=(const StageSaver&) = delete;

  /// Reads a checkpoint; a save() to the same file appends to it. Throws CheckpointError.
  [[nodiscard]] std::shared_ptr<const SavedStages> read(const std::string& path);
  /// Whether something is being written.
  [[nodiscard]] bool busy() const;
  /// Takes the stages that the file does not have out of `explorer`, and starts to write them; `mark` has the
  /// seconds and steps of the run. Waits for what is being written before. Throws what that threw.
  void save(const std::string& path, Explorer& explorer, const StageMark& mark);
  /// Until everything is on the disk. Throws LimitError when the disk is full, CheckpointError otherwise. The
  /// next save() writes the stages then: behind what is there, or, after a CheckpointError, into a new file.
  void wait();
  /// How long the last save() has written, when nothing is being written.
  [[nodiscard]] Seconds written() const { return written_; }
  /// The same of all of them together.
  [[nodiscard]] Seconds writtenInAll() const { return writtenInAll_; }
  /// Size of the file, when nothing is being written; 0: there is none.
  [[nodiscard]] std::uint64_t bytes() const { return log_ != nullptr ? log_->bytes() : 0; }

 private:
  struct Batch;

  void write(const Batch& batch);

  std::string identity_;
  int threads_;
  std::unique_ptr<RecordLog> log_;  ///< null: no file yet. The thread's own while it writes
  std::uint32_t restarts_ = 0;      ///< of the base that the file is of
  std::size_t stages_ = 0;          ///< that the file has
  std::future<void> writing_;
  Seconds written_{0};
  Seconds writtenInAll_{0};
};

}  // namespace slicepool::semigroup
