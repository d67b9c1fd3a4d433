// The counting tables behind ranks: what `ranked` needs to find the r-th factorization, without the levels
// that have a closed form. Host side; RankedView (ranked.hpp) reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace slicepool::factorizations {

/// C_k[m] = |Z(m, (g_k..g_d))|, k = 0..d-1. The last two levels are closed formulas (pair.hpp), the first is
/// needed only at residuals n - t g_1, so that tables remain for 1 <= k <= d-3: 8 (d-3) (n+1) bytes, and 8
/// bytes for each t <= n / g_1.
struct RankCounts {
  std::vector<std::uint64_t> levels;  ///< C_k[m] at (k - 1) * (n + 1) + m, 1 <= k <= d-3
  std::vector<std::uint64_t> chain;   ///< d >= 3: C_0[n - t g_1], t = 0..n / g_1
  std::uint64_t element = 0;
  std::uint64_t total = 0;  ///< |Z(n)| unless `overflow`
  bool overflow = false;    ///< some count does not fit 64 bits: only `exactTotal` is valid
  std::string exactTotal;   ///< |Z(n)|, decimal, exact at any width

  /// Bytes while the tables for these generators are made; saturates at SIZE_MAX.
  [[nodiscard]] static std::size_t bytesNeeded(const std::vector<std::uint64_t>& generators,
                                               std::uint64_t element);
  [[nodiscard]] std::size_t bytes() const { return (levels.size() + chain.size()) * sizeof(std::uint64_t); }
};

/// O(d n) for d >= 4, O(n / g_1) for d = 3, O(1) below.
[[nodiscard]] RankCounts makeRankCounts(const std::vector<std::uint64_t>& generators, std::uint64_t element);

}  // namespace slicepool::factorizations
