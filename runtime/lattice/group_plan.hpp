// How the lines of a batch are dealt out: how many are taken at a time, which go to a device together, and
// from which size on all workers search one. Used by lattice_group.cpp and one_target.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/lattice/core_ways.hpp"
#include "runtime/lattice/target_lattice.hpp"
#include "slicepool/core/options.hpp"
#include "slicepool/lattice/many_lattices.hpp"

namespace slicepool::lattice {

struct GroupPlan {
  std::size_t lines = 64;  ///< that a core takes at a time, at most
  bool device = true;      ///< a device reduces or searches: it gets large groups
  double seconds = 0;      ///< of all cores, expected, for what GPUs would do; 0: nothing, or unknown
  double mostNodes = kNodesOfCore;           ///< where more are expected all workers search a line
  double mostNodesBesideGpu = kNodesOfCore;  ///< the same while a GPU is ready
};

/// What is known of a batch before its first group.
struct BatchLook {
  std::uint64_t numbers = 0;                ///< entries of all lattices that devices may reduce; 0: unknown
  std::uint64_t lines = 0;                  ///< lattices or targets; 0: unknown
  std::span<const GivenLattice> some = {};  ///< of the lattices
};

/// By the expected nodes of a line. `suits`: numbers and dimension are those of a device.
[[nodiscard]] GroupPlan planGroups(double nodes, bool suits, Mode mode, int threads, std::uint64_t lines);
/// Targets of one lattice. `squaredRadius`: all vectors within it, which no device looks for, and not the
/// closest ones. O(d).
[[nodiscard]] GroupPlan planTargets(const TargetLattice& lattice, const SquaredRadius& squaredRadius,
                                    Mode mode, int threads, std::uint64_t targets);
/// Lattices, by the mean of some, which are reduced for it: the others are like them, most likely.
/// `squaredRadius`: that of all, or none. O(d^4) for each.
[[nodiscard]] GroupPlan planLattices(const BatchLook& look, const SquaredRadius& squaredRadius, Mode mode,
                                     int threads);

/// Whether a device can search targets of this lattice at all.
[[nodiscard]] bool suitsDevices(const TargetLattice& lattice);

}  // namespace slicepool::lattice
