// How a checkpoint stores a slice of the no-three-in-line search: the lowest pending board, and of each board
// above it only the cell that it branches on. The boards above are visited again when the slice is rebuilt.
// Called through Search::pack and Search::unpack. Host only.
//
// That is enough because a visit is a function of the board alone. Board i + 1 of a slice descends from board
// i with its cell on: the closure of that is branched on some cell; as long as that is not the cell of board
// i + 1, the search has been there, has come back, and the cell is off. No cell is branched on twice.
#pragma once

#include <cstdint>

#include "slicepool/detail/packing.hpp"
#include "slicepool/three_in_line/steps/search.hpp"

namespace slicepool::three_in_line {

template <class Shape, class Lines>
class PackedSlice {
 public:
  using W = Search<Shape, Lines>;
  using Slice = SearchSlice<Shape>;

  /// Bytes: the cells that are on and, of those that are off, what the lines of these points do not say; then
  /// the kind of the newest branch and the cells of all. Neighbours in the tree begin with the same bytes.
  static void pack(const SearchView& view, const Slice& slice, ByteWriter& to) {
    if (slice.top == slice.bottom) return;
    if (!isRebuilt(slice)) return packMemory(slice, to);
    const Pending<Shape>& lowest = slice.pending[slice.bottom];
    for (int w = 0; w < Shape::kWords; ++w) to.bigEndian(lowest.on.words[w]);
    const Cells<Shape> implied = impliedOff(view, lowest);
    for (int w = 0; w < Shape::kWords; ++w) to.bigEndian(lowest.off.words[w] ^ implied.words[w]);
    to.byte(slice.pending[slice.top - 1].branch.kind());
    for (std::uint32_t i = slice.bottom; i < slice.top; ++i)
      to.number(static_cast<std::uint64_t>(slice.pending[i].branch.place()));
  }

  static bool unpack(const SearchView& view, ByteReader& from, Slice& slice) {
    if (from.left() == 0) return true;
    if (from.left() > kMaximumBytes) return unpackMemory(from, slice);
    Pending<Shape>& lowest = slice.pending[0];
    for (auto& word : lowest.on.words) word = from.bigEndian();
    for (auto& word : lowest.off.words) word = from.bigEndian();
    if (!from.good() || !listPoints(view, lowest, slice)) return false;
    const Cells<Shape> implied = impliedOff(view, lowest);
    for (int w = 0; w < Shape::kWords; ++w) lowest.off.words[w] ^= implied.words[w];
    const unsigned kind = from.byte();
    if (kind > Branch::cellOff) return false;
    const int points = kind == Branch::whole ? 0 : pointsOf(lowest.on);
    int place = 0;
    if (!readPlace(from, place)) return false;
    lowest.branch = Branch::make(Branch::cellOff, place, points);
    slice.top = 1;
    while (from.left() != 0)
      if (kind == Branch::whole || !readPlace(from, place) || !visitUpTo(view, place, slice)) return false;
    Branch& newest = slice.pending[slice.top - 1].branch;
    newest = Branch::make(static_cast<Branch::Kind>(kind), newest.place(), newest.points());
    return true;
  }

 private:
  /// More than any slice that is rebuilt takes: a form of its own follows, told by its length.
  static constexpr std::size_t kMaximumBytes = 8 * Shape::kWords + 1 + 2 * Shape::kMaximumPoints;

  /// What the search itself leaves behind.
  static bool isRebuilt(const Slice& slice) {
    for (std::uint32_t i = slice.bottom; i + 1 < slice.top; ++i)
      if (slice.pending[i].branch.kind() != Branch::cellOff) return false;
    const Pending<Shape>& lowest = slice.pending[slice.bottom];
    const int points = pointsOf(lowest.on);
    if (lowest.branch.kind() == Branch::whole) return points <= Shape::kMaximumPoints;
    return lowest.branch.points() == points;
  }
  static void packMemory(const Slice& slice, ByteWriter& to) {
    to.raw(&slice, sizeof slice);
    static_assert(sizeof slice > kMaximumBytes);
  }
  static bool unpackMemory(ByteReader& from, Slice& slice) {
    if (from.left() != sizeof slice) return false;
    from.raw(&slice, sizeof slice);
    return slice.bottom < slice.top && slice.top <= Shape::kMaximumPoints;
  }

  static int pointsOf(const Cells<Shape>& on) {
    int points = 0;
    for (const std::uint32_t word : on.words) points += bitCount(word);
    return points;
  }
  /// Calls use(cell) for all cells that are on, in the order of their numbers.
  template <class Use>
  static void forPoints(const Cells<Shape>& on, Use use) {
    for (int w = 0; w < Shape::kWords; ++w) {
      for (std::uint32_t left = on.words[w]; left != 0;) {
        const int zeros = leadingZeros(left);
        left ^= 0x80000000U >> zeros;
        use(cellAt<Shape>(w, zeros));
      }
    }
  }
  /// False for cells that do not exist, and for more points than a slice holds.
  static bool listPoints(const SearchView& view, const Pending<Shape>& lowest, Slice& slice) {
    for (int w = 0; w < Shape::kWords; ++w)
      if ((lowest.on.words[w] & ~existing<Shape>(view.geometry, w)) != 0) return false;
    if (pointsOf(lowest.on) > Shape::kMaximumPoints) return false;
    int count = 0;
    forPoints(lowest.on, [&](int cell) { slice.points[count++] = static_cast<typename Shape::Cell>(cell); });
    return true;
  }
  /// Cells that do not exist, and those on a line of two points.
  static Cells<Shape> impliedOff(const SearchView& view, const Pending<Shape>& pending) {
    const Lines lines{view.lines};
    Cells<Shape> off;
    for (int w = 0; w < Shape::kWords; ++w) off.words[w] = ~existing<Shape>(view.geometry, w);
    int points[Shape::kMaximumPoints];
    int count = 0;
    forPoints(pending.on, [&](int cell) {
      if (count == Shape::kMaximumPoints) return;  // a root may say so; its board has no closure
      for (int i = 0; i < count; ++i) lines.add(view.geometry, cell, points[i], off);
      points[count++] = cell;
    });
    return off;
  }
  static bool readPlace(ByteReader& from, int& place) {
    const std::uint64_t read = from.number();
    if (!from.good() || read >= static_cast<std::uint64_t>(kCells<Shape>)) return false;
    place = static_cast<int>(read);
    return true;
  }

  /// The board above the newest one that branches on cell `place`.
  static bool visitUpTo(const SearchView& view, int place, Slice& slice) {
    if (slice.top == Shape::kMaximumPoints) return false;
    const Pending<Shape>& parent = slice.pending[slice.top - 1];
    Pending<Shape>& next = slice.pending[slice.top];
    next = parent;
    next.branch = Branch::make(Branch::cellOn, parent.branch.place(), parent.branch.points());
    for (int i = 0; i < kCells<Shape>; ++i) {
      if (next.branch.points() >= Shape::kMaximumPoints) return false;
      Board<Shape> board;
      board.points = slice.points;
      Branch rest;
      W::takeChild(next, board, rest);
      if (W::visit(view, board) != Visit::open) return false;
      const Branch branch = chooseBranch(view.geometry, board.on, board.off, board.count);
      next.on = board.on;
      next.off = board.off;
      next.branch = Branch::make(Branch::cellOff, branch.place(), branch.points());
      if (branch.place() == place) {
        ++slice.top;
        return true;
      }
    }
    return false;
  }
};

}  // namespace slicepool::three_in_line
