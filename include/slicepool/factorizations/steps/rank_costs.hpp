// What the rows of a set cost the warps of a device: many small blocks take longer than few large ones with
// as many rows, and the first ranks of a set have the smallest blocks of all. Host side; `ranked` cuts its
// slices by these costs (rank_cuts.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "slicepool/factorizations/steps/rank_counts.hpp"
#include "slicepool/factorizations/steps/rank_cuts.hpp"

namespace slicepool::factorizations {

/// K_k[m]: the cost of all rows of residual m over the generators g_k..g_d, in bytes of output that take as
/// long. For a tail behind coordinate `axis`, K_axis follows from the counts, and tables remain for the
/// coordinates in front of it: 8 (axis - 1) (n + 1) bytes, and 8 bytes for each t <= n / g_1.
struct RankCosts {
  std::vector<std::uint64_t> levels;  ///< K_k[m] at (k - 1) * (n + 1) + m, 1 <= k < axis
  std::vector<std::uint64_t> chain;   ///< K_0[n - t g_1], t = 0..n / g_1; empty: all rows cost the same

  /// Axis and cost of a row; tables are those above.
  [[nodiscard]] RankedCosts on(const std::uint64_t* levelTable, const std::uint64_t* chainTable) const;

  std::uint32_t axis = 0;
  std::uint32_t row = 1;
  std::uint32_t stride = 1;
};

/// Costs of rows of `rowBytes` bytes with a tail of `tail` coordinates, 2 <= tail < d, whose blocks are those
/// of every `stride`-th value of the axis. No chain where the axis is the first coordinate, or where a cost
/// would be beyond 64 bits. O(axis * n).
[[nodiscard]] RankCosts makeRankCosts(const std::vector<std::uint64_t>& generators, const RankCounts& counts,
                                      unsigned tail, std::size_t rowBytes, std::uint32_t stride);

/// Boundaries of slices of all rows, each of about `costPerSlice` and none empty: slice i is ranks
/// [result[i], result[i + 1]); the first is 0, the last the number of rows. O(axis log n) for each slice.
[[nodiscard]] std::vector<std::uint64_t> cutRows(const std::vector<std::uint64_t>& generators,
                                                 const RankCounts& counts, const RankCosts& costs,
                                                 std::uint64_t costPerSlice);

}  // namespace slicepool::factorizations
