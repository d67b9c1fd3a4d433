// Kernels of the no-three-in-line search with a thread for each slice, for the shapes of each unit in
// instances.cmake. Called by register.cu.
#pragma once

#include "factories.hpp"
#include "kernels/core/register.hpp"
#include "slicepool/three_in_line/sinks.hpp"
#include "slicepool/three_in_line/steps/search.hpp"
#include "slicepool/three_in_line/steps/shapes.hpp"
#include "warps.cuh"

namespace slicepool::cuda {

template <class Shape>
void registerThreeInLine() {
  registerKernels<three_in_line::Search<Shape>, three_in_line::Tally>();
  registerKernels<three_in_line::Search<Shape>, three_in_line::CollectSolutions>();
}

#define X(Shape) template void registerThreeInLine<three_in_line::Shape>();
SLICEPOOL_INSTANCES
#undef X

}  // namespace slicepool::cuda
