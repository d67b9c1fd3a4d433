// Workload `tabulated`: lexicographic streams whose last coordinates come from a table (Barron 2024b,
// Algorithm 3.2). A step is one emitted row, one empty leaf or, outside the table, one candidate; a sink that
// only counts takes a leaf in one step. Instantiated by runtime/factorizations and kernels/.
#pragma once

#include "slicepool/factorizations/steps/lexicographic_advance.hpp"
#include "slicepool/factorizations/steps/lexicographic_split.hpp"

namespace slicepool::factorizations {

template <int D, class Word>
struct Tabulated {
  using View = LexicographicView<D, Word>;
  using Slice = LexicographicSlice<D, Word, true>;

  template <class Emit>
  SLICEPOOL_HD static Turn advance(const View& view, Slice& slice, Budget& budget, Emit& emit) {
    return LexicographicStepper<D, Word, true, Emit>(view, slice, budget, emit).advance();
  }
  SLICEPOOL_HD static bool split(const View& view, Slice& kept, Slice& given) {
    return splitLexicographic<D, Word, true>(view, kept, given);
  }
  /// Remaining steps without the modulo jump; exact when the view has step counts. O(d), or O(d^2) estimated.
  SLICEPOOL_HD static double size(const View& view, const Slice& slice) {
    return LexicographicSplitter<D, Word, true>(view, slice).size();
  }
  static RankRange ranks(const View& view, const Slice& slice) { return ranksOfSlice<D, Word>(view, slice); }
};

}  // namespace slicepool::factorizations
