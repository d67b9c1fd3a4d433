// Files of lattice vectors, written while they are found: .npy, or lines of text. Called by
// solution_consumer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/io/part_file.hpp"
#include "runtime/lattice/vector_maker.hpp"

namespace slicepool::lattice {

enum class VectorFormat : std::uint8_t { npy, text };

/// By the suffix: .npy or .txt; "-" is text on standard output. Throws ConfigError for field "output.path".
[[nodiscard]] VectorFormat vectorFormat(const std::string& path);

/// Bytes of signed elements of the vectors whose squared norm is at most `most`: 1, 2, 4 or 8. Exact.
/// Throws ConfigError for field "output.path" when 8 are too few.
[[nodiscard]] unsigned elementBytes(const Integer& most);

/// What an array of so many rows begins with. `elementBytes` as above.
[[nodiscard]] std::string vectorArrayHeader(std::uint64_t rows, std::uint64_t columns, unsigned elementBytes);

/// "[1 -2 3]".
[[nodiscard]] std::string vectorText(const VectorMaker& maker);

/// What a checkpoint says of a file.
struct VectorFileState {
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  std::array<char, 16> hash{};  ///< digits, of the bytes behind the header
};

/// One file under construction, PATH.part until it is whole. Rows are encoded anywhere, get their place in
/// turn, and are written there by any thread. Full disks are LimitErrors.
class VectorFile {
 public:
  /// Makes nothing yet: place() or publish() do. `elementBytes` is of .npy.
  VectorFile(std::string path, int columns, unsigned elementBytes);

  /// Appends the row of the vector made last. Any thread.
  void encode(const VectorMaker& maker, std::vector<char>& rows) const;
  /// At most this many bytes a row for vectors whose squared norm is at most `most`.
  [[nodiscard]] std::size_t maximumRowBytes(const Integer& most) const;
  /// The next place for `rows` encoded rows, which are `bytes`; to standard output and in place
  /// they are written now. One
  /// thread at a time.
  [[nodiscard]] std::uint64_t place(std::uint64_t rows, std::span<const char> bytes);
  /// Any thread, between place() and save() or publish().
  void write(std::uint64_t place, std::span<const char> bytes) const;
  /// Everything so far reaches the disk; the part file stays if the process ends. Not for "-".
  [[nodiscard]] VectorFileState save();
  /// Goes on where save() was, in a new process. Before the first place(). Throws CheckpointError when the
  /// unfinished file is not there or was changed.
  void restore(const VectorFileState& state);
  /// The whole file under its name, durably. Returns its bytes.
  std::uint64_t publish();
  [[nodiscard]] std::uint64_t rows() const { return rows_; }

 private:
  void open();
  template <class Element>
  void encodeAs(const VectorMaker& maker, std::vector<char>& rows) const;
  [[nodiscard]] std::string header() const;
  [[nodiscard]] bool toStandardOutput() const { return path_ == "-"; }
  [[nodiscard]] bool inPlace() const { return file_ && file_->inPlace(); }

  std::string path_;
  VectorFormat format_;
  std::uint64_t columns_;
  unsigned elementBytes_;
  std::optional<PartFile> file_;
  std::uint64_t rows_ = 0;
  std::uint64_t bytes_ = 0;  ///< of the file so far
  FileHash hash_;            ///< of the rows
};

}  // namespace slicepool::lattice
