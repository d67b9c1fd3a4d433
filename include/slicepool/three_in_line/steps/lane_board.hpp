// The closure of a board and the branch on it, for a board held by the lanes of a warp (lane_cells.hpp). The
// closure is that of propagate.hpp and canonical.hpp, whose rules may be applied in any order, and the branch
// is that of branch.hpp: the nodes are the same. Used by lane_search.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/three_in_line/steps/branch.hpp"
#include "slicepool/three_in_line/steps/canonical.hpp"
#include "slicepool/three_in_line/steps/lane_cells.hpp"
#include "slicepool/three_in_line/steps/lines.hpp"

namespace slicepool::three_in_line {

/// Points whose lines are read side by side.
inline constexpr int kPointsTogether = 4;

/// Memory that the lanes share: shared memory on a GPU.
template <class Shape>
struct alignas(16) LaneScratch {
  /// The cells that are on. Behind the last one some of them are repeated, to fill up a group of
  /// kPointsTogether: the line of two points may be taken twice.
  std::uint32_t points[Shape::kMaximumPoints + kPointsTogether];
  std::uint32_t rows[Shape::kLines];  ///< of a complete board, for the emitter
};

/// A board, and the closure of it. `Lanes` as in lane_cells.hpp. Functions that return bool are false on a
/// contradiction, and the board is then of no use.
template <class Lanes, class Shape>
struct LaneBoard {
  using Word = typename Lanes::Word;
  using Cells = LaneCells<Lanes>;

  Cells on;
  Cells off;
  int count;   ///< points in the list
  int closed;  ///< those of which the lines are off already

  /// The next point, which is not on yet.
  SLICEPOOL_LANES_INLINE void addPoint(int cell, std::uint32_t* points) {
    on = on | oneCell<Lanes>(cell / Shape::kPitch, cell % Shape::kPitch);
    Lanes::sync();
    Lanes::write(points, Lanes::lane() + Word{static_cast<std::uint32_t>(count)},
                 Word{static_cast<std::uint32_t>(cell)}, Lanes::member((2U << kPointsTogether) - 1));
    Lanes::sync();
    ++count;
  }

  /// Puts cells (by rows) into the list. False if there is no room: then there are three in some column.
  SLICEPOOL_LANES_INLINE bool listPoints(Word fresh, std::uint32_t* points) {
    std::uint32_t rows = Lanes::ballot(fresh);
    if (rows == 0) return true;
    Lanes::sync();
    std::uint32_t repeated = 0;
    SLICEPOOL_NO_UNROLL
    for (; rows != 0; rows = Lanes::ballot(fresh)) {
      const int more = bitCount(rows);
      if (count + more > Shape::kMaximumPoints) return false;
      const Word column = Lanes::leadingZeros(fresh | Word{1});
      const Word cell = (Word{31} - Lanes::lane()) * Word{Shape::kPitch} + column;
      const Word place = Lanes::map(
          [rows, from = static_cast<std::uint32_t>(count)](std::uint32_t lane) {
            return from + static_cast<std::uint32_t>(bitCount(rows & ((1U << lane) - 1)));
          },
          Lanes::lane());
      Lanes::write(points, place, cell, fresh);
      repeated = Lanes::broadcast(cell, 31 - three_in_line::leadingZeros(rows));
      fresh = fresh & ~(Word{0x80000000U} >> column);
      count += more;
    }
    Lanes::write(points, Lanes::lane() + Word{static_cast<std::uint32_t>(count)}, Word{repeated},
                 Lanes::member((1U << kPointsTogether) - 1));
    Lanes::sync();
    return true;
  }

  /// Takes the lines of all new points off the board. `table`: as in lines.hpp.
  SLICEPOOL_LANES_INLINE bool closePoints(const std::uint32_t* table, const std::uint32_t* points) {
    if (closed == count) return true;
    constexpr std::size_t kWords = kLineWords<Shape>;
    const Word word = wordOfLane<Lanes, Shape>();
    Word added{0};
    SLICEPOOL_NO_UNROLL
    for (; closed < count; ++closed) {
      const std::uint32_t* const entries = table + points[closed] * (kWords * kCells<Shape>);
      Word lines{0};
      SLICEPOOL_NO_UNROLL
      for (int i = 0; i < closed; i += kPointsTogether) {
        const FourWords others = *reinterpret_cast<const FourWords*>(points + i);
        SLICEPOOL_UNROLL
        for (int j = 0; j < 4; ++j) lines = lines | Lanes::readTable(entries + others.word[j] * kWords, word);
      }
      lines = rowOfWord<Lanes, Shape>(lines);
      added = added | lines;
      off.rows = off.rows | lines;
      if (Lanes::any(on.rows & off.rows)) return false;
    }
    off.columns = off.columns | transposed<Lanes, Shape>(added);
    return true;
  }

