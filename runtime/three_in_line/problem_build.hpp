// What problem_factory.cpp calls and the translation units that instantiate a shape's problem define.
#pragma once

#include <cstddef>
#include <memory>

#include "slicepool/core/problem.hpp"
#include "slicepool/three_in_line/problem_factory.hpp"

namespace slicepool::three_in_line {

/// Instantiated in problem_instances.hpp, called by makeProblem and frontier.
template <class Shape>
std::unique_ptr<Problem> buildProblem(const ProblemSpec& spec);
template <class Shape>
Frontier buildFrontier(const ProblemSpec& spec, std::size_t atLeast, std::size_t memoryLimit);

/// The images that turn boards closed under the group into boards closed under it (its normaliser),
/// bits 1..7.
[[nodiscard]] unsigned rivalsOf(Group group);

}  // namespace slicepool::three_in_line
