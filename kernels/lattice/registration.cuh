// Registers the devices of the lattice search. Included by {small,middle,large}.cu, which carry the
// kernels of the algorithm `auto`; those of `compacted` are in compacted_*.cu.
#pragma once

#include <memory>

#include "compacted.cuh"
#include "device.cuh"
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
        return std::make_unique<LatticeDevice<lattice::AutomaticWarps, kCapacity, S>>(typed, options);
      });
}

template <int kCapacity>
void registerLatticeDevices() {
  registerLatticeDevice<kCapacity, lattice::Tally<kCapacity>>();
  registerLatticeDevice<kCapacity, lattice::CollectVectors<kCapacity>>();
}

}  // namespace slicepool::cuda
