// What a search with fixed rates takes for granted instead of measuring it, so that the same seed gives the
// same decisions on every machine and under any load. Called by enumeration.cpp, trials.cpp and proof.cpp.
#pragma once

#include "runtime/svp/trial_reduction.hpp"

namespace slicepool::svp {

/// Nodes per second of pruned and unpruned trees: of one core, of one GPU, of the lane emulator.
inline constexpr double kFixedCoreRate = 1e8;
inline constexpr double kFixedGpuRate = 1.5e10;
inline constexpr double kFixedEmulatorRate = 5e6;

/// Seconds of one core for a BKZ tour with blocks of `size` rows, and for all tours of a trial.
[[nodiscard]] double fixedTourSeconds(int size, int dimension);
[[nodiscard]] double fixedReductionSeconds(const Tours& tours, int dimension);

}  // namespace slicepool::svp
