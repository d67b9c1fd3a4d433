// NumPy .npy files (format version 1.0, C order, unsigned little-endian): the header, and a file of the final
// size mapped into memory that all workers write at known places. Called by enumeration.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace slicepool::factorizations {

/// "|u1", "<u2", "<u4" or "<u8" for 1, 2, 4 or 8 bytes.
[[nodiscard]] std::string npyType(unsigned elementBytes);

/// The header of an array of shape (rows, dimension) with elements of 1, 2, 4 or 8 bytes. Its length is a
/// multiple of 64, so that the data that follows is aligned (NumPy format specification, version 1.0).
[[nodiscard]] std::string npyHeader(std::uint64_t rows, unsigned dimension, unsigned elementBytes);

/// Throws LimitError with the numbers when the file system of `path` has fewer than `bytes` bytes free.
void requireDiskSpace(const std::string& path, std::uint64_t bytes);

/// A .npy file under construction: PATH.part, of its final size, header written, data mapped. `publish`
/// renames it to PATH. Without `publish` the part file is removed, unless `keepPart` was called (a checkpoint
/// needs it).
class NpyFile {
 public:
  /// `reopen` continues an existing part file (its size and header must match: CheckpointError).
  /// Throws LimitError when the disk is short, Error when the file cannot be made.
  NpyFile(std::string path, std::uint64_t rows, unsigned dimension, unsigned elementBytes, bool reopen);
  ~NpyFile();
  NpyFile(const NpyFile&) = delete;
  NpyFile& operator=(const NpyFile&) = delete;

  /// Address of row 0; null when there are no rows.
  [[nodiscard]] std::byte* rows() const { return mapping_ == nullptr ? nullptr : mapping_ + headerBytes_; }
  [[nodiscard]] std::uint64_t fileBytes() const { return fileBytes_; }
  /// Makes what was written so far durable.
  void sync() const;
  /// Closed and renamed to its final name.
  void publish();
  void keepPart() { keepPart_ = true; }

 private:
  void create(const std::string& header);
  void open(const std::string& header);
  void closeFile();

  std::string path_;
  std::string partPath_;
  int descriptor_ = -1;
  std::byte* mapping_ = nullptr;
  std::size_t headerBytes_ = 0;
  std::uint64_t fileBytes_ = 0;
  bool keepPart_ = false;
  bool published_ = false;
};

}  // namespace slicepool::factorizations
