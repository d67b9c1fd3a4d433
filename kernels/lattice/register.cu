// What this folder brings to a GPU. Called by registerCudaKernels(), which finds it by the name of this file.
#include "kernels/lattice/factories.hpp"

namespace slicepool::cuda::lattice {

void registerKernels() {
  registerLatticeDevices<16>();
  registerLatticeDevices<32>();
  registerLatticeDevices<64>();
  registerLatticeDevices<96>();
  registerLatticeDevices<160>();
  registerLatticeReducer();
  registerLatticeSearcher();
}

}  // namespace slicepool::cuda::lattice
