// Files of lattice vectors, written while they are found: .npy, or lines of text. Called by
// solution_consumer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/core/part_file.hpp"
#include "runtime/lattice/vector_maker.hpp"

namespace slicepool::lattice {

enum class VectorFormat : std::uint8_t { npy, text };

/// By the suffix: .npy or .txt; "-" is text on standard output. Throws ConfigError for field "output.path".
[[nodiscard]] VectorFormat vectorFormat(const std::string& path);

/// Bytes of signed elements of the vectors whose squared norm is at most `squaredRadius`: 1, 2, 4 or 8.
/// Throws ConfigError for field "output.path" when 8 are too few.
[[nodiscard]] unsigned elementBytes(double squaredRadius);

/// "[1 -2 3]".
[[nodiscard]] std::string vectorText(const VectorMaker& maker);

/// What a checkpoint says of a file.
struct VectorFileState {
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
};

/// One file under construction, PATH.part until it is whole; memory is one buffer. Full disks are
/// LimitErrors.
class VectorFile {
 public:
  /// Makes nothing yet: add() or publish() do. `elementBytes` is of .npy.
  VectorFile(std::string path, int columns, unsigned elementBytes);

  /// The vector made last.
  void add(const VectorMaker& maker);
  /// Everything so far reaches the disk; the part file stays if the process ends. Not for "-".
  [[nodiscard]] VectorFileState save();
  /// Goes on where save() was, in a new process. Before the first add(). Throws CheckpointError.
  void restore(const VectorFileState& state);
  /// The whole file under its name, durably. Returns its bytes.
  std::uint64_t publish();
  [[nodiscard]] std::uint64_t rows() const { return rows_; }

 private:
  void open();
  void flush();
  void addElements(const VectorMaker& maker);
  template <class Element>
  void addAs(const VectorMaker& maker);
  [[nodiscard]] std::string header() const;
  [[nodiscard]] bool toStandardOutput() const { return path_ == "-"; }

  std::string path_;
  VectorFormat format_;
  std::uint64_t columns_;
  unsigned elementBytes_;
  std::optional<PartFile> file_;
  std::vector<char> buffer_;
  std::uint64_t rows_ = 0;
  std::uint64_t flushed_ = 0;  ///< bytes in the file
};

}  // namespace slicepool::lattice
