// Cuts the ranks of a set into slices that take a warp about equally long: many small blocks cost more than
// few large ones with as many rows, and the first ranks of a set have the smallest blocks of all. Called by
// makeProblem for runs on devices, and by kernels/factorizations/device_rows.cu.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "slicepool/core/problem.hpp"
#include "slicepool/factorizations/steps/rank_counts.hpp"

namespace slicepool::factorizations {

/// Boundaries of the slices of all rows: slice i is ranks [result[i], result[i + 1]); the first is 0, the
/// last the number of rows. `bytesPerSlice`: output of a slice with large blocks. O(k n) for k prefix
/// coordinates, and O(1) for each slice and for each prefix that is as expensive as a slice.
[[nodiscard]] std::vector<std::uint64_t> cutRows(const std::vector<std::uint64_t>& generators,
                                                 const RankCounts& counts, unsigned tail,
                                                 std::size_t rowBytes, std::uint32_t bytesPerSlice);
/// The same for the ranks of `window` (none: no boundaries), as about `slices` slices and at most twice as
/// many.
[[nodiscard]] std::vector<std::uint64_t> cutWindow(const std::vector<std::uint64_t>& generators,
                                                   const RankCounts& counts, unsigned tail,
                                                   std::size_t rowBytes, RankRange window,
                                                   std::uint32_t slices);

}  // namespace slicepool::factorizations
