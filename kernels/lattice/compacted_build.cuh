// Definition of lattice_compacted.cuh. Included by compacted_*.cu.
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

}  // namespace slicepool::cuda
