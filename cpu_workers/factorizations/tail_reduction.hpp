// Reductions of runs of rows by blocks, on the CPU: what a sink asks of a row is a linear form, whose tail
// part is stored with the table or an arithmetic progression. Used by ranked_turn.hpp and enumeration.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "cpu_workers/factorizations/rows.hpp"
#include "slicepool/factorizations/problem_factory.hpp"
#include "slicepool/factorizations/sinks.hpp"
#include "slicepool/factorizations/steps/ranked.hpp"
#include "slicepool/factorizations/steps/suffix_rows.hpp"

namespace slicepool::factorizations {

/// The one linear form that the reductions look at, none when they look at coordinates only; empty when there
/// are several, which go row by row.
[[nodiscard]] inline std::optional<TailValues> tailValuesOf(const Reductions& reductions) {
  const bool lengths = reductions.lengths || reductions.extremes;
  const int forms = (reductions.fingerprint ? 1 : 0) + (lengths ? 1 : 0) + (reductions.predicate ? 1 : 0) +
                    (reductions.coordinateMaxima ? 1 : 0);
  if (forms > 1) return std::nullopt;
  if (reductions.fingerprint) return TailValues::fingerprint;
  if (reductions.predicate) return TailValues::predicate;
  return lengths ? TailValues::length : TailValues::none;
}

/// Its weights, one for each of d coordinates; empty for TailValues::none.
[[nodiscard]] inline std::vector<std::uint64_t> tailWeights(const Reductions& reductions, TailValues kind,
                                                            std::size_t d) {
  switch (kind) {
    case TailValues::fingerprint: return fingerprintWeights(d);
    case TailValues::length: return std::vector<std::uint64_t>(d, 1);
    case TailValues::predicate:
      // Negative coefficients count modulo 2^64.
      return {reductions.predicate->coefficients.begin(), reductions.predicate->coefficients.end()};
    case TailValues::none: break;
  }
  return {};
}

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

/// A linear form of the rows of runs.
class TailForm {
 public:
  /// The table's values, if it is stored, were made with the same weights.
  TailForm(const RowShape& shape, const SuffixRows& table, std::vector<std::uint64_t> weights,
           std::uint64_t constant)
      : shape_(shape), values_(table.values()), weights_(std::move(weights)), constant_(constant) {}

  /// Calls stored(base, values, rows) or progression(base, step, rows) for the blocks of a run: the forms of
  /// the rows are base + values[i], or base + i * step, modulo 2^64.
  template <class Stored, class Progression>
  void forBlocksOf(const AxisRun& run, Stored stored, Progression progression) const {
    const auto axisIndex = static_cast<std::size_t>(shape_.axis);
    std::uint64_t head = constant_;
    for (std::size_t k = 0; k < axisIndex; ++k) head += weights_[k] * run.head[k];
    const std::uint64_t first = weights_[weights_.size() - 2];
    const std::uint64_t second = weights_[weights_.size() - 1];
    const std::uint64_t step = second * shape_.secondStep - first * shape_.firstStep;
    forBlocks(shape_, run,
              [&](std::uint32_t axis, std::uint64_t firstRow, std::uint64_t x, std::uint64_t y,
                  std::uint64_t rows) {
                const std::uint64_t base = head + weights_[axisIndex] * axis;
                if (shape_.offsets != nullptr)
                  stored(base, values_ + firstRow, rows);
                else
                  progression(base + first * x + second * y, step, rows);
              });
  }

  template <class Take>
  void forRows(const AxisRun& run, Take take) const {
    forBlocksOf(
        run,
        [&](std::uint64_t base, const std::uint64_t* values, std::uint64_t rows) {
          for (std::uint64_t i = 0; i < rows; ++i) take(base + values[i]);
        },
        [&](std::uint64_t base, std::uint64_t step, std::uint64_t rows) {
          for (std::uint64_t i = 0; i < rows; ++i) take(base + i * step);
        });
  }

  /// The fingerprint of the rows, for its weights and constant.
  void mix(const AxisRun& run, FingerprintTotals& totals) const {
    const RowKernels& kernels = rowKernels();
    forBlocksOf(
        run,
        [&](std::uint64_t base, const std::uint64_t* values, std::uint64_t rows) {
          kernels.mixValues(base, values, rows, totals.sum, totals.exclusiveOr);
        },
        [&](std::uint64_t base, std::uint64_t step, std::uint64_t rows) {
          kernels.mixProgression(base, step, rows, totals.sum, totals.exclusiveOr);
        });
  }

 private:
  RowShape shape_;
  const std::uint64_t* values_;
  std::vector<std::uint64_t> weights_;
  std::uint64_t constant_;
};

}  // namespace slicepool::factorizations
