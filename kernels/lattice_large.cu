// Kernels of the lattice search for capacities 96 and 160.
#include "lattice.hpp"
#include "lattice_device.cuh"

namespace slicepool::cuda {

void registerLatticeLarge() {
  registerLatticeDevices<96>();
  registerLatticeDevices<160>();
}

}  // namespace slicepool::cuda
