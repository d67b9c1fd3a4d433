// What this folder brings to a GPU. Called by registerCudaKernels(), which finds it by the name of this file.
#include "kernels/three_in_line/factories.hpp"

namespace slicepool::cuda::three_in_line {

void registerKernels() {
  registerThreeInLineSmall();
  registerThreeInLineLarge();
  registerThreeInLineWide();
}

}  // namespace slicepool::cuda::three_in_line
