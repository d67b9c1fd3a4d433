// Host tables of the factorizations workload: suffix counts (what known places of `candidate` and `tabulated`
// need), step counts (exact totals of `candidate`) and leaf tables (what `tabulated` looks up).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slicepool::factorizations {

/// C_k[m] = |Z(m, (g_k..g_d))| for k = 0..d and 0 <= m <= n, by C_k[m] = C_{k+1}[m] + C_k[m - g_k]; C_d = [m
/// = 0]. Row-major: counts[k * (n + 1) + m]. 8 (d + 1) (n + 1) bytes, O(d n) time. When a count does not fit
/// 64 bits, `overflow` is set, `counts` must not be used and only `exactTotal` is valid.
struct SuffixCounts {
  std::vector<std::uint64_t> counts;
  std::uint64_t element = 0;
  bool overflow = false;
  std::string exactTotal;  ///< |Z(n)|, decimal, exact at any width

  [[nodiscard]] std::uint64_t total() const { return counts.at(element); }
  /// Bytes that the table for d generators up to n takes; saturates at SIZE_MAX.
  [[nodiscard]] static std::size_t bytesNeeded(std::size_t dimension, std::uint64_t element);
};

/// N_k[p] = candidates that Algorithm 3.1 (without modulo jump) examines from solving coordinate k at
/// residual p >= 1 on: N_{d-1} = 1, N_k[p] = N_{k+1}[p] + (p > g_k ? N_k[p - g_k] : 1). Row-major as above, k
/// = 0..d-1. Exact number of steps of `candidate`: N_0[n] (for n >= 1).
struct StepCounts {
  std::vector<std::uint64_t> counts;
  bool overflow = false;
};

/// All factorizations of every residual p < limit over the last `dimension` generators, as one CSR:
/// rows offsets[p] .. offsets[p+1] of `dimension` 32-bit coordinates, each list in decreasing lexicographic
/// order.
struct LeafTable {
  unsigned dimension = 0;
  std::uint64_t limit = 0;             ///< residuals 0 .. limit-1 are tabulated
  std::vector<std::uint64_t> offsets;  ///< limit + 1 entries
  std::vector<std::uint32_t> rows;     ///< offsets[limit] * dimension
  double fillSeconds = 0;
};

[[nodiscard]] SuffixCounts makeSuffixCounts(const std::vector<std::uint64_t>& generators,
                                            std::uint64_t element);
[[nodiscard]] StepCounts makeStepCounts(const std::vector<std::uint64_t>& generators, std::uint64_t element);
/// Exact |Z(n)| with arbitrary precision, O(d n) time, O(n) memory (wide integers).
[[nodiscard]] std::string exactCount(const std::vector<std::uint64_t>& generators, std::uint64_t element);

enum class FillMethod : std::uint8_t { sequential, elementwise, factorizationwise };
/// Lists Z(0..limit-1) over the last `dimension` generators by Barron 2024b, Algorithm 2.8 (sequential)
/// or 2.9 on `threads` CPU threads. Throws LimitError when the table would exceed `memoryLimit` bytes.
[[nodiscard]] LeafTable makeLeafTable(const std::vector<std::uint64_t>& generators, unsigned dimension,
                                      std::uint64_t limit, FillMethod method, int threads,
                                      std::size_t memoryLimit);
/// The same filled on a GPU (factorizationwise). Throws DeviceError without one. Provided by the CUDA build.
[[nodiscard]] LeafTable makeLeafTableOnGpu(const std::vector<std::uint64_t>& generators, unsigned dimension,
                                           std::uint64_t limit, int deviceIndex, std::size_t memoryLimit);

}  // namespace slicepool::factorizations
