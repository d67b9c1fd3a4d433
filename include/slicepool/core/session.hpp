// What is kept between runs, so that the second one of a process does not pay for it: threads and the arena
// of CPU workers, streams of GPUs, device memory, pinned memory, and the rates that earlier runs have found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "slicepool/core/options.hpp"

namespace slicepool {

/// How much may lie unused. What is beyond that goes back at the end of a run, longest unused first.
struct SessionOptions {
  std::size_t deviceBytes = std::size_t{8} << 30;  ///< of device memory, on each GPU
  /// Of pools of slices, and of pinned host memory for each GPU that has been used: slices go from one GPU to
  /// another through it.
  std::size_t hostBytes = std::size_t{2} << 30;
};

/// What a session has made and keeps at the moment.
struct SessionReport {
  std::uint64_t runs = 0;            ///< engines that were run in it
  std::uint64_t seatsMade = 0;       ///< of devices: streams and what belongs to them
  std::uint64_t arenasMade = 0;      ///< of CPU workers
  std::uint64_t threadsStarted = 0;  ///< that drive devices and arenas
  std::size_t seats = 0;             ///< that no run has
  std::size_t arenas = 0;            ///< that no run has
  std::size_t threads = 0;           ///< without work
  std::size_t deviceBytes = 0;       ///< unused, of all GPUs. Sessions of a process share it
  std::size_t hostBytes = 0;  ///< unused: pinned memory, which sessions share, its seats' and its pools'
};

/// Runs that name no session (EngineOptions::session) share the one of the process. One of their own is for
/// programs that want everything back at a known moment, or other limits. Any number of runs may use a
/// session at the same time; each has what it uses to itself, until its engine is destroyed. A device that
/// fails is not kept, and the next run gets another one. Thread-safe.
class Session {
 public:
  explicit Session(const SessionOptions& options = {});
  /// As close(). Runs, and what they have returned, hold their session.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Makes in advance what a run of this mode needs: threads and the arena, and for modes with GPUs `count`
  /// GPUs from `first` on (0: all) with their contexts and streams; 0.3 s for the first GPU of a process.
  /// `threads`: CPU workers; 0: all cores. Mode::automatic takes GPUs where there are some. Throws
  /// DeviceError where a mode needs a GPU and there is none, ConfigError, LimitError.
  void warmUp(Mode mode, int threads = 0, int first = 0, int count = 0);
  /// Gives everything back that no run has at the moment. Memory of GPUs that other sessions keep is theirs
  /// as well, and goes too.
  void release();
  /// The same, and from here on nothing is kept: what runs have now goes back at their ends.
  void close();
  [[nodiscard]] SessionReport report() const;

  /// The session of the process. Lives as long as it.
  [[nodiscard]] static const std::shared_ptr<Session>& ofProcess();

  class Impl;
  /// For the library's own parts (runtime/core/session_impl.hpp).
  [[nodiscard]] Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace slicepool
