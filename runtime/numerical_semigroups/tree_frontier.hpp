// The top of the tree as slices for the shards of a plan, and what is counted beside a search. Called by
// enumeration.cpp, front_shards.cpp and tests.
#pragma once

#include <cstddef>
#include <limits>

#include "runtime/core/problem_frontier.hpp"
#include "slicepool/numerical_semigroups/problem_factory.hpp"

namespace slicepool::numerical_semigroups {

/// Visits the semigroups from the heaviest slice on until at least `atLeast` slices are there, or none can be
/// cut. A function of the specification alone. `spec.slices` is ignored. Throws LimitError when the slices
/// take more than half of `memoryLimit` bytes.
[[nodiscard]] Frontier frontierOf(const ProblemSpec& spec, std::size_t atLeast,
                                  std::size_t memoryLimit = std::numeric_limits<std::size_t>::max());

/// Adds what the classes have that a search of narrow ones (spec.classes) leaves out to the words and steps
/// of `top`, by one thread: for genus 70 in 0.1 s, for genus 71 in 1.5 s.
void addWideClasses(const ProblemSpec& spec, Frontier& top);

}  // namespace slicepool::numerical_semigroups
