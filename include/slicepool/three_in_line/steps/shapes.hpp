// The shapes of boards that are compiled, for runtime/three_in_line (problems, tables) and kernels/ (device
// factories), and the choice among them by size.
#pragma once

#include "slicepool/three_in_line/steps/board.hpp"
#include "slicepool/three_in_line/types.hpp"

/// X(shape): sizes up to 16.
#define SLICEPOOL_THREE_IN_LINE_PACKED(X) \
  X(Packed<1>)                            \
  X(Packed<2>)                            \
  X(Packed<3>)                            \
  X(Packed<4>)                            \
  X(Packed<5>)                            \
  X(Packed<6>)                            \
  X(Packed<7>)                            \
  X(Packed<8>)
/// X(shape): sizes 17 to 32.
#define SLICEPOOL_THREE_IN_LINE_WIDE(X) \
  X(Wide<20>)                           \
  X(Wide<24>)                           \
  X(Wide<28>)                           \
  X(Wide<32>)
#define SLICEPOOL_THREE_IN_LINE_SHAPES(X) \
  SLICEPOOL_THREE_IN_LINE_PACKED(X)       \
  SLICEPOOL_THREE_IN_LINE_WIDE(X)

namespace slicepool::three_in_line {

/// Calls f.template operator()<Shape>() for the shape of grids of size n, 1 <= n <= kMaximumSize, and returns
/// its result.
template <class F>
auto withShape(int n, F&& f) {
#define SLICEPOOL_CASE(S) \
  if (n <= S::kLines) return f.template operator()<S>();
  SLICEPOOL_THREE_IN_LINE_PACKED(SLICEPOOL_CASE)
  SLICEPOOL_THREE_IN_LINE_WIDE(SLICEPOOL_CASE)
#undef SLICEPOOL_CASE
  return f.template operator()<Wide<32>>();
}

}  // namespace slicepool::three_in_line
