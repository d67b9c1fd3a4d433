// Workload `ranked`: slices are ranges of ranks; the suffix counts turn a rank into a row and prune the way
// from one row to the next. A step is one row. Instantiated by runtime/factorizations and kernels/.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/core/turn.hpp"
#include "slicepool/factorizations/coordinates.hpp"
#include "slicepool/factorizations/division.hpp"
#include "slicepool/factorizations/rows.hpp"

namespace slicepool::factorizations {

template <int D, class Word>
struct RankedView {
  Word generators[kCapacity<D>];
  Divider<Word> dividers[kCapacity<D>];
  Word element;
  std::int32_t dimension;
  const std::uint64_t* suffixCounts;

  [[nodiscard]] SLICEPOOL_INLINE int dims() const {
    if constexpr (D > 0) {
      return D;
    } else {
      return dimension;
    }
  }
  /// |Z(residual, (g_k..g_d))|
  [[nodiscard]] SLICEPOOL_INLINE std::uint64_t count(int k, Word residual) const {
    return suffixCounts[static_cast<std::uint64_t>(k) * (static_cast<std::uint64_t>(element) + 1) + residual];
  }
};

/// Ranks first .. last-1 are still to be emitted.
struct RankedSlice {
  std::uint64_t first;
  std::uint64_t last;
};

/// The factorization of a given rank, and its successor.
template <int D, class Word>
class RankedCursor {
 public:
  SLICEPOOL_HD RankedCursor(const RankedView<D, Word>& view, std::uint64_t rank) : view_(view) {
    Word residual = view.element;
    const int last = view.dims() - 1;
    for (int k = 0; k < last; ++k) {
      const Word value = coordinateOfRank(k, residual, rank);
      const Word g = view.generators[k];
      // Rows with a greater a_k come first.
      const Word left = static_cast<Word>(residual - value * g);
      if (left >= g) rank -= view.count(k, static_cast<Word>(left - g));
      coordinates_[k] = value;
      residual = left;
    }
    coordinates_[last] = view.dividers[last].quotient(residual);
  }

  /// To the next row in decreasing lexicographic order; there must be one.
  SLICEPOOL_HD void moveToNext() {
    const int last = view_.dims() - 1;
    Word residual = static_cast<Word>(coordinates_[last] * view_.generators[last]);
    for (int k = last - 1; k >= 0; --k) {
      const Word value = coordinates_[k];
      const Word g = view_.generators[k];
      const Word before = static_cast<Word>(residual + value * g);
      // Rows of this prefix with a smaller a_k: all but those with a_k >= value.
      if (value > 0 && view_.count(k, before) > view_.count(k, residual)) {
        descend(k, before, static_cast<Word>(value - 1));
        return;
      }
      residual = before;
    }
  }
  [[nodiscard]] SLICEPOOL_INLINE const Coordinates<D, Word>& coordinates() const { return coordinates_; }

 private:
  /// Largest t with more than `rank` rows having a_k >= t. O(log).
  [[nodiscard]] SLICEPOOL_HD Word coordinateOfRank(int k, Word residual, std::uint64_t rank) const {
    Word low = 0;
    Word high = view_.dividers[k].quotient(residual);
    while (low < high) {
      const Word middle = static_cast<Word>(low + (high - low + 1) / 2);
      if (view_.count(k, static_cast<Word>(residual - middle * view_.generators[k])) > rank) {
        low = middle;
      } else {
        high = static_cast<Word>(middle - 1);
      }
    }
    return low;
  }

  /// Greatest row with the present prefix before k and a_k <= top.
  SLICEPOOL_HD void descend(int k, Word residual, Word top) {
    const int last = view_.dims() - 1;
    for (; k < last; ++k) {
      const Word g = view_.generators[k];
      Word left = static_cast<Word>(residual - top * g);
      while (view_.count(k + 1, left) == 0) {
        --top;
        left = static_cast<Word>(left + g);
      }
      coordinates_[k] = top;
      residual = left;
      top = view_.dividers[k + 1].quotient(residual);
    }
    coordinates_[last] = top;
  }

  const RankedView<D, Word>& view_;
  Coordinates<D, Word> coordinates_;
};

template <int D, class Word>
struct Ranked {
  using View = RankedView<D, Word>;
  using Slice = RankedSlice;

  template <class Emit>
  SLICEPOOL_HD static Turn advance(const View& view, Slice& slice, Budget& budget, Emit& emit) {
    if (slice.first >= slice.last) return Turn::exhausted;
    if (budget.left == 0) return Turn::budgetSpent;
    RankedCursor<D, Word> cursor(view, slice.first);
    for (;;) {
      const Row<D, Word> row{cursor.coordinates(), view.dims(), slice.first};
      if (!emit(row)) return Turn::sinkFull;
      ++slice.first;
      --budget.left;
      if (slice.first == slice.last) return Turn::exhausted;
      if (budget.left == 0) return Turn::budgetSpent;
      cursor.moveToNext();
    }
  }
  /// Exactly in half.
  SLICEPOOL_HD static bool split(const View&, Slice& kept, Slice& given) {
    if (kept.last - kept.first < 2) return false;
    given = {kept.first + (kept.last - kept.first + 1) / 2, kept.last};
    kept.last = given.first;
    return true;
  }
  /// Remaining rows, exact.
  SLICEPOOL_HD static double size(const View&, const Slice& slice) {
    return static_cast<double>(slice.last - slice.first);
  }
  static RankRange ranks(const View&, const Slice& slice) { return {slice.first, slice.last}; }
};

}  // namespace slicepool::factorizations
