// Definition of lattice_compacted.cuh. Included by lattice_compacted_*.cu.
#pragma once

#include "lattice_compacted.cuh"
#include "lattice_device.cuh"
#include "slicepool/lattice/compacted_turn.hpp"

namespace slicepool::cuda {

template <int kCapacity, class S>
std::unique_ptr<BatchDevice> makeCompactedDevice(const TypedProblem<lattice::Search<kCapacity>, S>& problem,
                                                 const DeviceOptions& options) {
  return std::make_unique<LatticeDevice<lattice::CompactedWarps, kCapacity, S>>(problem, options);
}

}  // namespace slicepool::cuda
