// View and slice shared by the lexicographic algorithms `candidate` and `tabulated`, and ranks of vectors.
//
// The stream runs in decreasing lexicographic order over *candidates* (Barron 2024a, Algorithm 3.1): vectors
// a with phi(a) = sum a_i g_i >= n whose last nonzero coordinate was "solved", that is, is the least that
// reaches n. A slice is the half-open interval (bound, cursor] of that stream. Every vector that a slice or a
// split names is a candidate, so that Theorem 3.2 (no factorization is passed over) holds wherever a slice
// starts.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/factorizations/steps/coordinates.hpp"
#include "slicepool/factorizations/steps/division.hpp"

namespace slicepool::factorizations {

/// Candidates of a run (second but last coordinate falling, last one solved) that are tested together.
inline constexpr int kRunBlock = 16;
/// Fewer on a device, so that the lanes of a warp come to their carries together.
inline constexpr int kDeviceRunBlock = 8;

/// Element, generators and all that is precomputed from them; taken by value by workers and kernels.
/// Word = uint32_t needs element and generators below 2^31; uint64_t needs them below 2^63.
template <int D, class Word>
struct LexicographicView {
  Word generators[kCapacity<D>];
  Divider<Word> dividers[kCapacity<D>];
  Jump<Word> jumps[kCapacity<D>];    ///< index i: decrementing a_i; the last entry is unused
  Word blockOffsets[kRunBlock + 1];  ///< (t g_{d-1}) mod g_d
  Word element;
  std::int32_t dimension;
  std::int32_t moduloJump;  ///< 0 or 1

  // Estimated steps from solving coordinate k at residual r on: (volumeScale_k (r + volumeShift_k))^(depth -
  // k).
  float volumeScale[kCapacity<D>];
  float volumeShift[kCapacity<D>];
  std::int32_t volumeDepth;

  std::int32_t headDimension;  ///< `tabulated`: coordinates before the leaf
  std::uint64_t leafLimit;     ///< `tabulated`: residuals below have a leaf
  const std::uint64_t* leafOffsets;
  const std::uint32_t* leafRows;

  const std::uint64_t* suffixCounts;  ///< null: positions are not maintained
  const std::uint64_t* stepCounts;    ///< null: sizes are estimates

  [[nodiscard]] SLICEPOOL_INLINE int dims() const {
    if constexpr (D > 0)
      return D;
    else
      return dimension;
  }
  [[nodiscard]] SLICEPOOL_INLINE std::uint64_t tableStride() const {
    return static_cast<std::uint64_t>(element) + 1;
  }
  /// Least m with m * g_k >= residual, for 1 <= residual <= element.
  [[nodiscard]] SLICEPOOL_INLINE Word solve(int k, Word residual) const {
    return static_cast<Word>(dividers[k].quotient(static_cast<Word>(residual - 1)) + 1);
  }
};

/// The interval (bound, cursor]. With a leaf: rows `leafOffset`.. of the cursor's leaf are still to be
/// emitted.
template <int D, class Word, bool kTabulated>
struct LexicographicSlice;

template <int D, class Word>
struct LexicographicSlice<D, Word, false> {
  static constexpr Word kBounded = 1;
  std::uint64_t position;  ///< rank of the next result (maintained when suffixCounts is set)
  Word cursor[kCapacity<D>];
  Word bound[kCapacity<D>];
  Word excess;  ///< phi(cursor) - n; the cursor is a factorization iff 0
  Word flags;
  [[nodiscard]] SLICEPOOL_INLINE bool bounded() const { return (flags & kBounded) != 0; }
};

template <int D, class Word>
struct LexicographicSlice<D, Word, true> : LexicographicSlice<D, Word, false> {
  std::uint64_t leafOffset;
};

/// Number of factorizations lexicographically greater than `vector`, by the suffix counts. O(d).
/// The factorizations with a_k >= t at residual p are those of residual p - t g_k, shifted.
template <int D, class Word>
SLICEPOOL_HD std::uint64_t rankOfVector(const LexicographicView<D, Word>& view,
                                        const Coordinates<D, Word>& vector) {
  std::uint64_t rank = 0;
  std::uint64_t residual = view.element;
  for (int k = 0; k < view.dims(); ++k) {
    const std::uint64_t g = view.generators[k];
    const std::uint64_t used = static_cast<std::uint64_t>(vector[k]) * g;
    if (used > residual) break;
    residual -= used;
    if (residual >= g)
      rank += view.suffixCounts[static_cast<std::uint64_t>(k) * view.tableStride() + residual - g];
  }
  return rank;
}

/// Ranks of the results that a slice still has to emit; empty without suffix counts.
template <int D, class Word>
RankRange ranksOfSlice(const LexicographicView<D, Word>& view,
                       const LexicographicSlice<D, Word, false>& slice) {
  if (view.suffixCounts == nullptr) return {};
  const std::uint64_t total = view.suffixCounts[view.element];
  return {slice.position, slice.bounded() ? rankOfVector<D, Word>(view, slice.bound) : total};
}

}  // namespace slicepool::factorizations
