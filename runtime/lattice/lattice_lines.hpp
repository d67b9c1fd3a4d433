// The lines of a file of many lattices, as they come: a file of any size, a FIFO or standard input. Called by
// many_lattices.cpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/io/descriptor.hpp"

namespace slicepool::lattice {

/// A line is at most so long; the rest of a longer one is passed over.
inline constexpr std::size_t kLongestLine = std::size_t{64} << 20;

/// Some lines, copied, one after another.
struct LineGroup {
  std::uint64_t first = 1;  ///< number of the first
  std::string bytes;
  std::vector<std::size_t> ends;  ///< of the lines, in bytes
  std::vector<bool> tooLong;

  void clear(std::uint64_t number) {
    first = number;
    bytes.clear();
    ends.clear();
    tooLong.clear();
  }
  [[nodiscard]] std::size_t size() const { return ends.size(); }
  [[nodiscard]] std::string_view line(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return std::string_view(bytes).substr(begin, ends[i] - begin);
  }
};

/// Not thread-safe. At most a block beside the longest line is in memory.
class LatticeLines {
 public:
  /// "-" is standard input. Throws ConfigError for field "batch" when it cannot be read. `stop` ends the wait
  /// for more.
  LatticeLines(const std::string& path, const std::atomic<bool>& stop);

  /// The next lines: at most `most`, no more once they have `bytes` bytes, and fewer where no more have come
  /// yet. False at the end, and when stopped. Throws Error when reading fails.
  bool next(std::size_t most, std::size_t bytes, LineGroup& group);
  [[nodiscard]] bool atEnd() const { return ended_; }
  /// Of the file; 0: unknown.
  [[nodiscard]] std::uint64_t bytes() const { return fileBytes_; }

 private:
  bool readMore();
  void take(std::size_t length, bool cut, LineGroup& group);

  std::string path_;
  Descriptor file_;
  const std::atomic<bool>& stop_;
  std::string block_;
  std::size_t begin_ = 0;    ///< of what is not handed out
  std::size_t scanned_ = 0;  ///< up to here there is no end of a line
  bool passing_ = false;     ///< the rest of a line that is too long
  bool ended_ = false;
  bool stopped_ = false;
  std::uint64_t number_ = 1;
  std::uint64_t fileBytes_ = 0;
};

}  // namespace slicepool::lattice
