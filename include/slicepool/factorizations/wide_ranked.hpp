// Workload `ranked` for ranks of any width, on CPU threads: a slice is a range of 64-bit offsets from a wide
// rank; a turn unranks its first row by multi-limb arithmetic and steps from there. Instantiated by
// runtime/factorizations/problem_factory_wide.cpp; the cursor also serves rank_index.cpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "slicepool/core/problem.hpp"
#include "slicepool/core/turn.hpp"
#include "slicepool/factorizations/coordinates.hpp"
#include "slicepool/factorizations/ranked.hpp"
#include "slicepool/factorizations/rows.hpp"
#include "slicepool/factorizations/wide_counts.hpp"

namespace slicepool::factorizations {

/// Pointers into a WideSuffixCounts and the generators of one problem. Ranks are arrays of `limbs` limbs,
/// least significant first.
struct WideRankedView {
  std::uint64_t generators[kGenericCapacity];
  std::uint64_t element;
  std::int32_t dimension;
  std::uint32_t limbs;
  const std::uint64_t* planes;
  const std::uint64_t* begin;  ///< rank that slices count from

  [[nodiscard]] int last() const { return dimension - 1; }
  [[nodiscard]] const std::uint64_t* counts(int k) const {
    return planes + static_cast<std::size_t>(k) * limbs * (element + 1);
  }
  [[nodiscard]] std::uint64_t limb(int k, std::uint64_t residual, std::uint32_t index) const {
    return counts(k)[index * (element + 1) + residual];
  }
  /// C_k[residual] = 0
  [[nodiscard]] bool none(int k, std::uint64_t residual) const {
    for (std::uint32_t i = 0; i < limbs; ++i) {
      if (limb(k, residual, i) != 0) return false;
    }
    return true;
  }
  /// C_k[a] != C_k[b]
  [[nodiscard]] bool differ(int k, std::uint64_t a, std::uint64_t b) const {
    for (std::uint32_t i = 0; i < limbs; ++i) {
      if (limb(k, a, i) != limb(k, b, i)) return true;
    }
    return false;
  }
  /// C_k[residual] > rank
  [[nodiscard]] bool exceeds(int k, std::uint64_t residual, const std::uint64_t* rank) const {
    for (std::uint32_t i = limbs; i-- > 0;) {
      const std::uint64_t count = limb(k, residual, i);
      if (count != rank[i]) return count > rank[i];
    }
    return false;
  }
  /// rank -= C_k[residual]
  void subtractFrom(std::uint64_t* rank, int k, std::uint64_t residual) const {
    bool borrow = false;
    for (std::uint32_t i = 0; i < limbs; ++i) {
      const bool wrapped = __builtin_sub_overflow(rank[i], limb(k, residual, i), &rank[i]);
      borrow = __builtin_sub_overflow(rank[i], std::uint64_t{borrow}, &rank[i]) || wrapped;
    }
  }
  /// rank += C_k[residual]
  void addTo(std::uint64_t* rank, int k, std::uint64_t residual) const {
    bool carry = false;
    for (std::uint32_t i = 0; i < limbs; ++i) {
      const bool wrapped = __builtin_add_overflow(rank[i], limb(k, residual, i), &rank[i]);
      carry = __builtin_add_overflow(rank[i], std::uint64_t{carry}, &rank[i]) || wrapped;
    }
  }
};

/// `counts` belongs to `generators`; it and `begin` (counts.limbs limbs) must outlive the view.
[[nodiscard]] WideRankedView wideRankedView(const std::vector<std::uint64_t>& generators,
                                            const WideSuffixCounts& counts, const std::uint64_t* begin);

/// The factorization of a given wide rank, and its successor; RankedCursor with counts of several limbs.
class WideRankedCursor {
 public:
  using Word = std::uint64_t;

