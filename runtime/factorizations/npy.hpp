// NumPy .npy files (format version 1.0, C order, unsigned little-endian): the header, and a file of the final
// size mapped into memory that all workers write at known places. Called by enumeration.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/factorizations/row_check.hpp"
#include "runtime/io/part_file.hpp"

namespace slicepool::factorizations {

/// "|u1", "<u2", "<u4" or "<u8" for 1, 2, 4 or 8 bytes.
[[nodiscard]] std::string npyType(unsigned elementBytes);

/// The header of an array of shape (rows, dimension) with elements of 1, 2, 4 or 8 bytes. Its length is a
/// multiple of 64, so that the data that follows is aligned (NumPy format specification, version 1.0).
[[nodiscard]] std::string npyHeader(std::uint64_t rows, unsigned dimension, unsigned elementBytes);

/// A .npy file under construction: a PartFile of its final size, header written, data mapped. Without
/// `publish` the part file is removed, unless `keepPart` was called or it was reopened (a checkpoint needs
/// it).
class NpyFile {
 public:
  /// `reopen` continues an existing part file (its size and header must match: CheckpointError).
  /// Throws LimitError when the disk is short, Error when the file cannot be made.
  NpyFile(const std::string& path, std::uint64_t rows, unsigned dimension, unsigned elementBytes,
          bool reopen);

  /// Address of row 0, before the file is published.
  [[nodiscard]] std::byte* rows() const { return mapping_.data() + headerBytes_; }
  /// Throws CheckpointError unless `count` rows from the first one on are rows of this kind, in order, with
  /// ranks from `firstRank` on (problemOfRows): of a file that an earlier process began.
  void requireRows(const RowCheck& kind, std::uint64_t count, const Rank& firstRank, std::size_t memoryLimit,
                   int threads) const;
  [[nodiscard]] std::uint64_t fileBytes() const { return fileBytes_; }
  /// Makes what was written so far durable.
  void sync() const { mapping_.sync(); }
  /// Closed and renamed to its final name.
  void publish();
  void keepPart() { file_.keepPart(); }

 private:
  NpyFile(const std::string& path, const std::string& header, std::uint64_t rows, std::size_t rowBytes,
          bool reopen);
  static PartFile reopenFile(const std::string& path, std::uint64_t bytes, const std::string& header);

  std::size_t headerBytes_;
  std::uint64_t fileBytes_;
  PartFile file_;
  FileMapping mapping_;
};

}  // namespace slicepool::factorizations
