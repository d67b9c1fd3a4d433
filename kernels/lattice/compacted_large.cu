// Kernels of the lattice search by the algorithm `compacted` for capacities 96 and 160.
#include "compacted_build.cuh"

namespace slicepool::cuda {

template std::unique_ptr<BatchDevice> makeCompactedDevice<96, lattice::Tally<96>>(
    const TypedProblem<lattice::Search<96>, lattice::Tally<96>>&, const DeviceOptions&);
template std::unique_ptr<BatchDevice> makeCompactedDevice<96, lattice::CollectVectors<96>>(
    const TypedProblem<lattice::Search<96>, lattice::CollectVectors<96>>&, const DeviceOptions&);
template std::unique_ptr<BatchDevice> makeCompactedDevice<160, lattice::Tally<160>>(
    const TypedProblem<lattice::Search<160>, lattice::Tally<160>>&, const DeviceOptions&);
template std::unique_ptr<BatchDevice> makeCompactedDevice<160, lattice::CollectVectors<160>>(
    const TypedProblem<lattice::Search<160>, lattice::CollectVectors<160>>&, const DeviceOptions&);

}  // namespace slicepool::cuda