  /// `rank` has view.limbs limbs and is below the number of factorizations. O(d log n) comparisons.
  WideRankedCursor(const WideRankedView& view, const std::uint64_t* rank) : view_(view) {
    std::uint64_t remaining[kMostLimbs];
    std::copy_n(rank, view.limbs, remaining);
    Word residual = view.element;
    for (int k = 0; k < view.last(); ++k) {
      const Word value = coordinateOfRank(k, residual, remaining);
      const Word g = view.generators[k];
      residual -= value * g;
      // Rows with a greater a_k come first.
      if (residual >= g) view.subtractFrom(remaining, k, residual - g);
      coordinates_[k] = value;
    }
    coordinates_[view.last()] = residual / view.generators[view.last()];
  }

  /// To the next row in decreasing lexicographic order; there must be one.
  void moveToNext() {
    Word residual = coordinates_[view_.last()] * view_.generators[view_.last()];
    for (int k = view_.last() - 1; k >= 0; --k) {
      const Word value = coordinates_[k];
      const Word before = residual + value * view_.generators[k];
      // Rows of this prefix with a smaller a_k: all but those with a_k >= value.
      if (value > 0 && view_.differ(k, before, residual)) {
        descend(k, before, value - 1);
        return;
      }
      residual = before;
    }
  }
  [[nodiscard]] const Coordinates<0, Word>& coordinates() const { return coordinates_; }

 private:
  /// Largest t with more than `rank` rows having a_k >= t. O(log n) comparisons.
  [[nodiscard]] Word coordinateOfRank(int k, Word residual, const std::uint64_t* rank) const {
    Word low = 0;
    Word high = residual / view_.generators[k];
    while (low < high) {
      const Word middle = low + (high - low + 1) / 2;
      if (view_.exceeds(k, residual - middle * view_.generators[k], rank)) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /// Greatest row with the present prefix before k and a_k <= top.
  void descend(int k, Word residual, Word top) {
    for (; k < view_.last(); ++k) {
      const Word g = view_.generators[k];
      Word left = residual - top * g;
      while (view_.none(k + 1, left)) {
        --top;
        left += g;
      }
      coordinates_[k] = top;
      residual = left;
      top = residual / view_.generators[k + 1];
    }
    coordinates_[view_.last()] = top;
  }

  const WideRankedView& view_;
  Coordinates<0, Word> coordinates_;
};

/// A step is one row. Slices and positions are offsets from view.begin.
struct WideRanked {
  using View = WideRankedView;
  using Slice = RankedSlice;

  template <class Emit>
  static Turn advance(const View& view, Slice& slice, Budget& budget, Emit& emit) {
    if (slice.first >= slice.last) return Turn::exhausted;
    if (budget.left == 0) return Turn::budgetSpent;
    std::uint64_t rank[kMostLimbs];
    rankAt(view, slice.first, rank);
    WideRankedCursor cursor(view, rank);
    for (;;) {
      const Row<0, std::uint64_t> row{cursor.coordinates(), view.dimension, slice.first};
      if (!emit(row)) return Turn::sinkFull;
      ++slice.first;
      --budget.left;
      if (slice.first == slice.last) return Turn::exhausted;
      if (budget.left == 0) return Turn::budgetSpent;
      cursor.moveToNext();
    }
  }
  /// Exactly in half.
  static bool split(const View&, Slice& kept, Slice& given) {
    if (kept.last - kept.first < 2) return false;
    given = {kept.first + (kept.last - kept.first + 1) / 2, kept.last};
    kept.last = given.first;
    return true;
  }
  /// Remaining rows, exact.
  static double size(const View&, const Slice& slice) {
    return static_cast<double>(slice.last - slice.first);
  }
  static RankRange ranks(const View&, const Slice& slice) { return {slice.first, slice.last}; }

 private:
  /// rank = view.begin + offset
  static void rankAt(const View& view, std::uint64_t offset, std::uint64_t* rank) {
    std::uint64_t carry = offset;
    for (std::uint32_t i = 0; i < view.limbs; ++i) {
      carry = __builtin_add_overflow(view.begin[i], carry, &rank[i]) ? 1 : 0;
    }
  }
};

}  // namespace slicepool::factorizations
