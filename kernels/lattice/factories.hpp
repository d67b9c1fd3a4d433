// The device factories of the lattice search by capacity, in translation units of their own so that the
// kernels compile side by side (device_instances.cuh). Called by register.cu.
#pragma once

namespace slicepool::cuda {

template <int kCapacity>
void registerLatticeDevices();

/// What reduces many small lattices at once (reducer.cu).
void registerLatticeReducer();

/// What searches many small lattices at once (searcher.cu).
void registerLatticeSearcher();

}  // namespace slicepool::cuda
