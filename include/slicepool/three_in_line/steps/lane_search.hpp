// Search::advance for the lanes of a warp: the same slices, the same nodes. Called by the warp step of
// kernels/three_in_line/warps.cuh, and by a test on the host.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/core/turn.hpp"
#include "slicepool/detail/lanes.hpp"
#include "slicepool/three_in_line/steps/lane_board.hpp"
#include "slicepool/three_in_line/steps/search.hpp"

namespace slicepool::three_in_line {

/// The solution of a complete board, from its rows by position as LaneScratch has them.
SLICEPOOL_HD inline Solution solutionOfRows(const std::uint32_t* rows, int n) {
  Configuration configuration{};
  SLICEPOOL_NO_UNROLL
  for (int y = 0; y < n; ++y) {
    const std::uint32_t row = rows[positionOf(y, n)];
    SLICEPOOL_NO_UNROLL
    for (int x = 0; x < n; ++x) configuration.rows[y] |= (row >> (31 - positionOf(x, n)) & 1U) << x;
  }
  return canonicalSolution(configuration, n);
}

/// A turn on one slice by all lanes. The slice is worked on where it lies. The board is kept by the lanes
/// from a visit to that of its first child; the points are in the scratch during the turn.
template <class Lanes, class Shape>
class LaneSearch {
 public:
  using Word = typename Lanes::Word;

  SLICEPOOL_LANES_INLINE LaneSearch(const SearchView& view, SearchSlice<Shape>& slice,
                                    LaneScratch<Shape>& scratch)
      : view_(view), slice_(slice), scratch_(scratch) {}

  /// As Search::advance. `emit.solution(rows by position)` is called by all lanes and returns the
  /// same in all, false if the sink refused; `emit.visited()` is called for every board.
  template <class Emit>
  SLICEPOOL_LANES_INLINE Turn advance(Budget& budget, Emit& emit) {
    top_ = slice_.top;
    const std::uint32_t bottom = slice_.bottom;
    if (top_ == bottom) return Turn::exhausted;
    readPoints();
    bool held = false;  // the board of the newest branch is in the lanes
    Turn turn = Turn::exhausted;
    SLICEPOOL_NO_UNROLL
    while (top_ != bottom) {
      if (budget.left == 0) {
        turn = Turn::budgetSpent;
        break;
      }
      const std::uint32_t at = top_ - 1;
      const bool more = takeChild(slice_.pending[at], held);
      const Visit outcome = visit();
      if (outcome == Visit::complete && !emitRows(emit)) {
        turn = Turn::sinkFull;
        break;
      }
      --budget.left;
      emit.visited();
      if (more) writeBranch(at, Branch::make(Branch::cellOff, branch_.place(), branch_.points()));
      top_ = at + (more ? 1U : 0U);
      held = outcome == Visit::open;
      if (held) push();
      Lanes::sync();
    }
    if (turn != Turn::exhausted) writePoints();
    Lanes::write(&slice_.top, Word{0}, Word{top_}, Lanes::member(1U));
    Lanes::sync();
    return turn;
  }

 private:
  SLICEPOOL_LANES_INLINE void readPoints() {
    const int count = slice_.pending[top_ - 1].branch.points();
    copyPoints(count, [&](Word place, Word wanted) {
      const Word cell = Lanes::read(slice_.points, Lanes::choose(wanted, place, Word{0}));
      Lanes::write(scratch_.points, place, cell, wanted);
    });
  }
  SLICEPOOL_LANES_INLINE void writePoints() {
    const int count = slice_.pending[top_ - 1].branch.points();
    copyPoints(count, [&](Word place, Word wanted) {
      const Word cell = Lanes::read(scratch_.points, Lanes::choose(wanted, place, Word{0}));
      Lanes::write(slice_.points, place, cell, wanted);
    });
  }
  /// copy(places, whether a lane has one) for all places below `count`.
  template <class Copy>
  SLICEPOOL_LANES_INLINE void copyPoints(int count, Copy copy) {
    Lanes::sync();
    SLICEPOOL_NO_UNROLL
    for (int first = 0; first < count; first += kWarpSize) {
      const int rest = count - first;
      copy(Lanes::lane() + Word{static_cast<std::uint32_t>(first)},
           Lanes::member(rest >= kWarpSize ? kFullMask : (1U << rest) - 1));
    }
    Lanes::sync();
  }

  SLICEPOOL_LANES_INLINE void writeBranch(std::uint32_t at, Branch branch) {
    Lanes::write(&slice_.pending[at].branch.bits, Word{0}, Word{branch.bits}, Lanes::member(1U));
  }

  /// The next child of a pending board into the lanes; false if it was the last. `branch_` is then the
  /// branch.
  SLICEPOOL_LANES_INLINE bool takeChild(const Pending<Shape>& pending, bool held) {
    if (!held) {
      branch_ = pending.branch;
      board_.on = bothWays<Lanes, Shape>(readRows<Lanes, Shape>(pending.on, 0));
      board_.off = bothWays<Lanes, Shape>(readRows<Lanes, Shape>(pending.off, ~0U));
    }
    board_.count = board_.closed = branch_.points();
    const int cell = branch_.place();
    switch (branch_.kind()) {
      case Branch::whole: contradiction_ = !listAll(); break;
      case Branch::cell:
      case Branch::cellOn: board_.addPoint(cell, scratch_.points); break;
      case Branch::cellOff:
        board_.off = board_.off | oneCell<Lanes>(cell / Shape::kPitch, cell % Shape::kPitch);
        break;
    }
    return branch_.kind() == Branch::cell;
  }

  SLICEPOOL_LANES_INLINE bool listAll() {
    board_.count = board_.closed = 0;
    return board_.listPoints(board_.on.rows, scratch_.points);
  }

  SLICEPOOL_LANES_INLINE Visit visit() {
    if (contradiction_) {
      contradiction_ = false;
      return Visit::dropped;
    }
    if (!board_.close(view_.geometry, view_.lines, view_.group, view_.rivals, scratch_.points))
      return Visit::dropped;
    return board_.count == 2 * view_.geometry.n ? Visit::complete : Visit::open;
  }

  /// Leaves a branch on the board in the lanes.
  SLICEPOOL_LANES_INLINE void push() {
    branch_ = board_.branch(view_.geometry);
    Pending<Shape>& pending = slice_.pending[top_];
    writeRows<Lanes, Shape>(board_.on.rows, pending.on);
    writeRows<Lanes, Shape>(board_.off.rows, pending.off);
    writeBranch(top_, branch_);
    ++top_;
  }

  template <class Emit>
  SLICEPOOL_LANES_INLINE bool emitRows(Emit& emit) {
    if (view_.group != 0 && board_.hasRivalOutside(view_.geometry, view_.group, view_.rivals)) return true;
    constexpr std::uint32_t kRows = ~0U << (32 - Shape::kLines) % 32;
    Lanes::write(scratch_.rows, Word{31} - Lanes::lane(), board_.on.rows, Lanes::member(kRows));
    Lanes::sync();
    const bool taken = emit.solution(scratch_.rows);
    Lanes::sync();
    return taken;
  }

  const SearchView& view_;
  SearchSlice<Shape>& slice_;
  LaneScratch<Shape>& scratch_;
  LaneBoard<Lanes, Shape> board_;
  Branch branch_;
  std::uint32_t top_ = 0;
  bool contradiction_ = false;  ///< the root has more points than the list
};

}  // namespace slicepool::three_in_line
