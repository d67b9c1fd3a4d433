// Implementation of line_table.hpp: walks from every cell along every primitive direction.
#include "runtime/three_in_line/line_table.hpp"

#include <cstring>
#include <new>
#include <numeric>
#include <vector>

#include "slicepool/core/error.hpp"
#include "slicepool/three_in_line/steps/lines.hpp"
#include "slicepool/three_in_line/steps/shapes.hpp"

namespace slicepool::three_in_line {
namespace {

constexpr std::size_t kAlignment = 64;

/// One line of the grid: its cells, if it has three or more.
template <class Shape>
void addPairs(const std::vector<int>& cells, std::uint32_t* table) {
  for (const int a : cells) {
    for (const int b : cells) {
      if (a == b) continue;
      std::uint32_t* entry =
          table +
          (static_cast<std::size_t>(a) * kCells<Shape> + static_cast<std::size_t>(b)) * kLineWords<Shape>;
      for (const int c : cells)
        if (c != a && c != b) entry[wordOf<Shape>(c)] |= bitOf<Shape>(c);
    }
  }
}

}  // namespace

LineTable::LineTable(std::size_t words)
    : bytes_((words * sizeof(std::uint32_t) + kAlignment - 1) / kAlignment * kAlignment) {
  void* memory = ::operator new (bytes_, std::align_val_t{kAlignment}, std::nothrow);
  if (memory == nullptr) throw LimitError("no memory for the table of lines");
  std::memset(memory, 0, bytes_);
  words_.reset(static_cast<std::uint32_t*>(memory));
}

void LineTable::Free::operator()(std::uint32_t* words) const {
  ::operator delete (words, std::align_val_t{kAlignment});
}

template <class Shape>
LineTable makeLineTable(int n) {
  LineTable table(kLineTableWords<Shape>);
  const auto inside = [n](int x) { return x >= 0 && x < n; };
  std::vector<int> cells;
  for (int dy = 0; dy < n; ++dy) {
    for (int dx = -(n - 1); dx < n; ++dx) {
      // Each primitive direction once: to the right, or straight down.
      if (std::gcd(dx, dy) != 1 || (dy == 0 && dx != 1)) continue;
      for (int y = 0; y < n; ++y) {
        for (int x = 0; x < n; ++x) {
          if (inside(x - dx) && inside(y - dy)) continue;  // not the first cell of its line
          cells.clear();
          for (int px = x, py = y; inside(px) && inside(py); px += dx, py += dy)
            cells.push_back(positionOf(py, n) * Shape::kPitch + positionOf(px, n));
          addPairs<Shape>(cells, table.data());
        }
      }
    }
  }
  return table;
}

LineTable makeDivisorTable() {
  LineTable table(static_cast<std::size_t>(kDivisorPitch) * kDivisorPitch);
  for (unsigned x = 0; x < kDivisorPitch; ++x)
    for (unsigned y = 0; y < kDivisorPitch; ++y) table.data()[x * kDivisorPitch + y] = std::gcd(x, y);
  return table;
}

#define SLICEPOOL_INSTANTIATE(S) template LineTable makeLineTable<S>(int);
SLICEPOOL_THREE_IN_LINE_SHAPES(SLICEPOOL_INSTANTIATE)
#undef SLICEPOOL_INSTANTIATE

}  // namespace slicepool::three_in_line
