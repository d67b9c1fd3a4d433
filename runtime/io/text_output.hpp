// Text that goes to an output in large pieces and gets its name when it is whole. Used by traces and by the
// files of semigroups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>

#include <fmt/format.h>

#include "runtime/io/part_file.hpp"

namespace slicepool {

class TextFile {
 public:
  explicit TextFile(const std::string& path) : file_(PartFile::createText(path)) {}
  /// Where to append; call `flushIfLarge` now and then.
  [[nodiscard]] auto out() { return std::back_inserter(text_); }
  /// Throws LimitError when the disk is full, Error otherwise.
  void flushIfLarge() {
    if (text_.size() >= kPiece) flush();
  }
  /// The bytes of the whole. Throws as above.
  std::uint64_t publish() {
    flush();
    file_.publish();
    return bytes_;
  }

 private:
  static constexpr std::size_t kPiece = 1U << 20;
  void flush() {
    file_.write(bytes_, std::as_bytes(std::span<const char>(text_.data(), text_.size())));
    bytes_ += text_.size();
    text_.clear();
  }
  PartFile file_;
  fmt::memory_buffer text_;
  std::uint64_t bytes_ = 0;
};

}  // namespace slicepool
