// Implementation of problem_factory.hpp: checks the specification and picks the shape.
#include "slicepool/three_in_line/problem_factory.hpp"

#include <string>

#include "runtime/three_in_line/problem_build.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/three_in_line/steps/shapes.hpp"
#include "slicepool/three_in_line/steps/symmetry.hpp"

namespace slicepool::three_in_line {
namespace {

void check(const ProblemSpec& spec) {
  if (spec.n < 1 || spec.n > kMostSize)
    throw ConfigError("size", std::to_string(spec.n), "1 to " + std::to_string(kMostSize));
  const unsigned images = imagesOf(spec.group);
  const bool turns = (images & (1U << 5)) != 0;
  const bool reflects = (images & (1U << 1 | 1U << 2)) != 0;
  if (spec.n % 2 != 0 && (turns || reflects)) {
    // The central row and column would need a second point each, at the centre or at its own image.
    throw ConfigError("size", std::to_string(spec.n), "even sizes, for this symmetry");
  }
}

}  // namespace

unsigned rivalsOf(Group group) {
  // A single reflection is normalised by the group of its kind with both reflections, all others by
  // everything.
  if (group == Group::diagonal) return imagesOf(Group::diagonals) & 0xfeU;
  if (group == Group::orthogonal) return imagesOf(Group::orthogonals) & 0xfeU;
  return 0xfeU;
}

std::unique_ptr<Problem> makeProblem(const ProblemSpec& spec) {
  check(spec);
  return withShape(spec.n, [&]<class Shape>() { return buildProblem<Shape>(spec); });
}

Frontier frontier(const ProblemSpec& spec, std::size_t atLeast, std::size_t memoryLimit) {
  check(spec);
  return withShape(spec.n, [&]<class Shape>() { return buildFrontier<Shape>(spec, atLeast, memoryLimit); });
}

}  // namespace slicepool::three_in_line
