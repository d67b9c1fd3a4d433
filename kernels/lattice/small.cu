// Kernels of the lattice search by the algorithm `auto` for capacities 16 and 32.
#include "factories.hpp"
#include "registration.cuh"

namespace slicepool::cuda {

void registerLatticeSmall() {
  registerLatticeDevices<16>();
  registerLatticeDevices<32>();
}

}  // namespace slicepool::cuda
