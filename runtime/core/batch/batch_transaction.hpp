// The two batches of a device and their transactions: what makes every exchange between them and the rest of
// the run safe. Used by the batch driver, which decides what is exchanged and when.
//
// `snapshot` of a batch is the set of slices from which the work since the last commit can be repeated;
// `committed` are the reduction words at that point. A commit copies finished rows to their place, hands
// buffered results over, reads the words and takes a new snapshot. Slices leave a batch only in a commit.
// Where the device can, the snapshot is copied while the next launch runs, and the commit ends with the copy.
// When the device fails, the snapshots go back to the pool and everything uncommitted is forgotten: the
// repeated work writes the same rows to the same places and reduces into other words.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/core/batch/slice_buffer.hpp"
#include "slicepool/detail/batch_device.hpp"
#include "slicepool/detail/worker.hpp"

namespace slicepool {

/// Members that take a hub are called by the driver thread, between launches of the batch. What the device
/// throws leaves everything as it must be for recover().
class BatchTransactions {
 public:
  struct Batch {
    std::uint32_t live = 0;
    std::size_t tokens = 0;  ///< outstanding slices counted for this batch
    bool inFlight = false;
    bool stuck = false;    ///< last launch cut nothing although there was room
    bool growing = false;  ///< last launch left more slices than it found
    double work = 0;       ///< estimated steps in the batch; NaN: unknown
    std::uint32_t fillTarget = 0;
    std::uint64_t budget = 0;
    std::uint32_t blockSize = 0;
    std::int64_t launched = 0;
    std::uint32_t launchedLive = 0;
    double largest = 0;       ///< size of the largest slice since the batch was empty; NaN: unknown
    bool rowsCopied = false;  ///< the last launch has copied the rows of all slices
    SliceBuffer snapshot;
    std::vector<HeldSlices> parcels;  ///< the rest of the snapshot: taken whole, where they lie
    std::vector<std::uint64_t> committed;
    std::vector<std::byte> results;  ///< taken from the device, not yet handed over
    std::uint64_t uncommittedSteps = 0;
    std::uint64_t epoch = 0;  ///< Hub::commitsWanted before the last commit
    double lastCommit = 0;
    double lastGive = 0;
    double took = 0;  ///< when it got slices while it had none
    /// A commit whose slices are on their way to staging_.
    struct {
      bool open = false;
      std::uint32_t kept = 0;
      std::uint32_t given = 0;
      std::uint64_t epoch = 0;
      std::int64_t begin = 0;
      std::int64_t waited = 0;  ///< ns, by the device, before the copy
      std::vector<std::uint64_t> words;
    } commit;
  };

  /// `account`: the driver's books. A gift of `parcelSlices` slices or more is a parcel.
  BatchTransactions(const Problem& problem, std::unique_ptr<BatchDevice> device, WorkerAccount& account,
                    std::size_t parcelSlices);

  /// Until recover().
  [[nodiscard]] BatchDevice& device() const { return *device_; }
  [[nodiscard]] Batch& operator[](std::size_t slot) { return batches_.at(slot); }
  [[nodiscard]] const Batch& operator[](std::size_t slot) const { return batches_.at(slot); }
  [[nodiscard]] auto begin() const { return batches_.begin(); }
  [[nodiscard]] auto end() const { return batches_.end(); }
  /// Slices in both.
  [[nodiscard]] std::uint32_t live() const { return batches_[0].live + batches_[1].live; }
  /// Of a commit, smoothed; before the first one, a guess.
  [[nodiscard]] double commitSeconds() const { return commitSeconds_; }
  /// Steps/s of committed rows with their copies; 0: nothing was copied yet.
  [[nodiscard]] double rowRate() const { return rowSeconds_ > 0 ? rowSteps_ / rowSeconds_ : 0; }

  // --- exchanges
  /// Moves up to `maximum` slices from the pool to a batch; returns how many.
  std::size_t take(Hub& hub, int slot, std::size_t maximum);
  /// Commits, then gives every n-th slice: neighbours came out of each other's splits, and the last ones may
  /// hold next to nothing. The others are uploaded anew. For devices many slices are a parcel.
  void giveSpread(Hub& hub, int slot, std::uint32_t count, bool toDevices);
  /// Commits, then moves `count` slices from the batch to the pool.
  void giveAway(Hub& hub, int slot, std::size_t count);
  /// Commits, then moves half of the batch's slices to the other batch, which is not in flight.
  void halve(Hub& hub, int slot);
  /// The run stops: everything goes back.
  void park(Hub& hub, int slot);

