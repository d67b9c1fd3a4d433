// One launch of the lattice search over the compacted tree: what each warp does with a batch of slices. Run
// by the kernel of kernels/lattice/device.cuh, and on the host by lattice/host_launch.hpp, one warp after the
// other.
//
// Order: the deepest stored level with a node for every lane; where there is none, new slices; then the
// deepest with any. Where a launch ends, or a vector is refused, every entry becomes a slice again.
//
// Room. A warp may leave `allowed` = slices that it took + its share of the room that the batch has left, and
// with S stored levels keeps S of these in reserve: it takes a slice (at most S entries) only while its
// entries stay within allowed - S, and a step makes no more children than that. Where not one child fits, the
// deepest stored level goes on, with one child at a time: below it the lists are empty, so that one entry a
// stored level is the most that is added until that child's subtree is done, S in all. So there is room for
// every entry at any time, also when the sink refuses. A share of less than 2 S is not enough to begin with;
// then lanes take plain steps, each on a slice, which never needs more room than the slice had.
//
// Lists of 64 places or more: the deepest level with 32 entries or more has fewer than 32 below it, a chunk
// adds at most 32 entries to lists of fewer than 32, so that there is always room for the children of 32
// lanes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/detail/lanes.hpp"
#include "slicepool/lattice/steps/compacted_search.hpp"
#include "slicepool/lattice/steps/warp_turn.hpp"

namespace slicepool::lattice {

/// One warp of a launch. `emit` is the lane's own on a device.
template <class Searcher, class Emit>
class CompactedTurn : private WarpTurnBase<Searcher, Emit> {
  using Base = WarpTurnBase<Searcher, Emit>;
  using typename Base::Lanes;
  using Plain = typename Searcher::Plain;
  template <class T>
  using Per = typename Searcher::template Per<T>;

 public:
  using typename Base::Slice;

  SLICEPOOL_INLINE CompactedTurn(Searcher& searcher, const WarpBatch<Slice>& warpBatch, std::uint32_t,
                                 Emit& emitter)
      : Base(searcher, warpBatch, emitter) {}

  SLICEPOOL_INLINE void run() {
    if (plan_.spare < 2U * static_cast<std::uint32_t>(search_.levels())) return plainTurns();
    this->readRadius();
    work();
    this->giveAll();
    this->account();
    if (inChunk_) this->leaveSlices(next_);
    this->leaveChunks();
  }

 private:
  using Base::batch_;
  using Base::emit_;
  using Base::more_;
  using Base::plan_;
  using Base::refused_;
  using Base::search_;
  using Base::taken_;

  static constexpr std::uint64_t kMaximumPlainSteps = 4096;  ///< lanes wait for the longest turn

  /// Entries that may be added before the reserve is touched.
  SLICEPOOL_INLINE int freeEntries() const {
    return static_cast<int>(taken_ + plan_.spare) - search_.levels() -
           static_cast<int>(search_.frontier.total);
  }

  /// Takes slices of a chunk, as many as there is room for; false when that is none.
  SLICEPOOL_INLINE bool fetch() {
    if (!inChunk_) {
      if (!more_) return false;
      next_ = this->nextChunk();
      inChunk_ = more_;
    }
    bool any = false;
    while (inChunk_ && freeEntries() + 1 >= search_.levels()) {
      search_.take(batch_.from[next_], this->stateOf(next_));
      ++taken_;
      any = true;
      next_ += plan_.chunks;
      inChunk_ = next_ < batch_.live;
    }
    if (any) search_.settle();
    return any;
  }

  /// Where to step; -1: nothing is left.
  SLICEPOOL_INLINE int choose() {
    for (;;) {
      const int full = search_.frontier.full.deepest();
      if (full >= 0 && freeEntries() >= 1) return full;
      if (full < 0 && fetch()) continue;
      return search_.frontier.some.deepest();
    }
  }

  SLICEPOOL_INLINE void work() {
    std::uint32_t looked = 0;  // a step is several passes, and a look waits for memory
    while (search_.turns < plan_.turns || search_.turns == 0) {
      const int stored = choose();
      if (stored < 0) return this->idle();
      int room = 0;
      if (!search_.isLast(stored)) {
        room = search_.roomBelow(stored);
        const int most = freeEntries();
        if (room > most) room = most < 1 ? 1 : most;
      }
      if (!search_.step(stored, room, emit_)) return this->refuse();
      if (search_.turns - looked < 4 * WarpPlan::kTurnsBetweenLooks) continue;
      looked = search_.turns;
      this->readRadius();
      if (this->othersRefused() || this->othersIdle()) return;
    }
  }

  /// Lanes advance slices, each its own. Slices are dealt out by their numbers, not by chunks.
  SLICEPOOL_HD void plainTurns() {
    const std::uint64_t budget = batch_.budget < kMaximumPlainSteps ? batch_.budget : kMaximumPlainSteps;
    for (;;) {
      const auto from =
          Lanes::first([&] { return fetchAdd(batch_.counters.next, std::uint32_t{kWarpSize}); });
      if (from >= batch_.live) return;
      Lanes::all([&](int lane, int) {
        if (from + static_cast<std::uint32_t>(lane) < batch_.live)
          plainTurn(from + static_cast<std::uint32_t>(lane), budget);
      });
    }
  }

  SLICEPOOL_HD void plainTurn(std::uint32_t i, std::uint64_t granted) {
    Slice slice = batch_.from[i];
    Budget budget{granted};
    const Turn turn = Plain::advance(search_.view, slice, budget, emit_);
    if (budget.left != granted) fetchAdd(batch_.counters.steps, granted - budget.left);
    if (turn == Turn::sinkFull) fetchAdd(batch_.counters.refused, 1U);
    if (turn == Turn::exhausted) return;
    const std::uint32_t at = fetchAdd(batch_.counters.kept, 1U);
    batch_.to[at] = slice;
    batch_.toStates[at] = this->unknown();
  }

  std::uint64_t next_ = 0;  ///< slice of the chunk
  bool inChunk_ = false;
};

/// The algorithm `compacted`, for the code that launches its warps.
struct CompactedWarps {
  /// Layout: LongPaths, or BytePaths where every coefficient fits 10 bits.
  template <class Lanes, int kCapacity, class Layout>
  using Searcher = CompactedSearch<Lanes, kCapacity, Layout::kMixed ? 16 : 8>;
  template <class Searcher, class Emit>
  using Turn = CompactedTurn<Searcher, Emit>;
  /// Greatest coefficient of 10 bits.
  static constexpr int kNarrow = PackedNode<8>::kMaximum;
  static constexpr bool kStartsOnHost = true;  ///< start_nodes.hpp
  static constexpr bool kTeams = false;
  /// Lists are worked on from an entry for each lane on; two of each stored level are in reserve.
  static std::uint32_t slicesPerWarp(int dimension) {
    return (kWarpSize + 2U) * static_cast<std::uint32_t>(storedLevels(dimension)) + 64;
  }
};

}  // namespace slicepool::lattice
