// The parts of a collected line. Used by point_lines.cpp and point_files.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/integer_points/point_files.hpp"

namespace slicepool::integer_points {

inline std::uint64_t numberAt(const std::byte* from, int width) {
  std::uint64_t number = 0;
  for (int i = 0; i < width; ++i) number = number << 8 | static_cast<std::uint64_t>(from[i]);
  return number;
}

inline const std::byte* recordAt(const Lines& lines, std::size_t i) {
  return lines.records.data() + i * static_cast<std::size_t>(lines.shape.recordBytes);
}

inline std::uint64_t countOf(const Lines& lines, std::size_t i) {
  return numberAt(recordAt(lines, i), kCountBytes);
}

/// By level.
inline void readFirst(const Lines& lines, std::size_t i, std::vector<std::int64_t>& first) {
  const std::byte* from = recordAt(lines, i) + kCountBytes;
  for (std::size_t level = 0; level < first.size(); ++level, from += lines.shape.width)
    first[level] = lines.shape.lower[level] + static_cast<std::int64_t>(numberAt(from, lines.shape.width));
}

}  // namespace slicepool::integer_points
