// A checkpoint that grows: a header, then records that are never changed, each with its length and its hash.
// What is committed is on the disk and covered by hashes; what was being appended when a process was killed
// is cut off. Format: docs/file-formats.md. Used by workloads whose finished work never changes
// (runtime/semigroup/saved_stages.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slicepool {

/// What a log held when it was read.
struct RecordLogContent {
  std::string header;
  std::vector<std::span<const std::byte>> records;  ///< in order; views of `bytes`
  std::unique_ptr<std::byte[]> bytes;
};

/// One file. Not thread-safe; one process at a time (the owner of a checkpoint sees to that).
class RecordLog {
 public:
  /// `format`: the eight characters that the file begins with. Opens nothing.
  RecordLog(std::string path, std::string_view format);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Of whole records and what is before them.
  [[nodiscard]] std::uint64_t bytes() const { return end_; }

  /// Reads the file, checks every hash, and lets append() go on behind the last whole record. Throws
  /// CheckpointError when it cannot be read, is of another format, or is damaged before the end that was
  /// committed.
  [[nodiscard]] RecordLogContent read();
  /// Replaces the file by a new one with this header and these records; whole or not at all. Throws
  /// LimitError when the disk is full, CheckpointError otherwise; the old file is there then.
  void start(std::string_view header, std::span<const std::vector<std::byte>> records);
  /// Appends and commits. After start() or read(). Throws as start(); what was committed before stays.
  void append(std::span<const std::vector<std::byte>> records);

 private:
  struct Slot;  // what has been committed

  [[noreturn]] void refuse(const std::string& why) const;
  [[nodiscard]] std::string encoded(std::span<const std::vector<std::byte>> records);
  [[nodiscard]] int appendTo(int descriptor, const std::string& bytes);

  std::string path_;
  std::string format_;
  std::uint64_t seed_ = 0;      ///< hash of the header
  std::uint64_t end_ = 0;       ///< bytes of whole records and what is before them
  std::uint64_t chain_ = 0;     ///< hash of the last record, its number and order included
  std::uint64_t sequence_ = 0;  ///< commits so far
};

}  // namespace slicepool
