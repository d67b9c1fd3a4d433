// The table of lines: for every pair of cells the other cells of the line through them. Read by propagate.hpp
// and the CPU fast paths; built by runtime/three_in_line/line_table.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/three_in_line/board.hpp"

namespace slicepool::three_in_line {

/// Cells numbered below this have entries.
template <class Shape>
inline constexpr int kCells = Shape::kLines* Shape::kPitch;

/// Entry (a, b) is kLineWords words at ((a * kCells) + b) * kLineWords; it is zero for a = b.
template <class Shape>
inline constexpr std::size_t kLineTableWords =
    static_cast<std::size_t>(kCells<Shape>) * kCells<Shape>* kLineWords<Shape>;

struct alignas(16) FourWords {
  std::uint32_t word[4];
};

/// cells |= the line through a and b without these two. `lines` is 16-byte aligned.
template <class Shape>
SLICEPOOL_INLINE void addLine(const std::uint32_t* lines, int a, int b, Cells<Shape>& cells) {
  const auto* entry = reinterpret_cast<const FourWords*>(lines) +
                      static_cast<std::size_t>(a * kCells<Shape> + b) * (kLineWords<Shape> / 4);
  SLICEPOOL_UNROLL
  for (int q = 0; q < kLineWords<Shape> / 4; ++q) {
#if SLICEPOOL_ON_DEVICE
    const uint4 loaded = __ldg(reinterpret_cast<const uint4*>(entry + q));
    const FourWords four{{loaded.x, loaded.y, loaded.z, loaded.w}};
#else
    const FourWords& four = entry[q];
#endif
    SLICEPOOL_UNROLL
    for (int i = 0; i < 4; ++i) {
      if (4 * q + i < Shape::kWords) cells.words[4 * q + i] |= four.word[i];
    }
  }
}

}  // namespace slicepool::three_in_line
