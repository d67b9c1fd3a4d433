// The life of a run behind its handle (slicepool/core/run_handle.hpp): files, devices and memory before it,
// resume, one run, and the end of its checkpoints. RunLife is for every workload, EngineLife for those whose
// slices go through engines, ReductionLife for those of them whose answer is in words. Derived from by
// runtime/<workload>/enumeration.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/core/engine_slot.hpp"
#include "runtime/io/output_guard.hpp"
#include "slicepool/core/engine.hpp"
#include "slicepool/core/problem.hpp"

namespace slicepool {

class RunLife {
 public:
  virtual ~RunLife() = default;
  RunLife(const RunLife&) = delete;
  RunLife& operator=(const RunLife&) = delete;

  void resumeFrom(const std::string& path);
  bool resumeIfSaved();
  virtual void run() = 0;
  virtual void cancel() noexcept = 0;
  [[nodiscard]] virtual bool stepping() const noexcept = 0;
  [[nodiscard]] virtual Progress progress() const = 0;
  [[nodiscard]] bool finished() const noexcept { return finished_; }
  void keepCheckpoints() noexcept { keepsCheckpoints_ = true; }
  void removeCheckpoints() const noexcept;

 protected:
  /// The options get a clock if they have none. `savers`: what gives a run a checkpoint, for the user who
  /// resumes without one. Throws ConfigError for a number of threads that is none.
  explicit RunLife(EngineOptions options, std::string savers = "a checkpoint file");

  /// With several ranks: the one that has the answer, and the files.
  [[nodiscard]] bool leads() const;
  /// Throws ConfigError where ranks cannot share this search; `what` says which it is.
  void refuseRanks(const std::string& what, const std::string& accepted) const;

  /// Throws where this run cannot go on from any checkpoint, or not from one in this place.
  virtual void allowResume(const std::string& path) const { (void)path; }
  /// Reads what a resume needs to know before the run. Throws CheckpointError when it is another run's.
  virtual void readCheckpoint(const std::string& path) = 0;

  /// For a mode that needs GPUs: throws DeviceError when it is clear that there is none. Mode `gpu` begins
  /// their start; in `hybrid` the engine does, when the search is seen to be long.
  void expectDevices();
  /// Waits for them. Throws DeviceError when there is none.
  void awaitDevices();
  [[nodiscard]] bool needsDevices() const {
    return options_.mode == Mode::gpu || options_.mode == Mode::hybrid;
  }
  /// A memory limit that was not given becomes half of what is free.
  void limitMemory();
  /// The beginning of most runs: takes the files of the run - `outputs`, trace and checkpoint - expects
  /// devices, limits memory. `identity`: what determines the answer; a checkpoint of another one is refused.
  void prepare(std::string identity, std::vector<OutputRole> outputs = {});
  /// For an output that is written while the search goes on: what went into a pipe or a device is gone.
  void refuseInPlace(const std::string& checkpoint) const;
  void requireRun() const;
  /// Those of a run that is complete, unless the caller does.
  void dropCheckpoints() noexcept;
  [[nodiscard]] PhaseClock& clock() const { return *options_.phases; }

  EngineOptions options_;
  OutputGuard guard_;
  std::string resumePath_;
  /// Of mode `automatic`, where it was made before an engine would have made it.
  std::optional<AutomaticChoice> choice_;
  std::atomic<bool> started_{false};
  std::atomic<bool> finished_{false};

 private:
  bool keepsCheckpoints_ = false;
  bool needsNoCheckpoints_ = false;
  std::string savers_;
};

/// Runs once, on one engine or on several, one after another.
class EngineLife : public RunLife {
 public:
  void run() final;
  void cancel() noexcept final { slot_.cancel(); }
  [[nodiscard]] bool stepping() const noexcept final { return slot_.stepping(); }
  [[nodiscard]] Progress progress() const override { return withEstimate(slot_.progress()); }

 protected:
  explicit EngineLife(EngineOptions options, std::string savers = "a checkpoint file");

  /// Searches, with report_ as the result, and calls conclude().
  virtual void execute() = 0;
  /// The search is over and the answer is known. Of a finished run: writes its files, each as a whole, after
  /// which it needs no checkpoint.
  void conclude(const std::function<void()>& writeFiles = {});
  /// Progress goes by an estimate of all steps and not by the engine's own total. `refine` is called with
  /// every report of progress, by the thread of run(), and returns the estimate; 0: unknown.
  void estimateSteps(std::function<double(const Progress&)> refine);
  [[nodiscard]] Progress withEstimate(Progress progress) const;
  void warn(const std::string& warning);
  /// What outcome() of the enumeration returns. `outcome` has `run` and `checkpointPath`.
  template <class Outcome>
  [[nodiscard]] Outcome handOver(Outcome& outcome) {
    requireRun();
    outcome.run = std::move(report_);
    if (choice_) outcome.run.automatic = choice_;
    outcome.checkpointPath = savedTo_;
    return std::move(outcome);
  }

  EngineSlot slot_;
  RunReport report_;

 private:
  std::string savedTo_;  ///< an unfinished run's checkpoint
  bool estimates_ = false;
  std::atomic<double> estimatedSteps_{0};
};

/// One engine over a problem whose words are the whole answer: there is no output, and checkpoints are the
/// engine's.
class ReductionLife : public EngineLife {
 protected:
  /// `identity`: what determines the answer; a checkpoint of another one is refused.
  ReductionLife(EngineOptions options, std::unique_ptr<const Problem> problem, std::string identity);

  /// The answer, or what is known of it. Called once, after the search.
  virtual void readWords(const std::vector<std::uint64_t>& words) = 0;

 private:
  void readCheckpoint(const std::string& path) final;
  void execute() final;

  std::unique_ptr<const Problem> problem_;
};

}  // namespace slicepool
