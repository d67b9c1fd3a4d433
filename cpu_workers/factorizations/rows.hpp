// Writes factorizations as whole rows at the speed of memory: the fast path of `ranked` on CPU workers.
//
// A row is a prefix and a tail. All rows with one prefix are one block: either a stored block of tails (whole
// rows, zero before the tail) to which the prefix is added, or an arithmetic progression over the last two
// coordinates. Both are loops of one vector addition and one store for as many rows as fit a vector. Along
// the axis - the last coordinate of the prefix - only that coordinate and the block change.
//
// Called by runtime/factorizations: row_walk.hpp walks prefixes by rank, suffix_rows.cpp makes the blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace slicepool {

/// What is the same for all rows of one run.
struct RowShape {
  int dimension = 0;     ///< coordinates of a row
  int elementBytes = 0;  ///< of a coordinate: 1, 2, 4 or 8
  int axis = 0;          ///< index of the prefix's last coordinate; the tail follows
  std::uint32_t axisGenerator = 0;
  /// Stored tails: residual p has rows offsets[p] .. offsets[p + 1]. Null: progressions over the last two.
  const std::uint32_t* offsets = nullptr;
  const std::byte* rows = nullptr;
  /// Progressions x * first + y * second = p: smallestSecond[p mod first] is the smallest y (or kNoSolution).
  const std::uint32_t* smallestSecond = nullptr;
  std::uint32_t first = 1;
  std::uint32_t second = 1;
  std::uint32_t firstStep = 1;   ///< x goes down by it
  std::uint32_t secondStep = 1;  ///< y goes up by it

  static constexpr std::uint32_t kNoSolution = ~std::uint32_t{0};

  [[nodiscard]] std::size_t rowBytes() const {
    return static_cast<std::size_t>(dimension) * static_cast<std::size_t>(elementBytes);
  }
};

/// A part of the rows of one prefix without its axis: those with axis coordinate axisTop, axisTop - 1, .., 0.
struct AxisRun {
  const std::uint32_t* head = nullptr;  ///< coordinates before the axis
  std::uint32_t axisTop = 0;
  std::uint32_t residual = 0;  ///< left for the tail when the axis is axisTop
  std::uint64_t skip = 0;      ///< rows of the block at axisTop that are not wanted
  std::uint64_t rows = 0;      ///< rows wanted, at most those there are
};

/// Where the next row goes. Nothing outside [begin, end) is written. Large outputs go through a small buffer
/// in the first-level cache and from there by streaming stores, which neither read the output's cache lines
/// first nor push the tables out of the caches. Not thread-safe; one object per turn.
class RowTarget {
 public:
  /// `buffer` (kBufferBytes, 64-byte aligned) selects streaming stores; null writes in place.
  RowTarget(std::byte* begin, std::byte* end, std::byte* buffer);
  /// Everything that was written is in place and visible to other threads afterwards.
  void finish();

  /// Bytes of the streaming buffer that rows may fill, and of the slack behind them that whole vectors of a
  /// block's last rows may spill into.
  static constexpr std::size_t kFillBytes = 8192;
  static constexpr std::size_t kSlackBytes = 256;
  static constexpr std::size_t kBufferBytes = 64 + kFillBytes + kSlackBytes;

  // For the kernels: rows are stored at `next`, up to `limit`; a store may spill up to `spillLimit`.
  std::byte* next;
  std::byte* limit;
  std::byte* spillLimit;
  /// Streaming only: moves whole cache lines to the output and makes room again.
  void flush();
  [[nodiscard]] bool streaming() const { return buffer_ != nullptr; }

 private:
  void moveToOutput(std::size_t bytes);

  std::byte* output_;  ///< place of the first byte that is still in the buffer
  std::byte* buffer_;
};

/// Writes run.rows rows. Throws nothing.
using ExpandAxis = void (*)(const RowShape& shape, const AxisRun& run, RowTarget& target);
/// to[i] = from[i] + prefix for `rows` rows; the regions must not overlap; `prefix` is one row. Nothing else
/// is read or written.
using AddPrefix = void (*)(std::byte* to, const std::byte* from, std::uint64_t rows, int dimension,
                           const std::uint32_t* prefix);
/// Sum and exclusive-or of mix64(base + values[i]) over `count` values, added to sum and exclusiveOr.
using MixValues = void (*)(std::uint64_t base, const std::uint64_t* values, std::uint64_t count,
                           std::uint64_t& sum, std::uint64_t& exclusiveOr);
/// The same for the values base, base + step, base + 2 step, ..
using MixProgression = void (*)(std::uint64_t base, std::uint64_t step, std::uint64_t count,
                                std::uint64_t& sum, std::uint64_t& exclusiveOr);

/// One instruction set's kernels. Index 0..3 of the arrays: elements of 1, 2, 4, 8 bytes.
struct RowKernels {
  const char* name;  ///< "avx512", "avx2" or "portable"
  ExpandAxis expandStored[4];
  ExpandAxis expandProgression[4];
  AddPrefix addPrefix[4];
  MixValues mixValues;
  MixProgression mixProgression;
};

/// The best kernels that this CPU executes; SLICEPOOL_SIMD=avx512|avx2|portable in the environment asks for
/// others (a wrong or unavailable name is ignored).
[[nodiscard]] const RowKernels& rowKernels();
/// By name, null when this build or this CPU has none.
[[nodiscard]] const RowKernels* rowKernelsNamed(const char* name);

[[nodiscard]] inline int elementIndex(int elementBytes) {
  return elementBytes == 1 ? 0 : elementBytes == 2 ? 1 : elementBytes == 4 ? 2 : 3;
}

}  // namespace slicepool
