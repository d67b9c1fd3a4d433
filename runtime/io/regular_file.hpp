// Reading files that slicepool wrote: regular files only, so that no thread waits on a FIFO or reads a
// device. Called by the readers of checkpoints, manifests, records and shards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace slicepool {

class RegularFile {
 public:
  /// Throws Error, without the path: "cannot be opened: ..", "is not a regular file".
  explicit RegularFile(const std::string& path);
  ~RegularFile();
  RegularFile(const RegularFile&) = delete;
  RegularFile& operator=(const RegularFile&) = delete;

  /// When it was opened.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// The bytes [begin, end) in order, in pieces of a few MiB. Throws Error, without the path, when they are
  /// not there.
  void read(std::uint64_t begin, std::uint64_t end,
            const std::function<void(std::span<const std::byte>)>& piece) const;

 private:
  int descriptor_ = -1;
  std::uint64_t bytes_ = 0;
};

/// The whole content. Throws Error as above.
[[nodiscard]] std::string readRegularFile(const std::string& path);
/// The digits of FileHash of the whole content. Throws Error as above.
[[nodiscard]] std::string hashOfFile(const RegularFile& file);

}  // namespace slicepool
