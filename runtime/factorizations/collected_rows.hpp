// Rows of a run whose places are not known (no counting table fits): kept packed as they arrive, within a
// memory limit, and sorted into decreasing lexicographic order at the end. Called by enumeration.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/factorizations/enumeration.hpp"

namespace slicepool::factorizations {

class CollectedRows final : public ResultConsumer {
 public:
  /// `resultBytes`: size of one collected row as it arrives; its first `dimension` 64-bit words are the row.
  /// `memoryLimit` bytes bound what rows, sort index and sorted copy take together.
  CollectedRows(unsigned dimension, unsigned elementBytes, std::size_t resultBytes, std::size_t memoryLimit);

  /// Throws LimitError beyond the limit.
  void consume(const std::byte* results, std::size_t count) override;
  [[nodiscard]] std::vector<std::byte> save() const override;
  void restore(const std::vector<std::byte>& blob) override;

  [[nodiscard]] std::uint64_t rows() const { return count_; }
  /// Bytes held now.
  [[nodiscard]] std::size_t bytes() const { return chunks_.size() * chunkRows_ * rowBytes_; }
  /// Copies the rows in decreasing lexicographic order to `output` (rows() rows). O(r log r).
  void writeSorted(std::byte* output) const;

 private:
  void append(const std::uint64_t* coordinates);
  [[nodiscard]] const unsigned char* row(std::uint64_t index) const {
    return chunks_[index / chunkRows_].data() + (index % chunkRows_) * rowBytes_;
  }

  unsigned dimension_;
  unsigned elementBytes_;
  std::size_t rowBytes_;
  std::size_t resultBytes_;
  std::size_t memoryLimit_;
  std::uint64_t chunkRows_;
  // Big-endian elements: the order of the bytes is the order of the rows. Chunks never move.
  std::vector<std::vector<unsigned char>> chunks_;
  std::uint64_t count_ = 0;
};

}  // namespace slicepool::factorizations
