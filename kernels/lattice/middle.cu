// Kernels of the lattice search by the algorithm `auto` for capacity 64.
#include "factories.hpp"
#include "registration.cuh"

namespace slicepool::cuda {

void registerLatticeMiddle() { registerLatticeDevices<64>(); }

}  // namespace slicepool::cuda
