// The engine: seeds the pool, starts workers, detects termination by counting, merges sinks, reports
// progress, checkpoints. A run is an object: run, runFor, cancel, progress, result.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "slicepool/core/checkpoint.hpp"
#include "slicepool/core/options.hpp"
#include "slicepool/core/problem.hpp"

namespace slicepool {

/// What one worker did.
struct WorkerReport {
  std::string name;    ///< "cpu0", "gpu0", "emulated0"
  std::string kind;    ///< "cpu", "gpu", "emulated"
  std::string device;  ///< device name for gpu, else empty
  std::uint64_t steps = 0;
  std::uint64_t results = 0;
  std::uint64_t turns = 0;  ///< CPU turns or launches
  std::uint64_t splits = 0;
  double busySeconds = 0;
  double share = 0;  ///< of all steps
  // Seconds; empty where nobody measured them, as of a workload of one's own. From the first slice of all to
  // `firstSeconds` the run ramps up, from `lastSeconds` to its end it has a tail.
  std::optional<double> readySeconds;  ///< after the start of the enumeration: it could take slices
  std::optional<double> firstSeconds;  ///< begin of its first turn or launch, as readySeconds
  std::optional<double> lastSeconds;   ///< end of its last one, as readySeconds
  std::optional<double>
      exchangeSeconds;  ///< in commits, gifts and takes; those beside a launch are in busySeconds as well
  std::optional<double> waitingSeconds;  ///< without slices
};

/// Samples over time, for the report page.
struct Timeline {
  double intervalSeconds = 0;
  std::vector<std::size_t> poolDepth;
  std::vector<std::vector<double>> utilisation;  ///< [worker][sample], 0..1
};

/// What mode `automatic` or `hybrid` chose, and why. Numbers are those of the moment at which it decided, or
/// of the last time at which it looked; empty: not known then.
struct AutomaticChoice {
  bool devices = false;  ///< GPUs were ready or asked for; whether they took part, the workers say
  std::string reason;    ///< "the rate so far left 2.1 s of work"
  std::optional<double> askedSeconds;  ///< from the start of the enumeration until their driver was asked for
  std::optional<double> stepsPerSecond;  ///< measured rate of the CPU workers together
  std::optional<double> stepsLeft;       ///< expected
  std::optional<double> secondsLeft;     ///< expected of the CPU workers alone
};

struct RunReport {
  bool complete = false;             ///< every slice was exhausted
  bool decided = false;              ///< stopped early because the answer was settled (any/all)
  std::vector<std::uint64_t> words;  ///< merged reduction words; words[0] is the number of results
  double seconds = 0;                ///< enumeration of this run, first slice to last
  double setupSeconds = 0;           ///< workers, devices, tables on devices
  double wallSeconds = 0;            ///< the whole run, by its clock
  PhaseSeconds phases{};             ///< what the parts of wallSeconds were for
  std::uint64_t steps = 0;           ///< of earlier runs of a resumed one as well
  std::uint64_t stepsBefore = 0;     ///< those of earlier runs
  double secondsBefore = 0;          ///< enumeration of earlier runs
  std::uint64_t splits = 0;
  std::vector<WorkerReport> workers;
  std::vector<std::string> warnings;
  std::optional<AutomaticChoice> automatic;  ///< of modes automatic and hybrid
  std::size_t peakHostBytes = 0;
  std::size_t peakDeviceBytes = 0;
  std::uint32_t blockSize = 0;  ///< picked or set; 0 without a GPU
  std::uint64_t gpuBudget = 0;  ///< last budget of a launch
  std::uint64_t cpuBudget = 0;  ///< largest of the CPU workers' last budgets
  std::uint64_t checkpoints = 0;
  std::uint64_t checkpointBytes = 0;  ///< of the last one
  double checkpointStallSeconds = 0;  ///< in which all workers waited for one
  double checkpointWriteSeconds = 0;  ///< of packing and writing them, beside the run but for the last
  Timeline timeline;
};

/// Takes buffered results (Collect sinks), `count` of `Problem::resultBytes()` each. Called under a lock.
class ResultConsumer {
 public:
  virtual ~ResultConsumer() = default;
  virtual void consume(const std::byte* results, std::size_t count) = 0;
  /// After each consume(): what the shared word is lowered to, if that is less. For consumers that know a
  /// better bound than the results they were given.
  [[nodiscard]] virtual std::uint64_t sharedBound() const {
    return std::numeric_limits<std::uint64_t>::max();
  }
  /// Everything consumed so far as one blob for a checkpoint, and back. Results are consumed when the work
  /// that found them is committed, so that the blob fits the words and slices of the same moment.
  [[nodiscard]] virtual std::vector<std::byte> save() const { return {}; }
  virtual void restore(const std::vector<std::byte>& blob) { (void)blob; }
};

class Engine {
 public:
  /// `problem` and `consumer` must outlive the engine. Throws ConfigError, DeviceError, LimitError.
  Engine(const Problem& problem, EngineOptions options, ResultConsumer* consumer = nullptr);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Runs until finished, decided or cancelled, also by the step limit. Rethrows the first exception of a
  /// worker.
  void run();
  /// Runs for about `duration` (plus one budget) or until finished; call again to go on.
  void runFor(std::chrono::nanoseconds duration);
  /// Asks a running engine to stop after at most one budget. Async-signal-unsafe but callable from any
  /// thread.
  void cancel() noexcept;
  /// The same, but what is left is of no use: devices do not copy it back, which for a million slices takes
  /// a second and gigabytes of memory, and no checkpoint can be made of it.
  void giveUp() noexcept;
  [[nodiscard]] bool finished() const;
  [[nodiscard]] bool cancelled() const;
  [[nodiscard]] Progress progress() const;
  /// Valid after run/runFor returned.
  [[nodiscard]] RunReport report() const;

  /// Writes unfinished slices and merged words as new file, fsync, rename. Not while running.
  void saveCheckpoint(const std::string& path) const;
  /// Replaces the roots by the slices of a checkpoint. Before the first run. Throws CheckpointError.
  void loadCheckpoint(const std::string& path);

  /// What saveCheckpoint would write, in memory. Not while running, but also after a callback has thrown.
  /// Throws CheckpointError after a worker has failed. O(bytes of the slices).
  [[nodiscard]] Checkpoint checkpoint() const;
  /// As loadCheckpoint, from memory. Words that are empty are neutral ones, and an empty blob leaves the
  /// consumer as it is: the engine then has only what it found itself. Before the first run. Throws
  /// CheckpointError.
  void restore(Checkpoint checkpoint);
  /// Lowers the shared word to `word` if that is less. Any thread, also while running: workers see it with
  /// their next turn or launch. A word that no result can reach would lose results.
  void lowerShared(std::uint64_t word) noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace slicepool
