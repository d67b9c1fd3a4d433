// How a run is executed: mode, threads, budgets, limits, checkpoints. The same names appear in JSON
// configurations and on the command line.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "slicepool/core/phases.hpp"
#include "slicepool/detail/batch_device.hpp"

namespace slicepool {

namespace cluster {
class Transport;
}
class Session;

/// Which workers drain the pool. `automatic` uses a GPU when there is one and the CPU always.
enum class Mode : std::uint8_t { cpu, gpu, hybrid, emulated, automatic };
/// Order in which the pool hands out slices: newest first keeps depth-first memory small, oldest first gives
/// breadth.
enum class PoolOrder : std::uint8_t { lifo, fifo };

/// Lane emulator: batches executed on the host. Never called a GPU. Faults are injected for tests.
struct EmulatorOptions {
  std::uint32_t lanes = 1024;           ///< slices per batch
  std::uint32_t resultCapacity = 4096;  ///< buffered results per batch
  double slowdownMilliseconds = 0;      ///< added to every launch
  std::int64_t failAtLaunch = -1;       ///< this launch (0-based, both batches counted) throws; -1: none
  std::int64_t noMemoryAtUpload = -1;   ///< there is no memory for this upload (0-based); -1: none
  std::int64_t spoilAtLaunch = -1;  ///< this launch of a search of many lattices answers wrongly; -1: none
  int devices = 1;                  ///< emulators, each with its own driver thread
  bool withCpuWorkers = true;       ///< CPU workers run beside it, as in hybrid
  bool copiesDuringLaunch = true;   ///< as devices that leave the slices of a launch in place; else not
  std::size_t parcelSlices = 4096;  ///< a gift of so many slices stays where it lies (BatchDriverOptions)
};

struct Progress {
  double seconds = 0;          ///< since the run began, whatever it did
  Phase phase = Phase::start;  ///< what it does now
  double steps = 0;            ///< steps taken so far, by earlier runs of a resumed one as well
  double totalSteps = 0;       ///< exact or estimated; 0: unknown
  std::uint64_t results = 0;
  double stepsPerSecond = 0;  ///< recent, by the wall clock
  double doneShare = -1;      ///< of the whole run, 0 to 1; negative: unknown
  double secondsLeft = 0;     ///< until the end of the whole run, estimate; negative: unknown
  std::uint64_t rowsWritten = 0, rowsToWrite = 0;  ///< of an output that is written meanwhile; 0: none is
  std::size_t pooledSlices = 0;
};

struct EngineOptions {
  Mode mode = Mode::cpu;
  int threads = 0;  ///< CPU workers (and driver threads of hybrid); 0: all cores
  PoolOrder poolOrder = PoolOrder::lifo;
  std::size_t poolCapacity = 1U << 14;  ///< slices; more than that wait behind a lock
  double cpuTurnMilliseconds = 10;      ///< target length of a CPU turn; 0.5 at most beside devices
  double gpuTurnMilliseconds = 12;      ///< target length of a launch
  std::uint64_t cpuBudget = 0;          ///< fixed steps per CPU turn; 0: tuned towards the target
  std::uint64_t gpuBudget = 0;          ///< fixed steps per slice and launch; 0: tuned
  std::uint32_t blockSize = 0;          ///< threads per block; 0: found by a warm-up
  DeviceOptions device{};
  int devices = 0;  ///< GPUs from device.deviceIndex on, one driver thread each; 0: all
  EmulatorOptions emulator{};
  /// Steps after which the run stops as after cancel(), with the turn or launch that takes them; 0: none.
  /// Steps of an earlier process do not count. Unlike a time limit it stops every machine at the same work.
  std::uint64_t stepLimit = 0;
  /// Longest sleep of a worker that waits for slices; 0: until it is woken. No wake-up is lost, so this only
  /// bounds the harm of a mistake in that argument, and tests do without.
  std::chrono::milliseconds longestSleep{50};
  std::size_t memoryLimit = 0;       ///< bytes of host memory for results; 0: half of what is free
  std::string checkpointPath{};      ///< empty: no checkpoint
  std::string checkpointIdentity{};  ///< saved with it; a resume with another one is refused
  std::chrono::milliseconds checkpointInterval{30'000};
  /// For tests: a checkpoint after each so many transactions (turns, exchanges of a batch) instead of by
  /// time, written before any worker goes on; 0: by time.
  std::uint64_t checkpointTransactions = 0;
  /// Called with the path of each checkpoint on the way when it is written.
  std::function<void(const std::string&)> onCheckpoint{};
  /// Called from the thread in run(), at the interval and when the run stops before its end.
  std::function<void(const Progress&)> onProgress{};
  std::chrono::milliseconds progressInterval{200};
  /// The clock of the run that the engine is a part of; empty: one of its own.
  std::shared_ptr<PhaseClock> phases{};
  /// The ranks that share the search, each a process with these options; empty: this process alone.
  std::shared_ptr<cluster::Transport> cluster{};
  /// Has what earlier runs have left for this one, and keeps it for the next (session.hpp); empty: that of
  /// the process.
  std::shared_ptr<Session> session{};
  std::string tracePath{};  ///< Chrome trace-event JSON; empty: none
  bool timeline = false;    ///< sample utilisation and pool depth for reports
};

}  // namespace slicepool