  /// Merges what is forced into the board; `changed` if any of it is new.
  SLICEPOOL_LANES_INLINE bool merge(const Cells& forcedOn, const Cells& forcedOff, std::uint32_t* points,
                                    bool& changed) {
    const Word fresh = forcedOn.rows & ~on.rows;
    if (!Lanes::any(fresh | (forcedOff.rows & ~off.rows))) return true;
    changed = true;
    on = on | forcedOn;
    off = off | forcedOff;
    if (Lanes::any(on.rows & off.rows)) return false;
    return listPoints(fresh, points);
  }

  /// One look at all rows and columns.
  SLICEPOOL_LANES_INLINE bool forceLinesOfTwo(std::uint32_t exists, std::uint32_t* points, bool& changed) {
    const Word existing = Lanes::member(exists);
    const Cells possible = ~off;
    // Words without their lowest bit, and without their two lowest.
    const Cells onButOne = butLowest(on);
    const Cells onButTwo = butLowest(onButOne);
    const Cells possibleButOne = butLowest(possible);
    const Cells possibleButTwo = butLowest(possibleButOne);
    if (Lanes::any(onButTwo.rows | onButTwo.columns | Lanes::choose(possibleButOne.rows, Word{0}, existing) |
                   Lanes::choose(possibleButOne.columns, Word{0}, existing)))
      return false;
    const Word scarceRow = Lanes::choose(possibleButTwo.rows, Word{0}, possibleButOne.rows);
    const Word scarceColumn = Lanes::choose(possibleButTwo.columns, Word{0}, possibleButOne.columns);
    const Word fullRows{Lanes::ballot(onButOne.rows)};
    const Word fullColumns{Lanes::ballot(onButOne.columns)};
    const Word scarceRows{Lanes::ballot(scarceRow)};
    const Word scarceColumns{Lanes::ballot(scarceColumn)};
    const Word all{~0U};
    const Cells forcedOff{~on.rows & Lanes::choose(onButOne.rows, all, fullColumns),
                          ~on.columns & Lanes::choose(onButOne.columns, all, fullRows)};
    const Cells forcedOn{possible.rows & Lanes::choose(scarceRow, all, scarceColumns),
                         possible.columns & Lanes::choose(scarceColumn, all, scarceRows)};
    return merge(forcedOn, forcedOff, points, changed);
  }

  /// What is true of a cell is true of its images.
  SLICEPOOL_LANES_INLINE bool forceImages(const Geometry& geometry, unsigned group, std::uint32_t* points,
                                          bool& changed) {
    Cells forcedOn{Word{0}, Word{0}};
    Cells forcedOff{Word{0}, Word{0}};
    SLICEPOOL_NO_UNROLL
    for (int image = 1; image < 8; ++image) {
      if ((group >> image & 1U) == 0) continue;
      forcedOn = forcedOn | imageOf<Lanes>(geometry, on, image);
      forcedOff = forcedOff | imageOf<Lanes>(geometry, off, image);
    }
    return merge(forcedOn, forcedOff, points, changed);
  }

  /// forceCanonical of canonical.hpp.
  SLICEPOOL_LANES_INLINE bool forceOrder(const Geometry& geometry, unsigned rivals, std::uint32_t* points,
                                         bool& changed) {
    Word mustBeOn{0};
    Word mustBeOff{0};
    SLICEPOOL_NO_UNROLL
    for (int image = 1; image < 8; ++image) {
      if ((rivals >> image & 1U) == 0) continue;
      const Word possible = imageOf<Lanes>(geometry, ~off, image).rows;
      Word imageOn{0};
      if (!compareWith(geometry, possible, image, mustBeOff, imageOn)) return false;
      if (!Lanes::any(imageOn)) continue;
      mustBeOn =
          mustBeOn | imageOf<Lanes>(geometry, bothWays<Lanes, Shape>(imageOn), inverseImage(image)).rows;
    }
    return merge(bothWays<Lanes, Shape>(mustBeOn), bothWays<Lanes, Shape>(mustBeOff), points, changed);
  }

  /// Replaces the board by its closure, as propagate().
  SLICEPOOL_LANES_INLINE bool close(const Geometry& geometry, const std::uint32_t* table, unsigned group,
                                    unsigned rivals, std::uint32_t* points) {
    const std::uint32_t exists = existingLines<Shape>(geometry);
    const bool ordered = count <= kOrderedPoints;
    SLICEPOOL_NO_UNROLL
    for (;;) {
      if (!closePoints(table, points)) return false;
      bool changed = false;
      if (!forceLinesOfTwo(exists, points, changed)) return false;
      if (group != 0 && !forceImages(geometry, group, points, changed)) return false;
      if (changed) continue;
      if (!ordered && count != 2 * geometry.n) return true;
      if (!forceOrder(geometry, rivals, points, changed)) return false;
      if (!changed) return true;
    }
  }

