// Instantiates the problems of `candidate` for the families of 1..8 coordinates. Called by makeProblem.
#include "runtime/factorizations/lexicographic_problem.hpp"

namespace slicepool::factorizations {

template <int D, class Word>
std::unique_ptr<Problem> buildCandidate(const ProblemSpec& spec) {
  return buildLexicographic<Candidate<D, Word>, D, Word, false>(spec);
}

#define SLICEPOOL_INSTANTIATE(D, Word) \
  template std::unique_ptr<Problem> buildCandidate<D, Word>(const ProblemSpec&);
SLICEPOOL_FACTORIZATIONS_LOW_FAMILIES(SLICEPOOL_INSTANTIATE)
#undef SLICEPOOL_INSTANTIATE

}  // namespace slicepool::factorizations
