// Implementation of problem_factory.hpp: picks the shape.
#include "slicepool/three_in_line/problem_factory.hpp"

#include "runtime/three_in_line/problem_build.hpp"
#include "runtime/three_in_line/request_check.hpp"
#include "slicepool/three_in_line/steps/shapes.hpp"
#include "slicepool/three_in_line/steps/symmetry.hpp"

namespace slicepool::three_in_line {

unsigned rivalsOf(Group group) {
  // A single reflection is normalised by the group of its kind with both reflections, all others by
  // everything.
  if (group == Group::diagonal) return imagesOf(Group::diagonals) & 0xfeU;
  if (group == Group::orthogonal) return imagesOf(Group::orthogonals) & 0xfeU;
  return 0xfeU;
}

std::unique_ptr<Problem> makeProblem(const ProblemSpec& spec) {
  checkSize(spec.n, spec.group);
  return withShape(spec.n, [&]<class Shape>() { return buildProblem<Shape>(spec); });
}

Frontier frontier(const ProblemSpec& spec, std::size_t atLeast, std::size_t memoryLimit) {
  checkSize(spec.n, spec.group);
  return withShape(spec.n, [&]<class Shape>() { return buildFrontier<Shape>(spec, atLeast, memoryLimit); });
}

}  // namespace slicepool::three_in_line
