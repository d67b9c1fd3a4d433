// Instantiates the problems of the lattice search for capacities 96, 160. Called by problem_factory.cpp.
#include "runtime/lattice/search_problem.hpp"

namespace slicepool::lattice {

template std::unique_ptr<Problem> buildProblem<96>(const ProblemSpec&);
template std::unique_ptr<Problem> buildProblem<160>(const ProblemSpec&);

}  // namespace slicepool::lattice