  // --- commits
  /// See above. The batch must not be in flight.
  void commit(Hub& hub, int slot);
  /// Whether a commit of this batch can go on while its next launch runs.
  [[nodiscard]] bool overlaps(const Batch& batch, std::size_t given) const;
  /// Starts a commit after which `given` slices belong to the pool. Until endCommit nothing is decided: on a
  /// failure the snapshot is still the one before.
  void beginCommit(Hub& hub, int slot, std::uint32_t given);
  /// Decides it, and gives what was to be given.
  void endCommit(Hub& hub, int slot);
  /// The batch's slices are done: one call accounts them all.
  void settle(Hub& hub, Batch& batch);
  /// Takes `count` results from the device; the next commit hands them over.
  void takeResults(int slot, Batch& batch, std::uint32_t count);
  /// Ranges of rows that the slices of the snapshot cover; adjacent ones are joined.
  [[nodiscard]] std::vector<RankRange> rowRanges(const Batch& batch) const;
  /// Whether a commit of the batch needs no new host memory, or little.
  [[nodiscard]] bool hasRoomToCommit(const Batch& batch) const;
  /// Whether memory of the session is there for one.
  [[nodiscard]] bool hasSpareMemory(const Batch& batch) const;
  /// That memory, before a search that is known to be long.
  void makeRoomToCommit();
  /// All that commits and gifts to other devices will need, where that is little: pinned memory that is asked
  /// for beside running launches takes tens of milliseconds, for all devices that ask.
  void makeRoomForGifts();
  /// The device failed: back to the last commits.
  void recover(Hub& hub, const std::string& what);

  // --- snapshots
  /// The driver's place inside the hub while it drains it; null: not at all.
  void setInside(Inside* inside) { inside_ = inside; }
  /// Runs `wait`, which changes nothing that a snapshot holds, while snapshots may be taken.
  template <class Wait>
  auto outside(Wait&& wait) {
    return inside_ == nullptr ? wait() : inside_->outside(std::forward<Wait>(wait));
  }
  /// After exchanges: says up to which request all slices that are held are committed.
  void noteCommits();
  /// The driver has put down what it held.
  void holdsNothing() { committedUpTo_.store(kAll, std::memory_order_relaxed); }
  // As the functions of Worker.
  void appendHeld(std::vector<HeldSlices>& held);
  [[nodiscard]] std::uint64_t uncommittedSteps() const;
  [[nodiscard]] bool hasCommitted(std::uint64_t wanted) const;
  void mergeInto(const WordLayout& layout, std::uint64_t* words) const;

 private:
  static constexpr std::uint64_t kAll = ~std::uint64_t{0};

  /// Slices that the snapshot holds already go to the device: on a failure the snapshot goes back.
  void add(Hub& hub, int slot, const HeldSlices& taken);
  /// Up to `maximum` slices, of a parcel if there is one, and where they lie until the next call.
  HeldSlices takeIntoSnapshot(Hub& hub, Batch& batch, std::size_t maximum);
  /// A commit is decided, its slices are in staging_: other threads may see what it contains.
  void publish(Hub& hub, Batch& batch);
  /// Gives slices to CPU workers.
  static void handBack(Hub& hub, const std::byte* slices, std::size_t count);
  /// Gives `count` slices of a buffer, from `offset` on, to the pool; they must not be written to afterwards
  /// before lent() is false.
  void handOver(Hub& hub, SliceBuffer& buffer, std::size_t offset, std::size_t count);
  /// A last commit, without the slices.
  void keepFindings(Hub& hub, int slot);
  /// Moves `count` slices from the batch, which has just been committed, to staging_.
  void takeOut(int slot, std::uint32_t count);
  void copyRows(int slot, Batch& batch);
  std::vector<std::uint64_t>& scratchWords();

  const Problem& problem_;
  std::unique_ptr<BatchDevice> device_;
  WorkerAccount& account_;
  std::size_t parcelSlices_;
  std::array<Batch, kBatchSlots> batches_;
  StagingBuffer staging_;
  Inside* inside_ = nullptr;                        ///< while draining
  std::atomic<std::uint64_t> committedUpTo_{kAll};  ///< least epoch of the batches that have slices
  std::vector<std::uint64_t> words_;
  double rowSteps_ = 0;    ///< of committed rows, and
  double rowSeconds_ = 0;  ///< the time from taking their slices to the end of their copies
  double rowsUntil_ = 0;
  double commitSeconds_ = 0.002;
};

}  // namespace slicepool
