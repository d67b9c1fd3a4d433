// Kernels of the lattice search by the algorithm `compacted` for capacity 64.
#include "compacted_build.cuh"

namespace slicepool::cuda {

template std::unique_ptr<BatchDevice> makeCompactedDevice<64, lattice::Tally<64>>(
    const TypedProblem<lattice::Search<64>, lattice::Tally<64>>&, const DeviceOptions&);
template std::unique_ptr<BatchDevice> makeCompactedDevice<64, lattice::CollectVectors<64>>(
    const TypedProblem<lattice::Search<64>, lattice::CollectVectors<64>>&, const DeviceOptions&);

}  // namespace slicepool::cuda
