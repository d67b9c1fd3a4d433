// The lines of a file of many lattices, as they come: a file of any size, a FIFO or standard input. Called by
// many_lattices.cpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/io/descriptor.hpp"

namespace slicepool::lattice {

/// A line is at most so long; the rest of a longer one is passed over.
inline constexpr std::size_t kLongestLine = std::size_t{64} << 20;

/// Bytes that are read or copied into, so that room need not be cleared first.
class LineBuffer {
 public:
  [[nodiscard]] char* data() { return bytes_.get(); }
  [[nodiscard]] std::string_view view() const { return {bytes_.get(), size_}; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  /// What is there stays.
  void reserve(std::size_t bytes);
  /// Within the capacity.
  void setSize(std::size_t bytes) { size_ = bytes; }
  /// Of another buffer, or behind its own beginning.
  void assign(std::string_view bytes);

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// Some lines, one after another.
struct LineGroup {
  struct Line {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool tooLong = false;  ///< then it is empty here
  };

  std::uint64_t first = 1;  ///< number of the first
  std::size_t taken = 0;    ///< bytes of the file that they took, with their ends
  LineBuffer bytes;
  std::vector<Line> lines;

  [[nodiscard]] std::size_t size() const { return lines.size(); }
  [[nodiscard]] std::string_view line(std::size_t i) const {
    return bytes.view().substr(lines[i].begin, lines[i].end - lines[i].begin);
  }
  /// They lie so many bytes further in front.
  void shift(std::size_t offset) {
    for (Line& line : lines) {
      line.begin -= offset;
      line.end -= offset;
    }
  }
};

/// Not thread-safe. At most a group beside the longest line is in memory.
class LatticeLines {
 public:
  /// "-" is standard input. Throws ConfigError for field "batch" when it cannot be read. `stop` ends the wait
  /// for more.
  LatticeLines(const std::string& path, const std::atomic<bool>& stop);

  /// The next lines: at most `most`, no more once they have `bytes` bytes, and fewer where no more have come
  /// yet. False at the end, and when stopped. The memory of `group` is used again. Throws Error when reading
  /// fails.
  bool next(std::size_t most, std::size_t bytes, LineGroup& group);
  /// Whether all lines have been handed out. Of a FIFO, whose end comes late, as far as is known.
  [[nodiscard]] bool atEnd() const {
    const bool ended = ended_ || (fileBytes_ != 0 && readBytes_ >= fileBytes_);
    return ended && begin_ == block_.size() && passed_ == 0;
  }
  /// Of the file; 0: unknown.
  [[nodiscard]] std::uint64_t bytes() const { return fileBytes_; }

 private:
  [[nodiscard]] bool isReady(int milliseconds) const;
  bool readMore(std::size_t bytes);
  bool takeLine(LineGroup& group);
  void handOver(LineGroup& group);
  void dropBefore(std::size_t offset, LineGroup& group);

  std::string path_;
  Descriptor file_;
  const std::atomic<bool>& stop_;
  LineBuffer block_;
  std::size_t begin_ = 0;    ///< of what is not handed out
  std::size_t scanned_ = 0;  ///< up to here there is no end of a line
  std::size_t passed_ = 0;   ///< bytes of a line that is too long, which are gone
  bool ended_ = false;
  bool stopped_ = false;
  std::uint64_t number_ = 1;
  std::uint64_t fileBytes_ = 0;
  std::uint64_t readBytes_ = 0;
};

}  // namespace slicepool::lattice
