// Instantiates the problems of the lattice search for capacities 16, 32, 64. Called by problem_factory.cpp.
#include "runtime/lattice/search_problem.hpp"

namespace slicepool::lattice {

template std::unique_ptr<Problem> buildProblem<16>(const ProblemSpec&);
template std::unique_ptr<Problem> buildProblem<32>(const ProblemSpec&);
template std::unique_ptr<Problem> buildProblem<64>(const ProblemSpec&);

}  // namespace slicepool::lattice
