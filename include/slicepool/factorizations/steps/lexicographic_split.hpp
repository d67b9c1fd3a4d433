// Splitting a lexicographic slice near the middle of its remaining steps (Barron 2024a, 4.1, corrected: the
// new bound starts from the cursor, and is checked to lie strictly inside), and the size of a slice. Called
// once per split by candidate.hpp and tabulated.hpp; arrays are indexed dynamically, so a kernel should split
// slices that are in memory, not in registers.
//
// Below, N_k(r) is the number of steps from solving coordinate k at residual r on: exact from the step
// counts, else about the volume of the simplex of coordinates k.. ; N_k(r) = 1 for r <= 0. The steps of that
// stream that come at or after a candidate c are 1 + sum over k of N_k(p_k) - N_k(p_k - c_k g_k), p_k the
// residual before coordinate k. Inverting this sum coordinate by coordinate finds the candidate with a given
// number of steps left.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/factorizations/steps/lexicographic.hpp"

namespace slicepool::factorizations {

/// Exact N_k from the table.
template <int D, class Word>
struct ExactSteps {
  using Number = std::uint64_t;
  static constexpr bool kExact = true;
  const LexicographicView<D, Word>& view;
  [[nodiscard]] SLICEPOOL_HD Number operator()(int k, Word residual) const {
    return view.stepCounts[static_cast<std::uint64_t>(k) * view.tableStride() + residual];
  }
};

/// Estimated N_k by volume.
template <int D, class Word>
struct VolumeSteps {
  using Number = double;
  static constexpr bool kExact = false;
  const LexicographicView<D, Word>& view;
  [[nodiscard]] SLICEPOOL_HD Number operator()(int k, Word residual) const {
    const int exponent = view.volumeDepth - k;
    if (exponent <= 0) return 1;
    const double base = (static_cast<double>(residual) + static_cast<double>(view.volumeShift[k])) *
                        static_cast<double>(view.volumeScale[k]);
    double power = 1;
    for (int j = 0; j < exponent; ++j) power *= base;
    return 1 + power;
  }
};

/// Steps at or after `vector` in the stream that solves coordinate `from` at residual `residual`.
template <int D, class Word, class Steps>
SLICEPOOL_HD typename Steps::Number stepsFrom(const LexicographicView<D, Word>& view, const Steps& steps,
                                              const Coordinates<D, Word>& vector, int from, Word residual) {
  typename Steps::Number total = 1;
  for (int k = from; k < view.dims() - 1; ++k) {
    if (vector[k] == 0) continue;
    const Word used = static_cast<Word>(vector[k] * view.generators[k]);
    total += steps(k, residual);
    if (used >= residual) return total - 1;
    residual = static_cast<Word>(residual - used);
    total -= steps(k, residual);
  }
  return total;
}

template <int D, class Word, bool kTabulated>
class LexicographicSplitter {
 public:
  using View = LexicographicView<D, Word>;
  using Slice = LexicographicSlice<D, Word, kTabulated>;

  SLICEPOOL_HD LexicographicSplitter(const View& view, const Slice& slice) : view_(view), slice_(slice) {
    const int d = view_.dims();
    const Coordinates<D, Word>& a = slice_.cursor;
    from_ = 0;
    while (from_ < d && a[from_] == (slice_.bounded() ? slice_.bound[from_] : Word{0})) ++from_;
    residual_ = view_.element;
    for (int k = 0; k < from_ && k < d; ++k)
      residual_ = static_cast<Word>(residual_ - a[k] * view_.generators[k]);
  }

  /// Remaining steps: exact with step counts.
  [[nodiscard]] SLICEPOOL_HD double size() const {
    if constexpr (D == 1) return 1;
    if (from_ >= view_.dims() - 1) return 1;
    if (view_.stepCounts != nullptr) return static_cast<double>(sizeBy(ExactSteps<D, Word>{view_}));
    return sizeBy(VolumeSteps<D, Word>{view_});
  }

  /// Finds c strictly inside (bound, cursor). False when there is none.
  SLICEPOOL_HD bool cut() {
    if constexpr (D == 1) return false;
    if (from_ > lastDecrement()) return false;
    const bool found = view_.stepCounts != nullptr ? cutInHalf(ExactSteps<D, Word>{view_})
                                                   : cutInHalf(VolumeSteps<D, Word>{view_});
    return found || cutAnywhere();
  }

  /// The slice (bound, c], to be called after cut().
  SLICEPOOL_HD void give(Slice& given) const {
    given = slice_;
    Word used = 0;
    for (int k = 0; k < view_.dims(); ++k) {
      given.cursor[k] = cut_[k];
      used = static_cast<Word>(used + cut_[k] * view_.generators[k]);
    }
    given.excess = static_cast<Word>(used - view_.element);
    if (view_.suffixCounts != nullptr) given.position = rankOfVector<D, Word>(view_, cut_);
    if constexpr (kTabulated) given.leafOffset = 0;
  }
  [[nodiscard]] SLICEPOOL_HD const Coordinates<D, Word>& point() const { return cut_; }

