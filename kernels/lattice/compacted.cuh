// Devices of the lattice search by the algorithm `compacted`, made in translation units of their own
// (compacted_instances.cuh). Called by device_instances.cuh.
#pragma once

#include <memory>

#include "slicepool/core/problem.hpp"
#include "slicepool/detail/batch_device.hpp"
#include "slicepool/lattice/steps/search.hpp"

namespace slicepool::cuda {

template <int kCapacity, class S>
std::unique_ptr<BatchDevice> makeCompactedDevice(const TypedProblem<lattice::Search<kCapacity>, S>& problem,
                                                 const DeviceOptions& options);

}  // namespace slicepool::cuda
