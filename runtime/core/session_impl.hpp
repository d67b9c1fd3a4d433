// The inside of a session, for the users of what it keeps: the engine, the watchdog of the command, tasks of
// the Python package.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <typeindex>
#include <vector>

#include "cpu_workers/core/cpu_arena.hpp"
#include "cpu_workers/core/thread_crew.hpp"
#include "slicepool/core/session.hpp"
#include "slicepool/detail/device_seat.hpp"
#include "slicepool/detail/pool.hpp"

namespace slicepool {

class Problem;

class Session::Impl : public std::enable_shared_from_this<Session::Impl> {
 public:
  using MakeSeat = std::function<std::unique_ptr<DeviceSeat>()>;

  explicit Impl(const SessionOptions& options);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // What is lent comes back when its last owner lets go of it, also after the end of the session.
  /// An arena of so many threads. Throws LimitError.
  [[nodiscard]] std::shared_ptr<CpuArena> arena(int threads);
  /// A seat of the device of this name. Where none is unused it is what `make` returns, which may be null.
  [[nodiscard]] std::shared_ptr<DeviceSeat> seat(const std::string& device, const MakeSeat& make);
  [[nodiscard]] std::shared_ptr<DeviceSeat> gpuSeat(int index);
  /// A pool without slices, as SlabPool makes it; making one of thousands of slices takes 0.1 ms.
  [[nodiscard]] std::shared_ptr<SlabPool> pool(std::size_t entryBytes, std::size_t capacity, PoolOrder order);

  /// Threads that drive devices: they stay attached to them, and the scheduler wakes them soon.
  [[nodiscard]] ThreadCrew& drivers() { return *drivers_; }
  /// All others. CPU workers of an arena are some of these and the arena's own.
  [[nodiscard]] ThreadCrew& helpers() { return *helpers_; }

  void noteRun();
  /// Seconds of searches in mode `hybrid` that have ended before the driver of the GPUs was asked for.
  [[nodiscard]] double secondsWithoutGpus() const;
  void addSecondsWithoutGpus(double seconds);
  /// Of searches that could have used GPUs behind the first one, and have not asked for them.
  [[nodiscard]] double secondsWithFewGpus() const;
  void addSecondsWithFewGpus(double seconds);
  /// Steps/s of one worker of a kind ("cpu", "gpu", "emulated") on problems of a type, as the last run has
  /// found it; 0: none has. Steps that write rows take longer, and have a rate of their own.
  [[nodiscard]] double rate(const Problem& problem, const std::string& worker) const;
  void learnRate(const Problem& problem, const std::string& worker, double stepsPerSecond);

  void release();
  void close();
  [[nodiscard]] SessionReport report() const;
  [[nodiscard]] const SessionOptions& options() const { return options_; }

  // A fork leaves a child without threads, and with a driver that it must not ask. Between the two calls no
  // arena or seat is lent or given back.
  void beforeFork();
  void afterFork(bool inChild);

 private:
  using RateKey = std::tuple<std::type_index, bool, std::string>;  ///< bool: writes rows
  [[nodiscard]] static RateKey keyOf(const Problem& problem, const std::string& worker);

  template <class T>
  struct Kept {
    std::string name;
    std::unique_ptr<T> thing;
  };
  /// Longest unused first.
  template <class T>
  using Shelf = std::vector<Kept<T>>;

  template <class T>
  [[nodiscard]] std::unique_ptr<T> take(Shelf<T>& shelf, const std::string& name);
  template <class T>
  [[nodiscard]] std::shared_ptr<T> lend(std::unique_ptr<T> thing, const std::string& name);
  void takeBack(const std::string& name, std::unique_ptr<CpuArena> arena);
  void takeBack(const std::string& name, std::unique_ptr<DeviceSeat> seat);
  void takeBack(const std::string& name, std::unique_ptr<SlabPool> pool);
  [[nodiscard]] std::size_t hostBytes() const;

  SessionOptions options_;
  std::unique_ptr<ThreadCrew> drivers_ = std::make_unique<ThreadCrew>();
  std::unique_ptr<ThreadCrew> helpers_ = std::make_unique<ThreadCrew>();
  mutable std::mutex mutex_;  ///< of what follows
  Shelf<CpuArena> arenas_;
  Shelf<DeviceSeat> seats_;
  Shelf<SlabPool> pools_;
  std::map<RateKey, double> rates_;
  std::uint64_t runs_ = 0, seatsMade_ = 0, arenasMade_ = 0;
  double secondsWithoutGpus_ = 0;
  double secondsWithFewGpus_ = 0;
  bool closed_ = false;
};

}  // namespace slicepool
