// The search for integer points of a bounded system as a workload: slices, steps, splitting. Depth first over
// the columns in the order of the plan; at each level the values that every row still allows. A step looks at
// one value of a column above the leaf, and emits the line of points below it if the next level is the leaf.
//
// A slice is an interval of the points in the order of the search: a split gives away what comes last.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/core/turn.hpp"
#include "slicepool/detail/joined_conditions.hpp"
#include "slicepool/detail/packing.hpp"
#include "slicepool/integer_points/steps/search_plan.hpp"

namespace slicepool::integer_points {

/// A path of values, and those that are still to be tried beside them.
template <class Int>
struct SearchSlice {
  std::int16_t base;   ///< values above this level are fixed
  std::int16_t depth;  ///< the last level of the path
  std::int32_t padding;
  /// At the last level `first` is the next value to be tried, above it the one on the path.
  Values<Int> path[kMaximumColumns];
};

template <class Int>
struct Search {
  using View = SearchPlan<Int>;
  using Slice = SearchSlice<Int>;

  /// Everything; false: the rows leave no value for the first column.
  static bool root(const View& plan, Slice& slice) {
    slice = {};
    slice.path[0] = valuesAt(plan, 0, plan.rightSides);
    return slice.path[0].first <= slice.path[0].last;
  }

  /// Calls `emit(path, line)`; false: it was refused.
  template <class Emit>
  SLICEPOOL_HD static Turn advance(const View& plan, Slice& slice, Budget& budget, Emit& emit) {
    Int residuals[kMaximumRows];
    int depth = slice.depth;
    load(plan, slice, depth, residuals);
    int changed = 0;  // since the line before
    Turn turn = Turn::budgetSpent;
    while (budget.left != 0) {
      --budget.left;
      Values<Int>& own = slice.path[depth];
      const Int step = plan.levels[depth].step;
      if (depth == plan.leaf) {
        const std::uint64_t left = numberOf(own, step);
        const std::uint64_t count = left < plan.piece ? left : plan.piece;
        if (!emitLine(plan, slice, residuals, own.first, count, changed, emit)) {
          ++budget.left;
          turn = Turn::sinkFull;
          break;
        }
        if (count != left) {
          own.first += static_cast<Int>(count) * step;
          continue;
        }
        if (depth == slice.base) {
          turn = Turn::exhausted;
          break;
        }
        --depth;
      } else if (Emit::kCounts && plan.plainTerms != 0 && depth + 1 == plan.leaf) {
        // The lines of this value, and of those after it that the budget has steps and 64 bits have room for.
        const std::uint64_t others = numberOf(own, step) - 1;
        const std::uint64_t affordable = others < budget.left ? others : budget.left;
        const std::uint64_t more = affordable < plan.linesAtOnce ? affordable : plan.linesAtOnce - 1;
        if constexpr (Emit::kCounts) emit.add(pointsOnLines(plan, residuals, more + 1));
        budget.left -= more;
        const Int ahead = static_cast<Int>(more) * step;
        own.first += ahead;
        contribute(plan, depth, ahead, residuals);
      } else {
        const Values<Int> next = valuesAt(plan, depth + 1, residuals);
        if (next.first <= next.last) {
          const bool isLeaf = depth + 1 == plan.leaf;
          const std::uint64_t count = isLeaf ? numberOf(next, plan.levels[plan.leaf].step) : 0;
          if (!isLeaf || count > plan.piece) {
            ++depth;
            slice.path[depth] = next;
            if (!isLeaf) contribute(plan, depth, next.first, residuals);
            continue;
          }
          if (!emitLine(plan, slice, residuals, next.first, count, changed, emit)) {
            ++budget.left;
            turn = Turn::sinkFull;
            break;
          }
        }
      }
      if (!toNextValue(plan, slice, depth, residuals)) {
        turn = Turn::exhausted;
        break;
      }
      changed = depth < changed ? depth : changed;
    }
    slice.depth = static_cast<std::int16_t>(depth);
    return turn;
  }

  /// Gives away the upper half of the values that are open at the shallowest level. A line is cut between two
  /// pieces, so that splits change no steps.
  SLICEPOOL_HD static bool split(const View& plan, Slice& kept, Slice& given) {
    const int level = shallowest(plan, kept);
    if (level < 0) return false;
    Values<Int>& own = kept.path[level];
    const Int step = plan.levels[level].step * (level == plan.leaf ? static_cast<Int>(plan.piece) : 1);
    const Int others = (own.last - own.first) / step;
    const Int middle = own.first + (others / 2 + 1) * step;
#if !SLICEPOOL_ON_DEVICE
    given = Slice{};  // a GPU copies what is used
#endif
    SLICEPOOL_NO_UNROLL
    for (int i = 0; i < level; ++i) given.path[i] = {kept.path[i].first, kept.path[i].first};
    given.path[level] = {middle, own.last};
    given.base = given.depth = static_cast<std::int16_t>(level);
    given.padding = 0;
    own.last = middle - plan.levels[level].step;
    return true;
  }

  SLICEPOOL_HD static bool splittable(const View& plan, const Slice& slice) {
    return shallowest(plan, slice) >= 0;
  }

  SLICEPOOL_HD static std::size_t usedBytes(const Slice& slice) {
    return offsetof(Slice, path) + (static_cast<std::size_t>(slice.depth) + 1) * sizeof(Values<Int>);
  }

  // On a GPU.
  static constexpr unsigned kDeviceThreads = 128;
  static constexpr unsigned kDeviceBlocks = 8;
  static constexpr unsigned kDeviceRound = 256;  // steps: a round begins with the residuals of the path

