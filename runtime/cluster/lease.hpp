// Who runs a shard: STEM-I.lease, made by O_CREAT | O_EXCL, with host, process and the time after which it
// may be taken again. Its holder touches it while it works. A lease is stale, and the next process that asks
// gets it, when its process is gone (seen on the same host), when Slurm has started its job again (which it
// does when the job is over), or when it was not touched for that time (seen from elsewhere, by clocks that
// agree to well within it). A process on the same host that is there, stopped or not, keeps its lease. Called
// by `slicepool run PLAN` and `slicepool status`.
//
// A stale lease is taken over in place, under an flock(2) of the file: of two that find it stale, the second
// one looks again and finds a live one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace slicepool::cluster {

/// A process, so that another one with the same number is not taken for it.
struct Process {
  std::string host;
  std::int64_t id = 0;
  std::uint64_t started = 0;   ///< in clock ticks since the machine started; 0: not known
  std::string space{};         ///< start of the machine and its name space of processes; empty: not known
  std::string job{};           ///< SLURM_JOB_ID; empty: there is none
  std::uint64_t restarts = 0;  ///< SLURM_RESTART_COUNT: how often Slurm has started the job again
  friend bool operator==(const Process&, const Process&) = default;
};
[[nodiscard]] Process thisProcess();

enum class LeaseState : std::uint8_t { none, held, stale };

struct LeaseView {
  LeaseState state = LeaseState::none;
  std::string holder;  ///< "process 4711 on node3": for messages
  std::string why;     ///< of a stale one: "which is gone"
};
/// What is at this path now. Never throws for what others may do to it meanwhile.
[[nodiscard]] LeaseView lookAtLease(const std::string& path);

/// One taken lease. A thread touches it; the destructor removes it if it is still ours.
class Lease {
 public:
  static constexpr std::chrono::seconds kDefaultLimit{600};

  /// Null, and `*view` says who has it: it is held. `limit`: without a touch for so long it is stale.
  /// Throws LimitError when the disk is full, Error when files cannot be made there.
  [[nodiscard]] static std::unique_ptr<Lease> take(const std::string& path, std::chrono::seconds limit,
                                                   LeaseView* view);
  ~Lease();
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  /// False when another process has taken it, since this one was stopped for longer than the limit.
  [[nodiscard]] bool isOurs() const;

 private:
  Lease(std::string path, std::string content, std::chrono::seconds limit);
  void touch();

  std::string path_;
  std::string content_;  ///< of the file while it is ours
  std::chrono::seconds limit_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;  ///< last: it uses the rest
};

}  // namespace slicepool::cluster
