// What this folder brings to a GPU. Called by registerCudaKernels(), which finds it by the name of this file.
#include "kernels/lattice/factories.hpp"

namespace slicepool::cuda::lattice {

void registerKernels() {
  registerLatticeSmall();
  registerLatticeMiddle();
  registerLatticeLarge();
}

}  // namespace slicepool::cuda::lattice
