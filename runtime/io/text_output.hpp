// Text that goes to an output in large pieces and gets its name when it is whole. Used by traces and by the
// outputs of several workloads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <utility>

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

// Both throw LimitError when it cannot be written.
void writeToStandardOutput(std::span<const char> text);
void flushStandardOutput();

/// Lines of text to a file, or to standard output where the path is "-". `forEach(take)` calls `take` with
/// the text of each line, without its end. Returns the bytes. Throws LimitError when the disk is full.
template <class ForEach>
std::uint64_t writeTextLines(const std::string& path, const ForEach& forEach) {
  if (path == "-") {
    std::uint64_t bytes = 0;
    forEach([&bytes](auto&& line) {
      const std::string text = fmt::format("{}\n", std::forward<decltype(line)>(line));
      writeToStandardOutput(text);
      bytes += text.size();
    });
    flushStandardOutput();
    return bytes;
  }
  TextFile file(path);
  forEach([&file](auto&& line) {
    fmt::format_to(file.out(), "{}\n", std::forward<decltype(line)>(line));
    file.flushIfLarge();
  });
  return file.publish();
}

}  // namespace slicepool
