// Workload `candidate`: lexicographic streams of candidates (Barron 2024a, Algorithm 3.1), a step is one
// examined candidate. Instantiated by runtime/factorizations and kernels/.
#pragma once

#include "slicepool/factorizations/steps/lexicographic_advance.hpp"
#include "slicepool/factorizations/steps/lexicographic_split.hpp"

namespace slicepool::factorizations {

template <int D, class Word>
struct Candidate {
  using View = LexicographicView<D, Word>;
  using Slice = LexicographicSlice<D, Word, false>;

  template <class Emit>
  SLICEPOOL_HD static Turn advance(const View& view, Slice& slice, Budget& budget, Emit& emit) {
    return LexicographicStepper<D, Word, false, Emit>(view, slice, budget, emit).advance();
  }
  SLICEPOOL_HD static bool split(const View& view, Slice& kept, Slice& given) {
    return splitLexicographic<D, Word, false>(view, kept, given);
  }
  /// Remaining steps without the modulo jump; exact when the view has step counts. O(d), or O(d^2) estimated.
  SLICEPOOL_HD static double size(const View& view, const Slice& slice) {
    return LexicographicSplitter<D, Word, false>(view, slice).size();
  }
  static RankRange ranks(const View& view, const Slice& slice) { return ranksOfSlice<D, Word>(view, slice); }
};

}  // namespace slicepool::factorizations
