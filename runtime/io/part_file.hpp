// A file under construction (PATH.part) that gets its name when it is whole, written at offsets by several
// threads or mapped into memory, and the space asked of a disk before. Used by the outputs of factorizations
// and lattice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "runtime/io/file_hash.hpp"

namespace slicepool {

/// Throws LimitError with the numbers when the file system of `path` has fewer than `bytes` bytes free.
void requireDiskSpace(const std::string& path, std::uint64_t bytes);

/// The first bytes of a file in memory; what is written there is in the file.
class FileMapping {
 public:
  /// `path` names the file in errors. Throws Error.
  FileMapping(int descriptor, std::uint64_t bytes, const std::string& path);
  FileMapping(FileMapping&& other) noexcept
      : path_(std::move(other.path_)),
        begin_(std::exchange(other.begin_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  FileMapping& operator=(FileMapping&&) = delete;
  ~FileMapping() { close(); }

  /// Null once closed.
  [[nodiscard]] std::byte* data() const { return begin_; }
  /// Makes what was written so far durable. Throws Error (LimitError when the disk is full).
  void sync() const;
  void close();

 private:
  std::string path_;
  std::byte* begin_ = nullptr;
  std::uint64_t bytes_ = 0;
};

/// What is asked of a file system that cannot reserve blocks for a new file.
enum class Reservation : std::uint8_t {
  attempted,  ///< only the length is set
  guaranteed  ///< every block is written: a full disk would be a fatal signal in a mapped write
};

class PartFile {
 public:
  /// A new PATH.part, locked until it is closed; never through a link. Where PATH is a link to a file, that
  /// file and its folder are meant throughout. `finalBytes` are reserved now, so that a full disk is known at
  /// once; 0: grows as it is written. Throws LimitError when the disk is short, ConfigError when PATH is no
  /// file or another process writes it, Error when the file cannot be made.
  static PartFile create(const std::string& path, std::uint64_t finalBytes,
                         Reservation reservation = Reservation::attempted);
  /// The same for text, which grows as it is written. A pipe, a device or an open descriptor is written in
  /// place: from its beginning to its end, whatever the offsets say, and nothing is removed.
  static PartFile createText(const std::string& path);
  /// Looks at a file and throws CheckpointError when it is not the unfinished output that is wanted.
  using Check = std::function<void(const PartFile&)>;
  /// The PATH.part of an earlier process, which stays whatever happens: a checkpoint counts on it. `grows`:
  /// what follows the first `bytes` bytes is cut off; otherwise it must have exactly these. Nothing is
  /// changed before `check` has passed. Where there is no PATH.part, the process may have been killed after
  /// PATH got its name and before a checkpoint said so: then PATH is checked, and a copy of its first bytes
  /// is PATH.part. PATH stays as it is until publish(). Throws CheckpointError when it is not there, too
  /// short, or refused.
  static PartFile reopen(const std::string& path, std::uint64_t bytes, bool grows, const Check& check);

  PartFile(PartFile&& other) noexcept;
  PartFile& operator=(PartFile&&) = delete;
  /// Closes. An unpublished part file is removed unless `keepPart` was called.
  ~PartFile();

  /// Writes all of `bytes` at `offset`. Any thread. Throws LimitError when the disk is full, Error otherwise.
  void write(std::uint64_t offset, std::span<const std::byte> bytes) const;
  /// Starts the way of written bytes to the disk, without waiting for it: dirty pages do not pile up until a
  /// sync has to wait for all of them. Only advice.
  void startWriteback(std::uint64_t offset, std::uint64_t bytes) const;
  /// Reads exactly `bytes.size()` bytes. Throws Error.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;
  /// Goes on with `into` over the bytes [begin, end). Throws Error.
  void hash(FileHash& into, std::uint64_t begin, std::uint64_t end) const;
  /// The same, and throws CheckpointError, which names the file, unless the digits are `expected` then.
  void requireHash(FileHash& into, std::uint64_t begin, std::uint64_t end, const std::string& expected) const;
  /// Makes what was written so far durable. Throws Error (LimitError when the disk is full).
  void sync() const;
  /// The first `bytes` bytes, which the file must have. Throws Error.
  [[nodiscard]] FileMapping map(std::uint64_t bytes) const;
  /// PATH.part stays if it is not published, under a name that is durable. Throws Error.
  void keepPart();
  /// Closed, under its final name; what was written reaches the disk in the system's own time. Throws Error.
  void publish();
  /// The same, content and name durable: waits for the disk. Throws Error (LimitError when the disk is full).
  void publishDurably();
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& partPath() const { return partPath_; }
  /// "resume: PATH.part is not the unfinished output of this request (WHY); .." Throws CheckpointError.
  [[noreturn]] void refuse(const std::string& why) const;
  [[nodiscard]] bool inPlace() const { return inPlace_; }

 private:
  static PartFile reopenPart(const std::string& path, std::uint64_t bytes, bool grows);
  static PartFile copyBack(const std::string& path, std::uint64_t bytes, bool grows, const Check& check);
  void copyFrom(int source, std::uint64_t bytes) const;
  explicit PartFile(std::string path);
  void make();
  bool openPart(int flags);
  void requirePart() const;
  void writeInPlace(std::span<const std::byte> bytes) const;
  void reserve(std::uint64_t bytes, Reservation reservation) const;
  void requireLength(std::uint64_t bytes, bool grows) const;

  std::string path_;
  std::string partPath_;
  int descriptor_ = -1;
  bool inPlace_ = false;
  bool keepPart_ = false;
  bool published_ = false;
};

}  // namespace slicepool
