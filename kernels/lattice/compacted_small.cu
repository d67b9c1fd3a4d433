// Kernels of the lattice search by the algorithm `compacted` for capacities 16 and 32.
#include "compacted_build.cuh"

namespace slicepool::cuda {

template std::unique_ptr<BatchDevice> makeCompactedDevice<16, lattice::Tally<16>>(
    const TypedProblem<lattice::Search<16>, lattice::Tally<16>>&, const DeviceOptions&);
template std::unique_ptr<BatchDevice> makeCompactedDevice<16, lattice::CollectVectors<16>>(
    const TypedProblem<lattice::Search<16>, lattice::CollectVectors<16>>&, const DeviceOptions&);
template std::unique_ptr<BatchDevice> makeCompactedDevice<32, lattice::Tally<32>>(
    const TypedProblem<lattice::Search<32>, lattice::Tally<32>>&, const DeviceOptions&);
template std::unique_ptr<BatchDevice> makeCompactedDevice<32, lattice::CollectVectors<32>>(
    const TypedProblem<lattice::Search<32>, lattice::CollectVectors<32>>&, const DeviceOptions&);

}  // namespace slicepool::cuda
