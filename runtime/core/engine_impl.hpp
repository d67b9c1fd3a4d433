// The inside of an engine, for the translation units that have its parts: engine.cpp runs segments,
// engine_workers.cpp makes workers and lets GPUs join, engine_checkpoints.cpp saves and resumes,
// engine_report.cpp says how it goes.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/core/automatic_choice.hpp"
#include "runtime/core/batch/batch_driver.hpp"
#include "runtime/core/checkpoint.hpp"
#include "runtime/core/checkpoint_interval.hpp"
#include "runtime/core/hub.hpp"
#include "runtime/core/joining_devices.hpp"
#include "runtime/core/session_impl.hpp"
#include "runtime/core/trace.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/engine.hpp"

namespace slicepool {

class Engine::Impl {
 public:
  using Clock = std::chrono::steady_clock;

  Impl(const Problem& problem, EngineOptions options, ResultConsumer* consumer);
  void runUntil(Clock::time_point deadline);
  void cancel() noexcept;
  void giveUp() noexcept;
  [[nodiscard]] bool finished() const;
  [[nodiscard]] bool cancelled() const;
  [[nodiscard]] Progress progress() const;
  [[nodiscard]] RunReport report() const;
  void saveCheckpoint(const std::string& path);
  void loadCheckpoint(const std::string& path);
  [[nodiscard]] Checkpoint checkpoint() const;
  void restore(Checkpoint checkpoint);
  void lowerShared(std::uint64_t word) noexcept { (void)hub_.exchangeShared(word); }

 private:
  // --- engine.cpp
  /// Makes the workers and seeds the pool; once.
  void prepare();
  [[nodiscard]] double estimateTotal() const;
  /// Cuts the roots into enough slices for all workers to start at once.
  void seed(Mode mode, int threads);
  /// One segment. Whether there is to be another one.
  bool segment(Clock::time_point deadline);
  void startDraining(Worker& worker, bool drivesDevice);
  /// Progress, samples, deadline and checkpoint interval. True when the workers ended by themselves.
  bool supervise(Clock::time_point begin, Clock::time_point deadline);
  /// The workers have stopped with slices left: keep them here until the next segment, save them if asked. A
  /// run that goes on does so without a checkpoint, too.
  void afterStop(bool goesOn);
  void finishFiles();
  /// Tells the session how fast workers of each kind are.
  void learnRates();

  // --- engine_workers.cpp
  [[nodiscard]] Mode resolveMode();
  /// What mode `automatic` or `hybrid` has chosen so far.
  [[nodiscard]] AutomaticChoice choice() const;
  /// Threads that a run may use, also to write and read checkpoints.
  [[nodiscard]] int threads() const;
  void makeWorkers(Mode mode, int threads);
  [[nodiscard]] bool hasSeveralGpus() const;
  /// GPUs that are ready become workers at once. The others join: where nothing else works, all but the
  /// first that can be used.
  void addGpus(bool withCpuWorkers);
  /// Waits for the first GPU from `first` on that can be used; returns the index behind it.
  [[nodiscard]] int addFirstGpu(int first);
  [[nodiscard]] std::unique_ptr<BatchDevice> makeGpu(int index) const;
  /// `cpuSecondsLeft`: what the search would take the CPU workers from here on, where it is known.
  void addDriver(std::unique_ptr<BatchDevice> device, bool withCpuWorkers, int index,
                 double cpuSecondsLeft = std::numeric_limits<double>::quiet_NaN());
  /// Refused here: a launch that fails for it would look like a failing device.
  void checkBlockSize(const DeviceInfo& info) const;
  void addCpuWorkers(int threads);
  void warnOfGpu(int index, const DeviceError& error);
  /// Devices that are ready by now become workers. A GPU that cannot be used costs a warning, as one that
  /// fails later does; a mode that asks for GPUs ends where there is none.
  void joinDevices(Clock::time_point begin);
  /// Asks for the GPUs behind the first one, where the search may use all and lasts, or has no other.
  void askForFurther(Clock::time_point begin);
  /// A look at the search now.
  [[nodiscard]] SearchLook lookAt(Clock::time_point begin) const;
  /// Whether the driver of the GPUs has been asked for, or is to be now; notes why.
  [[nodiscard]] bool asksForDriver(const SearchLook& look);
  /// There is no batch driver, or all of them failed.
  [[nodiscard]] bool noDriverWorks() const;
  /// The only workers were batch drivers, and all of them failed.
  [[nodiscard]] bool noWorkerIsLeft() const;
  /// No worker is left, and no GPU is to come.
  [[nodiscard]] bool needsCpuWorkers() const;
  void finishOnCpu();

