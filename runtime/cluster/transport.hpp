// How the ranks of a search reach each other. The search knows nothing of what is behind: MPI
// (mpi/transport.cpp, a module that is opened when it is asked for) or threads of one process (tests).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace slicepool::cluster {

/// Used by one thread of each rank.
class Transport {
 public:
  struct Received {
    int rank = 0;  ///< the sender
    std::vector<std::byte> bytes;
  };

  virtual ~Transport() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int ranks() const = 0;
  /// To another rank. Does not wait for it. Messages of one rank to another arrive in order, or not at all
  /// when one of the two dies.
  virtual void send(int rank, std::vector<std::byte> bytes) = 0;
  /// What has come; nothing: nothing has.
  [[nodiscard]] virtual std::optional<Received> receive() = 0;
  /// Ranks that were found dead since the last call.
  [[nodiscard]] virtual std::vector<int> takeLost() = 0;
  /// Whether the others go on when a rank dies. Else all of them are ended, by most launchers (srun leaves
  /// them alone unless it is told not to).
  [[nodiscard]] virtual bool outlivesRanks() const = 0;
  /// Of a rank that is not heard of: nothing is sent to it any more, and no rank waits for it in the end.
  virtual void giveUp(int rank) = 0;
  /// Waits until what was sent has left, except to the dead.
  virtual void flush() = 0;

  // --- before the search: every rank calls these, and all in the same order
  /// The largest `code` of all ranks; `rank` becomes the first that has it.
  [[nodiscard]] virtual int worst(int code, int& rank) = 0;
  /// Ranks on this rank's machine, and its place among them.
  struct Neighbours {
    int count = 1;
    int place = 0;
  };
  [[nodiscard]] virtual Neighbours neighbours() = 0;
  /// Whether all ranks on this machine have the same `value`.
  [[nodiscard]] virtual bool sameOnMachine(std::uint64_t value) = 0;

  /// This rank has done and said everything, and its process is to end with this code. May end it.
  virtual void leave(int exitCode) = 0;
  /// Ends the processes of all ranks.
  [[noreturn]] virtual void abort(int exitCode) = 0;

  /// What a search leaves to the next one. Every rank makes the same searches, in the same order.
  struct Past {
    std::uint64_t searches = 0;  ///< that have begun
    // Of rank 0:
    std::set<int> dead;
    std::set<int> silent;         ///< not heard of in the last search; alive, perhaps
    std::vector<Received> early;  ///< messages of the next search
  };
  [[nodiscard]] Past& past() { return past_; }

 private:
  Past past_;
};

}  // namespace slicepool::cluster
