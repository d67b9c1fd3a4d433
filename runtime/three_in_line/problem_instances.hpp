// Instantiates the problems of the no-three-in-line search for the shapes of each unit in instances.cmake.
// Called by problem_factory.cpp.
#pragma once

#include "runtime/three_in_line/search_problem.hpp"
#include "slicepool/three_in_line/steps/shapes.hpp"

namespace slicepool::three_in_line {

#define X(Shape)                                                             \
  template std::unique_ptr<Problem> buildProblem<Shape>(const ProblemSpec&); \
  template Frontier buildFrontier<Shape>(const ProblemSpec&, std::size_t, std::size_t);
SLICEPOOL_INSTANCES
#undef X

}  // namespace slicepool::three_in_line
