// Definition of compacted.cuh, instantiated for the capacities of each unit in instances.cmake.
#pragma once

#include "compacted.cuh"
#include "device.cuh"
#include "slicepool/lattice/steps/compacted_turn.hpp"

namespace slicepool::cuda {

template <int kCapacity, class S>
std::unique_ptr<BatchDevice> makeCompactedDevice(const TypedProblem<lattice::Search<kCapacity>, S>& problem,
                                                 const DeviceOptions& options) {
  return std::make_unique<LatticeDevice<lattice::CompactedWarps, kCapacity, S>>(problem, options);
}

#define SLICEPOOL_INSTANTIATE(capacity, S)                                          \
  template std::unique_ptr<BatchDevice> makeCompactedDevice<capacity, S<capacity>>( \
      const TypedProblem<lattice::Search<capacity>, S<capacity>>&, const DeviceOptions&);
#define X(capacity)                               \
  SLICEPOOL_INSTANTIATE(capacity, lattice::Tally) \
  SLICEPOOL_INSTANTIATE(capacity, lattice::CollectVectors)
SLICEPOOL_INSTANCES
#undef X
#undef SLICEPOOL_INSTANTIATE

}  // namespace slicepool::cuda