  /// Whether another image of a complete board is the one to be emitted, as in search.hpp.
  [[nodiscard]] SLICEPOOL_LANES_INLINE bool hasRivalOutside(const Geometry& geometry, unsigned group,
                                                            unsigned rivals) const {
    SLICEPOOL_NO_UNROLL
    for (int number = 1; number < 8; ++number) {
      if ((rivals >> number & 1U) != 0) continue;
      const Cells image = imageOf<Lanes>(geometry, on, number);
      const std::uint32_t differing = Lanes::ballot(image.rows ^ on.rows);
      if (differing == 0) continue;
      const int first = 31 - three_in_line::leadingZeros(differing);
      if (Lanes::broadcast(image.rows, first) > Lanes::broadcast(on.rows, first)) continue;
      bool symmetric = true;
      SLICEPOOL_NO_UNROLL
      for (int other = 1; other < 8; ++other) {
        if ((group >> other & 1U) == 0) continue;
        symmetric = symmetric && !Lanes::any(imageOf<Lanes>(geometry, image, other).rows ^ image.rows);
      }
      if (symmetric) return true;
    }
    return false;
  }

  /// chooseBranch of branch.hpp.
  [[nodiscard]] SLICEPOOL_LANES_INLINE Branch branch(const Geometry& geometry) const {
    const Cells open = ~(on | off);
    const auto keyOf = [n = geometry.n](std::uint32_t cells, std::uint32_t points, std::uint32_t lane,
                                        int column) {
      const int position = 31 - static_cast<int>(lane);
      const int score = scoreOfLine(bitCount(cells), points != 0, distanceOf(position, n));
      return cells == 0 ? ~0U : static_cast<std::uint32_t>(score << 6 | (2 * position + column));
    };
    const Word key = Lanes::map(
        [keyOf](std::uint32_t rowOpen, std::uint32_t rowOn, std::uint32_t columnOpen, std::uint32_t columnOn,
                std::uint32_t lane) {
          const std::uint32_t row = keyOf(rowOpen, rowOn, lane, 0);
          const std::uint32_t column = keyOf(columnOpen, columnOn, lane, 1);
          return row < column ? row : column;
        },
        open.rows, on.rows, open.columns, on.columns, Lanes::lane());
    const int place = static_cast<int>(Lanes::least(key) & 63U);
    const bool isColumn = place % 2 != 0;
    const int position = place / 2;
    const int other =
        three_in_line::leadingZeros(Lanes::broadcast(isColumn ? open.columns : open.rows, 31 - position));
    const int cell = isColumn ? other * Shape::kPitch + position : position * Shape::kPitch + other;
    return Branch::make(Branch::cell, cell, count);
  }

 private:
  static SLICEPOOL_LANES_INLINE Cells butLowest(const Cells& cells) {
    return {cells.rows & (cells.rows - Word{1}), cells.columns & (cells.columns - Word{1})};
  }

  /// compareWithImage of canonical.hpp. `possible`: the rows of the image of the possible cells.
  SLICEPOOL_LANES_INLINE bool compareWith(const Geometry& geometry, Word possible, int image, Word& mustBeOff,
                                          Word& mustBeOn) const {
    const std::uint32_t exists = existingLines<Shape>(geometry);
    const Word compared =
        Lanes::choose(Lanes::member(exists), Word{exists}, Word{0}) & ~fixedCellsOf<Lanes>(geometry, image);
    const Word difference = (on.rows ^ possible) & compared;
    const Word zeros = Lanes::leadingZeros(difference | Word{1});
    const std::uint32_t differing = Lanes::ballot(difference);
    // The most central row that differs; rows further out are not compared.
    const std::uint32_t first = differing == 0 ? 0 : 0x80000000U >> three_in_line::leadingZeros(differing);
    const std::uint32_t before = differing == 0 ? ~0U : ~(first | (first - 1));
    const Word equal =
        Lanes::choose(Lanes::member(before), compared,
                      Lanes::choose(Lanes::member(first), compared & ~(Word{~0U} >> zeros), Word{0}));
    mustBeOff = mustBeOff | (~on.rows & equal);
    mustBeOn = possible & equal;
    return differing == 0 || (Lanes::ballot((possible << zeros) >> 31) & first) != 0;
  }
};

}  // namespace slicepool::three_in_line
