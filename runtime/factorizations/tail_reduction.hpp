// The fingerprint of runs of rows, by blocks: a row's hash is the mix of a linear form, whose tail part is
// stored or an arithmetic progression. Used by ranked_fast.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu_workers/row_expansion.hpp"
#include "slicepool/factorizations/sinks.hpp"
#include "slicepool/factorizations/suffix_rows.hpp"

namespace slicepool::factorizations {

/// Calls block(axis, firstRow, x, y, rows) for the blocks of a run: stored blocks by the index of their first
/// row, progressions by their first solution.
template <class Block>
void forBlocks(const RowShape& shape, const AxisRun& run, Block block) {
  std::uint64_t left = run.rows;
  std::uint64_t skip = run.skip;
  std::uint32_t residual = run.residual;
  for (std::uint32_t axis = run.axisTop; left != 0; --axis, residual += shape.axisGenerator) {
    std::uint64_t firstRow = 0;
    std::uint64_t rows = 0;
    std::uint64_t x = 0;
    std::uint64_t y = 0;
    if (shape.offsets != nullptr) {
      firstRow = shape.offsets[residual] + skip;
      rows = shape.offsets[residual + 1] - firstRow;
    } else {
      y = shape.smallestSecond[residual % shape.first];
      if (y == RowShape::kNoSolution || y * shape.second > residual) continue;
      x = (residual - y * shape.second) / shape.first;
      rows = x / shape.firstStep + 1 - skip;
      x -= skip * shape.firstStep;
      y += skip * shape.secondStep;
    }
    skip = 0;
    rows = rows < left ? rows : left;
    left -= rows;
    if (rows != 0) block(axis, firstRow, x, y, rows);
  }
}

class TailMixer {
 public:
  /// The table's values, if it is stored, were made with the same weights.
  TailMixer(const RowShape& shape, const SuffixRows& table, std::vector<std::uint64_t> weights)
      : shape_(shape), values_(table.values.data()), weights_(std::move(weights)) {}

  void add(const AxisRun& run, FingerprintTotals& totals) const {
    const auto axisIndex = static_cast<std::size_t>(shape_.axis);
    std::uint64_t head = kRowHashOffset;
    for (std::size_t k = 0; k < axisIndex; ++k) head += weights_[k] * run.head[k];
    const RowKernels& kernels = rowKernels();
    const std::size_t d = weights_.size();
    const std::uint64_t step = weights_[d - 1] * shape_.secondStep - weights_[d - 2] * shape_.firstStep;
    forBlocks(shape_, run,
              [&](std::uint32_t axis, std::uint64_t firstRow, std::uint64_t x, std::uint64_t y,
                  std::uint64_t rows) {
                const std::uint64_t base = head + weights_[axisIndex] * axis;
                if (shape_.offsets != nullptr) {
                  kernels.mixValues(base, values_ + firstRow, rows, totals.sum, totals.exclusiveOr);
                } else {
                  kernels.mixProgression(base + weights_[d - 2] * x + weights_[d - 1] * y, step, rows,
                                         totals.sum, totals.exclusiveOr);
                }
              });
  }

 private:
  RowShape shape_;
  const std::uint64_t* values_;
  std::vector<std::uint64_t> weights_;
};

}  // namespace slicepool::factorizations
