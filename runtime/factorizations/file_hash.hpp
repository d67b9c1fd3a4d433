// XXH3 (64-bit) of bytes that come in pieces. Called by shard_files and manifest.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace slicepool::factorizations {

class FileHash {
 public:
  FileHash();
  ~FileHash();
  FileHash(FileHash&&) noexcept;
  FileHash& operator=(FileHash&&) noexcept;
  void update(std::span<const std::byte> bytes);
  /// Of everything so far: 16 hexadecimal digits, as `xxhsum -H3` prints them.
  [[nodiscard]] std::string digits() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace slicepool::factorizations
