// XXH3 (64-bit) of bytes that come in pieces, and of files. Used wherever files are written and read back:
// outputs, checkpoints, manifests and records.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace slicepool {

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

/// The digits of one text.
[[nodiscard]] std::string hashDigits(std::string_view text);

}  // namespace slicepool
