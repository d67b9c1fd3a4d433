// Kernels of the lattice search by the algorithm `auto` for capacities 96 and 160.
#include "factories.hpp"
#include "registration.cuh"

namespace slicepool::cuda {

void registerLatticeLarge() {
  registerLatticeDevices<96>();
  registerLatticeDevices<160>();
}

}  // namespace slicepool::cuda
