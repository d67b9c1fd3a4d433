// Nearest factorizations: for each query the least distance to a range of columns, which are factorizations
// too. A slice is a rectangle of the matrix of pairs; nothing of the matrix is stored. Executed by CPU
// workers and by GPUs.
//
// The distance of a and b is max(|a - c|, |b - c|) with c = gcd(a, b), the minimum by coordinates:
// max(|a|, |b|) - |c|.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/core/turn.hpp"

namespace slicepool::invariants {

/// Columns that a query looks at: first .. end-1, without those of its own group.
struct NearestQuery {
  std::uint32_t row;    ///< the column that is the query itself
  std::uint32_t first;  ///< of the range
  std::uint32_t end;
  std::uint32_t groupFirst;  ///< left out; within the range, or empty
  std::uint32_t groupEnd;
};

/// Columns of a tile: with their coordinates they stay in a core's first cache.
inline constexpr std::uint32_t kTileColumns = 2048;
inline constexpr std::uint32_t kNoDistance = 0xFFFFFFFFU;

/// The best column of a tile; of equal ones the first.
struct Nearest {
  std::uint32_t distance = kNoDistance;
  std::uint32_t column = 0;
};

/// What a query found in a tile.
struct NearestResult {
  std::uint32_t query;
  Nearest nearest;
};

template <class Coordinate>
struct NearestView {
  const Coordinate* coordinates = nullptr;  ///< of coordinate i and column c at i * stride + c
  const Coordinate* lengths = nullptr;      ///< of columns
  const NearestQuery* queries = nullptr;
  std::uint32_t columns = 0;
  std::uint32_t stride = 0;  ///< columns, and those that fill the last tile
  std::uint32_t dimension = 0;
};

/// Queries first .. end-1 against tiles tile .. tileEnd-1; of the first tile those before `next` are done.
struct NearestSlice {
  std::uint32_t first;
  std::uint32_t end;
  std::uint32_t next;
  std::uint32_t tile;
  std::uint32_t tileEnd;
};

/// Compares one query with the columns begin .. end-1; keeps the better one in `best`.
template <class Coordinate>
SLICEPOOL_INLINE void compareColumns(const NearestView<Coordinate>& view, std::uint32_t row,
                                     std::uint32_t begin, std::uint32_t end, Nearest& best) {
  const std::uint32_t length = view.lengths[row];
  for (std::uint32_t column = begin; column < end; ++column) {
    std::uint32_t common = 0;
    for (std::uint32_t i = 0; i < view.dimension; ++i) {
      const Coordinate* const line = view.coordinates + static_cast<std::size_t>(i) * view.stride;
      common += line[row] < line[column] ? line[row] : line[column];
    }
    const std::uint32_t other = view.lengths[column];
    const std::uint32_t distance = (length > other ? length : other) - common;
    if (distance < best.distance) best = {distance, column};
  }
}

/// The part of a query's columns in one tile, by `compare(row, begin, end, best)`.
template <class Compare>
SLICEPOOL_INLINE Nearest nearestInTile(const NearestQuery& query, std::uint32_t tile,
                                       const Compare& compare) {
  const std::uint32_t low = tile * kTileColumns;
  const std::uint32_t high = low + kTileColumns;
  const std::uint32_t begin = query.first > low ? query.first : low;
  const std::uint32_t end = query.end < high ? query.end : high;
  Nearest best;
  const std::uint32_t before = query.groupFirst < end ? query.groupFirst : end;
  const std::uint32_t after = query.groupEnd > begin ? query.groupEnd : begin;
  if (begin < before) compare(query.row, begin, before, best);
  if (after < end) compare(query.row, after, end, best);
  return best;
}

/// The workload. A step is a query against a tile.
template <class Coordinate>
struct NearestSearch {
  using View = NearestView<Coordinate>;
  using Slice = NearestSlice;

  static Slice root(std::uint32_t queries, std::uint32_t columns) {
    return {0, queries, 0, 0, (columns + kTileColumns - 1) / kTileColumns};
  }

  template <class Emit>
  SLICEPOOL_HD static Turn advance(const View& view, Slice& slice, Budget& budget, Emit& emit) {
    return advanceBy(
        view, slice, budget, emit,
        [&](std::uint32_t row, std::uint32_t begin, std::uint32_t end, Nearest& best) {
          compareColumns(view, row, begin, end, best);
        });
  }

  /// The same with another function for columns.
  template <class Emit, class Compare>
  SLICEPOOL_HD static Turn advanceBy(const View& view, Slice& slice, Budget& budget, Emit& emit,
                                     const Compare& compare) {
    while (slice.tile < slice.tileEnd) {
      while (slice.next < slice.end) {
        if (budget.left == 0) return Turn::budgetSpent;
        --budget.left;
        const Nearest best = nearestInTile(view.queries[slice.next], slice.tile, compare);
        if (best.distance != kNoDistance && !emit(NearestResult{slice.next, best})) return Turn::sinkFull;
        ++slice.next;
      }
      ++slice.tile;
      slice.next = slice.first;
    }
    return Turn::exhausted;
  }

  /// Between tiles where there are several, else between queries.
  SLICEPOOL_HD static bool split(const View&, Slice& kept, Slice& given) {
    if (kept.tile >= kept.tileEnd) return false;
    given = kept;
    if (kept.tileEnd - kept.tile > 1) {
      const std::uint32_t middle = kept.tile + (kept.tileEnd - kept.tile + 1) / 2;
      kept.tileEnd = middle;
      given.tile = middle;
      given.next = given.first;
      return true;
    }
    if (kept.end - kept.next < 2) return false;
    const std::uint32_t middle = kept.next + (kept.end - kept.next) / 2;
    kept.end = middle;
    given.first = given.next = middle;
    return true;
  }

  SLICEPOOL_HD static double size(const View&, const Slice& slice) {
    if (slice.tile >= slice.tileEnd) return 0;
    return static_cast<double>(slice.tileEnd - slice.tile) * (slice.end - slice.first) -
           (slice.next - slice.first);
  }
};

}  // namespace slicepool::invariants
