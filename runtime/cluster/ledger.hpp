// The books of a search on several ranks: which slices wait, which are leased to whom, and what was found.
// Nothing counts before its commit, and a lease is committed once: so every slice counts exactly once,
// whatever is lost, repeated or late. A pure value; the coordinator asks it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "slicepool/core/checkpoint.hpp"
#include "slicepool/core/words.hpp"

namespace slicepool::cluster {

/// Bytes of slices in a row, taken from the front. A deque of bytes would copy hundreds of megabytes one by
/// one.
class WaitingBytes {
 public:
  [[nodiscard]] std::span<const std::byte> all() const { return std::span(bytes_).subspan(taken_); }
  [[nodiscard]] std::size_t size() const { return bytes_.size() - taken_; }
  /// O(bytes added), over many calls.
  void append(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  /// The first `count` bytes, which are there. O(count), over many calls.
  [[nodiscard]] std::vector<std::byte> take(std::size_t count);
  void putBack(std::span<const std::byte> bytes);

 private:
  std::vector<std::byte> bytes_;
  std::size_t taken_ = 0;  ///< at the front
};

class Ledger {
 public:
  /// A set of slices that one rank works on.
  struct Lease {
    std::uint64_t number = 0;  ///< never used again
    int rank = 0;
    double since = 0;    ///< seconds, by the clock of the coordinator
    double seconds = 0;  ///< how long to work
    bool asked = false;  ///< to commit
    double steps = 0;    ///< told on the way; they count with the commit
    std::vector<std::byte> slices;
  };
  /// Takes the blob of the results of one commit. It is called once for each commit that counts.
  using TakeResults = std::function<void(const std::vector<std::byte>& blob)>;

  /// `start`: the whole search, or what is left of it, with its words so far; empty words are neutral ones.
  /// The consumer's blob of `start` belongs to the maker of `start`. Throws CheckpointError when its slices
  /// or words are not whole.
  Ledger(Checkpoint start, WordLayout layout, TakeResults takeResults = {});

  /// Leases up to `count` slices, those that waited longest. Nothing: none waits. O(bytes leased).
  [[nodiscard]] const Lease* grant(int rank, std::size_t count, double seconds, double now);
  /// Accounts a commit and returns its slices to those that wait. False, and nothing is changed: the rank has
  /// no such lease. Throws CheckpointError for contents of another search.
  bool commit(int rank, std::uint64_t number, const Checkpoint& delta);
  /// The rank is lost: its lease was never given. False: it has none.
  bool giveBack(int rank);

  /// Steps that the holder of a lease has told. One that it no longer has is none of the business.
  void note(int rank, std::uint64_t number, double steps);
  /// Where the consumer of results knows a better bound than they are. Called while they are taken, it goes
  /// to all ranks as that of the commit.
  void lowerShared(std::uint64_t word) { total_.shared = std::min(total_.shared, word); }

  [[nodiscard]] const Lease* leaseOf(int rank) const;
  [[nodiscard]] const std::map<int, Lease>& leases() const { return leases_; }
  /// Leases that were not asked to commit, by number: the oldest first.
  [[nodiscard]] const std::map<std::uint64_t, int>& unasked() const { return unasked_; }
  /// Remembers that a lease was asked to commit. O(log leases).
  void ask(int rank);
  [[nodiscard]] std::size_t waiting() const { return waiting_.size() / sliceBytes(); }
  [[nodiscard]] bool finished() const { return waiting_.size() == 0 && leases_.empty(); }
  [[nodiscard]] std::uint64_t shared() const { return total_.shared; }
  [[nodiscard]] double steps() const { return total_.steps; }
  /// Those of open leases included, as far as they were told.
  [[nodiscard]] double stepsSoFar() const;
  [[nodiscard]] const std::vector<std::uint64_t>& words() const { return total_.words; }
  /// The search as of all commits: merged words, and every slice that waits or is leased. Without the
  /// consumer's blob. It resumes on one engine as well. O(bytes of all slices).
  [[nodiscard]] Checkpoint checkpoint() const;

 private:
  [[nodiscard]] std::size_t sliceBytes() const { return total_.sliceBytes; }
  void close(std::map<int, Lease>::iterator lease);

  WordLayout layout_;
  TakeResults takeResults_;
  Checkpoint total_;  ///< without slices
  WaitingBytes waiting_;
  std::map<int, Lease> leases_;           ///< by rank
  std::map<std::uint64_t, int> unasked_;  ///< their numbers, and whose they are
  std::uint64_t lastNumber_ = 0;
};

}  // namespace slicepool::cluster