  // --- engine_checkpoints.cpp: of a run that goes on they are asked for, taken, written
  /// Everything but slices. Between segments, or while the hub is closed.
  [[nodiscard]] Checkpoint checkpointHead() const;
  void requireUnprepared() const;
  /// Everything but the consumer's blob. `source` is what messages call it.
  void adopt(Checkpoint checkpoint, const std::string& source);
  [[nodiscard]] bool isOfThisProblem(const CheckpointHeader& header) const;
  [[noreturn]] void refuseCheckpoint(const std::string& path, const CheckpointHeader& header) const;
  /// The first one is due after one interval also where reading the last one took longer: a run that is
  /// killed again and again gets on by what it saves early.
  void startSaving(Clock::time_point begin);
  [[nodiscard]] static Clock::time_point after(Clock::time_point begin, double seconds);
  /// Does what is due: asks every batch for a commit, takes the snapshot when all have made it, looks whether
  /// it is written.
  void saveOnTheWay(Clock::time_point begin);
  /// Leaves the hub closed, and a thread writing unless the run is over or has failed.
  void takeSnapshot(Clock::time_point begin);
  /// Copies what would change, borrows the rest.
  void startWriting(Clock::time_point begin);
  /// Waits for the thread that writes; the next checkpoint is due an interval from now, or later.
  void finishWriting();

  // --- engine_report.cpp
  void thinSamples(std::chrono::microseconds& interval);
  [[nodiscard]] std::vector<std::uint64_t> mergedWords() const;
  void fillWorkers(RunReport& report) const;
  /// When the first slice was taken: ns since the start of the run, as the times of the accounts.
  [[nodiscard]] std::int64_t enumerationBegin() const;
  /// For the trace: the start of the driver and of contexts, as far as this run saw it, and its devices.
  [[nodiscard]] std::vector<TraceStart> startsOfGpus() const;

  const Problem& problem_;
  EngineOptions options_;
  std::shared_ptr<Session> session_;  ///< before everything that it lends
  ResultConsumer* consumer_;
  EngineHub hub_;
  std::vector<std::byte> slices_;         ///< slices while they are not in the hub
  std::vector<std::uint64_t> baseWords_;  ///< from a checkpoint, else neutral
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<BatchDriver*> drivers_;
  int busyDrivers_ = 0;  ///< those that take a core from the CPU workers
  Worker* cpuWorkers_ = nullptr;
  std::vector<ThreadCrew::Work> draining_;  ///< of the segment, one for each worker
  std::vector<WorkerAccount*> accounts_;
  std::vector<PoolSample> poolSamples_;
  mutable std::mutex accountsMutex_;  ///< progress() may be called while a fallback adds workers
  std::atomic<bool> prepared_{false};
  std::atomic<bool> cancelled_{false};
  bool ownsClock_ = true;
  int fallbackThreads_ = 1;
  bool withCpuWorkers_ = false;
  bool joined_ = false;                    ///< a device has joined
  std::optional<AutomaticChoice> choice_;  ///< where it did not follow from looks
  std::optional<SearchLook> look_;         ///< the last one before the driver of the GPUs was asked for
  bool asked_ = false;
  double earlierSeconds_ = 0;     ///< of the session's searches in mode `hybrid` without GPUs
  double aloneSeconds_ = 0;       ///< of this one, as far as the session knows them
  int further_ = -1;              ///< the first GPU that may be asked for where the search lasts; -1: none
  bool askedForFurther_ = false;  ///< they have been asked for
  double furtherSince_ = -1;      ///< seconds of the search when that began to count
  double earlierFewSeconds_ = 0;  ///< of the session's searches without those GPUs
  double fewSeconds_ = 0;         ///< of this one, as far as the session knows them
  double stepsBefore_ = 0;
  double secondsBefore_ = 0;
  double seconds_ = 0;
  std::int64_t enumerationEnd_ = 0;  ///< ns since the start of the run
  double setupSeconds_ = 0;
  static constexpr std::chrono::milliseconds kLook{1};  ///< between two looks while a checkpoint is made
  struct Written {
    std::uint64_t bytes = 0;
    double seconds = 0;
  };
  CheckpointPace pace_;  ///< 0: no checkpoints by time
  Clock::time_point nextSave_ = Clock::time_point::max();
  std::uint64_t commitsAsked_ = 0;  ///< number of the request for commits that is open, or 0
  std::uint64_t sharedToSave_ = 0;
  std::future<Written> writing_;
  double lastStall_ = 0;
  std::uint64_t checkpointBytes_ = 0;
  double checkpointStallSeconds_ = 0;
  double checkpointWriteSeconds_ = 0;
  std::uint64_t checkpoints_ = 0;
  IntervalSaves intervalSaves_;
  std::uint64_t splitsAtStart_ = 0;
  const Clock::time_point made_ = Clock::now();
  mutable std::mutex devicesMutex_;  ///< GPUs that join are made on threads of their own
  mutable std::vector<GpuStartStep> devicesMade_;
  std::unique_ptr<JoiningDevices> joining_;  ///< last: devices that are being made refer to the problem
};

}  // namespace slicepool
