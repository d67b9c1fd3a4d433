// Instantiates the problems of the lattice search for the capacities of each unit in instances.cmake. Called
// by problem_factory.cpp.
#pragma once

#include "runtime/lattice/search_problem.hpp"

namespace slicepool::lattice {

#define X(capacity)                                                             \
  template std::unique_ptr<Problem> buildProblem<capacity>(const ProblemSpec&); \
  template Frontier buildFrontier<capacity>(const ProblemSpec&);
SLICEPOOL_INSTANCES
#undef X

}  // namespace slicepool::lattice
