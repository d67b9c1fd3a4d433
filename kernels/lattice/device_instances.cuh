// Registers the devices of the lattice search, for the capacities of each unit in instances.cmake, with the
// kernels of the algorithm `auto`; those of `compacted` are in compacted_instances.cuh. Called by
// register.cu.
#pragma once

#include <memory>

#include "compacted.cuh"
#include "device.cuh"
#include "factories.hpp"
#include "kernels/core/registration.hpp"

namespace slicepool::cuda {

/// For problems of this capacity and sink, whatever their algorithm.
template <int kCapacity, class S>
void registerLatticeDevice() {
  using W = lattice::Search<kCapacity>;
  registerDeviceFactory(
      typeid(TypedProblem<W, S>),
      [](const Problem& problem, const DeviceOptions& options) -> std::unique_ptr<BatchDevice> {
        const auto& typed = dynamic_cast<const TypedProblem<W, S>&>(problem);
        if (typed.viewOnHost().algorithm == lattice::Algorithm::compacted)
          return makeCompactedDevice<kCapacity, S>(typed, options);
        return std::make_unique<LatticeDevice<lattice::AutomaticTeams, kCapacity, S>>(typed, options);
      });
}

template <int kCapacity>
void registerLatticeDevices() {
  registerLatticeDevice<kCapacity, lattice::Tally<kCapacity>>();
  registerLatticeDevice<kCapacity, lattice::CollectVectors<kCapacity>>();
}

#define X(capacity) template void registerLatticeDevices<capacity>();
SLICEPOOL_INSTANCES
#undef X

}  // namespace slicepool::cuda
