// The table of lines: for every pair of cells the other cells of the line through them. Read by propagate.hpp
// and the CPU fast paths; built by runtime/three_in_line/line_table.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/three_in_line/steps/board.hpp"

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

/// cells |= the line through a and b without these two. `lines` is the table, 16-byte aligned.
template <class Shape>
SLICEPOOL_INLINE void addLine(const std::uint32_t* lines, int a, int b, Cells<Shape>& cells) {
  const auto* entry = reinterpret_cast<const FourWords*>(lines) +
                      static_cast<std::size_t>(a * kCells<Shape> + b) * (kLineWords<Shape> / 4);
  SLICEPOOL_FOR_WORDS
  for (int q = 0; q < kLineWords<Shape> / 4; ++q) {
#if SLICEPOOL_ON_DEVICE
    const uint4 loaded = __ldg(reinterpret_cast<const uint4*>(entry + q));
    const FourWords four{{loaded.x, loaded.y, loaded.z, loaded.w}};
#else
    const FourWords& four = entry[q];
#endif
    SLICEPOOL_UNROLL
    for (int i = 0; i < 4; ++i)
      if (4 * q + i < Shape::kWords) cells.words[4 * q + i] |= four.word[i];
  }
}

/// Lines from the table.
struct TableLines {
  static constexpr int kTogether = 4;  ///< points whose lines are read side by side
  const std::uint32_t* table;

  template <class Shape>
  SLICEPOOL_INLINE void add(const Geometry&, int a, int b, Cells<Shape>& cells) const {
    addLine<Shape>(table, a, b, cells);
  }
};

/// Entry (x, y) of the table of greatest common divisors is at x * kDivisorPitch + y.
inline constexpr int kDivisorPitch = 32;

/// Lines computed: the cells one hop beyond either point by reflecting the points in each other; the rest of
/// the line only for pairs that are "relevant", whose line may have other cells.
struct ComputedLines {
  static constexpr int kTogether = 1;
  const std::uint32_t* divisors;

  template <class Shape>
  SLICEPOOL_HD void add(const Geometry& geometry, int a, int b, Cells<Shape>& cells) const {
    const int n = geometry.n;
    const int x = coordinateOf(a % Shape::kPitch, n);
    const int y = coordinateOf(a / Shape::kPitch, n);
    int right = coordinateOf(b % Shape::kPitch, n) - x;
    int down = coordinateOf(b / Shape::kPitch, n) - y;
    const int width = right < 0 ? -right : right;
    const int height = down < 0 ? -down : down;
    const int divisor = static_cast<int>(divisors[width * kDivisorPitch + height]);
    if (divisor == 1 && (3 * width >= n || 3 * height >= n)) {
      addIfInside<Shape>(n, x - right, y - down, cells);
      addIfInside<Shape>(n, x + 2 * right, y + 2 * down, cells);
      return;
    }
    right /= divisor;
    down /= divisor;
    for (int step = 1; addIfInside<Shape>(n, x - step * right, y - step * down, cells);) ++step;
    for (int step = 1; step == divisor || addIfInside<Shape>(n, x + step * right, y + step * down, cells);)
      ++step;
  }

 private:
  template <class Shape>
  SLICEPOOL_INLINE static bool addIfInside(int n, int x, int y, Cells<Shape>& cells) {
    if (x < 0 || y < 0 || x >= n || y >= n) return false;
    addCell<Shape>(cells, positionOf(y, n) * Shape::kPitch + positionOf(x, n));
    return true;
  }
};

}  // namespace slicepool::three_in_line
