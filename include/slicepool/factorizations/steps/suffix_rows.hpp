// Rows of the last coordinates, stored for every residual: what the fast paths of `ranked` copy behind a
// prefix. Host side; kept by the problem, copied to devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "slicepool/factorizations/steps/rank_counts.hpp"

namespace slicepool::factorizations {

/// All factorizations of every residual 0 <= p <= n over the last `tail` generators, in decreasing
/// lexicographic order, each as a whole row with zeros before the tail. A tail of 2 is not stored: it is an
/// arithmetic progression, and `smallestSecond` says where it begins.
struct SuffixRows {
  unsigned tail = 0;
  unsigned dimension = 0;
  unsigned elementBytes = 0;
  std::uint32_t common = 1;             ///< greatest common divisor of the tail's generators
  std::vector<std::uint32_t> offsets;   ///< rows of p: offsets[p] .. offsets[p + 1]; empty for progressions
  std::shared_ptr<std::byte[]> memory;  ///< the rows, and kReadable bytes before and behind them, or null
  std::shared_ptr<std::byte[]> sums;    ///< `values()`, or null
  std::vector<std::uint32_t> smallestSecond;  ///< per residual modulo g_{d-1}: smallest a_d, or 2^32 - 1
  double seconds = 0;                         ///< spent on making it

  static constexpr std::size_t kReadable = 256;  ///< vectors reach over both ends
  [[nodiscard]] std::byte* rows() const { return memory.get() + kReadable; }
  /// Sum of weight * coordinate over the tail, per row; null without weights.
  [[nodiscard]] std::uint64_t* values() const { return reinterpret_cast<std::uint64_t*>(sums.get()); }
  [[nodiscard]] std::size_t memoryBytes() const { return storedRows() * rowBytes() + 2 * kReadable; }
  [[nodiscard]] bool stored() const { return !offsets.empty(); }
  [[nodiscard]] std::uint64_t storedRows() const { return offsets.empty() ? 0 : offsets.back(); }
  [[nodiscard]] std::size_t rowBytes() const { return std::size_t{dimension} * elementBytes; }
};

/// The same for a device, which makes the rows and values by itself, from the counts
/// (kernels/factorizations/stored_tails.cuh).
struct DeviceTail {
  unsigned tail = 0;
  unsigned dimension = 0;
  unsigned elementBytes = 0;
  std::uint32_t common = 1;            ///< greatest common divisor of the tail's generators
  bool rowless = false;                ///< values only
  std::vector<std::uint32_t> offsets;  ///< as SuffixRows has them
  std::vector<std::uint64_t> weights;  ///< of the values, one per generator; empty: none

  [[nodiscard]] bool stored() const { return !offsets.empty(); }
  [[nodiscard]] std::uint64_t storedRows() const { return offsets.empty() ? 0 : offsets.back(); }
  [[nodiscard]] std::size_t rowBytes() const { return std::size_t{dimension} * elementBytes; }
  /// Of the rows with what is readable around them, and of the values.
  [[nodiscard]] std::size_t rowsMemory() const {
    return rowless ? 0 : storedRows() * rowBytes() + 2 * SuffixRows::kReadable;
  }
  [[nodiscard]] std::size_t valuesMemory() const {
    return weights.empty() ? 0 : storedRows() * sizeof(std::uint64_t);
  }
};

/// What decides how many coordinates are worth storing.
struct TailChoice {
  unsigned elementBytes = 1;
  int threads = 1;
  std::size_t memoryLimit = 0;  ///< bytes that the tables may take
  /// Rows that will be made, of all counts.total: few rows are not worth a large table.
  std::uint64_t rows = std::numeric_limits<std::uint64_t>::max();
  bool values = false;   ///< tables with values
  bool rowless = false;  ///< values only: for reductions, which read nothing else
  bool device = false;   ///< for a GPU
  double uses = 1;       ///< how often the tables will be used: what their making costs counts once
};

/// Whether rows can have stored tails: 3 to 16 generators, these and the element below 2^31.
[[nodiscard]] bool suffixRowsApply(const std::vector<std::uint64_t>& generators, std::uint64_t element);

/// Exact bytes of the tables of a tail of 2 .. d-1; SIZE_MAX where they have 2^31 rows or more. While they
/// are made, those of the tail that is one shorter are there as well. O(n).
[[nodiscard]] std::size_t suffixRowsBytes(const std::vector<std::uint64_t>& generators,
                                          const RankCounts& counts, unsigned tail, const TailChoice& choice);

/// The tail with the lowest estimated time whose tables fit the memory, 2 <= tail < d; 0 where there is none
/// or suffixRowsApply is false. O(d + n).
///
/// Cost model: time = blocks * t_block + output bytes * t_byte(table) + table bytes * t_fill. The number of
/// blocks is that of prefixes, and the table's that of points with sum a_i g_i <= n over the tail: both are
/// volumes of simplices. The constants are measured (docs/performance/factorizations.md).
[[nodiscard]] unsigned chooseTail(const std::vector<std::uint64_t>& generators, const RankCounts& counts,
                                  const TailChoice& choice);

/// The plan of a tail of 2 .. d-1. O(n). Errors as of makeSuffixRows.
[[nodiscard]] DeviceTail planDeviceTail(const std::vector<std::uint64_t>& generators,
                                        const RankCounts& counts, unsigned tail, unsigned elementBytes,
                                        const std::vector<std::uint64_t>& weights, bool rowless = false);

/// How tables are made.
struct TailMaking {
  int threads = 1;
  bool rowless = false;  ///< no rows; needs weights
  bool device = false;   ///< in memory that a GPU copies from (transferMemory)
};

/// Makes the rows of a tail of 2 .. d-1. `weights`, one per generator, makes `values`; empty: none.
/// O(stored rows * dimension) time. Throws ConfigError where suffixRowsApply is false and for another tail,
/// LimitError from 2^31 rows on.
[[nodiscard]] SuffixRows makeSuffixRows(const std::vector<std::uint64_t>& generators,
                                        const RankCounts& counts, unsigned tail, unsigned elementBytes,
                                        const std::vector<std::uint64_t>& weights,
                                        const TailMaking& making = {});

}  // namespace slicepool::factorizations
