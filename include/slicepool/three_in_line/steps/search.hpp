// The no-three-in-line search as a workload: slices, steps, splitting. One step visits one board: it takes
// the next child off the newest branch, closes the board (propagate.hpp), drops it when another of its images
// is the one to search (canonical.hpp), emits it when it is complete and otherwise leaves a branch on it
// (branch.hpp). What is visited is a function of the board alone, so the number of nodes is the same in every
// mode and under every split.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/core/turn.hpp"
#include "slicepool/detail/packing.hpp"
#include "slicepool/three_in_line/steps/board.hpp"
#include "slicepool/three_in_line/steps/branch.hpp"
#include "slicepool/three_in_line/steps/canonical.hpp"
#include "slicepool/three_in_line/steps/lines.hpp"
#include "slicepool/three_in_line/steps/propagate.hpp"
#include "slicepool/three_in_line/steps/symmetry.hpp"
#include "slicepool/three_in_line/types.hpp"

namespace slicepool::three_in_line {

/// The parameters of a search, the same for all workers.
struct SearchView {
  const std::uint32_t* lines;  ///< table of lines.hpp, for the shape or for computed lines
  Geometry geometry;
  std::uint32_t group;   ///< images (bits 1..7) under which boards are closed; 0: any board
  std::uint32_t rivals;  ///< images (bits 1..7) that a board is compared with: those that normalise the group
};

/// A board that is closed, and what remains of the branch on it.
template <class Shape>
struct Pending {
  Cells<Shape> on;
  Cells<Shape> off;
  Branch branch;
};

/// A depth-first search, stopped between two visits. The boards of pending[bottom .. top) are nested, so one
/// list of points serves them all: board i has the first pending[i].branch.points() of them. Each has at
/// least one point more than the one below, and none has all, hence the bound on their number.
template <class Shape>
struct alignas(16) SearchSlice {
  std::uint32_t bottom;
  std::uint32_t top;  ///< bottom == top: nothing is left
  alignas(4) typename Shape::Cell points[Shape::kMaximumPoints];
  Pending<Shape> pending[Shape::kMaximumPoints];
};

template <class Shape>
SLICEPOOL_INLINE Cells<Shape> cellsOf(const Configuration& configuration, int n) {
  Cells<Shape> cells{};
  for (int y = 0; y < n; ++y) addRow<Shape>(cells, positionOf(y, n), rowOfColumns(configuration.rows[y], n));
  return cells;
}

template <class Shape>
SLICEPOOL_HD Configuration configurationOf(const Cells<Shape>& cells, int n) {
  Configuration configuration{};
  SLICEPOOL_NO_UNROLL
  for (int y = 0; y < n; ++y) configuration.rows[y] = columnsOfRow(rowOf<Shape>(cells, positionOf(y, n)), n);
  return configuration;
}

/// What became of a visited board.
enum class Visit : std::uint8_t { dropped, complete, open };

template <class Shape, class Lines>
class PackedSlice;

/// The workload. Shape: Packed or Wide of board.hpp. Lines: one of the two of lines.hpp; the nodes are the
/// same.
template <class Shape, class Lines = TableLines>
struct Search {
  using View = SearchView;
  using Slice = SearchSlice<Shape>;

  // What a GPU should compile for: 80 registers a thread, with which little is spilled and 24 warps of a
  // multiprocessor hide each other's waiting for lines.
  static constexpr unsigned kDeviceThreads = 128;
  static constexpr unsigned kDeviceBlocks = 6;

  /// A slice that visits this board and what is below it.
  static Slice root(const View& view, const RootBoard& board) {
    Slice slice{};
    slice.top = 1;
    Pending<Shape>& pending = slice.pending[0];
    const int n = view.geometry.n;
    pending.on = cellsOf<Shape>(board.on, n);
    pending.off = cellsOf<Shape>(board.off, n);
    for (int w = 0; w < Shape::kWords; ++w) pending.off.words[w] |= ~existing<Shape>(view.geometry, w);
    pending.branch = Branch::make(Branch::whole, 0, 0);
    return slice;
  }

  /// Visits at most `budget.left` boards. Emits Solutions. Calls the emitter's `visited()`, if it has one,
  /// for every board.
  template <class Emit>
  SLICEPOOL_HD static Turn advance(const View& view, Slice& slice, Budget& budget, Emit& emit) {
    while (slice.top != slice.bottom) {
      if (budget.left == 0) return Turn::budgetSpent;
      const std::uint32_t at = slice.top - 1;
      Board<Shape> board;
      board.points = slice.points;
      Branch rest;
      const bool more = takeChild(slice.pending[at], board, rest);
      const Visit outcome = visit(view, board);
      // A refused solution leaves the slice as it was: the next turn takes the same child again.
      if (outcome == Visit::complete && !emitSolution(view, board.on, emit)) return Turn::sinkFull;
      --budget.left;
      if constexpr (requires { emit.visited(); }) emit.visited();
      if (more) slice.pending[at].branch = rest;
      slice.top = at + (more ? 1U : 0U);
      if (outcome == Visit::open) {
        Pending<Shape>& pending = slice.pending[slice.top++];
        pending.branch = chooseBranch(view.geometry, board.on, board.off, board.count);
        pending.on = board.on;
        pending.off = board.off;
      }
    }
    return Turn::exhausted;
  }