 private:
  template <class Steps>
  [[nodiscard]] SLICEPOOL_HD typename Steps::Number sizeBy(const Steps& steps) const {
    auto total = stepsFrom<D, Word>(view_, steps, slice_.cursor, from_, residual_);
    if (slice_.bounded()) total -= stepsFrom<D, Word>(view_, steps, slice_.bound, from_, residual_);
    return total;
  }

  /// c with about half of the steps at or after it.
  template <class Steps>
  SLICEPOOL_HD bool cutInHalf(const Steps& steps) {
    using Number = typename Steps::Number;
    const Number above = stepsFrom<D, Word>(view_, steps, slice_.cursor, from_, residual_);
    const Number below =
        slice_.bounded() ? stepsFrom<D, Word>(view_, steps, slice_.bound, from_, residual_) : Number{0};
    if (!(above > below + 1)) return false;
    Number target = below + (above - below) / 2;
    const Number enough = (above - below) / 16;  // an estimate does not deserve a finer cut
    Word residual = residual_;
    for (int k = 0; k < view_.dims(); ++k) cut_[k] = k < from_ ? slice_.cursor[k] : Word{0};
    int k = from_;
    for (; k < view_.dims() - 1; ++k) {
      const Number all = steps(k, residual);
      if (k > from_ && target >= all) break;  // the first candidate of this stream
      const Word value = coordinateFor(steps, k, residual, all, target);
      const Word below_k = static_cast<Word>(residual - value * view_.generators[k]);
      cut_[k] = value;
      target -= all - steps(k, below_k);
      residual = below_k;
      if (k + 1 == view_.headDimension && kTabulated && residual < view_.leafLimit) {
        ++k;
        break;
      }
      if (!Steps::kExact && steps(k + 1, residual) <= enough) {
        ++k;
        break;
      }
    }
    cut_[k] = view_.solve(k, residual);
    return strictlyInside();
  }

  /// Largest v < ceil(residual / g_k) with fewer than `target` steps after the candidates of a_k = v.
  template <class Steps>
  SLICEPOOL_HD Word coordinateFor(const Steps& steps, int k, Word residual, typename Steps::Number all,
                                  typename Steps::Number target) const {
    Word low = 0;
    Word high = static_cast<Word>(view_.solve(k, residual) - 1);
    while (low < high) {
      const Word middle = static_cast<Word>(low + (high - low + 1) / 2);
      const Word left = static_cast<Word>(residual - middle * view_.generators[k]);
      if (all - steps(k, left) < target)
        low = middle;
      else
        high = static_cast<Word>(middle - 1);
    }
    return low;
  }

  /// Any candidate strictly inside: decrements the leftmost coordinate that allows it.
  SLICEPOOL_HD bool cutAnywhere() {
    const int end = lastDecrement();
    Word residual = residual_;
    for (int k = 0; k < view_.dims(); ++k) cut_[k] = k < from_ ? slice_.cursor[k] : Word{0};
    for (int i = from_; i <= end; ++i) {
      const Word value = slice_.cursor[i];
      if (value > 0) {
        cut_[i] = static_cast<Word>(value - 1);
        cut_[i + 1] = view_.solve(i + 1, static_cast<Word>(residual - cut_[i] * view_.generators[i]));
        if (strictlyInside()) return true;
        cut_[i + 1] = 0;
      }
      cut_[i] = value;
      residual = static_cast<Word>(residual - value * view_.generators[i]);
    }
    return false;
  }

  /// Rightmost index that may be decremented: the tail of a leaf is not to be cut.
  [[nodiscard]] SLICEPOOL_HD int lastDecrement() const {
    const int end = view_.dims() - 2;
    if constexpr (!kTabulated) {
      return end;
    } else {
      Word used = 0;
      for (int k = 0; k < view_.headDimension; ++k)
        used = static_cast<Word>(used + slice_.cursor[k] * view_.generators[k]);
      const bool leaf = used < view_.element && static_cast<Word>(view_.element - used) < view_.leafLimit;
      return leaf ? view_.headDimension - 1 : end;
    }
  }

  [[nodiscard]] SLICEPOOL_HD bool strictlyInside() const {
    return lexicographicallyGreater<D, Word>(slice_.cursor, cut_, view_.dims()) &&
           (!slice_.bounded() || lexicographicallyGreater<D, Word>(cut_, slice_.bound, view_.dims()));
  }

  const View& view_;
  const Slice& slice_;
  Coordinates<D, Word> cut_;
  Word residual_;  ///< before coordinate from_
  int from_;       ///< first coordinate where cursor and bound differ
};

/// Cuts `kept` into `kept` = (c, cursor] and `given` = (bound, c].
template <int D, class Word, bool kTabulated>
SLICEPOOL_HD bool splitLexicographic(const LexicographicView<D, Word>& view,
                                     LexicographicSlice<D, Word, kTabulated>& kept,
                                     LexicographicSlice<D, Word, kTabulated>& given) {
  LexicographicSplitter<D, Word, kTabulated> splitter(view, kept);
  if (!splitter.cut()) return false;
  splitter.give(given);
  for (int k = 0; k < view.dims(); ++k) kept.bound[k] = splitter.point()[k];
  kept.flags = static_cast<Word>(kept.flags | LexicographicSlice<D, Word, kTabulated>::kBounded);
  return true;
}

}  // namespace slicepool::factorizations
