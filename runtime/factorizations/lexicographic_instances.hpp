// Instantiates the problems of `candidate` and `tabulated` for the families of each unit in instances.cmake.
// Called by makeProblem.
#pragma once

#include "runtime/factorizations/lexicographic_problem.hpp"

namespace slicepool::factorizations {

template <int D, class Word>
std::unique_ptr<Problem> buildCandidate(const ProblemSpec& spec) {
  return buildLexicographic<Candidate<D, Word>, D, Word, false>(spec);
}

template <int D, class Word>
std::unique_ptr<Problem> buildTabulated(const ProblemSpec& spec) {
  return buildLexicographic<Tabulated<D, Word>, D, Word, true>(spec);
}

#define SLICEPOOL_CANDIDATE(D, Word) \
  template std::unique_ptr<Problem> buildCandidate<D, Word>(const ProblemSpec&);
#define SLICEPOOL_TABULATED(D, Word) \
  template std::unique_ptr<Problem> buildTabulated<D, Word>(const ProblemSpec&);
SLICEPOOL_INSTANCES
#undef SLICEPOOL_CANDIDATE
#undef SLICEPOOL_TABULATED

}  // namespace slicepool::factorizations
