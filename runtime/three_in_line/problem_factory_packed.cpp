// Instantiates the problems of the no-three-in-line search for the packed shapes. Called by
// problem_factory.cpp.
#include "runtime/three_in_line/search_problem.hpp"
#include "slicepool/three_in_line/steps/shapes.hpp"

namespace slicepool::three_in_line {

#define SLICEPOOL_INSTANTIATE(S)                                         \
  template std::unique_ptr<Problem> buildProblem<S>(const ProblemSpec&); \
  template Frontier buildFrontier<S>(const ProblemSpec&, std::size_t, std::size_t);
SLICEPOOL_THREE_IN_LINE_PACKED(SLICEPOOL_INSTANTIATE)
#undef SLICEPOOL_INSTANTIATE

}  // namespace slicepool::three_in_line
