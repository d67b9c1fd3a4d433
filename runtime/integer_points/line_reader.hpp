// The parts of a collected line. Used by point_lines.cpp and point_files.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "runtime/integer_points/point_files.hpp"

namespace slicepool::integer_points {

/// Calls `run` with a number of the width of the lines' coordinates.
template <class Run>
auto withCoordinate(int width, const Run& run) {
  switch (width) {
    case 1: return run(std::uint8_t{});
    case 2: return run(std::uint16_t{});
    case 4: return run(std::uint32_t{});
    default: return run(std::uint64_t{});
  }
}

template <class Number>
Number coordinateAt(const std::byte* record, std::size_t level) {
  Number number;
  std::memcpy(&number, record + kCountBytes + level * sizeof(Number), sizeof(Number));
  return number;
}

inline const std::byte* recordAt(const Lines& lines, std::size_t i) {
  return lines.records.data() + i * static_cast<std::size_t>(lines.shape.recordBytes);
}

inline std::uint64_t countOf(const Lines& lines, std::size_t i) {
  std::uint32_t count = 0;
  std::memcpy(&count, recordAt(lines, i), kCountBytes);
  return count;
}

/// By level; those behind the coordinates of a line stay.
inline void readFirst(const Lines& lines, std::size_t i, std::vector<std::int64_t>& first) {
  withCoordinate(
      lines.shape.width,
      [&](auto number) {
        for (std::size_t level = 0; level < lines.shape.coordinates; ++level)
          first[level] = static_cast<std::int64_t>(static_cast<std::uint64_t>(lines.shape.lower[level]) +
                                                   coordinateAt<decltype(number)>(recordAt(lines, i), level));
      });
}

}  // namespace slicepool::integer_points
