// What can be done with a run from outside: the same for the enumerations of all workloads.
#pragma once

#include <memory>
#include <string>

#include "slicepool/core/options.hpp"

namespace slicepool {

class RunLife;

/// One run. It is constructed by a workload's Enumeration, which adds the answer.
class RunHandle {
 public:
  RunHandle(const RunHandle&) = delete;
  RunHandle& operator=(const RunHandle&) = delete;

  /// Continue from a checkpoint instead of from the start. Before run(). Throws CheckpointError when it
  /// belongs to another request. Checkpoints go on to be written to EngineOptions::checkpointPath, else to
  /// the same file; all are removed when the run is complete.
  void resumeFrom(const std::string& checkpointPath);
  /// The same from the file that this run saves to, if it is there: the first run of a request and the one
  /// that goes on after a kill are the same call. Returns whether it was there. Throws ConfigError when
  /// nothing says where to save.
  bool resumeIfSaved();
  /// Before run(): the checkpoints of a complete run stay until removeCheckpoints(), for callers whose answer
  /// is delivered only when it has been printed or stored.
  void keepCheckpoints() noexcept;
  /// Of a run that is complete; nothing where a checkpoint is of use.
  void removeCheckpoints() noexcept;
  /// Executes, once. Throws LimitError when results outgrow the memory limit or the disk.
  void run();
  /// Callable from any thread while run() executes.
  void cancel() noexcept;
  /// Any thread: the answer is there.
  [[nodiscard]] bool finished() const noexcept;
  /// Any thread: this run, and not only those that it resumes, has taken steps. Time limits count from here.
  [[nodiscard]] bool stepping() const noexcept;
  /// Any thread.
  [[nodiscard]] Progress progress() const;

 protected:
  explicit RunHandle(std::unique_ptr<RunLife> life);
  ~RunHandle();
  [[nodiscard]] RunLife& life() const { return *life_; }

 private:
  std::unique_ptr<RunLife> life_;
};

}  // namespace slicepool
