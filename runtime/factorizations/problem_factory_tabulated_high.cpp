// Instantiates the problems of `tabulated` for the families of 9..16 and any coordinates. Called by
// makeProblem.
#include "runtime/factorizations/lexicographic_problem.hpp"

namespace slicepool::factorizations {

template <int D, class Word>
std::unique_ptr<Problem> buildTabulated(const ProblemSpec& spec) {
  return buildLexicographic<Tabulated<D, Word>, D, Word, true>(spec);
}

#define SLICEPOOL_INSTANTIATE(D, Word) \
  template std::unique_ptr<Problem> buildTabulated<D, Word>(const ProblemSpec&);
SLICEPOOL_FACTORIZATIONS_HIGH_FAMILIES(SLICEPOOL_INSTANTIATE)
#undef SLICEPOOL_INSTANTIATE

}  // namespace slicepool::factorizations
