// What problem_factory.cpp calls and the translation units that instantiate a capacity's problem define.
#pragma once

#include <memory>

#include "slicepool/core/problem.hpp"
#include "slicepool/lattice/problem_factory.hpp"

namespace slicepool::lattice {

/// Instantiated in problem_instances.hpp, called by makeProblem. The specification is checked.
template <int kCapacity>
std::unique_ptr<Problem> buildProblem(const ProblemSpec& spec);
template <int kCapacity>
Frontier buildFrontier(const ProblemSpec& spec);

}  // namespace slicepool::lattice
