// The loop of nearest.hpp, in the namespace of an instruction set (instances.cmake). The compiler makes
// vectors of it: the number of coordinates is a constant, sums stay in the type of the coordinates, and the
// column of the least distance is looked for only where a block improves on what there is. Everything that is
// called here is inlined: a function that is merged with that of another translation unit would bring this
// one's instructions there.
#pragma once

#include "cpu_workers/invariants/nearest.hpp"

namespace slicepool::SLICEPOOL_KERNEL_NAMESPACE {

namespace {

using invariants::Nearest;
using invariants::NearestView;

constexpr std::uint32_t kBlock = 512;        ///< columns between two looks at the best one
constexpr std::uint32_t kMaximumFused = 10;  ///< coordinates that one pass adds up

template <class Coordinate>
SLICEPOOL_INLINE Coordinate lesser(Coordinate a, Coordinate b) {
  return a < b ? a : b;
}
template <class Coordinate>
SLICEPOOL_INLINE Coordinate greater(Coordinate a, Coordinate b) {
  return a > b ? a : b;
}

/// Adds coordinates firstLine .. firstLine + kLines - 1 of what the query has in common with `size` columns
/// from `begin` on. kLast: returns the least distance instead, and leaves the distances in `common`.
template <class Coordinate, std::uint32_t kLines, bool kFirst, bool kLast>
SLICEPOOL_INLINE Coordinate passBlock(const NearestView<Coordinate>& view, std::uint32_t row,
                                      std::uint32_t firstLine, std::uint32_t begin, std::uint32_t size,
                                      Coordinate* __restrict common) {
  const Coordinate* line[kLines];
  Coordinate own[kLines];
  SLICEPOOL_UNROLL
  for (std::uint32_t i = 0; i < kLines; ++i) {
    const Coordinate* const all = view.coordinates + static_cast<std::size_t>(firstLine + i) * view.stride;
    own[i] = all[row];
    line[i] = all + begin;
  }
  const Coordinate length = view.lengths[row];
  const Coordinate* const lengths = view.lengths + begin;
  Coordinate least = static_cast<Coordinate>(-1);
  for (std::uint32_t c = 0; c < size; ++c) {
    Coordinate sum = kFirst ? Coordinate{0} : common[c];
    SLICEPOOL_UNROLL
    for (std::uint32_t i = 0; i < kLines; ++i)
      sum = static_cast<Coordinate>(sum + lesser(own[i], line[i][c]));
    if constexpr (kLast) {
      sum = static_cast<Coordinate>(greater(length, lengths[c]) - sum);
      least = lesser(least, sum);
    }
    common[c] = sum;
  }
  return least;
}

template <class Coordinate, std::uint32_t kLines, bool kFirst>
SLICEPOOL_INLINE Coordinate lastPass(const NearestView<Coordinate>& view, std::uint32_t row,
                                     std::uint32_t firstLine, std::uint32_t begin, std::uint32_t size,
                                     Coordinate* common) {
  if constexpr (kLines > 1) {
    if (view.dimension - firstLine < kLines)
      return lastPass<Coordinate, kLines - 1, kFirst>(view, row, firstLine, begin, size, common);
  }
  return passBlock<Coordinate, kLines, kFirst, true>(view, row, firstLine, begin, size, common);
}

template <class Coordinate>
void compareColumns(const NearestView<Coordinate>& view, std::uint32_t row, std::uint32_t begin,
                    std::uint32_t end, Nearest& best) {
  alignas(64) Coordinate common[kBlock];
  for (; begin < end; begin += kBlock) {
    const std::uint32_t size = end - begin < kBlock ? end - begin : kBlock;
    Coordinate least = 0;
    if (view.dimension <= kMaximumFused) {
      least = lastPass<Coordinate, kMaximumFused, true>(view, row, 0, begin, size, common);
    } else {
      passBlock<Coordinate, kMaximumFused, true, false>(view, row, 0, begin, size, common);
      std::uint32_t line = kMaximumFused;
      for (; line + kMaximumFused < view.dimension; line += kMaximumFused)
        passBlock<Coordinate, kMaximumFused, false, false>(view, row, line, begin, size, common);
      least = lastPass<Coordinate, kMaximumFused, false>(view, row, line, begin, size, common);
    }
    if (least >= best.distance) continue;
    std::uint32_t at = 0;
    while (common[at] != least) ++at;
    best = {least, begin + at};
  }
}

}  // namespace

NearestKernels nearestKernels(const char* name) {
  return {compareColumns<std::uint16_t>, compareColumns<std::uint32_t>, name};
}

}  // namespace slicepool::SLICEPOOL_KERNEL_NAMESPACE
