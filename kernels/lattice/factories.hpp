// The device factories of the lattice search by capacity, in translation units of their own so that the
// kernels compile side by side (device_instances.cuh). Called by register.cu.
#pragma once

namespace slicepool::cuda {

template <int kCapacity>
void registerLatticeDevices();

}  // namespace slicepool::cuda
