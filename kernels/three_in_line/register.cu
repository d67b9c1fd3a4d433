// What this folder brings to a GPU. Called by registerCudaKernels(), which finds it by the name of this file.
#include "kernels/three_in_line/factories.hpp"
#include "slicepool/three_in_line/steps/shapes.hpp"

namespace slicepool::cuda::three_in_line {

void registerKernels() {
  using namespace slicepool::three_in_line;
#define SLICEPOOL_REGISTER(Shape) registerThreeInLine<Shape>();
  SLICEPOOL_THREE_IN_LINE_SHAPES(SLICEPOOL_REGISTER)
#undef SLICEPOOL_REGISTER
}

}  // namespace slicepool::cuda::three_in_line
