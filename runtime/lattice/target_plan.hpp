// How targets of one lattice are dealt out: how many a core takes at a time, and whether a device takes any.
// Used by lattice_group.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/lattice/target_lattice.hpp"
#include "slicepool/core/options.hpp"

namespace slicepool::lattice {

struct TargetPlan {
  std::size_t lines = 64;  ///< that a core takes at a time
  bool device = false;     ///< large groups, for a device
  double seconds = 0;      ///< of all cores, expected; 0: unknown
};

/// `targets`: how many; 0: unknown. `byRadius`: not the closest vectors, but all within a distance, which no
/// device looks for. O(d).
[[nodiscard]] TargetPlan planTargets(const TargetLattice& lattice, bool byRadius, Mode mode, int threads,
                                     std::uint64_t targets);
/// The same by the expected nodes of a target. `suits`: numbers and dimension are those of a device.
[[nodiscard]] TargetPlan planTargets(double nodes, bool suits, Mode mode, int threads, std::uint64_t targets);

/// Whether a device can search targets of this lattice at all.
[[nodiscard]] bool suitsDevices(const TargetLattice& lattice);

}  // namespace slicepool::lattice