  // A checkpoint has the path and the last open value of each level from the base on.
  static constexpr const char* kPacking = "points-1";
  static void pack(const View&, const Slice& slice, ByteWriter& to) {
    to.byte(static_cast<unsigned>(slice.base));
    to.byte(static_cast<unsigned>(slice.depth));
    for (int i = 0; i <= slice.depth; ++i) to.signedNumber(slice.path[i].first);
    for (int i = slice.base; i <= slice.depth; ++i) to.signedNumber(slice.path[i].last);
  }
  static bool unpack(const View& plan, ByteReader& from, Slice& slice) {
    const auto base = static_cast<int>(from.byte());
    const auto depth = static_cast<int>(from.byte());
    if (!from.good() || base > depth || depth > plan.leaf) return false;
    slice.base = static_cast<std::int16_t>(base);
    slice.depth = static_cast<std::int16_t>(depth);
    for (int i = 0; i <= depth; ++i) {
      const std::int64_t value = from.signedNumber();
      if (value < plan.levels[i].lower || value > plan.levels[i].upper) return false;
      slice.path[i] = {static_cast<Int>(value), static_cast<Int>(value)};
    }
    for (int i = base; i <= depth; ++i) {
      const std::int64_t value = from.signedNumber();
      const Values<Int>& own = slice.path[i];
      if (value < own.first || value > plan.levels[i].upper) return false;
      if ((value - own.first) % plan.levels[i].step != 0) return false;
      slice.path[i].last = static_cast<Int>(value);
    }
    return from.good() && isPath(plan, slice);
  }

 private:
  SLICEPOOL_INLINE static std::uint64_t numberOf(const Values<Int>& values, Int step) {
    return static_cast<std::uint64_t>((values.last - values.first) / step) + 1;
  }

  SLICEPOOL_INLINE static void contribute(const View& plan, int depth, Int value, Int* residuals) {
    const Level<Int>& level = plan.levels[depth];
    const Entry<Int>* const entries = plan.entries + level.firstEntry;
    SLICEPOOL_NO_UNROLL
    for (int i = 0; i < level.entries; ++i) residuals[entries[i].row] -= entries[i].coefficient * value;
  }

  /// The residuals after the path, without the column of the leaf.
  SLICEPOOL_INLINE static void load(const View& plan, const Slice& slice, int depth, Int* residuals) {
    SLICEPOOL_NO_UNROLL
    for (int i = 0; i < plan.rows; ++i) residuals[i] = plan.rightSides[i];
    SLICEPOOL_NO_UNROLL
    for (int level = 0; level <= depth; ++level)
      if (level != plan.leaf) contribute(plan, level, slice.path[level].first, residuals);
  }

  /// To the next open value; false: there is none.
  SLICEPOOL_INLINE static bool toNextValue(const View& plan, Slice& slice, int& depth, Int* residuals) {
    while (slice.path[depth].first == slice.path[depth].last) {
      if (depth == slice.base) return false;
      contribute(plan, depth, static_cast<Int>(-slice.path[depth].first), residuals);
      --depth;
    }
    const Int step = plan.levels[depth].step;
    slice.path[depth].first += step;
    contribute(plan, depth, step, residuals);
    return true;
  }

  /// With conditions a piece is one point, which must satisfy them.
  template <class Emit>
  SLICEPOOL_INLINE static bool emitLine(const View& plan, const Slice& slice, const Int* residuals, Int first,
                                        std::uint64_t count, int& changed, Emit& emit) {
    if (plan.conditionCount != 0 && !satisfies(plan, slice, residuals, first)) return true;
    if (!emit(slice.path, Line<Int>{plan, residuals, first, count, changed})) return false;
    changed = plan.leaf;
    return true;
  }

  SLICEPOOL_HD static bool satisfies(const View& plan, const Slice& slice, const Int* residuals, Int atLeaf) {
    return holdsJoined(
        plan.conditions, plan.conditionCount,
        [&](const PointCondition& condition) {
          std::int64_t sum = 0;
          for (int i = 0; i < plan.columns; ++i) {
            const Int value = i < plan.leaf    ? slice.path[i].first
                              : i == plan.leaf ? atLeaf
                                               : tailValue(plan, i, residuals, atLeaf);
            sum += condition.coefficients[i] * value;
          }
          return sum;
        });
  }

  /// The level of the first open value beside the path, or of two at its end; -1: there is none.
  SLICEPOOL_HD static int shallowest(const View& plan, const Slice& slice) {
    for (int level = slice.base; level <= slice.depth; ++level) {
      const Values<Int>& own = slice.path[level];
      if (own.first == own.last) continue;
      const bool isPiece = level == plan.leaf && numberOf(own, plan.levels[level].step) <= plan.piece;
      return isPiece ? -1 : level;
    }
    return -1;
  }

  /// Whether the search could have come here.
  static bool isPath(const View& plan, const Slice& slice) {
    Int residuals[kMaximumRows];
    for (int i = 0; i < plan.rows; ++i) residuals[i] = plan.rightSides[i];
    for (int level = 0; level <= slice.depth; ++level) {
      const Values<Int> allowed = valuesAt(plan, level, residuals);
      const Values<Int>& own = slice.path[level];
      if (own.first < allowed.first || own.last > allowed.last) return false;
      if ((own.first - allowed.first) % plan.levels[level].step != 0) return false;
      contribute(plan, level, own.first, residuals);
    }
    return true;
  }
};

}  // namespace slicepool::integer_points
