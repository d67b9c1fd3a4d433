// Fills leaf tables: all lists Z(0..limit-1) over the last generators (Barron 2024b, Algorithms 2.8 and 2.9).
// Called by the enumeration front (`tabulated`, `dynamic`) and by tests.
//
// The list of m is, in decreasing lexicographic order, the lists Z_{=i}(m) of rows whose first nonzero
// coordinate is i, i = 1..k. Z_{=i}(m) is Z_{>=i}(m - g_i) with coordinate i incremented, and Z_{>=i} of an
// element is the end of its list: its last C_i rows, C_i the suffix counts. The zero vector of Z(0) counts
// once in every C_i[0]. So every row's place and source are known before any is copied, which is what both
// ways of running in parallel need.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iomanip>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cpu_workers/core/parallel.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/seconds.hpp"
#include "slicepool/factorizations/steps/tables.hpp"

namespace slicepool::factorizations {
namespace {

/// Rows that one task copies in the factorizationwise fill, and least rows of a parallel batch of elements.
constexpr std::uint64_t kRowsPerTask = 4096;

class LeafTableFill {
 public:
  LeafTableFill(const std::vector<std::uint64_t>& generators, unsigned dimension, std::uint64_t limit,
                std::size_t memoryLimit)
      : generators_(generators.end() - dimension, generators.end()),
        dimension_(dimension),
        limit_(limit),
        memoryLimit_(memoryLimit) {
    table_.dimension = dimension;
    table_.limit = limit;
    countRows();
  }

  void fillSequential() {
    for (std::uint64_t m = 0; m < limit_; ++m) fillElement(m);
  }

  /// The lists of g_min consecutive elements depend on earlier lists only.
  void fillElementwise() {
    const std::uint64_t batch = *std::min_element(generators_.begin(), generators_.end());
    const std::uint64_t grain = std::max<std::uint64_t>(1, batch / 64);
    for (std::uint64_t begin = 0; begin < limit_; begin += std::min(batch, limit_ - begin)) {
      const std::uint64_t end = begin + std::min(batch, limit_ - begin);
      // Waking threads costs more than copying few rows.
      if (table_.offsets[end] - table_.offsets[begin] < kRowsPerTask) {
        for (std::uint64_t m = begin; m < end; ++m) fillElement(m);
        continue;
      }
      parallelFor(begin, end, grain, [&](std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t m = first; m != last; ++m) fillElement(m);
      });
    }
  }

  /// Element after element, the rows of each in parallel.
  void fillFactorizationwise() {
    for (std::uint64_t m = 0; m < limit_; ++m) {
      if (rowCount(m) <= kRowsPerTask) {
        fillElement(m);
        continue;
      }
      for (unsigned i = 0; i < dimension_; ++i) {
        const std::uint64_t rows = rowsFrom(i, m);
        parallelFor(0, rows, kRowsPerTask,
                    [&](std::uint64_t first, std::uint64_t last) { copyRows(m, i, first, last); });
      }
    }
  }

  [[nodiscard]] LeafTable take() { return std::move(table_); }

 private:
  /// Suffix counts of all residuals, and from them the offsets.
  void countRows() {
    if (limit_ == 0 || limit_ > (std::uint64_t{1} << 32)) {
      throw LimitError("leaf table: limit " + std::to_string(limit_) +
                       "; its coordinates have 32 bits, 1 to 2^32");
    }
    const std::size_t countBytes = SuffixCounts::bytesNeeded(dimension_, limit_ - 1);
    if (countBytes > memoryLimit_) refuse(static_cast<double>(countBytes));
    counts_ = makeSuffixCounts(generators_, limit_ - 1);
    if (counts_.overflow) refuse({});
    table_.offsets.reserve(static_cast<std::size_t>(limit_) + 1);
    std::uint64_t offset = 0;
    for (std::uint64_t m = 0; m < limit_; ++m) {
      table_.offsets.push_back(offset);
      if (__builtin_add_overflow(offset, rowCount(m), &offset)) refuse({});
    }
    table_.offsets.push_back(offset);
    const double bytes = static_cast<double>(offset) * dimension_ * sizeof(std::uint32_t) +
                         static_cast<double>(countBytes) +
                         static_cast<double>(limit_) * sizeof(std::uint64_t);
    if (bytes > static_cast<double>(memoryLimit_)) refuse(bytes);
    table_.rows.resize(static_cast<std::size_t>(offset) * dimension_);
  }

  /// `bytes`: nothing where no 64 bits hold how many it would take.
  [[noreturn]] void refuse(std::optional<double> bytes) const {
    std::ostringstream needed;
    if (bytes)
      needed << "about " << std::fixed << std::setprecision(0) << *bytes << " bytes";
    else
      needed << "more than 2^64 bytes";
    throw LimitError("leaf table of " + std::to_string(dimension_) + " coordinates for residuals below " +
                     std::to_string(limit_) + ": needs " + needed.str() + ", the limit is " +
                     std::to_string(memoryLimit_));
  }

  [[nodiscard]] std::uint64_t count(unsigned i, std::uint64_t m) const {
    return counts_.counts[static_cast<std::size_t>(i) * static_cast<std::size_t>(limit_) + m];
  }
  [[nodiscard]] std::uint64_t rowCount(std::uint64_t m) const { return count(0, m); }
  /// |Z_{=i}(m)|
  [[nodiscard]] std::uint64_t rowsFrom(unsigned i, std::uint64_t m) const {
    return m >= generators_[i] ? count(i, m - generators_[i]) : 0;
  }

  void fillElement(std::uint64_t m) {
    if (m == 0) return;  // the one zero row is there
    for (unsigned i = 0; i < dimension_; ++i) copyRows(m, i, 0, rowsFrom(i, m));
  }

  /// Rows begin..end-1 of Z_{=i}(m).
  void copyRows(std::uint64_t m, unsigned i, std::uint64_t begin, std::uint64_t end) {
    if (begin == end) return;
    const std::uint64_t source = m - generators_[i];
    const std::uint64_t first = table_.offsets[source + 1] - count(i, source) + begin;
    const std::uint64_t target = table_.offsets[m + 1] - count(i, m) + begin;
    const std::uint32_t* from = table_.rows.data() + first * dimension_;
    std::uint32_t* to = table_.rows.data() + target * dimension_;
    std::copy_n(from, (end - begin) * dimension_, to);
    for (std::uint64_t row = 0; row < end - begin; ++row) ++to[row * dimension_ + i];
  }

  std::vector<std::uint64_t> generators_;
  unsigned dimension_;
  std::uint64_t limit_;
  std::size_t memoryLimit_;
  SuffixCounts counts_;
  LeafTable table_;
};

}  // namespace

LeafTable makeLeafTable(const std::vector<std::uint64_t>& generators, unsigned dimension, std::uint64_t limit,
                        FillMethod method, int threads, std::size_t memoryLimit) {
  if (dimension < 1 || dimension > generators.size()) {
    throw ConfigError("tabulated_dimension", std::to_string(dimension),
                      "1 to " + std::to_string(generators.size()));
  }
  const auto start = std::chrono::steady_clock::now();
  LeafTableFill fill(generators, dimension, limit, memoryLimit);
  switch (method) {
    case FillMethod::sequential: fill.fillSequential(); break;
    case FillMethod::elementwise: inArena(threads, [&] { fill.fillElementwise(); }); break;
    case FillMethod::factorizationwise: inArena(threads, [&] { fill.fillFactorizationwise(); }); break;
  }
  LeafTable table = fill.take();
  table.fillSeconds = secondsSince(start);
  return table;
}

}  // namespace slicepool::factorizations