  /// Gives away the oldest pending board, or one of the two values of the only one's cell.
  SLICEPOOL_HD static bool split(const View& view, Slice& kept, Slice& given) {
    if (!splittable(view, kept)) return false;
    const std::uint32_t pending = kept.top - kept.bottom;
    const Pending<Shape>& oldest = kept.pending[kept.bottom];
    given.bottom = 0;
    given.top = 1;
    for (int i = 0; i < Shape::kMaximumPoints; ++i) given.points[i] = kept.points[i];
    given.pending[0] = oldest;
    if (pending == 1) {
      const int place = oldest.branch.place();
      const int points = oldest.branch.points();
      given.pending[0].branch = Branch::make(Branch::cellOff, place, points);
      kept.pending[kept.bottom].branch = Branch::make(Branch::cellOn, place, points);
    } else {
      ++kept.bottom;
    }
    return true;
  }

  SLICEPOOL_INLINE static bool splittable(const View&, const Slice& slice) {
    const std::uint32_t pending = slice.top - slice.bottom;
    return pending > 1 || (pending == 1 && slice.pending[slice.bottom].branch.kind() == Branch::cell);
  }
  SLICEPOOL_INLINE static std::size_t usedBytes(const Slice& slice) {
    return offsetof(Slice, pending) + slice.top * sizeof(Pending<Shape>);
  }

  // For checkpoints; defined in packed_slice.hpp.
  static constexpr const char* kPacking = "boards-1";
  static void pack(const View& view, const Slice& slice, ByteWriter& to) {
    PackedSlice<Shape, Lines>::pack(view, slice, to);
  }
  static bool unpack(const View& view, ByteReader& from, Slice& slice) {
    return PackedSlice<Shape, Lines>::unpack(view, from, slice);
  }

  /// The next child of a pending board, in `board`, and the branch without it, in `rest`. False if it was the
  /// last.
  SLICEPOOL_INLINE static bool takeChild(const Pending<Shape>& pending, Board<Shape>& board, Branch& rest) {
    const Branch branch = pending.branch;
    board.on = pending.on;
    board.off = pending.off;
    board.count = board.closed = branch.points();
    const int place = branch.place();
    rest = Branch::make(Branch::cellOff, place, branch.points());
    switch (branch.kind()) {
      case Branch::whole: listPoints(board); break;
      case Branch::cell:
      case Branch::cellOn: addPoint(board, place); break;
      case Branch::cellOff: addCell<Shape>(board.off, place); break;
    }
    return branch.kind() == Branch::cell;
  }

  /// Closes the board, and says what is to be done with it.
  SLICEPOOL_INLINE static Visit visit(const View& view, Board<Shape>& board) {
    if (!propagate(view.geometry, Lines{view.lines}, view.group, view.rivals, board)) return Visit::dropped;
    // Without a contradiction, every row has two points or more than two possible cells.
    return board.count == 2 * view.geometry.n ? Visit::complete : Visit::open;
  }

  /// Emits a complete board, if it is the one of its images to be emitted; false if it was refused.
  template <class Emit>
  SLICEPOOL_HD static bool emitSolution(const View& view, const Cells<Shape>& on, Emit& emit) {
    if (view.group != 0 && hasRivalOutside(view, on)) return true;
    return emit(canonicalSolution(configurationOf<Shape>(on, view.geometry.n), view.geometry.n));
  }

 private:
  SLICEPOOL_INLINE static void addPoint(Board<Shape>& board, int cell) {
    addCell<Shape>(board.on, cell);
    board.points[board.count++] = static_cast<typename Shape::Cell>(cell);
  }

  SLICEPOOL_INLINE static void listPoints(Board<Shape>& board) {
    board.count = board.closed = 0;
    Forced<Shape> forced{};
    forced.on = board.on;
    board.on = Cells<Shape>{};
    merge(forced, board);
  }

  /// A group that is not normal: an image beyond the rivals may be closed under it as well, and then the
  /// greatest of all closed images is the one that counts.
  SLICEPOOL_HD static bool hasRivalOutside(const View& view, const Cells<Shape>& on) {
    return anyImage(
        view.geometry, on, ~view.rivals & 0xfeU,
        [&](const Cells<Shape>& image, int) {
          if (!isLess<Shape>(image, on)) return false;
          return !anyImage(
              view.geometry, image, view.group,
              [&](const Cells<Shape>& moved, int) {
                return isLess<Shape>(moved, image) || isLess<Shape>(image, moved);
              });
        });
  }
};

}  // namespace slicepool::three_in_line

#include "slicepool/three_in_line/steps/packed_slice.hpp"
