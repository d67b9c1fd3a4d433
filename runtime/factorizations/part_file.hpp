// A file under construction (PATH.part) that several threads write at offsets and that gets its name when it
// is whole. Used by shard_files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace slicepool::factorizations {

class PartFile {
 public:
  /// A new PATH.part. `finalBytes` are reserved now, so that a full disk is known at once; 0: grows as it is
  /// written. Throws LimitError when the disk is short, Error when the file cannot be made.
  static PartFile create(std::string path, std::uint64_t finalBytes);
  /// The PATH.part of an earlier process; a PATH that was already published becomes PATH.part again. Throws
  /// CheckpointError when neither is there or it has fewer than `bytes` bytes. `grows`: what follows them is
  /// cut off.
  static PartFile reopen(std::string path, std::uint64_t bytes, bool grows);

  PartFile(PartFile&& other) noexcept;
  PartFile& operator=(PartFile&&) = delete;
  /// Closes. An unpublished part file is removed unless `keepPart` was called.
  ~PartFile();

  /// Writes all of `bytes` at `offset` and starts their way to the disk. Any thread. Throws LimitError when
  /// the disk is full, Error otherwise.
  void write(std::uint64_t offset, std::span<const std::byte> bytes) const;
  /// Reads exactly `bytes.size()` bytes. Throws Error.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;
  /// Makes what was written so far durable. Throws Error (LimitError when the disk is full).
  void sync() const;
  /// Durable under its final name. Throws Error.
  void publish();
  void keepPart() { keepPart_ = true; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit PartFile(std::string path);
  void reserve(std::uint64_t bytes) const;
  void requireLength(std::uint64_t bytes, bool grows) const;

  std::string path_;
  std::string partPath_;
  int descriptor_ = -1;
  bool keepPart_ = false;
  bool published_ = false;
};

}  // namespace slicepool::factorizations
