// Kernels of the lattice search for capacity 64.
#include "lattice.hpp"
#include "lattice_device.cuh"

namespace slicepool::cuda {

void registerLatticeMiddle() { registerLatticeDevices<64>(); }

}  // namespace slicepool::cuda
