// Rows as CSV: plain numbers, one row a line, written in order, window after window. Called by
// enumeration.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "runtime/io/part_file.hpp"

namespace slicepool::factorizations {

/// Appends `rows` rows of `dimension` unsigned little-endian elements of `elementBytes` bytes each to `text`.
void formatCsv(const std::byte* data, std::uint64_t rows, unsigned dimension, unsigned elementBytes,
               std::string& text);

/// The first line of a file with names: "a1,a2,..", with its end.
[[nodiscard]] std::string csvNames(unsigned dimension);

/// A CSV file under construction (a PartFile), or standard output when the path is "-".
class CsvFile {
 public:
  /// `resumeOffset` > 0 continues PATH.part after its first `resumeOffset` bytes, which have the hash
  /// `resumeHash` (the rest is cut off); else the file is new and starts with csvNames() when `header` is
  /// set. Throws Error when it cannot be made, CheckpointError when the part file is not that one.
  CsvFile(const std::string& path, unsigned dimension, bool header, std::uint64_t resumeOffset,
          const std::string& resumeHash = {});

  /// Formats on `threads` threads and writes in order. Throws LimitError when the disk is full, Error
  /// otherwise.
  void write(const std::byte* data, std::uint64_t rows, unsigned elementBytes, int threads);
  /// Bytes of the file so far.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Of these.
  [[nodiscard]] std::string hash() const { return hash_.digits(); }
  /// Makes what was written so far durable.
  void sync() const;
  void publish();
  void keepPart();

 private:
  void writeText(const std::string& text);

  std::optional<PartFile> file_;  ///< none: standard output
  unsigned dimension_;
  std::uint64_t bytes_;
  FileHash hash_;
};

}  // namespace slicepool::factorizations
